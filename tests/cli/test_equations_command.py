"""`steiner equations`, and the pages of the manual that it could have written."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tools import derivations


def steiner(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "steiner", *arguments], capture_output=True, text=True)


def test_the_command_prints_a_program_that_runs():
    done = steiner("equations", "rr", "--format", "python")
    assert done.returncode == 0, done.stderr
    space: dict = {}
    exec(done.stdout, space)
    assert space["velocity_forces"]([0.1, 0.2], [0.0, 0.0]) == [0, 0]


def test_the_command_prints_a_derivation_with_symbols():
    done = steiner("equations", "rr", "--symbols", "--format", "latex", "--derivation")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("\\documentclass") and "h=m_{2} l_{1} l_{c 2} s_{2}" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["rr", "--format", "pdf"], "no format named 'pdf'"),
        (["rr", "--format", "c", "--derivation"], "not a program"),
        (["nowhere.urdf"], "nowhere.urdf"),
    ],
)
def test_bad_input_is_one_message_and_exit_code_2(arguments, text):
    done = steiner("equations", *arguments)
    assert done.returncode == 2 and text in done.stderr and "Traceback" not in done.stderr and not done.stdout


@pytest.mark.parametrize("name", derivations.PAGES)
def test_every_worked_example_has_its_page(name):
    text = derivations.page(name)
    assert text.startswith(f"# {derivations.PAGES[name]}\n")
    assert "## By Lagrange" in text and "## By Newton and Euler" in text
    assert text.count("symbolic identity") == 2 and "DISAGREE" not in text
    assert f"({name}.md)" in derivations.index()
