"""Mass properties: mass, centre of mass and central inertia tensor, and all their algebra.

The central tensor survives any move without loss; sums are formed about the merged centre, which
is the theorem of Huygens and Steiner.  What is linear in the mass (the 4×4 pseudo-inertia, the
moments about the frame's origin) is a view.  Off-diagonal entries of a tensor hold −∫xy dm.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar
from weakref import WeakSet

import numpy as np

from steiner.doors import door
from steiner.errors import GeometryError, ModelWarning, SteinerError, described, need
from steiner.inertia.conventions import Conventions
from steiner.records import record
from steiner.scalar import (
    Frozen,
    array,
    brief,
    frozen,
    is_negative,
    is_number,
    is_zero,
    numbers,
    rounds,
    select,
)
from steiner.spatial import Pose, Vector, cross, unit
from steiner.spatial.poses import UNTURNED

if TYPE_CHECKING:  # pages are laid out only when asked for, and who loads a robot has asked for no moments
    from steiner.inertia.moments import Moments
    from steiner.text.shown import Shown


def tensor_of(second: Any) -> np.ndarray:
    """Inertia tensor tr(Σ) 1 − Σ of a second-moment matrix Σ = ∫ r rᵀ dm.

    Sums of two, never the trace minus one: the moment of a needle about its own axis is small.
    """
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = second.tolist() if isinstance(second, np.ndarray) else second
    return np.array([[yy + zz, -xy, -xz], [-xy, xx + zz, -yz], [-xz, -yz, xx + yy]])


def second_of(tensor: Any) -> np.ndarray:
    """Second-moment matrix ½ tr(I) 1 − I of an inertia tensor.

    Of two large moments the difference comes first, which is exact: a needle's small moments keep their digits.
    """
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = tensor.tolist()
    x, y, z = _excess(yy, zz, xx) / 2, _excess(xx, zz, yy) / 2, _excess(xx, yy, zz) / 2
    return np.array([[x, -xy, -xz], [-yx, y, -yz], [-zx, -zy, z]])


def _is_clearly_positive(second: np.ndarray) -> bool:
    """Whether the leading minors are positive, far beyond round-off: then every eigenvalue is (Sylvester)."""
    (a, d, e), (_, b, f), (_, _, c) = second.tolist()
    whole = a * (b * c - f * f) - d * (d * c - f * e) + e * (d * f - b * e)
    return a > 0 and a * b - d * d > 1e-6 * a * b and whole > 1e-6 * a * b * c


def _excess(a: Any, b: Any, c: Any) -> Any:
    """a + b − c; of numbers, traced ones too, the larger of a and b is the one that c is taken from."""
    if type(a) is type(b) is type(c) is float:  # what `select` does, ten times as fast
        more = a - b
        return more if more != more else (a - c) + b if more > 0 else (b - c) + a
    if rounds(a) and rounds(b) and rounds(c):
        return select(a - b, (a - c) + b, (b - c) + a)
    return a + b - c


def steiner_term(mass: Any, offset: Any) -> np.ndarray:
    """m [(d·d) 1 − d dᵀ]: what a parallel shift by d adds to the central tensor."""
    x, y, z = offset.tolist() if isinstance(offset, np.ndarray) else offset
    return mass * tensor_of([[x * x, x * y, x * z], [y * x, y * y, y * z], [z * x, z * y, z * z]])


# relative to the largest eigenvalue of the pseudo-inertia; thin rods and plates have exact zeros
PHYSICAL_TOLERANCE = 1e-9
STATED = 1e-6  # relative: what decimals of a data sheet may be off


@record(eq=False, repr=False)
class MassProperties(Frozen, Conventions):
    """Mass, centre of mass and inertia tensor of a body, in the axes of one frame.

    `inertia` is about the centre of mass unless `about=` says otherwise ("origin" or a point);
    it may be a 3×3 tensor or three principal moments.  With `products="integral"` its off-diagonal
    entries are read as +∫xy dm, as some CAD programs and textbooks print them.
    """

    mass: Any
    com: np.ndarray
    inertia: np.ndarray
    # moments of a sum of symbols, kept beside: (Σ m c / Σ m) Σ m would never become short again
    _summed: ClassVar[Moments | None] = None

    def __init__(
        self, mass: Any, com: Any = (0.0, 0.0, 0.0), inertia: Any = None, *,
        about: Any = "com", products: str = "tensor",
    ) -> None:  # fmt: skip
        (mass,) = numbers("mass", mass)
        if is_negative(mass):
            raise GeometryError(f"mass {mass} kg is negative; a cavity is subtracted with a − b, not given as a mass")
        centre = array(com, (3,), "centre of mass")
        tensor = np.zeros((3, 3)) if inertia is None else array(inertia, what="inertia")
        tensor = np.diag(tensor) if tensor.shape == (3,) else tensor
        if tensor.shape != (3, 3):
            raise SteinerError(f"inertia: expected a 3×3 tensor or three principal moments, got shape {tensor.shape}")
        _check_symmetric(tensor)
        if not isinstance(products, str) or products not in ("tensor", "integral"):
            raise SteinerError(f"products={described(products)}: expected 'tensor' (−∫xy dm) or 'integral' (+∫xy dm)")
        tensor = tensor if products == "tensor" else np.where(np.eye(3, dtype=bool), tensor, -tensor)
        if isinstance(about, str) and about not in ("com", "origin"):
            raise SteinerError(f"about={about!r}: expected 'com', 'origin' or a point (x, y, z)")
        if not (isinstance(about, str) and about == "com"):
            point = np.zeros(3) if isinstance(about, str) else array(about, (3,), "about")
            tensor = tensor - steiner_term(mass, centre - point)  # through the centre, A7
        if tensor.dtype == np.float64:
            tensor = (tensor + tensor.T) / 2
        if tensor.dtype == centre.dtype == np.float64 and is_number(mass):
            with np.errstate(over="ignore", invalid="ignore"):
                reach = float(mass) * float(centre @ centre) + 3 * float(np.abs(tensor).sum())
            if not math.isfinite(reach):
                raise GeometryError(
                    f"a body of {brief(mass)} kg at {centre.tolist()} m: its moments overflow; check the units"
                )
        object.__setattr__(self, "mass", mass)
        object.__setattr__(self, "com", centre)
        object.__setattr__(self, "inertia", frozen(tensor))

    @classmethod
    def trusted(
        cls, mass: Any, com: np.ndarray, inertia: np.ndarray, summed: Moments | None = None
    ) -> MassProperties:
        """From central values that are already known to be consistent: no checks.

        `summed` are the moments about the frame's origin where they are known in a shorter form.
        """
        self = object.__new__(cls)
        object.__setattr__(self, "mass", mass)
        object.__setattr__(self, "com", frozen(com))
        object.__setattr__(self, "inertia", frozen(inertia))
        if summed is not None:
            object.__setattr__(self, "_summed", summed.kept())
        return self

    @classmethod
    def zero(cls) -> MassProperties:
        """Nothing at all: the neutral element of +."""
        return NOTHING

    @classmethod
    def from_moments(cls, moments: Moments) -> MassProperties:
        """From moments about the frame's origin; the mass must not be zero."""
        from steiner.inertia.moments import Moments

        mass, first, second = need("moments", moments, Moments)
        com = first / mass
        return cls.trusted(mass, com, tensor_of(second - np.outer(first, com)))

    @classmethod
    def from_pseudo(cls, pseudo: Any) -> MassProperties:
        """From the 4×4 pseudo-inertia ∫ [x; 1][x; 1]ᵀ dm."""
        from steiner.inertia.moments import Moments

        P = array(pseudo, (4, 4), "pseudo-inertia")
        if is_negative(P[3, 3]) or is_zero(P[3, 3]):
            raise GeometryError(f"pseudo-inertia: the last entry, the mass, is {brief(P[3, 3])} kg; expected > 0 kg")
        return cls.from_moments(Moments(P[3, 3], P[:3, 3], P[:3, :3]))

    # ---- views -------------------------------------------------------------------------------

    @property
    def moments(self) -> Moments:
        """Mass, first and second moments about the frame's origin (linear in the mass)."""
        if self._summed is not None:
            return self._summed
        from steiner.inertia.moments import Moments

        first = self.mass * self.com
        return Moments(self.mass, first, second_of(self.inertia) + np.outer(first, self.com))

    @property
    def pseudo(self) -> np.ndarray:
        """4×4 pseudo-inertia ∫ [x; 1][x; 1]ᵀ dm; the body is physical exactly if it is ⪰ 0."""
        mass, first, second = self.moments
        P = np.zeros((4, 4), dtype=np.result_type(first, second))
        P[:3, :3], P[:3, 3], P[3, :3], P[3, 3] = second, first, first, mass
        return P

    def inertia_about(self, point: Vector) -> np.ndarray:
        """Tensor about a point of the frame: ᴬI = ᶜI + m[(P·P) 1 − P⊗P]."""
        return self.inertia + steiner_term(self.mass, self.com - array(point, (3,), "point"))

    def moment_about(self, axis: Vector, through: Vector = (0, 0, 0)) -> Any:
        """Moment of inertia λᵀ I λ about the axis λ through a point."""
        direction = unit(axis)
        return direction @ self.inertia_about(through) @ direction

    def angular_momentum(self, angular_velocity: Vector) -> np.ndarray:
        """H = I ω about the centre of mass."""
        return self.inertia @ array(angular_velocity, (3,), "angular velocity")

    def kinetic_energy(self, twist: Any) -> Any:
        """K = ½ m v_C² + ½ ωᵀ I ω, the twist taken at the frame's origin."""
        from steiner.spatial import six

        V = six(twist, "twist")
        w = V[:3]
        v = V[3:] + cross(w, self.com)
        return (self.mass * (v @ v) + w @ self.inertia @ w) / 2

    # ---- algebra -----------------------------------------------------------------------------

    def moved(self, pose: Pose) -> MassProperties:
        """The same body in the parent frame: centre R c + p, tensor R I Rᵀ."""
        need("moved", pose, Pose, "such as Pose(p=(0, 0, 1))")
        summed = self._summed.moved(pose) if self._summed is not None else None
        tensor = self.inertia if pose.R is UNTURNED else pose.R @ self.inertia @ pose.R.T
        return MassProperties.trusted(self.mass, pose.apply(self.com), tensor, summed)

    def mapped(self, of: Callable[[Any], Any]) -> MassProperties:
        """The body with every number x replaced by of(x)."""
        each = np.frompyfunc(of, 1, 1)
        summed = self._summed
        if summed is not None:
            summed = type(summed)(of(summed.mass), each(summed.first), each(summed.second))
        return MassProperties.trusted(of(self.mass), each(self.com), each(self.inertia), summed)

    def __add__(self, other: MassProperties) -> MassProperties:
        """Both bodies as one: Huygens-Steiner about the merged centre."""
        if not isinstance(other, MassProperties):
            return NotImplemented
        if self is NOTHING or other is NOTHING:
            return other if self is NOTHING else self
        return self._merged(other, 1)

    def __sub__(self, other: MassProperties) -> MassProperties:
        """What remains when `other`, a part of this body, is cut out."""
        if not isinstance(other, MassProperties):
            return NotImplemented
        if other is NOTHING:
            return self
        if is_number(self.mass) and is_number(other.mass) and other.mass > self.mass:
            raise GeometryError(f"cannot cut {brief(other.mass)} kg out of {brief(self.mass)} kg")
        rest = self._merged(other, -1)
        if rest.is_numeric and self.is_physical() and not rest.is_physical(1e-6):
            raise GeometryError(
                f"the cut leaves an impossible body: {rest.fault()}. "
                "Is the part that is cut out inside the other, and no denser than it?"
            )
        return rest

    def _merged(self, other: MassProperties, sign: int) -> MassProperties:
        mass, inertia = sign * other.mass, sign * other.inertia
        whole = self.mass + mass
        numbers("mass of both", whole)
        if is_zero(whole):
            if not (is_zero(self.mass) and is_zero(mass)):
                raise GeometryError("nothing is left: the part that is cut out weighs as much as the body")
            return MassProperties.trusted(whole, self.com, self.inertia + inertia)
        gap = other.com - self.com
        com = self.com + gap * (mass / whole)
        tensor = self.inertia + inertia + steiner_term(self.mass * mass / whole, gap)
        summed = None if is_number(whole) else self.moments + other.moments.times(sign)
        return MassProperties.trusted(whole, com, tensor, summed)

    def __mul__(self, factor: Any) -> MassProperties:
        """The same shape, `factor` times as dense."""
        numbers("factor of a body", factor)
        numbers("mass of the denser body", mass := factor * self.mass)
        summed = self._summed.times(factor) if self._summed is not None else None
        return MassProperties.trusted(mass, self.com, factor * self.inertia, summed)

    __rmul__ = __mul__

    # ---- judgement ---------------------------------------------------------------------------

    @property
    def is_numeric(self) -> bool:
        """Whether all entries are numbers (no symbols)."""
        return is_number(self.mass) and all(
            a.dtype == np.float64 or all(is_number(x) for x in a.ravel()) for a in (self.com, self.inertia)
        )

    def is_physical(self, tolerance: float = PHYSICAL_TOLERANCE) -> bool:
        """Whether some distribution of positive mass has these properties (pseudo-inertia ⪰ 0).

        The threshold is relative, so a 1 mm robot passes and so do thin rods and plates.
        """
        if not isinstance(tolerance, float):
            need("tolerance", tolerance, (int, float))
        second = second_of(self._floats("is_physical needs"))
        if self.mass > 0 and tolerance >= 0 and _is_clearly_positive(second):
            return True
        if self.mass < 0 or not second.any():
            return bool(self.mass >= 0)
        if self.mass == 0:
            return False
        least, most = np.linalg.eigvalsh(second)[[0, -1]]
        return bool(least >= -tolerance * max(most, -least, 0.0))

    def nearest_physical(self) -> tuple[MassProperties, float]:
        """The nearest body that can exist, and how far it is.

        Mass and centre are kept; negative second moments are set to zero, which is the nearest
        positive matrix (Frobenius).  The distance is relative: |ΔΣ| / |Σ| of the second moments, 0 for
        a physical body, thin rods and plates included.  A tensor without mass can only vanish.
        """
        second = second_of(self._floats("nearest_physical needs"))
        if self.mass < 0:
            raise GeometryError(f"mass {brief(self.mass)} kg is negative; no body is near to that")
        if self.is_physical():
            return self, 0.0
        values, axes = np.linalg.eigh(second)
        kept = np.zeros(3) if self.mass == 0 else np.maximum(values, 0.0)
        repaired = (axes * kept) @ axes.T
        distance = float(np.linalg.norm(kept - values) / np.linalg.norm(values))
        return MassProperties.trusted(self.mass, self.com, tensor_of(repaired)), distance

    def _repr_html_(self) -> str:
        from steiner.text import names, tables

        com = ", ".join(str(x) for x in self.com.tolist())
        about = names.html(f"mass {self.mass} kg, centre ({com}) m, central tensor in kg m²:")
        return f"<p>{about}</p>{tables.Table((), [[str(x) for x in row] for row in self.inertia.tolist()]).html()}"

    def _floats(self, what: str) -> np.ndarray:
        if not self.is_numeric:
            raise GeometryError(f"{what} numbers; substitute values for the symbols first")
        return self.inertia.astype(float)

    def fault(self) -> str:
        """Why no body can be like this, in words."""
        moments = np.linalg.eigvalsh(self.inertia.astype(float))
        if self.mass < 0:
            return f"mass {brief(self.mass)} kg"
        why = "inertia without mass"
        if moments[0] < -1e-9 * moments[2]:
            why = "one is negative"
        elif moments[2] > (moments[0] + moments[1]) * (1 + 1e-9):
            why = "the largest exceeds the sum of the others"
        return f"principal moments {', '.join(f'{m:.6g}' for m in moments)} kg m² ({why})"

    @door
    def show(self, *, path: Any = None) -> Shown:
        """A page that turns and answers: inline in a notebook, else in the browser; `path` writes it there instead."""
        ...

    def __repr__(self) -> str:
        return f"MassProperties(mass={self.mass!r}, com={self.com.tolist()}, inertia={self.inertia.tolist()})"


_JUDGED: WeakSet[MassProperties] = WeakSet()  # bodies that were looked at: each is told of once


def judge(what: str, body: MassProperties) -> bool:
    """Say so if no body can be like this; whether it is looked at for the first time."""
    if body in _JUDGED or not body.is_numeric:
        return False
    _JUDGED.add(body)
    if not body.is_physical(STATED):
        warnings.warn(f"{what}: no body has {brief(body.mass)} kg with {body.fault()}", ModelWarning, stacklevel=5)
    return True


def judged(body: MassProperties) -> MassProperties:
    """A body that is told of elsewhere, or was: by the rules for files, or when it came in as another."""
    _JUDGED.add(body)
    return body


NOTHING = MassProperties.trusted(0.0, np.zeros(3), np.zeros((3, 3)))


def _check_symmetric(tensor: np.ndarray) -> None:
    if tensor.dtype == np.float64:
        skewness = np.abs(tensor - tensor.T).max()
        if skewness > 1e-6 * np.abs(tensor).max():
            raise GeometryError(f"inertia {tensor.tolist()} is not symmetric (by {skewness:.3g} kg m²)")
        return
    gaps = [tensor[i, j] - tensor[j, i] for i in range(3) for j in range(i)]
    if any(is_number(d) and not is_zero(d) and abs(d) > 1e-6 for d in gaps):
        raise GeometryError(f"inertia {tensor.tolist()} is not symmetric")
