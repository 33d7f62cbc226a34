"""Names that a stranger's file may hold, and readers that show whether one of them got out of its place."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from markdown_it import MarkdownIt

HOSTILE = (
    "\x1b[31mred\x1b[0m", "\x9b31m", "a\u202eb\u2066c", "one\n# two\n\n| three |", "back\rword", "tab\tbed",
    "no\x00thing", "\u2028line", "lone \ud800", "\ufeffmark", "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>", "&lt;b&gt;", "[x](javascript:alert(1))", "![x](javascript:alert(1))",
    "<javascript:alert(1)>", "[x]: javascript:alert(1)", "a | b | c", "\\| x |", "`tick` ``", "**bold** __it__ *x*",
    "# head #", "> quote", "- item", "1. item", "2) item", "---", "===", "~~gone~~", "~~~", "    code",
    "{: onclick=alert(1) }", "!!! note", "$\\input{/etc/passwd}$", "a $x$ b$", "\\end{document}", "\\",
    "}\\\\ \\hline", "%", "~^#_&", "[", "]*", "=cmd|'/c calc'!A1", "+1+1", "-2+3", "@SUM(1)", "'=1", "''+x", " =1",
    "＝1", "a;=1", '","=1', "*/ int evil; /*", '"""\nimport os\n"""', "'''", "??/", "// x \\", "#define int", "int",
    "lambda", "None", "7dof", "", " ", "机器人", "Größe ẋ q̈ θ₁ √", "́mark", "a" * 300, "{}", "%s%n{0}",
)  # fmt: skip


def page(text: str) -> tuple[list[tuple[str, dict[str, str | None]]], list[str]]:
    """(tags with their attributes, texts between them) of a page."""
    reader = _Reader()
    reader.feed(text)
    reader.close()
    return reader.tags, reader.texts


def rendered(markdown: str) -> str:
    """Markdown as GitHub would show it: CommonMark, with tables and strikethrough."""
    return MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(markdown)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data!r}")


COMMANDS = frozenset(
    """textbackslash textasciitilde textasciicircum textless textgreater textbar textasciigrave dots text textbf
    mathrm operatorname frac cdot times partial sum to le ge surd pm mu circ ddot dot vec left right bigl bigr quad
    begin end hline section subsection subsubsection documentclass usepackage setcounter allowdisplaybreaks cos sin
    theta tau rho pi omega varphi displaystyle int lambda alpha""".split()  # noqa: SIM905
)
GROUPS = frozenset(["document", "tabular", "bmatrix", "aligned", "matrix", "gather*", "array", "cases"])


def sound_latex(text: str) -> None:
    """No command of a name's own, no group opened or closed by it, nothing that LaTeX cannot set."""
    depth, dollars, groups = 0, 0, []
    for token in re.findall(r"\\(?:begin|end)\{[^}]*\}|\\[A-Za-z]+|\\.|.", text, re.DOTALL):
        depth += (token == "{") - (token == "}")
        dollars += token == "$"
        assert depth >= 0 and token != "%", token
        assert ord(token[0]) < 0x180 and (token.isprintable() or token == "\n"), token
        if token.startswith(("\\begin", "\\end")):
            kind = token.partition("{")[2][:-1]
            assert kind in GROUPS, token
            assert groups.append(kind) is None if token.startswith("\\begin") else groups.pop() == kind
        elif re.fullmatch(r"\\[A-Za-z]+", token):
            assert token[1:] in COMMANDS, token
    assert depth == 0 and dollars % 2 == 0 and not groups
