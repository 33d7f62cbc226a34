"""Short formulas of LaTeX inside a sentence, as MathML: letters, numbers, indices, powers and a few signs."""

from __future__ import annotations

import re

from steiner.text import names

_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|\d+(?:\.\d+)?|[A-Za-z]|\s+|.", re.DOTALL)
_SIGNS = {"cdot": "·", "otimes": "⊗", "int": "∫", "sum": "Σ", "times": "×", "le": "≤", "ge": "≥", "to": "→", "neq": "≠"}
_SIGNS |= {"varphi": "φ"}
_SPACES = frozenset((r"\,", r"\;", r"\!", r"\ ", r"\quad", r"\qquad"))
_UPRIGHT = frozenset((r"\mathrm", r"\text", r"\operatorname"))
_WORDS = frozenset(("cos", "sin", "tan", "det", "exp"))
_FRACTIONS = frozenset((r"\frac", r"\tfrac", r"\dfrac"))


def mathml_of(formula: str) -> str:
    """A formula of LaTeX that stands in a sentence."""
    tokens = _TOKEN.findall(formula)[::-1]
    return f"<math>{_row(tokens)}</math>"


def _row(tokens: list[str]) -> str:
    """Everything up to the bracket that closes."""
    done: list[str] = []
    while tokens and tokens[-1] != "}":
        token = tokens.pop()
        if token in ("_", "^") and done:
            tag, base = ("msub" if token == "_" else "msup"), done.pop()
            done.append(f"<{tag}>{base}{_piece(tokens)}</{tag}>")
        elif not token.isspace() and token not in _SPACES:
            done.append(_atom(token, tokens))
    return f"<mrow>{''.join(done)}</mrow>"


def _piece(tokens: list[str]) -> str:
    """One letter, or what stands in braces."""
    while tokens and tokens[-1].isspace():
        tokens.pop()
    return _atom(tokens.pop(), tokens) if tokens else "<mrow></mrow>"


def _atom(token: str, tokens: list[str]) -> str:
    word = token[1:]
    if token == "{":
        inside = _row(tokens)
        if tokens:
            tokens.pop()
        return inside
    if token in _UPRIGHT:
        return f"<mtext>{names.html(_braced(tokens))}</mtext>"
    if token in _FRACTIONS:
        return f"<mfrac>{_piece(tokens)}{_piece(tokens)}</mfrac>"
    if token[0] == "\\" and word in names.GREEK:
        return f"<mi>{names.GREEK[word]}</mi>"
    if token[0] == "\\" and word in _WORDS:
        return f"<mi>{word}</mi>"
    if token[0] == "\\":
        return f"<mo>{names.html(_SIGNS.get(word, word))}</mo>"
    if token == "'":
        return '<mo lspace="0" rspace="0">′</mo>'
    if token[0].isdigit():
        return f"<mn>{token}</mn>"
    return f"<mi>{names.html(token)}</mi>" if token.isalpha() else f"<mo>{names.html(token.replace('-', '−'))}</mo>"


def _braced(tokens: list[str]) -> str:
    """The letters in braces as they are."""
    taken = ""
    if tokens and tokens[-1] == "{":
        tokens.pop()
        while tokens and tokens[-1] != "}":
            taken += tokens.pop().removeprefix("\\")
        if tokens:
            tokens.pop()
    return taken
