"""The house: imports point down only, no import hides a cycle, rooms and modules stay small."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from steiner.doors import ALGORITHM, DOORS

TESTS = Path(__file__).parent.parent
SOURCE = TESTS.parent / "src" / "steiner"
CONTRIBUTING = TESTS.parent / "CONTRIBUTING.md"
ACROSS = {"bad_input", "contracts", "ground", "house", "laws", "mission", "oracles", "pages"}  # tests of several rooms

# room (module or folder of src/steiner) -> height; imports go from a higher to a lower number
HEIGHT = {
    "locks": -1,
    "errors": 0, "doors": 0, "records": 0,
    "scalar": 1, "findings": 1,
    "text": 2, "trace": 2, "symbolic": 2,
    "spatial": 3, "backends": 3,
    "inertia": 4, "materials": 4,
    "solids": 5,
    "assembly": 6,
    "model": 7,
    "dynamics": 8,
    "kernels": 9,
    "analysis": 10,
    "robots": 11, "formulas": 11,
    "checks": 12,
    "files": 13,
    "motion": 14, "review": 14,
    "scene": 15,
    "reports": 16,
    "cli": 17,
    "__main__": 18,
    "__init__": 19,
}  # fmt: skip

# rooms with a narrower door than their height gives them; "" is the public API: `import steiner as st`
ONLY = {
    "text": {"scalar", "errors", "records"},
    "trace": {"errors", "locks", "records", "scalar"},
    "backends": {"errors", "locks", "records", "scalar", "trace", "text"},
    "symbolic": {"errors", "scalar", "trace"},
    "__main__": {"cli"},
}

# heavy library -> the rooms that may import it
FOREIGN = {
    "sympy": {"symbolic", "formulas", "solids", "assembly"},
    "llvmlite": {"backends"},
    "manifold3d": {"solids"},
    "OCP": {"files"},
    "scipy": {"solids", "assembly", "inertia", "motion", "analysis"},
    "defusedxml": {"files"},
    "typer": {"cli"},
    "rich": {"cli"},
    "ruamel": {"files"},
    "matplotlib": {"scene", "reports"},
    "casadi": {"backends"},
    "jax": {"backends"},
    "mujoco": {"files", "review"},
    "pinocchio": {"review"},
    "ruckig": {"motion"},
    "toppra": {"motion"},
}

ROW = re.compile(r"[a-z]\w*(\.\w+)*:[A-Za-z]\w*")
BY_NAME = {"doors", "__init__"}  # the rooms that may import by a string: upward doors, and the lazy public names
LONGEST_MODULE, LONGEST_FUNCTION, MOST_IN_THE_HALL = 420, 60, 9


def modules() -> list[Path]:
    return sorted(SOURCE.rglob("*.py"))


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")


def room_of(name: str) -> str:
    return name.partition(".")[0]


def imports(text: str, room: str = "") -> list[tuple[int, str]]:
    """(line, dotted name) of every import, inside functions and under TYPE_CHECKING too, and of names in strings.

    Rows "room.module:function" of a table count as well, but for those of the table of upward doors.
    """
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: relative import"
            found += [(node.lineno, f"{node.module}.{alias.name}") for alias in node.names]
        elif isinstance(node, ast.Constant) and re.fullmatch(r"steiner(\.[a-z_]+)+", str(node.value)):
            found.append((node.lineno, str(node.value)))
        elif isinstance(node, ast.Constant) and ROW.fullmatch(str(node.value)) and room != "doors":
            found.append((node.lineno, f"steiner.{node.value.replace(':', '.')}"))
    return found


def faults(room: str, text: str) -> list[str]:
    """What in this module's text breaks the house rules."""
    wrong = []
    for line, name in imports(text, room):
        package, _, rest = name.partition(".")
        target = room_of(rest)
        if package == "steiner":
            if target == room or room == "__init__":
                continue
            if room in ONLY and target not in ONLY[room]:
                wrong.append(f"line {line}: {room} may import {sorted(ONLY[room])} only, not {name}")
            elif target in HEIGHT and HEIGHT[target] >= HEIGHT[room]:
                wrong.append(f"line {line}: {room} imports {name}, which lies above or beside it")
        elif package in FOREIGN and room not in FOREIGN[package]:
            wrong.append(f"line {line}: {package} is imported in {room}; allowed in {sorted(FOREIGN[package])}")
    names = [n.attr if isinstance(n, ast.Attribute) else getattr(n, "id", "") for n in ast.walk(ast.parse(text))]
    if room not in BY_NAME and ("import_module" in names or "__import__" in names):
        wrong.append(f"{room} imports by a string; only {sorted(BY_NAME)} may")
    return wrong


def graph(level: str) -> dict[str, set[str]]:
    """Which rooms, or which modules, use which; the rows of the table of doors are left out, nothing else is."""
    known = {name_of(path) for path in modules()}
    edges: dict[str, set[str]] = {}
    for path in modules():
        name = name_of(path)
        if name in ("__init__", "__main__"):
            continue
        for _, target in imports(path.read_text(encoding="utf-8"), room_of(name)):
            if not target.startswith("steiner."):
                continue
            module = target.removeprefix("steiner.")
            while module and module not in known:
                module = module.rpartition(".")[0]
            if level == "room":
                a, b = room_of(name), room_of(module)
            else:
                a, b = name, module
            if b and a != b:
                edges.setdefault(a, set()).add(b)
    return edges


def cycle(edges: dict[str, set[str]]) -> list[str]:
    """The names on some cycle, or nothing."""
    done: set[str] = set()

    def walk(node: str, path: list[str]) -> list[str]:
        if node in path:
            return [*path[path.index(node) :], node]
        if node in done:
            return []
        for target in sorted(edges.get(node, ())):
            if found := walk(target, [*path, node]):
                return found
        done.add(node)
        return []

    return next((found for node in sorted(edges) if (found := walk(node, []))), [])


def test_imports_point_down_only():
    rooms = {room_of(name_of(p)) for p in modules()}
    wrong = [f"{room} is a new room: give it a height in the table" for room in sorted(rooms - set(HEIGHT))]
    for path in modules():
        found = faults(room_of(name_of(path)), path.read_text(encoding="utf-8"))
        wrong += [f"{path.relative_to(SOURCE)}: {fault}" for fault in found]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("level", ["room", "module"])
def test_no_import_hides_a_cycle(level):
    assert not cycle(graph(level))


def test_a_hidden_cycle_would_be_found():
    assert cycle({"a": {"b"}, "b": {"c"}, "c": {"a"}}) == ["a", "b", "c", "a"]
    assert imports("if TYPE_CHECKING:\n    from steiner.model import Robot") == [(2, "steiner.model.Robot")]
    assert imports("def f():\n    import steiner.files") == [(2, "steiner.files")]
    assert imports("home = 'steiner.files.urdf'") == [(1, "steiner.files.urdf")]
    assert imports("row = 'files.urdf:read'") == [(1, "steiner.files.urdf.read")]
    assert imports("row = 'files.urdf:read'", "doors") == []


def test_every_door_leads_somewhere():
    wrong = []
    for key, row in {**DOORS, "Robot.*": ALGORITHM}.items():
        room, _, function = row.partition(":")
        path = SOURCE / f"{room.replace('.', '/')}.py"
        path = path if path.exists() else SOURCE / room.replace(".", "/") / "__init__.py"
        if not path.exists() or f"def {function}(" not in path.read_text(encoding="utf-8"):
            wrong.append(f"{key}: {row}")
    assert not wrong


@pytest.mark.parametrize(
    ("room", "text"),
    [
        ("spatial", "from steiner.inertia import MassProperties"),
        ("model", "def f():\n    from steiner.dynamics import inverse_dynamics"),
        ("model", "if TYPE_CHECKING:\n    from steiner.kernels.call import Call"),
        ("trace", "from steiner.spatial import Pose"),
        ("backends", "import steiner.model"),
        ("dynamics", "import sympy"),
        ("inertia", "from sympy import Symbol"),
        ("inertia", "from steiner import solids"),
        ("model", "import importlib\nimportlib.import_module('a')"),
        ("model", "home = 'steiner.dynamics.terms'"),
        ("scene", "from steiner.cli import main"),
        ("model", "row = 'files.urdf:read'"),
    ],
)
def test_an_import_that_points_up_is_found(room, text):
    assert faults(room, text)


def test_modules_and_functions_stay_small():
    wrong = []
    for path in modules():
        text = path.read_text(encoding="utf-8")
        if text.count("\n") > LONGEST_MODULE:
            wrong.append(f"{path.relative_to(SOURCE)}: {text.count(chr(10))} lines: two ideas?")
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef) and (n := node.end_lineno - node.lineno + 1) > LONGEST_FUNCTION:
                wrong.append(f"{path.relative_to(SOURCE)}: {node.name}: {n} lines")
    assert not wrong, "\n".join(wrong)


def test_the_hall_is_not_crowded():
    flat = [p.stem for p in SOURCE.glob("*.py") if not p.stem.startswith("__")]
    assert len(flat) <= MOST_IN_THE_HALL, flat


def test_the_page_shows_the_house_as_it_is():
    """Every room of the manual's table at its height, none missing or gone; and every table that it names."""
    text = (SOURCE.parent.parent / "docs" / "architecture.md").read_text(encoding="utf-8")
    shown = {}
    for heights, rooms in re.findall(r"^\| ([−\d, ]+) \| ([^|]+) \|", text, re.MULTILINE):
        for height, room in zip(heights.split(", "), re.findall(r"`(\w+)`", rooms), strict=True):
            shown[room] = int(height.replace("−", "-"))
    assert shown == {room: height for room, height in HEIGHT.items() if not room.startswith("__")}
    tables = {
        target.id
        for path in modules()
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.Assign | ast.AnnAssign)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
    }
    text += CONTRIBUTING.read_text(encoding="utf-8")
    assert not set(re.findall(r"`([A-Z]{4,})`", text)) - tables


def test_tests_stand_where_the_code_stands():
    """Every room has its folder (rooms of one module: `ground`), and no folder is of a room that is gone."""
    folders = {p.name for p in TESTS.iterdir() if p.is_dir() and any(p.glob("test_*.py"))}
    rooms = {p.name for p in SOURCE.iterdir() if p.is_dir() and any(p.glob("*.py"))}
    assert folders == rooms | ACROSS
