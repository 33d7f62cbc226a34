"""Formulas inside sentences as MathML: well-formed, the letters that were written, nothing of strangers."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from hostile_names import HOSTILE
from steiner.errors import printable
from steiner.text.inline import mathml_of


def text_of(formula: str) -> str:
    return "".join(ET.fromstring(mathml_of(formula)).itertext())


@pytest.mark.parametrize(
    ("formula", "text", "tags"),
    [
        (r"w_{\mathrm{A,box}} = 0.12", "wA,box=0.12", {"msub", "mtext", "mn"}),
        (r"\rho_B = 7850", "ρB=7850", {"msub"}),
        (r"x^2", "x2", {"msup"}),
        (r"\tfrac{1}{12} \sum d", "112Σd", {"mfrac"}),
        (r"d = \det(a, b, c)", "d=det(a,b,c)", set()),
        (r"a - b", "a−b", set()),
        ("", "", set()),
    ],
)
def test_a_formula_is_its_letters(formula, text, tags):
    root = ET.fromstring(mathml_of(formula))
    assert text_of(formula) == text
    assert tags <= {element.tag for element in root.iter()}


@pytest.mark.parametrize("name", [*HOSTILE, "_", "^", "}", "{", "x_", "x^{", "\\frac", "\\mathrm{", "{{{{"])
def test_whatever_stands_there_is_only_text(name):
    root = ET.fromstring(mathml_of(printable(name)))
    assert {e.tag for e in root.iter()} <= {"math", "mrow", "mi", "mn", "mo", "mtext", "msub", "msup", "mfrac"}
