"""Imports point down only: a room may use the rooms below it, never those above or beside it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "steiner"

# room (module or folder of src/steiner) -> height; imports go from a higher to a lower number
HEIGHT = {
    "errors": 0,
    "scalar": 1,
    "tables": 2,
    "spatial": 2,
    "inertia": 3,
    "materials": 4,
    "friction": 4,
    "solids": 5,
    "joints": 5,
    "assembly": 6,
    "model": 7,
    "dh": 8,
    "poe": 8,
    "parameters": 8,
    "regroup": 8,
    "frames": 8,
    "signatures": 0,
    "results": 3,
    "dynamics": 9,
    "trace": 2,
    "backends": 3,
    "symbolic": 2,
    "arguments": 9.5,
    "long_chains": 9.5,
    "preparation": 10,
    "methods": 10,
    "conversions": 9,
    "symbolic_lagrange": 10,
    "identifiable": 11,
    "manipulability": 11,
    "compiling": 11,
    "robots": 12,
    "formulas": 12,
    "io": 13,
    "motion": 14,
    "design": 15,
    "identify": 15,
    "check": 16,
    "report": 17,
    "exporting": 14,
    "commands": 17.5,
    "cli": 18,
    "studio": 18,
    "__main__": 19,
    "__init__": 20,
}

# rooms with a narrower door than their height gives them
ONLY = {
    "trace": {"errors", "scalar"},
    "backends": {"errors", "scalar", "trace"},
    "symbolic": {"errors", "scalar", "trace"},
    "commands": {"", "errors", "io", "robots", "exporting", "formulas"},
    "cli": {"", "errors", "io", "robots", "commands"},  # "" is the public API: `import steiner as st`
    "studio": {"", "errors"},
    "report": {"", "errors"},
    "__main__": {"cli"},
}

# Robot.from_dh and Robot.from_poe: constructors live beside the model and are fetched when called
HOOKS = {("model", "dh"), ("model", "poe"), ("model", "conversions"), ("model", "methods")}

# heavy library -> the rooms that may import it
FOREIGN = {
    "sympy": {"symbolic", "symbolic_lagrange", "formulas"},
    "llvmlite": {"backends"},
    "trimesh": {"solids", "io"},
    "scipy": {"solids", "motion", "design", "identify", "check", "assembly", "inertia"},
    "defusedxml": {"io"},
    "typer": {"cli", "commands"},
    "pydantic": {"io", "check"},
    "ruamel": {"io", "check"},
    "matplotlib": {"report", "solids", "motion", "design", "manipulability"},
    "casadi": {"backends"},
    "jax": {"backends"},
    "mujoco": {"io"},
    "pinocchio": set(),
}

# rooms that may import by a string: the hook for foreign numbers, and the lazy public names
DYNAMIC = {"scalar", "__init__", "backends"}


def modules() -> list[Path]:
    return sorted(SOURCE.rglob("*.py"))


def room_of(path: Path) -> str:
    first = path.relative_to(SOURCE).parts[0]
    return first.removesuffix(".py")


def imports(tree: ast.AST) -> list[tuple[int, str]]:
    """(line, dotted name) of every import, also those inside functions."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: relative import"
            if node.module == "steiner":  # from steiner import scalar: a room by name
                found += [(node.lineno, f"steiner.{alias.name}") for alias in node.names]
            else:
                found.append((node.lineno, node.module or ""))
    return found


def faults(room: str, text: str) -> list[str]:
    """What in this module's text breaks the house rules."""
    wrong = []
    tree = ast.parse(text)
    for line, name in imports(tree):
        package, _, rest = name.partition(".")
        if package == "steiner":
            target = rest.partition(".")[0]
            if target == room or (room, target) in HOOKS:
                continue
            if room in ONLY:
                if target not in ONLY[room]:
                    wrong.append(f"line {line}: {room} may import {sorted(ONLY[room])} only, not {name}")
            elif target not in HEIGHT:
                wrong.append(f"line {line}: {name} is no room of the table HEIGHT")
            elif HEIGHT[target] >= HEIGHT[room]:
                wrong.append(f"line {line}: {room} imports {name}, which lies above or beside it")
        elif package in FOREIGN and room not in FOREIGN[package]:
            wrong.append(f"line {line}: {package} is imported in {room}; allowed in {sorted(FOREIGN[package])}")
    if room not in DYNAMIC:
        names = [n.attr if isinstance(n, ast.Attribute) else getattr(n, "id", "") for n in ast.walk(tree)]
        if "import_module" in names or "__import__" in names:
            wrong.append(f"{room} imports by a string; only {sorted(DYNAMIC)} may")
    return wrong


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(SOURCE)))
def test_imports_point_down_only(path):
    room = room_of(path)
    assert room in HEIGHT, f"{path.name} is a new room: give it a height in the table"
    assert not faults(room, path.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("room", "text"),
    [
        ("spatial", "from steiner.inertia import MassProperties"),
        ("model", "def f():\n    from steiner.dynamics import inverse_dynamics"),
        ("trace", "from steiner.spatial import Pose"),
        ("backends", "import steiner.model"),
        ("dynamics", "import sympy"),
        ("inertia", "from sympy import Symbol"),
        ("joints", "from steiner import solids"),
        ("model", "import importlib\nimportlib.import_module('steiner.dynamics')"),
        ("cli", "from steiner.dynamics import mass_matrix"),
        ("model", "import steiner.cellar"),
    ],
)
def test_an_import_that_points_up_is_found(room, text):
    assert faults(room, text)


def test_the_string_import_of_scalar_names_only_the_symbolic_module():
    from steiner import scalar

    assert scalar.KINDS == {"sympy": "steiner.symbolic"}


def functions(tree: ast.AST) -> list[ast.FunctionDef]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(SOURCE)))
def test_modules_and_functions_stay_small(path):
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") <= 420, "a module this long is two ideas"
    long = [f"{f.name}: {n} lines" for f in functions(ast.parse(text)) if (n := f.end_lineno - f.lineno + 1) > 60]
    assert not long
