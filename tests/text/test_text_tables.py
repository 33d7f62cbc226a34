"""One table, written for every medium."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest
import sympy as sp

from hostile_names import HOSTILE, page, rendered, sound_latex
from steiner.errors import printable
from steiner.inertia import MassProperties
from steiner.text import names
from steiner.text.layout import ident, op, sub
from steiner.text.tables import Table, settled, settled_centres, shown

PLAIN = Table(["part", "mass", "what"], [["beam", 1.5, "x"], ["a longer name", -0.25, ""]], align="lrl")


def test_text_is_padded_and_aligned():
    lines = PLAIN.text().splitlines()
    assert lines == ["part            mass  what", "beam             1.5  x", "a longer name  -0.25"]
    titled = Table(PLAIN.head, PLAIN.rows, "Masses", "lrl", ["a note"], [0, 1]).text().splitlines()
    assert titled[0] == "Masses" and set(titled[2]) == {"-"} and titled[-1] == "a note"
    assert titled[4].startswith("  a longer name")
    assert str(PLAIN) == PLAIN.text()


def test_letters_that_take_two_columns_or_none_keep_the_columns_straight():
    lines = Table(["a", "b"], [["机器人", "x"], ["ω̇ q̈", "x"], ["abcdef", "x"]]).text().splitlines()
    assert lines[1] == "机器人  x" and lines[2] == "ω̇ q̈     x" and lines[3] == "abcdef  x"


@pytest.mark.parametrize("width", [1, 2, 5, 12, 20, 40, 79, 200])
def test_a_width_is_kept_and_no_column_is_lost(width):
    head = ["node", *(f"column{k}" for k in range(9))]
    rows = [[f"row {i}", *(f"c{i}{k}" for k in range(9))] for i in range(3)]
    text = Table(head, rows, "A caption that has several words", notes=["And a note of some length"]).text(width)
    assert all(len(line) <= max(width, 5) for line in text.splitlines())
    if width >= 20:
        assert all(f"c{i}{k}" in text for i in range(3) for k in range(9)) and "row 2" in text
    if width >= 200:
        assert len(text.splitlines()) == 1 + 1 + 1 + 3 + 1


def test_blocks_repeat_the_first_column():
    text = Table(["n", "abc", "def"], [["x", "1", "2"]]).text(7)
    assert text.splitlines() == ["n  abc", "x  1", "", "n  def", "x  2"]


def test_a_long_cell_ends_in_an_ellipsis():
    assert Table(["n"], [["abcdefgh"], ["机器人机器人"]]).text(5).splitlines() == ["n", "abcd…", "机器…"]


def test_the_columns_of_markdown():
    lines = PLAIN.markdown().splitlines()
    assert lines[0] == "| part | mass | what |" and lines[1] == "| --- | ---: | --- |" and len(lines) == 4
    assert Table([], [["a", "b"]]).markdown().splitlines()[0] == "|  |  |"


def test_symbols_and_formulas_are_set_as_such():
    x = sp.Symbol("rho")
    table = Table(["q", (sub(ident("I"), ident("x")), " / m²")], [[x**2, "1.5e-07"], ["-3", np.array([1.0, 2.5])]])
    assert table.latex().splitlines() == [
        r"\begin{tabular}{ll}", r"q & $I_{x}$ / m$^2$ \\", r"\hline", r"$\rho^{2}$ & $1.5\cdot 10^{-7}$ \\",
        r"$-3$ & (1, 2.5) \\", r"\end{tabular}",
    ]  # fmt: skip
    assert "$I_{x}$ / m²" in table.markdown() and "<msub>" in table.html() and r"rho\*\*2" in table.markdown()
    assert Table(["q"], [[op("|")]]).markdown().count("|") == 6
    odd = Table(["q"], [[sp.Symbol(r"\input{x}") + 1]]).latex()
    assert r"\input" not in odd
    sound_latex(odd)


def test_csv_has_all_digits():
    rows = list(csv.reader(io.StringIO(Table(["a", "b"], [["=x", 0.1 + 0.2], ["y", np.float64(1e-30)]]).csv())))
    assert rows == [["a", "b"], ["'=x", "0.30000000000000004"], ["y", "1e-30"]]


def test_round_off_reads_as_zero_beside_what_it_belongs_to():
    assert settled([1.0, 1e-16, -2e-15, 1e-12]).tolist() == [1.0, 0.0, 0.0, 1e-12]
    assert settled([1e-20, 2e-20]).tolist() == [1e-20, 2e-20]
    assert settled([1e-20], beside=[5.0]).tolist() == [0.0]
    assert settled([np.nan, np.inf, 1.0]).tolist()[1:] == [np.inf, 1.0]
    x = sp.Symbol("x")
    assert list(settled(np.array([x, 1e-20, 1.0], dtype=object))) == [x, 0, 1.0]
    assert (shown(-0.0), shown(np.array(0.0)), shown(np.array([1.0, x], dtype=object))) == ("0", "0", "(1, x)")


def test_a_centre_reads_as_zero_beside_the_place_and_the_size_of_its_body():
    def read(centre, inertia=(1, 1, 1), mass=1.0):
        body = MassProperties(mass, centre, inertia)
        return settled_centres(body.com, body).tolist()

    assert read((0.15, 1.62e-15, 1e-13)) == [0.15, 0.0, 0.0]
    assert read((7.5e-17, 1e-11, 0), (141, 141, 141), 1413) == [0.0, 1e-11, 0.0]  # a ball of a metre
    assert read((1e-17, 0, 2e-21), (1e-12, 1e-12, 1e-12)) == [1e-17, 0.0, 0.0]  # of micrometres
    x = sp.Symbol("x")
    assert read((x, 1e-16, 0), (sp.Symbol("I"), 1, 1)) == [x, 0, 0]
    assert read((x, 1e-16, 0), (1, 1, 1), sp.Symbol("m")) == [x, 1e-16, 0]  # its size is not known


@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_stays_in_its_cell(name):
    table = Table(["h", name], [[name, "a"], ["b", name], [name, name]], name, "lr", [name], [0, 1, 2])
    text = table.text()
    assert all(line.isprintable() for line in text.split("\n")) and len(text.split("\n")) == (7 if name else 4)
    assert all(line.isprintable() for line in table.text(20).split("\n"))

    tags, texts = page(table.html())
    kinds = [tag for tag, _ in tags]
    assert kinds.count("td") == 6 and kinds.count("th") == 2
    assert set(kinds) <= {"table", "caption", "thead", "tbody", "tr", "th", "td", "p"}
    assert all(set(attributes) <= {"style"} for _, attributes in tags)
    assert "".join(texts).count(printable(name)) >= 6 or not name

    tags, texts = page(rendered(table.markdown()))
    kinds = [tag for tag, _ in tags]
    assert kinds.count("td") == 6 and kinds.count("th") == 2 and kinds.count("tr") == 4
    assert set(kinds) <= {"table", "thead", "tbody", "tr", "th", "td", "p"}
    cells = [t for t in "".join(texts).split("\n") if printable(name).strip() and printable(name).strip() in t]
    assert len(cells) == (7 if name.strip() else 0)

    sound_latex(table.latex())
    rows = table.latex().split("\n")
    assert len(rows) == (9 if name else 7)
    assert all(row.replace(r"\&", "").count("&") == 1 for row in rows if row.endswith(r"\\"))
    found = list(csv.reader(io.StringIO(table.csv())))
    assert [len(row) for row in found] == [2] * 4 and found[1][0] == names.csv(name)
