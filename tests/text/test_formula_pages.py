"""Pages of formulas: what browsers need to set them as they are meant."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from steiner.formulas import equations
from steiner.formulas.examples import rr
from steiner.text.document import FONT, STYLE, Document
from steiner.text.layout import dotted, fenced, frac, ident, mathml, matrix, number, op, row, sub, sup

PICTURE = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><title>arm</title></svg>'


def test_formulas_ask_for_a_mathematical_font():
    assert 'math{font-family:"Steiner Math","Latin Modern Math","STIX Two Math","Cambria Math",math' in STYLE


def test_a_page_with_formulas_brings_its_font_and_one_without_does_not():
    with_formulas, plain = Document("a"), Document("b")
    with_formulas.formula(ident("tau"))
    plain.text("nothing to set")
    assert with_formulas.html().count("src:url(data:font/woff2;base64,d09GM") == 1
    assert "font-face" not in plain.html() and len(plain.html()) < 2000
    assert "data:font" not in with_formulas.fragment()  # the page around it has a font of its own


def test_the_font_is_small_and_its_licence_is_beside_it():
    assert FONT.read_bytes()[:4] == b"wOF2" and FONT.stat().st_size < 270_000
    assert "GUST Font License" in FONT.with_suffix(".LICENSE.txt").read_text(encoding="ascii")


@pytest.mark.parametrize("name", ["tau", "q", "M"])
def test_single_letters_are_slanted_and_words_upright(name):
    assert "mathvariant" not in mathml(ident(name))
    assert 'mathvariant="normal"' in mathml(ident("diag"))


def test_the_index_of_lagranges_equation_is_a_letter():
    page = equations(rr()).derivation().html()
    assert "<msub><mi>τ</mi><mi>i</mi></msub>" in page and "<mn>i</mn>" not in page


def test_a_power_stands_above_an_index():
    box = sup(sub(dotted(ident("q"), 1), number("2")), number("2"))
    dotted_q = '<mover><mi>q</mi><mo scriptlevel="0">˙</mo></mover>'
    assert mathml(box).count(f"<msubsup>{dotted_q}<mn>2</mn><mn>2</mn></msubsup>") == 1


def test_brackets_grow_only_with_what_is_tall():
    low, tall = fenced(row(ident("a"), op("+"), ident("b"))), fenced(frac(ident("a"), ident("b")))
    assert mathml(low).count('stretchy="false"') == 2 and "stretchy" not in mathml(tall)


def test_vectors_are_columns_with_brackets_inside_any_table():
    table = ET.fromstring(mathml(matrix([[number("1")], [number("2")]])))[0]
    assert [len(line) for line in table] == [1, 1] and "border-collapse:separate" in table.attrib["style"]


def test_what_is_wide_scrolls_in_a_box_of_its_own():
    page = equations(rr()).derivation()
    formulas = sum(b.kind in ("formula", "table") for b in page.blocks)
    assert page.fragment().count("overflow-x:auto") == formulas


def test_a_picture_stands_below_the_title_on_pages_only():
    document = Document("arm", picture=PICTURE)
    document.text("words")
    page = document.html()
    assert page.index("<h1>") < page.index(f"<figure>{PICTURE}</figure>") < page.index("words")
    assert "svg" not in document.markdown() + document.latex() and "<figure>" not in Document("arm").html()
