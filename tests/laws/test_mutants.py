"""Negative controls of the rooms around the equations: break a text on purpose, and a named test must fail."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter

import pytest

from tests.laws.mutants import MUTANTS, ROOT, misplaced

PARTS = 12  # lines that share their imports; so many that two cores are busy to the end
FEW = [  # one of every room, at every run: those that nobody noticed once
    "exp(-ratio * ratio)) * d\n", "W = self.mobility[..., _part(part), _part(part)]", "THIN, THICK = 0.06, 0.08",
    "values[:3], values[3:6], values[6:9]", "(self.scale / known.mass) * known",
]  # fmt: skip


def unnoticed(lines: list[int]) -> list[str]:
    """Lines whose mistake nobody notices; without lines, whether the tests pass on the text as it is."""
    paths = os.pathsep.join([str(ROOT), str(ROOT / "src")])
    done = subprocess.run(
        [sys.executable, "-m", "tests.laws.mutants", *map(str, lines)], cwd=ROOT, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": paths, "OPENBLAS_NUM_THREADS": "1"}, timeout=900,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_what_is_broken_stands_in_its_file_exactly_once():
    assert not misplaced((m.file, m.right) for m in MUTANTS)


def test_no_line_stands_twice_and_every_test_exists():
    assert max(Counter((m.file, m.right, m.wrong) for m in MUTANTS).values()) == 1
    for file, _, name in {m.tests.partition("::") for m in MUTANTS}:
        text = (ROOT / file).read_text(encoding="utf-8")
        assert not name or f"def {name}(" in text, f"{file} has no {name}"


def test_K1_K2_K3_K4_K5_mistakes_that_nobody_noticed_once():
    lines = {right: next(i for i, m in enumerate(MUTANTS) if m.right == right) for right in FEW}
    assert unnoticed(list(lines.values())) == []


@pytest.mark.heavy
@pytest.mark.parametrize("part", range(PARTS))
def test_every_mistake_is_noticed(part):
    assert unnoticed([i for i in range(len(MUTANTS)) if i % PARTS == part]) == []


@pytest.mark.heavy
def test_the_text_as_it_is_passes():
    """The control of the controls: a test that always fails would notice everything."""
    assert unnoticed([]) == []
