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


def ran(program: str, cache: Path) -> tuple[set[str], object]:
    """What a program imported that `import numpy` does not, and its result."""
    environment = os.environ | {"STEINER_CACHE": str(cache)}
    done = subprocess.run([sys.executable, "-c", f"{program}\n{TOLD}"], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    modules, result = json.loads(done.stdout.splitlines()[-1])
    plain = json.loads(subprocess.check_output([sys.executable, "-c", f"import numpy\nresult = 0\n{TOLD}"]))[0]
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
        "steiner.spatial.screws", "steiner.text",
    )  # fmt: skip
    assert not inside(loaded, *unused)
    assert len(inside(loaded, "steiner")) <= 33
    assert len(loaded) <= 37


FIRST = """
import numpy as np, steiner as st
robot = st.load({arm!r})
q = np.full(robot.n, 0.3)
result = robot.inverse_dynamics(q, q, q).tolist()
"""


def test_the_first_torque_from_the_cache_needs_neither_llvm_nor_a_text_of_dynamics(arm, tmp_path):
    first, second = (ran(FIRST.format(arm=str(arm)), tmp_path / "cache") for _ in range(2))
    assert inside(first[0], "steiner.dynamics") and inside(first[0], "llvmlite")
    assert first[1] == second[1], "the same bits"
    assert not inside(second[0], "llvmlite", "steiner.dynamics", "steiner.kernels.prepare", "dataclasses", "decimal")
    assert len(inside(second[0], "steiner")) <= 49


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
