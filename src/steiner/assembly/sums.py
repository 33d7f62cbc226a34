"""Many bodies as one, and what was measured against what was computed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from steiner.inertia import MassProperties
from steiner.inertia.properties import steiner_term, tensor_of
from steiner.scalar import array, is_number, is_zero, total


class Difference(NamedTuple):
    """What was measured minus what was computed, in the axes of the node's frame."""

    mass: Any
    com: np.ndarray
    inertia: np.ndarray


def combined(bodies: Sequence[MassProperties]) -> MassProperties:
    """All bodies as one, about their merged centre; signed masses are allowed (cavities).

    Two passes, linear in the number of bodies: first the centre (eq. 3), then the tensors about it
    (eqs 43, 44), so nothing is lost far from the origin.
    """
    if not bodies:
        return MassProperties.zero()
    if all(b.com.dtype == b.inertia.dtype == np.float64 and is_number(b.mass) for b in bodies):
        mass = np.array([b.mass for b in bodies], dtype=float)
        centre = np.array([b.com for b in bodies])
        tensor = np.array([b.inertia for b in bodies]).sum(axis=0)
        reference = centre[np.abs(mass).argmax()]
        whole = float(mass.sum())
        if whole == 0:
            return MassProperties.trusted(0.0, reference, tensor)
        com = reference + (mass @ (centre - reference)) / whole
        d = centre - com
        tensor = tensor + tensor_of((mass[:, None] * d).T @ d)
        return MassProperties.trusted(whole, com, (tensor + tensor.T) / 2)
    whole = total(b.mass for b in bodies)
    if is_zero(whole):
        return MassProperties.trusted(whole, bodies[0].com, total(b.inertia for b in bodies))
    com = array(total(b.mass * b.com for b in bodies) / whole)
    tensor = total(b.inertia + steiner_term(b.mass, b.com - com) for b in bodies)
    summed = total(b.moments for b in bodies)
    return MassProperties.trusted(whole, com, tensor, summed)


def difference(real: MassProperties, computed: MassProperties) -> Difference:
    """Real minus computed."""
    return Difference(real.mass - computed.mass, real.com - computed.com, real.inertia - computed.inertia)
