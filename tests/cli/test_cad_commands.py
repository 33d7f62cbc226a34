"""STEP files on the command line: a folder of them as a table, and as the links of a robot with inertias."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

import steiner as st

pytest.importorskip("OCP", reason="STEP files need OCP (extra cad)")
pytestmark = pytest.mark.heavy
EXAMPLES = Path(__file__).parent.parent.parent / "examples" / "step_arm"
MATERIALS = str(EXAMPLES / "materials.csv")


def test_a_folder_of_step_files_and_a_table_of_materials_is_a_urdf_by_one_command(steiner):
    code, _, err = steiner("convert", str(EXAMPLES / "arm.yaml"), "arm.urdf")
    assert code == 0 and "arm.urdf written" in err and "lost: the drawing" in err
    arm = st.load("arm.urdf")
    assert arm.joint_names == ("shoulder", "elbow")
    for name, options in (("base", {"materials": MATERIALS}), ("fore", {"material": "aluminium"})):
        file = EXAMPLES / f"{'bracket' if name == 'base' else name}.step"
        body = st.Cad.load(file, **options).mass_properties
        assert np.isclose(arm.link(name).body.mass, body.mass, rtol=1e-12)
        assert np.allclose(arm.link(name).body.principal()[0], body.principal()[0], rtol=1e-9)


def test_a_folder_of_step_files_and_meshes_is_a_table(steiner, tmp_path):
    folder = tmp_path / "parts"
    folder.mkdir()
    for name in ("bracket.step", "upper.step"):
        shutil.copy(EXAMPLES / name, folder)
    code, out, err = steiner("inertia", str(folder), "--materials", MATERIALS, "--json")
    assert code == 0, err
    rows = {row["file"]: row for row in json.loads(out)["parts"]}
    body = st.Cad.load(EXAMPLES / "upper.step", materials=MATERIALS).mass_properties
    assert set(rows) == {"bracket.step", "upper.step"} and rows["upper.step"]["mass_kg"] == body.mass
    assert rows["upper.step"]["inertia_kg_m2"] == body.inertia.tolist()
    (folder / "cut.step").write_bytes((EXAMPLES / "upper.step").read_bytes()[:2000])
    (folder / "cube.stl").write_text("solid cube\nendsolid\n")
    code, out, _ = steiner("inertia", str(folder), "--unit", "mm", "--material", "steel")
    lines = {line.split()[0]: line for line in out.splitlines() if line.strip()}
    assert code == 1 and "CAD" in lines["upper.step"]
    assert "refused" in lines["cut.step"] and "refused" in lines["cube.stl"]
