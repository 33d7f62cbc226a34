"""Mass properties and their algebra; moments, which are linear in the mass; other programs' words for both."""

from steiner.inertia.properties import NOTHING, STATED, MassProperties, judge, judged

__all__ = ["NOTHING", "STATED", "MassProperties", "judge", "judged"]
