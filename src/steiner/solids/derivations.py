"""Which derivation a solid has: one row per kind, looked up along its classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from steiner.solids.base import Solid
from steiner.solids.compose import derive_compound, derive_placed
from steiner.solids.compound import Compound, Placed
from steiner.solids.derive import derive_box, derive_charts, derive_limits
from steiner.solids.derive_sums import derive_sum
from steiner.solids.derive_turned import derive_turned
from steiner.solids.hollow import Hollow
from steiner.solids.hull import ConvexHull
from steiner.solids.limits import Limits
from steiner.solids.mesh import Mesh
from steiner.solids.primitives import Box
from steiner.solids.prism import Prism
from steiner.solids.sweeps import Revolution
from steiner.text.steps import Derivation


def derive(solid: Solid) -> Derivation:
    """The derivation of a solid; see `Solid.derivation`."""
    kind = next(kind for kind in type(solid).__mro__ if kind in DERIVATIONS)
    return DERIVATIONS[kind](solid)


DERIVATIONS: dict[type, Callable[[Any], Derivation]] = {
    Solid: derive_charts,
    Box: derive_box,
    Prism: derive_sum,
    Revolution: derive_sum,
    ConvexHull: derive_sum,
    Mesh: derive_sum,
    Limits: lambda solid: derive_turned(solid) if solid.before else derive_limits(solid),
    Compound: lambda solid: derive_compound(solid, derive),
    Placed: lambda solid: derive_placed(solid, derive),
    Hollow: lambda solid: derive_compound(solid.shell, derive),
}
