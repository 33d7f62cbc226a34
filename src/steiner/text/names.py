"""Names made safe, one function per medium.

Names of robots, links, joints and parts come from strangers' files.  Whatever is written for people or for
programs passes through here, so that a name shows as itself and can do nothing else: no escape sequence on a
terminal, no markup on a page, no formula in a spreadsheet, no statement in a program.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import accumulate
from typing import Any

from steiner.errors import clipped, printable

GREEK = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "zeta": "ζ", "eta": "η", "theta": "θ",
    "iota": "ι", "kappa": "κ", "lamda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π", "rho": "ρ", "sigma": "σ",
    "tau": "τ", "upsilon": "υ", "phi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω", "Gamma": "Γ", "Delta": "Δ",
    "Theta": "Θ", "Lambda": "Λ", "Xi": "Ξ", "Pi": "Π", "Sigma": "Σ", "Phi": "Φ", "Psi": "Ψ", "Omega": "Ω",
    "lambda": "λ",
}  # fmt: skip
SPELLED = {greek: word for word, greek in GREEK.items()}
DECIMAL = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)


# ---- for people --------------------------------------------------------------------------------------


def terminal(text: str, limit: int | None = None) -> str:
    """One printable line: control characters, line breaks and direction marks escaped, cut at a limit."""
    return printable(text) if limit is None else clipped(printable(text), limit)


_MARKDOWN = {c: f"\\{c}" for c in "\\`*_{}[]|#~$"} | {"<": "&lt;", ">": "&gt;", "&": "&amp;"}
_OPENING = re.compile(r"[-+=:!?]|\d+[.)]", re.ASCII)  # what makes a list, an underline or a box of a line


def markdown(text: str) -> str:
    """Text inside a line of Markdown (CommonMark, GitHub's, Python-Markdown): no HTML, link, cell or formula."""
    return "".join(_MARKDOWN.get(c, c) for c in printable(text))


def markdown_line(line: str) -> str:
    """A line of safe Markdown that begins a block: its first characters open no list, quote, code or heading."""
    line = line.lstrip()
    found = _OPENING.match(line)
    return line if found is None else f"{line[: found.end() - 1]}&#{ord(found[0][-1])};{line[found.end() :]}"


def html(text: str) -> str:
    """Text of an HTML element or of a quoted attribute."""
    import html as _html

    return _html.escape(printable(text))


_LATEX = {c: f"\\{c}" for c in "&%$#_{}"} | {c: f"{{{c}}}" for c in "[]*"}  # `\\[` and `\\*` mean something else
_LATEX |= {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}",
    ">": r"\textgreater{}", "|": r"\textbar{}", "`": r"\textasciigrave{}", "…": "\\dots ",
}  # fmt: skip
_LATEX |= {greek: f"$\\{word}$" for greek, word in SPELLED.items()} | {
    "−": "$-$", "½": "$\\frac12$", "·": "$\\cdot$", "×": "$\\times$", "²": "$^2$", "³": "$^3$", "°": "$^\\circ$",
    "±": "$\\pm$", "µ": "$\\mu$", "∂": "$\\partial$", "Σ": "$\\sum$", "√": "$\\surd$", "→": "$\\to$", "≤": "$\\le$",
    "≥": "$\\ge$", "q\u0308": "$\\ddot q$", "q\u0307": "$\\dot q$",
}  # fmt: skip
_ACCENTS = frozenset("\u0300\u0301\u0302\u0303\u0304\u0306\u0307\u0308\u030a\u030b\u030c\u0327")


def latex(text: str) -> str:
    """Text outside of formulas; letters that LaTeX cannot set without a package are named by their code."""

    def one(found: re.Match[str]) -> str:
        c = found[0]
        return _LATEX.get(c) or (c if _settable(c) else f"U+{ord(c):04X}")

    return re.sub("q[\u0307\u0308]|.", one, text if text.isprintable() else printable(text))


_SYMBOL = rf"(\\(hat|bar|dot|ddot|vec|tilde|var[a-z]+|{'|'.join(GREEK)})(?![A-Za-z])|[\w{{}}^,' ])+"


def is_formula(name: str) -> bool:
    """Whether a symbol's name may stand in a formula of LaTeX as it is: l_{c1}, or a Greek letter by its command."""
    depths = [0, *accumulate((c == "{") - (c == "}") for c in name)]
    return min(depths) == depths[-1] == 0 and re.fullmatch(_SYMBOL, name) is not None


def _settable(c: str) -> bool:
    base, *marks = unicodedata.normalize("NFD", c)
    return ord(c) < 0x180 and (base.isascii() or c in "ßæøœÆØŒłŁı§¶©£") and all(m in _ACCENTS for m in marks)


def picture(text: str) -> str:
    """A label of a figure of matplotlib, which would read $…$ as a formula."""
    return printable(text).replace("$", r"\$")


# ---- for programs ------------------------------------------------------------------------------------


def json(document: Any, *, indent: int | None = 2) -> str:
    r"""A JSON text that a person can read: letters as they are, what does not print as \u escapes."""
    import json as _json

    text = _json.dumps(document, indent=indent, ensure_ascii=False, default=str)
    return "".join(c if c.isprintable() or c == "\n" else _json.dumps(c)[1:-1] for c in text)


def yaml(text: str) -> str:
    r"""A quoted text of YAML: as in JSON, but a character beyond U+FFFF is one \U escape, not a pair of halves."""
    import json as _json

    quoted = _json.dumps(text, ensure_ascii=False)
    return "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in quoted)


_FORMULA = re.compile(r"'*\s*[=+\-@＝＋－＠]")


def csv(text: str) -> str:
    """The text of a cell that no spreadsheet takes for a formula.

    A cell that would begin with = + - or @ gets an apostrophe in front, as spreadsheets have it; so does one that
    begins so behind apostrophes of its own, so that different names stay different.  Tabs, line breaks and other
    characters that do not print are escaped, semicolons too (they separate cells in half of the world).  Numbers
    stay numbers.  Whoever looks for a column compares with `csv` of its name.
    """
    if DECIMAL.fullmatch(text):
        return text
    plain = printable(text).replace(";", "\\x3b")
    return f"'{plain}" if _FORMULA.match(plain) else plain


LONGEST_NAME = 60
_UMLAUTS = {"ü": "ue", "ö": "oe", "ä": "ae", "Ü": "Ue", "Ö": "Oe", "Ä": "Ae", "ß": "ss"}

# no variable of a program in C may have these names: words of C and C++, and names of <math.h>
C_WORDS = frozenset([
    "alignas", "and", "asm", "auto", "bool", "break", "case", "catch", "char", "class", "const", "continue", "default",
    "delete", "do", "double", "else", "enum", "explicit", "export", "extern", "false", "float", "for", "friend", "goto",
    "if", "inline", "int", "long", "mutable", "namespace", "new", "not", "operator", "or", "private", "protected",
    "public", "register", "restrict", "return", "short", "signed", "sizeof", "static", "struct", "switch", "template",
    "this", "throw", "true", "try", "typedef", "typename", "union", "unsigned", "using", "virtual", "void", "volatile",
    "while", "xor", "linux", "unix", "NAN", "INFINITY", "y0", "y1", "yn", "j0", "j1", "jn", "gamma", "sqrt", "sin",
    "cos", "exp", "tanh", "fabs", "sqrtf", "sinf", "cosf", "expf", "tanhf", "fabsf",
])  # fmt: skip

# nor may one of a module in JavaScript have these
JS_WORDS = frozenset([
    "arguments", "async", "await", "break", "case", "catch", "class", "const", "continue", "debugger", "default",
    "delete", "do", "else", "enum", "eval", "export", "extends", "false", "finally", "for", "function", "if",
    "implements", "import", "in", "instanceof", "interface", "let", "new", "null", "package", "private", "protected",
    "public", "return", "static", "super", "switch", "this", "throw", "true", "try", "typeof", "undefined", "var",
    "void", "while", "with", "yield", "Math", "NaN", "Infinity",
])  # fmt: skip


def plain_letters(name: str) -> str:
    """A symbol's name in ASCII where it can be: θ₁ is theta1."""
    return "".join(SPELLED.get(c, c) for c in unicodedata.normalize("NFKC", name))


def identifier(text: str, fallback: str = "x") -> str:
    """A name for C, Python, JavaScript and CasADi: ASCII letters, digits and single underscores, a letter first."""
    name = re.sub(r"[^A-Za-z0-9]+", "_", _spelled(text)).strip("_")[:LONGEST_NAME].strip("_")
    if not name:
        return fallback
    return name if name[0].isalpha() else f"{fallback}_{name}"


def comment(text: str) -> str:
    """Text that is harmless in any comment or docstring: printable ASCII without its special characters."""
    return re.sub(r"[^A-Za-z0-9 _.,:;()\[\]=+-]", "_", " ".join(_spelled(text).split()))


def _spelled(text: str) -> str:
    return "".join(_UMLAUTS.get(c, c) for c in plain_letters(text))
