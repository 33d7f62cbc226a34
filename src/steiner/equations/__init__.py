"""The equations themselves: closed forms, derivations and sequences, on paper and as programs.

`st.equations(robot)` and the module `steiner.equations` share a name: importing the module puts it in the
function's place in the package, so the module can be called, and does what the function does.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from steiner.equations.document import Document
from steiner.equations.proof import Proof
from steiner.equations.sequence import Sequence
from steiner.equations.system import Equations, equations, equations_text

__all__ = ["Document", "Equations", "Proof", "Sequence", "equations", "equations_text"]


class _Callable(ModuleType):
    def __call__(self, *args: Any, **kwargs: Any) -> Equations:
        return equations(*args, **kwargs)


sys.modules[__name__].__class__ = _Callable
