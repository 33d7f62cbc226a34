"""The package stands alone: a light import, a wheel without extras, `python -m steiner`."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
HEAVY = {
    "sympy", "trimesh", "llvmlite", "scipy", "pydantic", "typer", "rich", "matplotlib", "mujoco", "pinocchio",
    "casadi", "jax",
}  # fmt: skip

IMPORTED_AS = {"ruamel.yaml": "ruamel", "cadquery-ocp-novtk": "OCP", "drake": "pydrake"}
FOR_DEVELOPERS = {"all", "browser", "dev", "oracles"}


def test_what_is_installed_is_used():
    """Each dependency of the core, and of the extras that users install, is imported by some module."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = {name: rows for name, rows in project["optional-dependencies"].items() if name not in FOR_DEVELOPERS}
    asked = {re.split("[<>=[]", row)[0] for rows in (project["dependencies"], *extras.values()) for row in rows}
    used = set()
    for path in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) and node.module else []
            used |= {name.partition(".")[0] for name in names}
    assert not {name for name in asked if IMPORTED_AS.get(name, name) not in used}


def python(code: str, executable: str | Path = sys.executable, **kwargs) -> str:
    done = subprocess.run([executable, "-c", code], capture_output=True, text=True, **kwargs)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_import_pulls_in_nothing_heavy():
    """Nor do robots, solids and assemblies, before they are asked for what needs it."""
    for code in ("import steiner", "import steiner as st; st.Robot, st.Box, st.Assembly, st.load, st.gallery()"):
        loaded = json.loads(python(f"{code}; import sys, json; print(json.dumps(sorted(sys.modules)))"))
        assert not HEAVY & {name.partition(".")[0] for name in loaded}, code


def test_import_costs_less_than_150_ms_of_processor_time():
    code = """
import time
start = time.process_time()
import steiner
print(time.process_time() - start)
"""
    assert min(float(python(code)) for _ in range(5)) < 0.150


def test_the_module_runs_as_a_program():
    done = subprocess.run([sys.executable, "-m", "steiner", "--help"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "torques" in done.stdout and "gallery" in done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """The wheel of this checkout."""
    place = tmp_path_factory.mktemp("wheel")
    built = subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", place, ROOT],
        capture_output=True,
        text=True,
    )
    assert built.returncode == 0, built.stdout + built.stderr
    (wheel,) = place.glob("steiner-*.whl")
    return wheel


PROGRAM = """
import importlib.util, pathlib, steiner as st
assert PLACE in st.__file__, st.__file__
assert (pathlib.Path(st.__file__).parent / "py.typed").exists()
robot = st.load("gallery:puma560")
print(*robot.inverse_dynamics([0.1] * 6, [0.0] * 6, [0.0] * 6))
"""


def works(executable: str | Path, place: str, folder: Path, **environment: str) -> None:
    """A program of a few lines and a command run, on the package in that place, in an empty folder."""
    plain = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "VIRTUAL_ENV"))} | environment
    text = PROGRAM.replace("PLACE", repr(place))
    torques = [float(x) for x in python(text, executable, cwd=folder, env=plain).split()]
    assert len(torques) == 6 and abs(torques[1]) > 1
    done = subprocess.run(
        [executable, "-m", "steiner", "gallery"], capture_output=True, text=True, cwd=folder, env=plain
    )
    assert done.returncode == 0 and "puma560" in done.stdout, done.stderr


def test_a_wheel_holds_all_that_the_package_needs(wheel, tmp_path):
    """Unpacked beside the dependencies that are here."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "unpacked")
        assert {name.partition("/")[0].partition("-")[0] for name in archive.namelist()} == {"steiner"}
    works(sys.executable, str(tmp_path / "unpacked"), tmp_path, PYTHONPATH=str(tmp_path / "unpacked"))


@pytest.mark.heavy
def test_a_wheel_works_in_a_clean_environment_without_extras(wheel, tmp_path):
    """One that holds the wheel, its core dependencies and nothing else."""
    venv.create(tmp_path / "env", with_pip=True)
    executable = tmp_path / "env" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    installed = subprocess.run(
        [executable, "-m", "pip", "install", "--quiet", "--only-binary", ":all:", wheel],
        capture_output=True,
        text=True,
    )
    assert installed.returncode == 0, installed.stderr
    absent = "import importlib.util as i; print(i.find_spec('pinocchio') is i.find_spec('pytest') is None)"
    assert python(absent, executable).strip() == "True"
    works(executable, "site-packages", tmp_path)
