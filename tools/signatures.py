"""Write src/steiner/signatures.py: the robot's methods for type checkers and editors, from the table of algorithms."""

from __future__ import annotations

import inspect
import textwrap
from pathlib import Path

from steiner.arguments import signature
from steiner.dynamics import ALGORITHMS

TARGET = Path(__file__).parent.parent / "src" / "steiner" / "signatures.py"
HEAD = '''"""Methods that the table of algorithms gives to `Robot`, for type checkers; see tools/signatures.py."""

from __future__ import annotations

from typing import Any


class Signatures:
    """Declarations only: at run time the methods are those of `steiner.methods`."""
'''


def text() -> str:
    """The module's text."""
    parts = [HEAD]
    for algorithm in ALGORITHMS:
        for name in (algorithm.name, *algorithm.aliases):
            arguments = []
            starred = False
            for p in signature(algorithm).parameters.values():
                if p.kind is p.KEYWORD_ONLY and not starred:
                    arguments.append("*")
                    starred = True
                arguments.append(f"{p.name}: Any" + ("" if p.default is p.empty else f" = {p.default!r}"))
            summary = textwrap.shorten((inspect.getdoc(algorithm.function) or "").partition("\n")[0], 105)
            head = f"def {name}(self, {', '.join(arguments)}) -> Any:"
            if len(head) > 114:
                lines = textwrap.wrap(f"self, {', '.join(arguments)},", 108)
                head = f"def {name}(\n{textwrap.indent(chr(10).join(lines), '    ')}\n) -> Any:"
            parts.append(textwrap.indent(f'{head}\n    """{summary}"""\n', "    "))
    return "\n".join(parts)


if __name__ == "__main__":
    TARGET.write_text(text(), encoding="utf-8")
