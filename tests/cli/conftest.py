"""The program, run in the process of the test."""

from __future__ import annotations

import sys

import pytest

from steiner.cli import main


@pytest.fixture
def steiner(monkeypatch, capsys, tmp_path):
    """Run the program here; gives exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)

    def run(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["steiner", *words])
        with pytest.raises(SystemExit) as stop:
            main()
        out, err = capsys.readouterr()
        return int(stop.value.code or 0), out, err

    return run
