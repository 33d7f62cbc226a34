"""Tests go by public roads, and what they share lives in modules that are no tests."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).parent.parent
# not private although they look so: protocols of notebooks and named tuples, and the way out of a forked child
PUBLIC = {"_repr_html_", "_repr_latex_", "_make", "_fields", "_replace", "_asdict", "_exit"}
ARGUED = {
    "_recursion": "the vectors that a derivation prints have no other road out than its text",
    "_said": "what is said once in a process is said again in the next case of a test",
    "_store": "how much memory is kept is seen nowhere else",
}
CONTRACTS = "contracts/test_one_line_each.py"  # calls the contracts of all tables: that is what it is for


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name not in PUBLIC | ARGUED.keys()


def faults(source: str, path: str) -> Iterator[str]:
    """What a test reaches for that it should not."""
    own = {name for node in ast.walk(ast.parse(source)) for name in _defined(node)}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom):
            module = node.module or ""
            for name in (alias.name for alias in node.names):
                if module.startswith("steiner") and is_private(name):
                    yield f"{path}:{node.lineno}: {module}.{name} is private"
                if (module.rpartition(".")[2].startswith("test_") or name.startswith("test_")) and path != CONTRACTS:
                    yield f"{path}:{node.lineno}: {module} is a test; what tests share is a module of its own"
        elif isinstance(node, ast.Attribute) and is_private(node.attr) and node.attr not in own:
            yield f"{path}:{node.lineno}: .{node.attr} is private"


def _defined(node: ast.AST) -> list[str]:
    """Private names that the test's own classes have."""
    if isinstance(node, ast.FunctionDef):
        return [node.name]
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
        return [node.attr]
    return []


def test_tests_go_by_public_roads():
    found = []
    for path in sorted(TESTS.rglob("*.py")):
        found += faults(path.read_text(encoding="utf-8"), path.relative_to(TESTS).as_posix())
    assert not found, "\n".join(found)


def test_a_shortcut_would_be_found():
    text = "from steiner.a import _b\nfrom tests.c.test_d import e\nx._plans\nrobot._repr_html_()\nself.__dict__\n"
    found = [fault.split(": ")[1].split(" is ")[0] for fault in faults(text, "t.py")]
    assert found == ["steiner.a._b", "tests.c.test_d", "._plans"]
