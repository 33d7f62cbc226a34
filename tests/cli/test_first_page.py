"""The first page of help: the very page that typer would write, without typer."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

OURS = """
import sys
sys.argv = ["steiner", "--help"]
from steiner.cli import main
try:
    main()
except SystemExit as end:
    assert not end.code
sys.stderr.write(str(sorted({"typer", "rich", "numpy"} & sys.modules.keys())))
"""
THEIRS = """
import sys
sys.argv = ["steiner", "--help"]
from steiner.cli import program
program()()
"""


def printed(code: str, **environment: str) -> tuple[str, str]:
    environment = {"PYTHONIOENCODING": "utf-8"} | environment
    done = subprocess.run(
        [sys.executable, "-c", code], env=os.environ | environment, capture_output=True, encoding="utf-8"
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


@pytest.mark.parametrize("columns", ["80", "97", "160"])
def test_the_first_page_is_the_one_that_typer_writes(columns):
    page, imported = printed(OURS, COLUMNS=columns)
    assert page == printed(THEIRS, COLUMNS=columns)[0]
    assert imported == "[]"


def test_where_it_does_not_fit_typer_writes_it():
    page, imported = printed(OURS, COLUMNS="50")
    assert "torques" in page and "typer" in imported
