"""Numbers for symbols, anywhere in a solid, a part or an assembly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np

from steiner.assembly.tree import Assembly, Part
from steiner.inertia import MassProperties
from steiner.scalar import array, is_symbolic
from steiner.solids.base import Solid
from steiner.solids.compound import Compound
from steiner.solids.limits import Limits
from steiner.spatial import Pose
from steiner.symbolic import evaluated


def substituted(value: Any, values: Mapping[Any, Any]) -> Any:
    """The same thing with values in place of symbols (or of their names); what becomes a number becomes a float."""
    if is_symbolic(value):
        return evaluated(value, values)
    if isinstance(value, np.ndarray):
        return array([substituted(v, values) for v in value.ravel().tolist()]).reshape(value.shape)
    if isinstance(value, tuple | list):
        return type(value)(substituted(v, values) for v in value)
    if isinstance(value, Pose):
        return Pose.trusted(substituted(value.R, values), substituted(value.p, values))
    if isinstance(value, MassProperties):
        parts = (substituted(v, values) for v in (value.mass, value.com, value.inertia))
        return MassProperties.trusted(*parts)
    if isinstance(value, Compound):
        return Compound.of_solids(substituted(value.first, values), substituted(value.second, values), value.sign)
    if isinstance(value, Limits):
        return value.subs(lambda v: substituted(v, values))
    if isinstance(value, Solid | Part | Assembly) and is_dataclass(value):
        changed = {f.name: substituted(getattr(value, f.name), values) for f in fields(value)}
        return replace(value, **changed)
    return value
