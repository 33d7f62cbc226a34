"""The first page of help: every command and option, at the cost of none; the programs of shells that complete it."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys

import pytest

from steiner.cli import COMMANDS
from steiner.doors import opened

PROGRAM = """
import sys
sys.argv[0] = "steiner"
from steiner.cli import main
try:
    main()
finally:
    heavy = (name for name in sys.modules if name == "numpy" or name.startswith("steiner.cli."))
    sys.stderr.write(" ".join(sorted(heavy)))
"""
OPTIONS = {
    "--version": "Show the version and exit.",
    "--install-completion": "Install completion for the current shell.",
    "--show-completion": "Show completion for the current shell, to copy it or customize the installation.",
    "-h, --help": "Show this message and exit.",
}


def run(*words: str, **environment: str) -> tuple[int, str, str]:
    """Exit code, page, and what else was said: at the end what had been imported."""
    environment = {"PYTHONIOENCODING": "utf-8"} | environment
    command = [sys.executable, "-c", PROGRAM, *words]
    done = subprocess.run(
        command, env=os.environ | environment, capture_output=True, encoding=environment["PYTHONIOENCODING"]
    )
    return done.returncode, done.stdout, done.stderr


def rows(page: str) -> dict[str, str]:
    """What the page says of every name; lines that begin with spaces go on."""
    found: dict[str, str] = {}
    for line in page.splitlines():
        if line.startswith("│"):
            name, _, text = line.strip("│")[1:].rstrip().partition("  ")
            name = name or list(found)[-1]
            found[name] = f"{found.get(name, '')} {text.strip()}".strip()
    return found


def first_paragraph(name: str) -> str:
    return " ".join((inspect.getdoc(opened(COMMANDS[name])) or "").partition("\n\n")[0].split())


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_the_page_lists_every_command_and_option_and_imports_none(columns):
    code, page, imported = run("--help", COLUMNS=str(columns))
    assert (code, imported) == (0, "")
    assert rows(page) == OPTIONS | {name: first_paragraph(name) for name in COMMANDS}
    for line in page.splitlines():
        assert sum(letter not in "\u0307\u0308" for letter in line) <= columns  # dots of q̇ and q̈ take no column
    assert "Usage: steiner [OPTIONS] COMMAND [ARGS]..." in page and "Start with: steiner gallery" in page


def test_without_words_it_is_the_page_again():
    assert run()[:2] == (2, run("-h")[1].removesuffix("\n"))


def test_a_wrong_word_is_answered_with_the_one_that_was_meant():
    code, page, told = run("torqes")
    assert (code, page) == (2, "") and "No such command 'torqes'. Did you mean 'torques'?" in told
    assert "steiner.cli.torques" not in told


def test_a_letter_that_the_encoding_lacks_is_no_traceback():
    code, page, told = run("torques", "--help", PYTHONIOENCODING="cp1252", COLUMNS="120")
    assert code == 0 and r"\u03c4 = M q\u0308" in page and "Traceback" not in told


@pytest.mark.parametrize(
    "typed, found",
    [("steiner s", ["simulate", "size", "show"]), ("steiner torques --fo", ["--force"]),
     ("steiner torques puma", ["puma560", "puma560akb"])],
)  # fmt: skip
def test_shells_complete_commands_options_and_robots(typed, found):
    last = str(len(typed.split()) - 1)
    code, words, _ = run(_STEINER_COMPLETE="complete_bash", COMP_WORDS=typed, COMP_CWORD=last)
    assert (code, words.split()) == (0, found)
