"""A page that was shown: in the notebook, in the browser, or written to a file."""

from __future__ import annotations

from pathlib import Path
from typing import final

from steiner.records import record


def framed(text: str, height: int = 560) -> str:
    """A page inside another one, such as a notebook."""
    text = text.replace("&", "&amp;").replace('"', "&quot;")
    return f'<iframe srcdoc="{text}" style="width:100%;height:{height}px;border:0" sandbox="allow-scripts"></iframe>'


@final
@record(eq=False)
class Shown:
    """A page of HTML that stands alone, and where it was written (None in a notebook, which shows it inline)."""

    html: str
    path: Path | None = None

    def _repr_html_(self) -> str:
        return framed(self.html)

    def __repr__(self) -> str:
        return f"<page of {len(self.html) / 1024:.0f} kB{f', {self.path}' if self.path else ''}>"
