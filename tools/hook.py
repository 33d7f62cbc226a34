"""A module of the checkout's environment, for hooks of pre-commit: `python -m tools.hook ruff check`.

It is that of `.venv` if there is one, as `make` sets it up, or else that of the Python which is active.  Whatever
Python runs this needs nothing installed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def environment(root: Path = ROOT) -> str:
    """The Python that has the tools."""
    for found in (root / ".venv" / "bin" / "python", root / ".venv" / "Scripts" / "python.exe"):
        if found.exists():
            return str(found)
    own = Path(sys.executable).parent  # pre-commit's own environment, which has none
    others = [folder for folder in os.environ.get("PATH", "").split(os.pathsep) if Path(folder) != own]
    path = os.pathsep.join(others)
    return shutil.which("python", path=path) or shutil.which("python3", path=path) or sys.executable


def main(words: list[str]) -> int:
    """Run it; its exit code."""
    python = environment()
    if words[:1] == ["pyright"]:
        words = [*words, "--pythonpath", python]
    return subprocess.run([python, "-m", *words], cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
