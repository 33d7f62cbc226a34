"""What probably happened to a tensor: each guess undoes one mistake, and is likely if the result fits.

Fits what: the tensor of the link's own geometry, filled evenly with its mass; or, where there is no geometry, the laws
of nature.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from steiner.checks.geometry import Geometry, geometry_of
from steiner.inertia import STATED, MassProperties
from steiner.inertia.properties import steiner_term
from steiner.model.link import Link

SLOTS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
PLACES = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
TOTAL_MISFIT = 1e300


class Guess(NamedTuple):
    """A mistake: of which kind, in words, how it is undone, and how near the geometry the result must be."""

    kind: str
    words: str
    undone: Callable[[MassProperties], np.ndarray]
    option: str = ""  # of `steiner fix`
    near: float = 0.12


def slots(tensor: Any) -> list[float]:
    """The six numbers of a tensor in the order of URDF."""
    return [float(tensor[k]) for k in PLACES]


def from_slots(six: Any) -> np.ndarray:
    """A tensor of six numbers in the order of URDF."""
    xx, xy, xz, yy, yz, zz = six
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], dtype=float)


def tensor_text(tensor: Any) -> str:
    """A tensor as URDF writes it, to six digits."""
    return " ".join(f'{name}="{value + 0.0:.6g}"' for name, value in zip(SLOTS, slots(tensor), strict=True))


def reordered(order: str) -> Callable[[MassProperties], np.ndarray]:
    """The tensor if its six slots had been filled in that order."""
    place = [order.split().index(name) for name in SLOTS]
    return lambda body: from_slots(np.array(slots(body.inertia))[place])


def exchanged(a: int, b: int) -> Callable[[MassProperties], np.ndarray]:
    """The tensor with two moments of the diagonal exchanged."""

    def undone(body: MassProperties) -> np.ndarray:
        tensor = body.inertia.astype(float)
        tensor[[a, b], [a, b]] = tensor[[b, a], [b, a]]
        return tensor

    return undone


def scaled(factor: float) -> Callable[[MassProperties], np.ndarray]:
    """The tensor in another unit."""
    return lambda body: factor * body.inertia.astype(float)


def about_centre(body: MassProperties) -> np.ndarray:
    """The tensor if it was given about the link's origin: Huygens and Steiner."""
    return body.inertia.astype(float) - steiner_term(body.mass, body.com).astype(float)


def not_moved(body: MassProperties) -> np.ndarray:
    """The tensor if the term of Huygens and Steiner was taken off once too often."""
    return body.inertia.astype(float) + steiner_term(body.mass, body.com).astype(float)


def signs_turned(body: MassProperties) -> np.ndarray:
    """The tensor with products of the other sign (∫xy dm in place of −∫xy dm)."""
    tensor = body.inertia.astype(float)
    return 2 * np.diag(np.diag(tensor)) - tensor


ORDERS = ("ixx iyy izz ixy ixz iyz", "ixx iyy izz ixy iyz ixz", "ixx iyy izz iyz ixz ixy", "ixx ixy iyy ixz iyz izz")
GUESSES = (
    *(Guess("unit", f"the tensor is in {unit}, not in kg m²", scaled(factor), f"--unit {option}", 0.7)
      for unit, factor, option in (("g m²", 1e-3, "g*m^2"), ("kg cm²", 1e-4, "kg*cm^2"), ("kg mm²", 1e-6, "kg*mm^2"),
                                   ("g cm²", 1e-7, "g*cm^2"), ("g mm²", 1e-9, "g*mm^2"))),
    Guess("origin", "the tensor is about the link's origin, not the centre of mass", about_centre, "--about-centre"),
    Guess("origin", "the term of Huygens and Steiner was taken off once too often", not_moved),
    *(Guess("slots", f"the six slots were filled in the order {order}", reordered(order),
            f"--swap {order.replace(' ', ',')}") for order in ORDERS),
    *(Guess("slots", f"{SLOTS[PLACES.index((a, a))]} and {SLOTS[PLACES.index((b, b))]} are exchanged", exchanged(a, b),
            f"--swap {SLOTS[PLACES.index((a, a))]},{SLOTS[PLACES.index((b, b))]}")
      for a, b in ((0, 1), (0, 2), (1, 2))),
    Guess("signs", "the products have the other sign (∫xy dm in place of −∫xy dm)", signs_turned, "--swap signs"),
)  # fmt: skip
CLEARLY = 4.0  # times nearer to the geometry than the tensor as it stands
OFF = 0.2  # relative distance from which a tensor is not that of its geometry


class Likely(NamedTuple):
    """A guess that fits: what it gives, and how far the tensor is from the geometry before and after."""

    guess: Guess
    tensor: np.ndarray
    before: float
    after: float


def misfit(tensor: np.ndarray, expected: np.ndarray) -> float:
    """Relative distance of two tensors (Frobenius)."""
    size = float(np.linalg.norm(expected))
    return float(np.linalg.norm(tensor - expected)) / size if size else TOTAL_MISFIT


def likely_mistake(link: Link) -> Likely | None:
    """The mistake that explains best why a tensor is not that of the link's geometry, if one does clearly."""
    geometry = geometry_of(link)
    body = link.body
    if geometry is None or not body.is_numeric or body.mass <= 0 or not body.inertia.any():
        return None
    expected = geometry.tensor(float(body.mass))
    before = misfit(body.inertia.astype(float), expected)
    if before < OFF:
        return None
    fits = [Likely(g, t, before, misfit(t, expected)) for g, t in _undone(body)]
    fits = [f for f in fits if f.after <= f.guess.near and before >= CLEARLY * f.after]
    return min(fits, key=lambda f: f.after, default=None)


def _undone(body: MassProperties) -> Iterator[tuple[Guess, np.ndarray]]:
    for guess in GUESSES:
        tensor = guess.undone(body)
        if not np.array_equal(tensor, body.inertia) and _possible(body, tensor):
            yield guess, tensor


def _possible(body: MassProperties, tensor: np.ndarray) -> bool:
    return MassProperties.trusted(body.mass, body.com, tensor).is_physical(STATED)


def guess_for_impossible(link: Link) -> str:
    """What makes an impossible tensor possible again; nothing if no guess does."""
    body = link.body
    if body.mass <= 0:
        return ""
    if (found := likely_mistake(link)) is not None:
        return f"{found.guess.words}: then it is {found.after:.0%} from that of the link's geometry"
    tensor = body.inertia.astype(float)
    if (tensor == tensor[0, 0]).all():
        return f"a placeholder: all six numbers of the tensor are {tensor[0, 0]:g}"
    _, distance = body.nearest_physical()
    if distance < 1e-3:
        return f"lost digits: a possible tensor is only {distance:.1g} away"
    kinds: dict[str, tuple[Guess, np.ndarray]] = {}
    for guess, undone in _undone(body):
        kinds.setdefault(guess.kind, (guess, undone))
    if len(kinds) == 1:
        ((guess, undone),) = kinds.values()
        return f"{guess.words}: then it is possible ({tensor_text(undone)})"
    listed = ", or ".join(guess.words for guess, _ in kinds.values())
    return f"{listed}: each makes it possible" if kinds else ""


def geometry_words(geometry: Geometry) -> str:
    """What a link is compared with."""
    return f"its {geometry.role} geometry ({geometry.volume:.3g} m³)"
