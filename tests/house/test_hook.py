"""Hooks of pre-commit find the tools of the checkout, on every system."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest

from tools.hook import ROOT, environment, main


@pytest.mark.parametrize("place", [".venv/bin/python", ".venv/Scripts/python.exe"])
def test_the_environment_of_the_checkout_comes_first(tmp_path, place):
    python = tmp_path / place
    python.parent.mkdir(parents=True)
    python.touch()
    assert environment(tmp_path) == str(python)


def test_without_one_it_is_the_active_python_and_not_that_of_the_hook(tmp_path, monkeypatch):
    name = "python.exe" if os.name == "nt" else "python"
    (tmp_path / name).write_text("#!/bin/sh\n")
    (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", os.pathsep.join([str(Path(sys.executable).parent), str(tmp_path)]))
    assert environment(tmp_path / "nowhere") == str(tmp_path / name)


def test_every_hook_runs_a_module_through_it():
    text = (ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    assert re.findall(r"entry: python -m tools\.hook (\w+)", text) == ["ruff", "pyright", "pytest"]
    assert text.count("entry:") == 3 == text.count("language: python")


def test_what_the_module_says_is_what_the_hook_says(monkeypatch):
    monkeypatch.setattr("tools.hook.environment", lambda: sys.executable)
    assert main(["compileall", "-q", "tools/hook.py"]) == 0 and main(["no_such_module"]) != 0
