"""The package stands alone: a light import, a wheel without extras, `python -m steiner`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
HEAVY = {
    "sympy", "trimesh", "llvmlite", "scipy", "pydantic", "typer", "rich", "matplotlib", "mujoco", "pinocchio",
    "casadi", "jax",
}  # fmt: skip


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
def clean(tmp_path_factory) -> Path:
    """The python of an environment that holds the wheel, its core dependencies and nothing else."""
    place = tmp_path_factory.mktemp("clean")
    built = subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", place, ROOT],
        capture_output=True,
        text=True,
    )
    assert built.returncode == 0, built.stdout + built.stderr
    (wheel,) = place.glob("steiner-*.whl")
    venv.create(place / "env", with_pip=True)
    executable = place / "env" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    installed = subprocess.run(
        [executable, "-m", "pip", "install", "--quiet", "--only-binary", ":all:", wheel],
        capture_output=True,
        text=True,
    )
    assert installed.returncode == 0, installed.stderr
    return executable


def test_a_wheel_works_in_a_clean_environment_without_extras(clean, tmp_path):
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "VIRTUAL_ENV"))}
    code = """
import importlib.util, pathlib, steiner as st
assert "site-packages" in st.__file__, st.__file__
assert importlib.util.find_spec("pinocchio") is None and importlib.util.find_spec("pytest") is None
assert (pathlib.Path(st.__file__).parent / "py.typed").exists()
robot = st.load("gallery:puma560")
print(*robot.inverse_dynamics([0.1] * 6, [0.0] * 6, [0.0] * 6))
"""
    torques = [float(x) for x in python(code, clean, cwd=tmp_path, env=environment).split()]
    assert len(torques) == 6 and abs(torques[1]) > 1
    done = subprocess.run(
        [clean, "-m", "steiner", "gallery"], capture_output=True, text=True, cwd=tmp_path, env=environment
    )
    assert done.returncode == 0 and "puma560" in done.stdout, done.stderr
