"""The numbers of a report, read back from its HTML, and what the package itself says they are."""

from __future__ import annotations

import json
import math
from html.parser import HTMLParser
from typing import Any

import numpy as np

import steiner as st
from steiner.analysis.ranges import ranges
from steiner.reports.blocks import plain
from steiner.reports.model import TENSOR
from steiner.reports.subject import OFFSET, PERIOD, Subject, frictionless
from steiner.review.routes import ROUTES, agreement, opinions
from steiner.text.names import terminal

Key = tuple[str, str, str]  # table, row, column


class Page(HTMLParser):
    """Tables by id, row and column; numbers in sentences by key; the data of figures; all tags and attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.numbers: dict[Key, str] = {}
        self.units: dict[Key, str] = {}
        self.figures: dict[str, dict[str, list[float]]] = {}
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self._table = self._row = self._figure = ""
        self._data = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        given = dict(attrs)
        self.tags.append((tag, given))
        if tag == "table":
            self._table = given.get("id") or ""
        elif tag == "figure":
            self._figure = given.get("id") or ""
        elif tag == "tr":
            self._row = given.get("data-row") or ""
        self._data = tag == "script" and given.get("type") == "application/json" and bool(self._figure)
        if "data-value" in given:
            where = (self._table, self._row, given["data-column"]) if tag == "td" else ("", "", given["data-key"])
            assert where not in self.numbers, where
            self.numbers[where], self.units[where] = given["data-value"], given.get("data-unit", "")

    def handle_endtag(self, tag: str) -> None:
        if tag == "figure":
            self._figure = ""
        self._data = False

    def handle_data(self, data: str) -> None:
        self.texts.append(data)
        if self._data:
            self.figures[self._figure] = json.loads(data)


def expected(subject: Subject) -> dict[Key, Any]:
    """Every number that a report of this subject may show, asked of the package."""
    found: dict[Key, Any] = {}
    for section in (_model, _equations, _torques, _motions, _verification):
        found |= {tuple(map(terminal, key)): value for key, value in section(subject)}
    return {key: value for key, value in found.items() if value is not None and math.isfinite(value)}


def written(values: dict[Key, Any]) -> dict[Key, str]:
    return {key: plain(value) for key, value in values.items()}


def _model(subject: Subject) -> Any:
    robot, total = subject.robot, float(subject.robot.total_mass)
    yield ("summary", "moving joints", "value"), robot.n
    yield ("summary", "mass", "value"), total
    yield ("summary", "findings", "value"), len(st.check(robot))
    yield ("links", "whole robot", "mass"), total
    lower, upper, velocity, effort = ranges(robot)
    for k, name in enumerate(robot.joint_names):
        cells = zip(("lower", "upper", "velocity", "effort"), (lower, upper, velocity, effort), strict=True)
        yield from ((("joints", name, key), float(values[k])) for key, values in cells)
        yield ("joints", name, "armature"), float(robot.joint(name).armature)
    for load in robot.payloads:
        yield ("summary", load.name, "value"), float(load.body.mass)
        yield from _node(f"{load.link}/{load.name}", load.body.moved(load.pose), total)
    for link in robot.links:
        yield ("links", link.name, "mass"), float(link.body.mass)
        for a, at, com in zip("xyz", link.mount.p, link.body.com, strict=True):
            yield ("links", link.name, f"mount_{a}"), float(at)
            yield ("links", link.name, f"com_{a}"), float(com) if link.body.mass else None
        if link.made_of is None:
            yield from _node(link.name, link.body, total)
        else:
            for row in link.made_of.budget(about="link").rows:
                yield from _node("/".join([link.name, *row.path.split("/")[1:]]), row, total)


def _node(path: str, body: Any, total: float) -> Any:
    yield ("budget", path, "mass"), float(body.mass)
    yield ("budget", path, "share"), 100 * float(body.mass) / total
    yield from ((("budget", path, f"com_{a}"), float(x)) for a, x in zip("xyz", body.com, strict=True))
    yield from ((("tensors", path, name), float(body.inertia[i, j])) for name, i, j in TENSOR)


def _equations(subject: Subject) -> Any:
    eq = st.equations(subject.robot)
    for name in ("M", "V", "G", "tau"):
        found = eq.sequence(name)
        yield ("operations", name, "operations"), found.operations
        yield ("operations", name, "names"), len(found.definitions)
        yield ("operations", name, "forecast"), found.forecast
    base = st.base_parameters(subject.robot)
    yield ("", "", "base parameters"), base.count
    yield ("", "", "unseen parameters"), len(base.unseen)
    yield ("", "", "parameters"), len(base.independent) + len(base.dependent) + len(base.unseen)
    yield ("", "", "proof residual"), eq.proof.residual
    if subject.robot.n <= 3:
        letters = st.equations(subject.robot, symbols=True)
        known = {s: x for s, x in letters.letters.items() if s in letters.parameters}
        yield from ((("letters", str(s), "value"), float(x)) for s, x in known.items())


def _torques(subject: Subject) -> Any:
    robot, motion = subject.robot, subject.motion
    found = st.sizing(robot, motion)
    for k, joint in enumerate(robot.joint_names):
        for name in (
            "peak_torque", "peak_time", "rms_torque", "peak_speed", "peak_power", "mean_power", "energy_drawn",
            "energy_braked", "effort_margin", "speed_margin",
        ):  # fmt: skip
            yield ("sizing", joint, name), float(getattr(found, name)[k])
    for by in ("source", "link", "part"):
        shares = found.shares(by)
        sums = sum(shares.values(), np.zeros(robot.n))
        for name, share in (*shares.items(), ("total", sums)):
            if np.abs(share).max() > 1e-12 * np.abs(sums).max():
                each = zip(robot.joint_names, share, strict=True)
                yield from (((f"shares-{by}", name, j), float(x)) for j, x in each)
    if found.limiting is not None:
        yield ("", "", "limiting margin"), found.limiting.margin
        yield ("", "", "limiting time"), found.limiting.time
        yield ("summary", "smallest margin", "value"), found.limiting.margin
    if not np.isfinite(ranges(robot).effort).any():
        return
    for where, one in (("along the motion", st.capacity(robot, motion)), ("at rest, anywhere", st.capacity(robot))):
        yield ("payload", where, "mass"), float(one.mass)
        yield ("payload", where, "time"), one.time
        yield ("payload", where, "poses"), len(one.masses)
        yield from ((("payload", where, f"q {j}"), float(x)) for j, x in zip(robot.joint_names, one.q, strict=True))
        if one.time is not None:
            yield ("summary", "largest payload", "value"), float(one.mass)


def _motions(subject: Subject) -> Any:
    robot, rows, path = subject.robot, subject.motion, subject.asked
    law = st.controllers.computed_torque(robot, path, kp=100, kd=20, model=frictionless(robot))
    machine = st.controllers.sampled(law, robot, period=PERIOD)
    free = st.simulate(robot, rows.q[0], duration=2.0)
    lost = (lambda t, q, qd: 1.0 - np.abs(q - path(t)[0]).max()), "stop"
    steered = st.simulate(
        robot, rows.q[0] + OFFSET, rows.qd[0], duration=min(path.duration, 6.0), tau=machine, events=[lost]
    )
    for name, moved in (("free", free), ("controlled", steered)):
        yield (f"{name}-energy", "energy at the start", "value"), float(moved.initial)
        yield (f"{name}-energy", "energy at the end", "value"), float(moved.energy[-1])
        yield (f"{name}-energy", "drift of the integration", "value"), float(moved.drift[-1])
        for k, source in enumerate(moved.SOURCES):
            yield (f"{name}-energy", f"work of {source}", "value"), float(moved.work[-1, k])
        yield ("", "", f"{name} drift"), moved.relative_drift
        yield ("", "", f"{name} events"), len(moved.events) - bool(moved.ended)
    followed = st.tracking(steered, path)
    for k, joint in enumerate(robot.joint_names):
        yield from (
            (("tracking", joint, x), float(getattr(followed, x)[k])) for x in ("rms", "peak", "final", "peak_time")
        )


def _verification(subject: Subject) -> Any:
    for route in ROUTES:
        found = agreement(subject.robot, route, subject.states)
        yield from ((("routes", route, x), getattr(found, x)) for x in ("difference", "relative", "states"))
    for program, found in opinions(subject.robot):
        for effect in () if isinstance(found, str) else found.effects:
            yield ("programs", f"{program} {effect.term}", "difference"), effect.largest
            yield ("programs", f"{program} {effect.term}", "relative"), effect.relative
