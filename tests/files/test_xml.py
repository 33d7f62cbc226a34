"""XML of strangers: what defusedxml refuses is refused, what it reads is read alike."""

from __future__ import annotations

import random
import string

import pytest
from defusedxml import ElementTree
from defusedxml.common import DefusedXmlException

from steiner.errors import FormatError
from steiner.files.quantity import DECIMAL
from steiner.files.reading import decimal
from steiner.files.xml import Element, parse

HOSTILE = [
    '<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>',
    '<!DOCTYPE a SYSTEM "http://localhost/a.dtd"><a/>',
    '<!DOCTYPE a PUBLIC "-//x" "a.dtd"><a/>',
    '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>',
    '<!DOCTYPE a [<!ENTITY % p SYSTEM "p.dtd"> %p;]><a/>',
    '<!DOCTYPE a [<!NOTATION n SYSTEM "n"><!ENTITY x SYSTEM "x" NDATA n>]><a/>',
    "<!DOCTYPE a><a/>",
    '<!DOCTYPE a [<!ENTITY a0 "x"><!ENTITY a1 "&a0;&a0;"><!ENTITY a2 "&a1;&a1;">]><a>&a2;</a>',
]


@pytest.mark.parametrize("text", HOSTILE)
def test_what_defusedxml_refuses_is_refused_by_name(text):
    with pytest.raises(DefusedXmlException):
        ElementTree.fromstring(text, forbid_dtd=True)
    for given in (text, text.encode()):
        with pytest.raises(FormatError, match="document type declaration") as error:
            parse(given, "a.xml")
        assert error.value.rule == "dtd" and str(error.value).startswith("a.xml:1: ")


PIECES = [
    "<a>", "</a>", "<b x='1' y='2'>", "</b>", "<c/>", " text ", "&amp;", "&lt;", "&#65;", "&nobody;", "<![CDATA[<x>]]>",
    "<!-- c -->", "<?pi x?>", "<n:d xmlns:n='u' n:k='1' k='2'/>", "<d xmlns='v'/>", "\n", "é", "<", "&", "]]>", "x='",
]  # fmt: skip


def seen(element: Element) -> tuple:
    text = element.content if not element.children else ""
    return element.tag, element.attributes, text, [seen(child) for child in element.children]


def theirs(element) -> tuple:
    text = (element.text or "") if not len(element) else ""
    return element.tag, element.attrib, text, [theirs(child) for child in element]


def test_the_tree_and_the_faults_are_those_of_the_other_parser():
    rng, read = random.Random(3), 0
    for _ in range(4000):
        inner = "".join(rng.choices(PIECES, k=rng.randrange(6)))
        text = f"<a>{inner}</a>" if rng.random() < 0.9 else inner
        try:
            wanted = theirs(ElementTree.fromstring(text, forbid_dtd=True))
        except ElementTree.ParseError as error:
            with pytest.raises(FormatError, match="not well-formed XML") as ours:
                parse(text, "a.xml")
            line, column = error.position
            assert str(ours.value).startswith(f"a.xml:{line}: ") and f"(column {column + 1})" in str(ours.value)
        else:
            read += 1
            assert seen(parse(text, "a.xml")) == wanted, text
    assert read > 500


def test_a_decimal_number_is_what_the_pattern_says():
    rng = random.Random(1)
    words = [*"+.e１", "", "1e", "1.", ".5", "1e5", "+1.5E-3", "1_0", "inf", "nan", "0x1", " 1", "1 ", "--1", "1e1e1"]
    words += ["".join(rng.choices("0123456789+-.eE", k=rng.randrange(1, 7))) for _ in range(20_000)]
    words += ["".join(rng.choices(string.printable, k=3)) for _ in range(2000)]
    for word in words:
        assert (decimal(word) is not None) == (DECIMAL.fullmatch(word) is not None), word
    assert decimal("1e999") == float("inf") and decimal("1" * 401) is None and decimal("1" * 400) == float("1" * 400)
