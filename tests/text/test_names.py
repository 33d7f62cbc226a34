"""Names made safe: in every medium a name shows as itself and can do nothing else."""

from __future__ import annotations

import ast
import csv
import io
import json
import keyword
import re
import tokenize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hostile_names import HOSTILE, page, rendered, sound_latex
from steiner.errors import ModelError, ModelWarning, printable, unknown
from steiner.text import names

ANYTHING = st.one_of(st.sampled_from(HOSTILE), st.text(st.characters(codec=None), max_size=30))


@given(ANYTHING)
def test_R6_a_terminal_gets_one_printable_line(name):
    shown = names.terminal(name)
    assert shown.isprintable() and "\n" not in shown
    assert shown == name or not name.isprintable()
    assert len(names.terminal(name, 10)) <= 10


@given(ANYTHING)
def test_R6_markdown_shows_a_name_as_itself(name):
    assert not set("<>") & set(names.markdown(name))
    tags, texts = page(rendered(names.markdown_line(f"{names.markdown(name)} end")))
    assert tags == [("p", {})]
    assert "".join(texts).split() == f"{printable(name)} end".split()
    tags, texts = page(rendered(f"# {names.markdown(name)}"))
    assert tags == [("h1", {})] and "".join(texts).split() == printable(name).split()


@pytest.mark.parametrize("name", HOSTILE)
def test_the_manual_shows_a_name_as_itself(name):
    markdown = pytest.importorskip("markdown")
    text = f"# x {names.markdown(name)}\n\n" + names.markdown_line(f"{names.markdown(name)} end")
    tags, texts = page(markdown.markdown(text, extensions=["attr_list", "tables", "admonition", "def_list"]))
    assert [tag for tag, _ in tags] == ["h1", "p"] and not any(attributes for _, attributes in tags)
    if not set(name) & set("~$|"):  # its own escapes are fewer than CommonMark's
        assert "".join(texts).split() == f"x {printable(name)} {printable(name)} end".split()


@given(ANYTHING)
def test_R6_html_shows_a_name_as_itself(name):
    tags, texts = page(f'<p title="{names.html(name)}">{names.html(name)}</p>')
    assert tags == [("p", {"title": printable(name)})] and "".join(texts) == printable(name)


@given(ANYTHING)
def test_R6_latex_sets_a_name_as_text(name):
    sound_latex(names.latex(name))
    sound_latex(rf"\begin{{tabular}}{{l}}\hline {names.latex(name)} \\ {names.latex(name)} \end{{tabular}}")
    assert not re.search(r"(?<!\\)[\[\]*](?!\})", names.latex(name))  # \\[ and \\* would take it for an argument


@given(ANYTHING)
def test_json_reads_back_and_prints(name):
    document = {name: [name, 1.5]}
    text = names.json(document)
    assert json.loads(text) == document
    assert all(line.isprintable() for line in text.split("\n"))


@given(ANYTHING)
def test_R6_no_cell_is_a_formula(name):
    cell = names.csv(name)
    assert cell.isprintable() and ";" not in cell
    assert not re.match(r"\s*[=+\-@＝＋－＠]", cell) or names.DECIMAL.fullmatch(cell)
    file = io.StringIO()
    csv.writer(file).writerow([cell, "1"])
    assert next(csv.reader([file.getvalue()])) == [cell, "1"]


def test_cells_of_different_names_differ_and_numbers_stay_numbers():
    plain = {name for name in HOSTILE if name.isprintable() and ";" not in name}
    assert len({names.csv(name) for name in plain}) == len(plain)
    assert names.csv("=1") == "'=1" and names.csv("'=1") == "''=1"
    assert [names.csv(x) for x in ("-1.5", "+2e-3", "joint1.q")] == ["-1.5", "+2e-3", "joint1.q"]


@given(ANYTHING)
def test_identifiers_are_words_of_both_languages(name):
    word = names.identifier(name)
    assert word.isidentifier() and word.isascii() and not word.startswith("_") and len(word) <= 70


@given(ANYTHING)
def test_R6_comments_and_docstrings_end_where_they_should(name):
    text = names.comment(name)
    assert text.isascii() and text.isprintable() and not re.search(r"[*/\\\"'?#]", text)
    tree = ast.parse(f'"""{text}"""\nx = 1  # {text}\n')
    assert len(tree.body) == 2
    kinds = [t.type for t in tokenize.generate_tokens(io.StringIO(f"# {text}\n").readline)]
    assert kinds[0] == tokenize.COMMENT and tokenize.NAME not in kinds


def test_words_of_the_languages_are_known():
    assert {"int", "class", "sin", "gamma", "for"} <= names.C_WORDS and "lambda" in keyword.kwlist


@pytest.mark.parametrize(
    ("name", "plain"),
    [("l_{c1}", True), ("theta_1", True), (r"\varphi", True), ("m", True), (r"\input{x}", False), ("a}b{", False)]
    + [("<b>", False), ("x$", False), ("a&b", False), (r"\thetax", False)],
)
def test_what_may_stand_in_a_formula(name, plain):
    assert names.is_formula(name) is plain


@pytest.mark.parametrize("name", HOSTILE)
def test_R6_errors_and_warnings_print_in_one_line(name):
    for told in (ModelError(f"robot {name} fell"), ModelWarning(name), ModelError(unknown("link", name, [name, "b"]))):
        assert str(told).isprintable() and "\n" not in str(told)


def test_R9_a_message_has_an_end():
    assert len(str(ModelError("x" * 800_000))) <= 4000
    assert len(unknown("link", "y" * 100_000, ["z" * 100_000] * 50)) < 4000
