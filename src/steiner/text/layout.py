"""Formulas on the page: one tree of boxes, printed as LaTeX or as MathML."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from steiner.text import names
from steiner.text.names import GREEK

_LATEX_NAME = {"lamda": "lambda"}
_PLAIN = re.compile(r"[A-Za-z0-9_ ]+")  # words that need no text mode inside a formula
_FUNCTIONS = ("cos", "sin", "exp", "tanh")  # commands of LaTeX

# operators: how MathML and LaTeX write them
OPERATORS = {
    "=": ("=", "="), "+": ("+", "+"), "-": ("−", "-"), "×": ("×", r"\times "), "·": ("·", r"\cdot "),
    ",": (",", ", "), "∂": ("∂", r"\partial "), "Σ": ("∑", r"\sum "), "…": ("…", r"\dots "), ">": (">", ">"),
    "": ("", ""), "|": ("|", "|"), "negative": ("−", "-"), "quad": (" ", r"\quad "),
    "(": ("(", r"\bigl("), ")": (")", r"\bigr)"),
}  # fmt: skip


@dataclass(frozen=True)
class Box:
    """A piece of a formula: its kind, its text if it is a leaf, and the boxes inside."""

    kind: str
    text: str = ""
    inside: tuple[Box, ...] = ()
    columns: int = 0  # of a matrix


def ident(name: str) -> Box:
    """A single letter, a Greek letter by its English name, or a word set upright."""
    return Box("id", name)


def number(text: str) -> Box:
    """Digits; an exponent is written as a power of ten."""
    mantissa, e, exponent = text.partition("e")
    if not e:
        return Box("num", text)
    return row(Box("num", mantissa), op("·"), sup(Box("num", "10"), number(str(int(exponent)))))


def op(symbol: str) -> Box:
    """An operator of the table."""
    return Box("op", symbol)


def row(*parts: Box) -> Box:
    """Side by side."""
    return Box("row", inside=parts)


def sub(base: Box, index: Box) -> Box:
    """base with an index."""
    return Box("sub", inside=(base, index))


def sup(base: Box, power: Box) -> Box:
    """base with a power."""
    return Box("sup", inside=(base, power))


def frac(top: Box, bottom: Box) -> Box:
    """A fraction."""
    return Box("frac", inside=(top, bottom))


def dotted(base: Box, dots: int) -> Box:
    """Time derivative: one or two dots."""
    return Box("dot" if dots == 1 else "ddot", inside=(base,)) if dots else base


def vector(letter: str) -> Box:
    """A letter with an arrow: the vector, where the plain letter is taken by a number."""
    return Box("arrow", inside=(ident(letter),))


def fenced(inner: Box) -> Box:
    """In round brackets."""
    return Box("fenced", inside=(inner,))


def matrix(cells: Sequence[Sequence[Box]]) -> Box:
    """In square brackets."""
    return Box("matrix", inside=tuple(c for line in cells for c in line), columns=len(cells[0]) if cells else 0)


def lines(left: Box, rest: Sequence[Box]) -> Box:
    """An equation over several lines, aligned at its sign: left = first, then the others below."""
    return Box("lines", inside=(left, *rest))


def width(box: Box) -> float:
    """How wide a box is, roughly, in letters."""
    if box.kind in ("id", "num", "op", "words", "func"):
        text = OPERATORS[box.text][0] if box.kind == "op" else GREEK.get(box.text, box.text)
        return len(text) * (1.6 if box.kind == "op" else 1)
    parts = [width(b) for b in box.inside]
    if box.kind in ("sub", "sup"):
        return parts[0] + 0.7 * parts[1]
    if box.kind == "frac":
        return max(parts)
    if box.kind == "matrix":
        n = box.columns
        return 2 + sum(max(parts[k::n], default=0) + 1.5 for k in range(n)) if n else 2
    if box.kind == "lines":
        return parts[0] + max(parts[1:])
    return sum(parts) + 2 * (box.kind == "fenced")


def words(text: str) -> Box:
    """Upright words inside a formula."""
    return Box("words", text)


def func(name: str) -> Box:
    """The name of a function, upright and set apart from its argument."""
    return Box("func", name)


def joined(parts: Sequence[Box], between: str) -> Box:
    """Boxes with an operator between them."""
    result: list[Box] = []
    for k, part in enumerate(parts):
        result += [op(between)] * (k > 0) + [part]
    return row(*result)


# ---- LaTeX ---------------------------------------------------------------------------------------


def latex(box: Box) -> str:
    """The box as LaTeX, for math mode; needs amsmath."""
    return _LATEX[box.kind](box)


def _latex_id(box: Box) -> str:
    if box.text in GREEK:
        return f"\\{_LATEX_NAME.get(box.text, box.text)} "
    if len(box.text) == 1 and ((box.text.isascii() and box.text.isalnum()) or box.text in ",.:;()+-/=!"):
        return box.text
    return f"\\mathrm{{{names.latex(box.text)}}}" if _PLAIN.fullmatch(box.text) else _words(box.text)


def _words(text: str) -> str:
    return f"\\text{{{names.latex(text)}}}"


def _script_base(box: Box) -> str:
    """What an index or a power hangs on; a power may follow an index, two powers may not meet."""
    text = latex(box).strip()
    return text if box.kind in ("id", "num", "dot", "ddot", "arrow", "sub", "fenced") else f"{{{text}}}"


def _latex_matrix(box: Box) -> str:
    cells, n = [latex(b) for b in box.inside], box.columns
    lines = [" & ".join(cells[k : k + n]) for k in range(0, len(cells), n)] if n else []
    body = r" \\ ".join(lines)
    if n > 10:  # amsmath's matrices end at ten columns
        return rf"\left[\begin{{array}}{{{'c' * n}}} {body} \end{{array}}\right]"
    return rf"\begin{{bmatrix}} {body} \end{{bmatrix}}"


_LATEX: dict[str, Callable[[Box], str]] = {
    "id": _latex_id,
    "num": lambda b: b.text,
    "op": lambda b: OPERATORS[b.text][1],
    "func": lambda b: rf"\{b.text} " if b.text in _FUNCTIONS else rf"\operatorname{{{names.latex(b.text)}}}",
    "words": lambda b: _words(b.text),
    "row": lambda b: _spaced([latex(x) for x in b.inside]),
    "sub": lambda b: f"{_script_base(b.inside[0])}_{{{latex(b.inside[1]).strip()}}}",
    "sup": lambda b: f"{_script_base(b.inside[0])}^{{{latex(b.inside[1]).strip()}}}",
    "frac": lambda b: rf"\frac{{{latex(b.inside[0]).strip()}}}{{{latex(b.inside[1]).strip()}}}",
    "dot": lambda b: rf"\dot{{{latex(b.inside[0]).strip()}}}",
    "ddot": lambda b: rf"\ddot{{{latex(b.inside[0]).strip()}}}",
    "arrow": lambda b: rf"\vec{{{latex(b.inside[0]).strip()}}}",
    "fenced": lambda b: rf"\left({latex(b.inside[0])}\right)",
    "matrix": _latex_matrix,
    "lines": lambda b: _latex_lines(b),
    "live": lambda b: latex(b.inside[0]),
}


def _latex_lines(box: Box) -> str:
    left, first, *others = map(latex, box.inside)
    rest = "".join(rf" \\ &\quad {x}" for x in others)
    return rf"\begin{{aligned}} {left} &= {first}{rest} \end{{aligned}}"


def _spaced(parts: list[str]) -> str:
    """Parts side by side; letters of neighbours never run into a command."""
    text = ""
    for part in parts:
        close = text and part and (text[-1].isalnum() or text[-1] == "}") and part[0].isalnum()
        text += f" {part}" if close else part
    return text


_THIN = '<mspace width="0.17em"/>'
# lines and round corners: brackets that need no mathematical font; tables around them may collapse borders
BRACKETS = (
    "border-collapse:separate;border-spacing:0;border-left:0.09em solid;border-right:0.09em solid;"
    "border-radius:0.35em;padding:0 0.25em;margin:0 0.15em"
)
TALL = ("frac", "matrix", "lines")  # what brackets grow with

# ---- MathML --------------------------------------------------------------------------------------


def mathml(box: Box, *, block: bool = False) -> str:
    """The box as MathML, which browsers show without any script."""
    return f'<math display="{"block" if block else "inline"}">{_mathml(box)}</math>'


def _mathml(box: Box) -> str:
    return _MATHML[box.kind](box)


def _mathml_matrix(box: Box) -> str:
    cells, n = [f"<mtd>{_mathml(b)}</mtd>" for b in box.inside], box.columns
    lines = ["".join(cells[k : k + n]) for k in range(0, len(cells), n)] if n else []
    table = "".join(f"<mtr>{line}</mtr>" for line in lines)
    return f'<mtable style="{BRACKETS}">{table}</mtable>'


def _mathml_op(box: Box) -> str:
    """A sign that opens a term would be taken for a prefix and set without space; say which it is."""
    if box.text == "quad":
        return '<mspace width="1.5em"/>'
    if box.text in "()":
        return f'<mo stretchy="false">{box.text}</mo>' if box.text else ""
    form = {"+": ' form="infix"', "-": ' form="infix"', "negative": ' form="prefix"'}.get(box.text, "")
    return f"<mo{form}>{names.html(OPERATORS[box.text][0])}</mo>" if box.text else ""


def _wrapped(tag: str) -> Callable[[Box], str]:
    return lambda b: f"<{tag}>{''.join(map(_mathml, b.inside))}</{tag}>"


def _mathml_id(box: Box) -> str:
    if box.text in GREEK or len(box.text) == 1:
        return f"<mi>{names.html(GREEK.get(box.text, box.text))}</mi>"
    return f'<mi mathvariant="normal">{names.html(box.text)}</mi>'


_MATHML: dict[str, Callable[[Box], str]] = {
    "id": _mathml_id,
    "num": lambda b: f"<mn>{names.html(b.text).replace('-', '−')}</mn>",
    "op": lambda b: _mathml_op(b),
    "func": lambda b: f'{_THIN}<mi mathvariant="normal">{names.html(b.text)}</mi>{_THIN}',
    "words": lambda b: f"<mtext>{names.html(b.text).replace(' ', '&#160;')}</mtext>",
    "row": _wrapped("mrow"),
    "sub": _wrapped("msub"),
    "sup": lambda b: _mathml_sup(b),
    "frac": _wrapped("mfrac"),
    # dots marked as accents are set into the letter by browsers; others would be as small as an index
    "dot": lambda b: f'<mover>{_mathml(b.inside[0])}<mo scriptlevel="0">˙</mo></mover>',
    "ddot": lambda b: f'<mover>{_mathml(b.inside[0])}<mo scriptlevel="0">¨</mo></mover>',
    "arrow": lambda b: f'<mover accent="true">{_mathml(b.inside[0])}<mo>→</mo></mover>',
    "fenced": lambda b: _mathml_fenced(b),
    "matrix": _mathml_matrix,
    "lines": lambda b: _mathml_lines(b),
    "live": lambda b: f'<mrow data-live="{names.html(b.text)}">{_mathml(b.inside[0])}</mrow>',
}


def _mathml_sup(box: Box) -> str:
    """A power; of something with an index it stands above the index."""
    base, power = box.inside
    if base.kind != "sub":
        return _wrapped("msup")(box)
    return f"<msubsup>{''.join(map(_mathml, base.inside))}{_mathml(power)}</msubsup>"


def _mathml_fenced(box: Box) -> str:
    """Round brackets, which grow only with what is tall: grown ones stand apart."""
    grows = "" if _is_tall(box.inside[0]) else ' stretchy="false"'
    return f"<mrow><mo{grows}>(</mo>{_mathml(box.inside[0])}<mo{grows}>)</mo></mrow>"


def _is_tall(box: Box) -> bool:
    return box.kind in TALL or any(map(_is_tall, box.inside))


def _mathml_lines(box: Box) -> str:
    left, first, *others = map(_mathml, box.inside)
    cell = '<mtd style="text-align:left;padding-left:0.2em">'
    lead = f'<mtr><mtd style="text-align:right">{left}</mtd>{cell}<mrow><mo>=</mo>{first}</mrow></mtd></mtr>'
    rest = "".join(f'<mtr><mtd></mtd>{cell}<mspace width="2em"/>{x}</mtd></mtr>' for x in others)
    return f"<mtable>{lead}{rest}</mtable>"
