"""The equations themselves: closed forms, derivations and sequences, on paper and as programs."""

from __future__ import annotations

from steiner.formulas.proof import Proof
from steiner.formulas.sequence import Sequence
from steiner.formulas.system import Equations, equations, equations_text
from steiner.text.document import Document

__all__ = ["Document", "Equations", "Proof", "Sequence", "equations", "equations_text"]
