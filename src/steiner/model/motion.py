"""What a simulation gives: the states at the times asked for, and the accounts of energy and work."""

from __future__ import annotations

import csv
import dataclasses
from pathlib import Path
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import numpy as np

from steiner.doors import door
from steiner.errors import ArgumentError, SteinerError, described
from steiner.records import record
from steiner.scalar import Frozen
from steiner.text.names import csv as safe_cell
from steiner.text.names import terminal
from steiner.text.shown import Shown
from steiner.text.written import replacing

COLUMNS = ("q", "qd", "qdd", "tau")


class Named(Protocol):
    """What a motion asks of its robot."""

    @property
    def name(self) -> str:
        """Its name."""
        ...

    @property
    def joint_names(self) -> Any:
        """One for each coordinate; a `cached_property` is no tuple to a type checker."""
        ...


R = TypeVar("R", bound=Named)


class Happened(NamedTuple):
    """An event: when, what, and of which row of the batch."""

    t: float
    what: str
    row: tuple[int, ...] = ()


@record(eq=False, repr=False)
class Motion(Frozen, Generic[R]):
    """States of a robot at times t: q, q̇, q̈ and τ are (times, …, n), accounts (times, …); SI units.

    `work` is what motors, friction, the environment and events have done so far, in the order of `SOURCES`; `power`
    what the first three do now.
    """

    SOURCES = ("motors", "friction", "environment", "events")

    robot: R
    t: np.ndarray
    q: np.ndarray
    qd: np.ndarray
    qdd: np.ndarray
    tau: np.ndarray
    kinetic: np.ndarray
    potential: np.ndarray
    power: np.ndarray
    work: np.ndarray
    initial: np.ndarray  # energy at the start, before any work is done
    events: tuple[Happened, ...] = ()
    ended: str = ""  # why, if before the time asked for

    def _arrays(self) -> list[str]:
        return [f.name for f in dataclasses.fields(self) if isinstance(getattr(self, f.name), np.ndarray)]

    @property
    def energy(self) -> np.ndarray:
        """Kinetic and potential energy, J."""
        return self.kinetic + self.potential

    @property
    def drift(self) -> np.ndarray:
        """Energy that the integration has made or lost: energy gained minus work done, J."""
        return self.energy - self.initial - self.work.sum(axis=-1)

    @property
    def relative_drift(self) -> float:
        """The largest drift over the largest kinetic energy."""
        if not self.kinetic.size:
            return 0.0
        return float(np.nanmax(np.abs(self.drift)) / max(np.nanmax(self.kinetic), np.finfo(float).tiny))

    def __len__(self) -> int:
        return len(self.t)

    def __getitem__(self, key: Any) -> Motion[R]:
        """Some of the times, m[10:20] or m[m.t > 1], or of the batch, m[:, 3]: one motion goes until its own end."""
        times, *rows = key if isinstance(key, tuple) else (key,)
        if isinstance(times, int | np.integer):
            if not -len(self) <= times < len(self):
                raise IndexError(f"time {times} of {len(self)}")
            times = slice(times, times + 1 or None)
        t, chosen = self.t[times], tuple(rows)
        arrays = {name: getattr(self, name)[(times, *rows)] for name in self._arrays() if name not in ("t", "initial")}
        members = np.arange(self.initial.size).reshape(self.initial.shape)[chosen]
        events, ended = self._happened(t, members), self.ended
        if self.q.ndim > 2 and arrays["q"].ndim == 2:
            lived = np.isfinite(arrays["q"]).all(axis=-1)
            t, arrays = t[lived], {name: x[lived] for name, x in arrays.items()}
            if ended.startswith("row"):
                ended = f"{events[-1].what} at t = {events[-1].t:.6g} s" if events and not lived.all() else ""
        initial = np.asarray(self.initial[chosen])
        return dataclasses.replace(self, t=t, initial=initial, events=events, ended=ended, **arrays)

    def _happened(self, t: np.ndarray, members: Any) -> tuple[Happened, ...]:
        """What happened to members of the batch, given by their numbers, from the first of these times on."""
        if not len(t):
            return ()
        until = self.t[min(np.searchsorted(self.t, t.max(), "right"), len(self.t) - 1)]
        place = {int(k): index for index, k in np.ndenumerate(members)}
        numbers = (int(np.ravel_multi_index(e.row, self.initial.shape)) if e.row else 0 for e in self.events)
        both = zip(self.events, numbers, strict=True)
        return tuple(e._replace(row=place[k]) for e, k in both if k in place and t.min() <= e.t <= until)

    def resampled(self, t: Any) -> Motion[R]:
        """The motion at other times: q, q̇ and q̈ by the quintic through those of its neighbours, the rest by lines."""
        try:
            wanted = np.atleast_1d(np.asarray(t, dtype=float))
        except (TypeError, ValueError):
            raise ArgumentError(f"resampled: expected times, got {described(t)}") from None
        if len(self.t) < 2 or wanted.ndim != 1 or not len(wanted):
            raise ArgumentError("resampled: expected times, and a motion of two samples or more")
        if not (self.t[0] <= wanted.min() and wanted.max() <= self.t[-1]):
            raise ArgumentError(f"resampled: the motion is known from {self.t[0]:g} to {self.t[-1]:g} s")
        k = np.clip(np.searchsorted(self.t, wanted, "right") - 1, 0, len(self.t) - 2)
        h = self.t[k + 1] - self.t[k]

        def spread(x: np.ndarray, like: np.ndarray) -> np.ndarray:
            return x.reshape(-1, *[1] * (like.ndim - 1))

        s = (wanted - self.t[k]) / h
        changes = {}
        for name in self._arrays():
            x = getattr(self, name)
            if name not in ("t", "q", "qd", "qdd", "initial"):
                share = spread(s, x)
                changes[name] = x[k] * (1 - share) + x[k + 1] * share
        ends = [getattr(self, x)[j] for j in (k, k + 1) for x in COLUMNS[:3]]
        q, qd, qdd = quintic(ends, spread(s, self.q), spread(h, self.q))
        return dataclasses.replace(self, t=wanted, q=q, qd=qd, qdd=qdd, **changes)

    def save(self, path: Any, *, force: bool = False) -> Path:
        """Write t, q, q̇, q̈, τ by joint and the energy to a .csv file, or to .parquet with the extra `data`."""
        target = Path(path)
        if self.q.ndim != 2:
            raise ArgumentError("save: a file holds one motion; choose a row of the batch, such as m[:, 0]")
        names = ["t", *(f"{joint}.{x}" for x in COLUMNS for joint in self.robot.joint_names), "energy"]
        table = np.column_stack([self.t, *(getattr(self, x) for x in COLUMNS), self.energy])
        ending = target.suffix.lower()
        if ending == ".csv":
            with replacing(target, force=force) as file:
                writer = csv.writer(file, lineterminator="\n")
                writer.writerow(map(safe_cell, names))
                writer.writerows([repr(x) for x in row] for row in table.tolist())
        elif ending == ".parquet":
            try:
                import polars
            except ImportError:
                raise ArgumentError("save: a .parquet file needs polars: pip install 'steiner[data]'") from None
            with replacing(target, force=force, binary=True) as file:
                polars.DataFrame({name: table[:, k] for k, name in enumerate(names)}).write_parquet(file)
        else:
            raise ArgumentError(f"save: {target.name!r} ends in neither .csv nor .parquet")
        return target

    @door
    def plot(self, axes: Any = None) -> Any:
        """q, q̇, τ and the energies over time, with matplotlib (extra `report`); returns the axes."""
        ...

    @door
    def show(self, *, path: Any = None) -> Shown:
        """A page that plays the motion: inline in a notebook, else in the browser; `path` writes it there instead."""
        ...

    def __repr__(self) -> str:
        if not len(self.t):
            return f"<motion of {self.robot.name}: nothing{f', {self.ended}' if self.ended else ''}>"
        batch = f", batch {self.q.shape[1:-1]}" if self.q.ndim > 2 else ""
        events = f", {len(self.events)} events" if self.events else ""
        span = f"{len(self.t)} times from {self.t[0]:g} to {self.t[-1]:g} s{batch}{events}"
        drift = f"energy drift {self.relative_drift:.1e} of the largest kinetic energy"
        return terminal(f"<motion of {self.robot.name}: {span}, {drift}{f', {self.ended}' if self.ended else ''}>")


def quintic(ends: list[np.ndarray], s: Any, h: Any) -> tuple[Any, Any, Any]:
    """Position, rate and acceleration of the quintic with these ends, at the share s of the interval h."""
    q0, v0, a0, q1, v1, a1 = ends
    d, v, w = q1 - q0, v0 * h, v1 * h
    a, b = a0 * h * h / 2, a1 * h * h / 2
    c3, c4 = 10 * d - 6 * v - 4 * w - 3 * a + b, -15 * d + 8 * v + 7 * w + 3 * a - 2 * b
    c5 = 6 * d - 3 * (v + w) - a + b
    q = q0 + s * (v + s * (a + s * (c3 + s * (c4 + s * c5))))
    qd = (v + s * (2 * a + s * (3 * c3 + s * (4 * c4 + s * 5 * c5)))) / h
    return q, qd, (2 * a + s * (6 * c3 + s * (12 * c4 + s * 20 * c5))) / h**2


class MotionError(SteinerError):
    """A simulation that cannot go on; `motion` is what there is until then."""

    motion: Motion[Any] | None = None
