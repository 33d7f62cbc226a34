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
    assert text.startswith(f"# {derivations.PAGES[name][0]}\n") and f"({name}.md)" in derivations.index()
    assert "\\mathrm" not in text and "DISAGREE" not in text
    if name in (*derivations.ARMS, *derivations.LONG):
        assert "## By Lagrange" in text and "## By Newton and Euler" in text and "<svg" in text
    if name in derivations.ARMS:
        assert text.count("symbolic identity") == 2


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("box", "m*(h**2 + l**2)/3"), ("decks_link", "<svg"), ("nm7mar", "<svg"), ("criteria", "sufficient"),
        ("apple", "−0.75"), ("limits", "<math"), ("shapes", "<math"), ("axis", "<math"), ("rotations", "<math"),
        ("payload", "<math"), ("one_body", "<math"), ("statics", "<math"),
    ],
)  # fmt: skip
def test_pages_of_the_decks_and_the_paper_say_what_they_are_for(name, says):
    assert says in derivations.page(name)



def test_a_derivation_by_newton_and_euler():
    done = steiner("equations", "pp", "--newton-euler")
    assert done.returncode == 0 and "Outward" in done.stdout and "Potential energy" not in done.stdout
