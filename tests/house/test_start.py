"""From nothing to a number: what a new process imports on its way, counted, for times depend on the machine.

`python -m bench.start` measures the times themselves, beside `import numpy`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

URDF = """<robot name="arm">
<link name="base"/>
<link name="l1"><inertial><mass value="2"/><origin xyz="0 0 0.1" rpy="0 0 1.5707963"/>
<inertia ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.003"/></inertial>
<visual><geometry><mesh filename="package://arm/l1.stl"/></geometry></visual>
<collision><geometry><cylinder radius="0.05" length="0.3"/></geometry></collision></link>
<link name="l2"><inertial><mass value="1"/><origin xyz="0 0.1 0"/>
<inertia ixx="0.01" ixy="0" ixz="0" iyy="0.002" iyz="0" izz="0.01"/></inertial>
<collision><geometry><sphere radius="0.04"/></geometry><origin xyz="0 0 0.1"/></collision>
<visual><geometry><mesh filename="package://arm/l2.stl"/></geometry></visual></link>
<joint name="j1" type="revolute"><parent link="base"/><child link="l1"/>
<origin xyz="0 0 0.3" rpy="1.57079632679 0 0"/><axis xyz="0 0 1"/>
<limit lower="-2" upper="2" velocity="2" effort="80"/><dynamics damping="0.5" friction="0.1"/></joint>
<joint name="j2" type="revolute"><parent link="l1"/><child link="l2"/>
<origin xyz="0 -0.3 0" rpy="-1.57079632679 0 0"/><axis xyz="0 1 0"/>
<limit lower="-2" upper="2" velocity="2" effort="40"/></joint>
</robot>"""
TOLD = "import sys, json\nprint(json.dumps([sorted(sys.modules), result]))"


def ran(program: str, cache: Path | str) -> tuple[set[str], object]:
    """What a program imported beside NumPy and pathlib, which newer NumPys leave out, and its result."""
    environment = os.environ | {"STEINER_CACHE": str(cache)}
    done = subprocess.run([sys.executable, "-c", f"{program}\n{TOLD}"], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    modules, result = json.loads(done.stdout.splitlines()[-1])
    plain = json.loads(subprocess.check_output([sys.executable, "-c", f"import numpy, pathlib\nresult = 0\n{TOLD}"]))[0]
    return set(modules) - set(plain), result


@pytest.fixture
def arm(tmp_path) -> Path:
    path = tmp_path / "arm.urdf"
    path.write_text(URDF, encoding="utf-8")
    return path


def inside(names: set[str], *rooms: str) -> set[str]:
    return {name for name in names if any(name == room or name.startswith(f"{room}.") for room in rooms)}


def test_who_loads_a_robot_imports_what_reads_and_judges_it_and_nothing_else(arm, tmp_path):
    loaded, result = ran(f"import steiner as st\nresult = st.load({str(arm)!r}).n", tmp_path)
    assert result == 2
    unused = (
        "dataclasses", "fractions", "decimal", "copy", "defusedxml", "xml", "llvmlite", "steiner.solids",
        "steiner.dynamics", "steiner.kernels", "steiner.backends", "steiner.trace", "steiner.assembly",
        "steiner.spatial.screws", "steiner.text", "steiner.model.tree", "steiner.model.joint_types",
        "steiner.inertia.moments",
    )  # fmt: skip
    assert not inside(loaded, *unused)
    assert len(inside(loaded, "steiner")) <= 31
    assert len(loaded) <= 35


FIRST = """
import numpy as np, steiner as st
robot = st.load({arm!r})
q = np.full(robot.n, 0.3)
result = robot.inverse_dynamics(q, q, q).tolist()
"""


def test_who_asks_once_needs_no_llvm_and_who_asks_again_gets_code_that_the_next_finds(arm, tmp_path):
    """Of three programs that ask for one torque each the first walks, the second makes the code, the third loads it."""
    first, second, third = (ran(FIRST.format(arm=str(arm)), tmp_path / "cache") for _ in range(3))
    assert inside(first[0], "steiner.dynamics", "steiner.backends.llvm.walk") and not inside(first[0], "llvmlite")
    assert inside(second[0], "llvmlite") and not inside(second[0], "steiner.backends.llvm.walk")
    assert first[1] == second[1] == third[1], "the same bits"
    unused = ("llvmlite", "steiner.dynamics", "steiner.kernels.prepare", "steiner.backends.llvm.walk")
    assert not inside(third[0], *unused, "dataclasses", "decimal")
    assert len(inside(third[0], "steiner")) <= 50


TWICE = """
import sys, numpy as np, steiner as st
robot = st.load({arm!r})
q, result = np.full(robot.n, 0.3), []
torque = robot.inverse_dynamics
for _ in range(4):
    result.append([torque(q, q, q).tolist(), "llvmlite" in sys.modules])
result.append([torque(np.stack([q] * 5), q, q)[4].tolist(), "llvmlite" in sys.modules])
"""


@pytest.mark.parametrize("kept", [True, False], ids=["cache", "no cache"])
def test_the_second_torque_of_a_program_is_that_of_code(arm, tmp_path, kept):
    _, result = ran(TWICE.format(arm=str(arm)), tmp_path / "cache" if kept else "")
    torques, seen = zip(*result, strict=True)
    assert seen == (False, True, True, True, True)
    assert torques == (torques[0],) * 5, "the same bits"


DEPTH = """
import sys
class Watch:
    def find_spec(self, name, path=None, target=None):
        if name == "numpy":
            frame, depth = sys._getframe(), 0
            while frame is not None:
                frame, depth = frame.f_back, depth + 1
            print(depth)
sys.meta_path.insert(0, Watch())
import steiner as st
st.load
"""


def test_numpy_is_imported_from_the_top():
    """Far down in a chain of imports each call may ask the system for a new chunk of frames, and give it back."""
    done = subprocess.run([sys.executable, "-c", DEPTH], capture_output=True, text=True, check=True)
    assert int(done.stdout) <= 25
