"""Every example in the README and the manual runs as printed."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from unittest.mock import patch

import pytest

from steiner.backends import BACKENDS
from steiner.kernels.export import TARGETS
from steiner.materials import MATERIALS
from steiner.model.friction import FRICTIONS
from steiner.model.joint_types import JOINTS
from steiner.robots import GALLERY

ROOT = Path(__file__).parent.parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md"))]
TABLES = (JOINTS, FRICTIONS, MATERIALS, BACKENDS, TARGETS, GALLERY)  # that a page may add a line to, for itself
FENCE = re.compile(r"^```(\w+)[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(page: Path, *languages: str) -> list[tuple[int, str]]:
    """(line, text) of the fenced blocks in these languages."""
    text = page.read_text(encoding="utf-8")
    return [
        (text.count("\n", 0, match.start(2)) + 1, match.group(2))
        for match in FENCE.finditer(text)
        if match.group(1) in languages
    ]


def commands(page: Path) -> list[str]:
    """The `steiner ...` lines of the shell blocks, continued lines joined."""
    found = []
    for _, text in blocks(page, "sh", "bash", "console", "shell"):
        for line in text.replace("\\\n", " ").splitlines():
            line = line.strip().removeprefix("$ ")
            if line.startswith(("steiner ", "python -m steiner ")):
                found.append(line.partition("  #")[0].removeprefix("python -m "))
    return found


@pytest.fixture
def stack():
    """What is entered here is left when the test ends."""
    with ExitStack() as found:
        yield found


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_the_examples_of_a_page_run(page, tmp_path, monkeypatch, stack):
    """In order, as a reader would: the Python of a page in one namespace, then its commands, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    for table in TABLES:
        stack.enter_context(patch.dict(table))
    shutil.copytree(ROOT / "examples", "examples")
    shutil.copytree("examples", ".", dirs_exist_ok=True)
    module = ModuleType("page")
    monkeypatch.setitem(sys.modules, "page", module)  # classes of a page look there for their names
    space = vars(module)
    for line, text in blocks(page, "python"):
        code = compile("\n" * (line - 1) + text, str(page), "exec", dont_inherit=True)
        exec(code, space)
    for command in commands(page):
        if "step_arm" in command and find_spec("OCP") is None:  # CAD is an extra
            continue
        done = subprocess.run(
            [sys.executable, "-m", *shlex.split(command)], capture_output=True, text=True, stdin=subprocess.DEVNULL
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_examples_fit_beside_the_navigation(page):
    """Of 1280 px; what the manual would cut off is not read."""
    found = (text for _, code in blocks(page, "python", "sh", "yaml", "c") for text in code.splitlines())
    assert not [text for text in found if len(text) > 120 and "[deg]," not in text and "[rpm]," not in text]  # of CSV


def test_a_broken_example_would_be_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("```python\nassert False\n```\n\n```sh\nsteiner torques \\\n  a b -o c  # note\n```\n")
    assert blocks(page, "python") == [(2, "assert False\n")]
    assert [shlex.split(c) for c in commands(page)] == [["steiner", "torques", "a", "b", "-o", "c"]]
