"""Mesh files of every format, read back; damaged and hostile ones refused with a sentence."""

from __future__ import annotations

import base64
import json
import struct
import time
import zipfile

import numpy as np
import pytest

import steiner as st
from mesh_files import SOLID, dae, glb, gltf_parts, obj, off, ply, write_3mf
from meshes import AWAY, ascii_stl, binary_stl, box, exact_moments, torus
from steiner.errors import FormatError, GeometryError, ModelWarning
from steiner.files.mesh import MESHES, located, mesh_from, shape_mesh
from steiner.files.reading import MESH_ENDINGS


def gltf(vertices, faces):
    document, data = gltf_parts(vertices, faces)
    document["buffers"][0]["uri"] = "data:application/octet-stream;base64," + base64.b64encode(data).decode()
    return json.dumps(document).encode()


WRITERS = {
    "ascii.stl": lambda v, f: ascii_stl(v, f).encode(), "binary.stl": binary_stl, "a.obj": obj, "a.off": off,
    "a.ply": ply,
    "little.ply": lambda v, f: ply(v, f, "binary_little_endian"),
    "big.ply": lambda v, f: ply(v, f, "binary_big_endian"),
    "a.glb": glb, "a.gltf": gltf, "a.dae": dae,
}  # fmt: skip


@pytest.mark.parametrize("name", [*WRITERS, "a.3mf"])
def test_every_format_is_read_in_metres(name, tmp_path):
    path = tmp_path / name
    if name in WRITERS:
        path.write_bytes(WRITERS[name](*SOLID))
    else:
        write_3mf(path, *SOLID)
    says_unit = MESHES[path.suffix].says_unit
    mesh = st.Mesh.load(path, unit=None if says_unit else "m")
    volume, centre, gyration = exact_moments(*SOLID)
    digits = 1e-5 if name in ("binary.stl", "a.glb", "a.gltf") else 1e-12  # float32 in the file
    assert mesh.volume == pytest.approx(volume, rel=digits)
    np.testing.assert_allclose(mesh.centroid, centre, rtol=digits)
    np.testing.assert_allclose(mesh.gyration, gyration, rtol=10 * digits, atol=10 * digits * gyration.max())
    assert (mesh.method, mesh.grade, len(mesh.vertices)) == ("exact", "A", len(SOLID[0]))
    again = st.load(path) if says_unit else st.load(path, unit="mm")
    assert again.volume == pytest.approx(volume * (1 if says_unit else 1e-9), rel=digits)
    if not says_unit:
        with pytest.raises(FormatError, match=r"carries no unit; pass unit=\"mm\""):
            st.load(path)


def test_the_endings_are_those_of_the_readers():
    assert set(MESH_ENDINGS) == set(MESHES)


def cut(data, share=0.7):
    return data[: int(len(data) * share)]


NAN = (np.vstack([SOLID[0][:-1], [[np.nan, 0, 0]]]), SOLID[1])
BAD = {
    "empty.stl": (b"", "the file is empty"),
    "short.stl": (b"abc", "3 bytes are no STL mesh"),
    "cut.stl": (cut(binary_stl(*SOLID)), "it was cut short"),
    "lies.stl": (b"x" * 80 + struct.pack("<I", 10_000_000) + b"\0" * 100, "claims 10000000 triangles"),
    "none.stl": (b"x" * 80 + struct.pack("<I", 0), "no triangle"),
    "nan.stl": (binary_stl(*NAN), "not finite"),
    "cut_ascii.stl": (cut(ascii_stl(*SOLID).encode()), "cut_ascii.stl:[0-9]+: "),
    "word.stl": (ascii_stl(*SOLID).replace("outer", "inner").encode(), "word.stl:3: expected `outer`, got 'inner'"),
    "nan_ascii.stl": (ascii_stl(*NAN).encode(), "nan_ascii.stl:[0-9]+: a coordinate is nan"),
    "number.stl": (ascii_stl(*SOLID).replace("vertex ", "vertex x", 1).encode(), "expected a coordinate, got 'x"),
    "index.obj": (b"v 0 0 1\nv 1 0 1\nv 0 1 1\nf 1 2 9\n", "index.obj:4: the face uses vertex 9, but 3 vertices"),
    "zero.obj": (b"v 0 0 1\nv 1 0 1\nv 0 1 1\nf 0 1 2\n", "zero.obj:4: the face uses vertex 0"),
    "nan.obj": (b"v 0 0 nan\n", "nan.obj:1: expected three finite coordinates"),
    "few.obj": (b"v 0 0 1\nv 1 0 1\nf 1 2\n", "few.obj:3: a face needs at least 3 corners"),
    "none.obj": (b"# nothing\n", "no vertex"),
    "lies.off": (b"OFF\n10000000 10000000 0\n0 0 0\n", "claims 10000000 vertices"),
    "index.off": (off(*SOLID).replace(b"3 0 ", b"3 99 ").replace(b"3 1 ", b"3 99 "), "vertex that is missing"),
    "word.off": (b"NOFF\n", "expected the numbers|expected the word OFF"),
    "lies.ply": (ply(*SOLID).replace(b"element vertex", b"element vertex 1000000"), "no line of a PLY header|claims"),
    "cut.ply": (cut(ply(*SOLID, "binary_little_endian")), "cut short"),
    "count.ply": (ply(*SOLID, "binary_little_endian").replace(b"element face ", b"element face 99999"), "claims 99999"),
    "cut.glb": (cut(glb(*SOLID)), "cut short"),
    "json.gltf": (b"{", "the glTF is damaged"),
    "lies.gltf": (gltf(*SOLID).replace(b'"count": ', b'"count": 9999999', 1), "more than its buffer"),
    "outside.gltf": (gltf(*SOLID).replace(b"data:application/octet-stream;base64,", b"../secret?"), "outside of the"),
    "bomb.dae": (b'<!DOCTYPE a [<!ENTITY b "c">]><COLLADA>&b;</COLLADA>', "document type declaration"),
    "cut.dae": (cut(dae(*SOLID)), "not well-formed XML"),
    "robot.dae": (b"<robot/>", "expected <COLLADA>"),
    "text.3mf": (b"PK no archive", "cannot be unpacked"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_damaged_files_are_refused_with_file_and_place(name, tmp_path):
    data, says = BAD[name]
    (tmp_path / name).write_bytes(data)
    start = time.process_time()
    with pytest.raises((FormatError, GeometryError), match=says) as error:
        st.load(tmp_path / name, unit="m")
    assert name in str(error.value) and time.process_time() - start < 1


def test_a_packed_bomb_is_not_unpacked(tmp_path):
    with zipfile.ZipFile(tmp_path / "bomb.3mf", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("3D/3dmodel.model", b" " * 30_000_000)
    with pytest.raises(FormatError, match=r"too much for a mesh \(at most 50 times"):
        st.load(tmp_path / "bomb.3mf")


@pytest.mark.parametrize("name", [n for n in WRITERS if n != "ascii.stl"])
def test_random_damage_never_gives_a_traceback(name, tmp_path):
    rng, data = np.random.default_rng(5), WRITERS[name](*SOLID)
    path = tmp_path / name
    for _ in range(25):
        broken = bytearray(cut(data, rng.uniform(0.2, 1)) if rng.random() < 0.3 else data)
        for k in rng.integers(0, len(broken), 4):
            broken[k] = rng.integers(0, 256)
        path.write_bytes(bytes(broken))
        try:
            mesh_from(path, unit="m")
        except st.SteinerError as error:
            assert str(error)


def test_quads_and_ngons_become_triangles(tmp_path):
    vertices, _ = box()
    quads = [[1, 2, 4, 3], [5, 7, 8, 6], [1, 5, 6, 2], [3, 4, 8, 7], [1, 3, 7, 5], [2, 6, 8, 4]]
    text = "".join(f"v {x} {y} {z}\n" for x, y, z in vertices) + "".join(f"f {' '.join(map(str, q))}\n" for q in quads)
    (tmp_path / "quads.obj").write_text(text)
    assert st.load(tmp_path / "quads.obj", unit="m").volume == pytest.approx(0.28, rel=1e-12)


def test_negative_zero_is_zero(tmp_path):
    vertices, faces = box(at=(0.0, 2.0, 3.0))
    corners = vertices[faces]
    corners[::2][corners[::2] == 0] = -0.0
    (tmp_path / "zero.stl").write_bytes(binary_stl(corners.reshape(-1, 3), np.arange(36).reshape(-1, 3)))
    assert len(st.load(tmp_path / "zero.stl", unit="m").vertices) == 8


def test_policies_and_findings_come_with_the_mesh(tmp_path):
    vertices, faces = torus(40, 30)
    (tmp_path / "holed.stl").write_bytes(binary_stl(vertices, faces[1:]))
    with pytest.raises(GeometryError, match=r"holed.stl: 3 open edges near .* policy=\"repair\""):
        st.Mesh.load(tmp_path / "holed.stl", unit="m")
    with pytest.warns(ModelWarning, match="1 hole .* closed"):
        mesh = st.Mesh.load(tmp_path / "holed.stl", unit="m", policy="repair")
    assert (mesh.method, mesh.grade) == ("repair", "C") and "closed-holes" in str(mesh.diagnose())
    with pytest.raises(st.SteinerError, match="policy"):
        st.Mesh.load(tmp_path / "holed.stl", unit="m", policy="guess")
    assert st.check(tmp_path / "holed.stl")[0].severity == "fatal"


# ---- meshes that other files name ---------------------------------------------------------------------


@pytest.fixture
def package(tmp_path):
    """arm_description/{urdf/arm.urdf, meshes/part.stl}"""
    for folder in ("urdf", "meshes"):
        (tmp_path / "arm_description" / folder).mkdir(parents=True)
    (tmp_path / "secret.stl").write_bytes(binary_stl(*SOLID))
    (tmp_path / "arm_description" / "meshes" / "part.stl").write_bytes(binary_stl(*box()))
    return tmp_path / "arm_description"


def test_a_mesh_of_a_package_is_found_beside_the_file_and_in_package_dirs(package, tmp_path):
    inside = str(package / "urdf" / "arm.urdf")
    part = package / "meshes" / "part.stl"
    assert located("package://arm_description/meshes/part.stl", inside) == part
    assert located("meshes/part.stl", str(package / "arm.urdf")) == part
    elsewhere = str(tmp_path / "work" / "arm.urdf")
    assert located("package://arm_description/meshes/part.stl", elsewhere, [str(tmp_path)]) == part
    for name in ("../../secret.stl", "package://arm_description/../secret.stl", "/dev/zero", "..\\..\\secret.stl",
                 "file:///etc/passwd"):  # fmt: skip
        with pytest.raises(FormatError, match=r"outside|no such file"):
            located(name, inside)
    with pytest.raises(FormatError, match="no such file; pass package_dirs="):
        located("package://other/part.stl", inside)


def test_scale_mirrors_and_flattens(package):
    inside = str(package / "arm.urdf")
    mesh = shape_mesh("meshes/part.stl", inside, scale=(-1, 2, 0.5))
    assert mesh.volume == pytest.approx(0.28, rel=1e-6) and mesh.grade == "A"
    with pytest.raises(FormatError, match="scale"):
        shape_mesh("meshes/part.stl", inside, scale=(0, 1, 1))


def test_a_part_of_a_drawing_may_be_a_mesh(package):
    (package / "link.yaml").write_text(
        "unit: mm\nlink:\n  name: upper\n  parts:\n"
        "    - {name: cast, file: meshes/part.stl, unit: m, density: 1000, xyz: [100, 0, 0]}\n"
        "    - {name: shell, file: meshes/part.stl, unit: m, hollow: 20, material: steel, xyz: [0, 2000, 0]}\n"
    )
    link = st.load(package / "link.yaml")
    cast, shell = link.children
    assert cast.mass_properties.mass == pytest.approx(280, rel=1e-6)
    exact = st.Box(1.0, 0.7, 0.4).hollow(0.02).of("steel")
    assert shell.mass_properties.mass == pytest.approx(exact.mass, rel=1e-5)
    np.testing.assert_allclose(cast.mass_properties.com, AWAY + [0.5, 0.35, 0.2], rtol=1e-6)  # in its own frame
    (package / "bad.yaml").write_text("unit: mm\nlink:\n  parts:\n    - {file: ../secret.stl, density: 1000}\n")
    with pytest.raises(st.SteinerError, match=r"bad.yaml:4.*outside of the folder"):
        st.load(package / "bad.yaml")
    (package / "both.yaml").write_text("unit: mm\nlink: {parts: [{file: meshes/part.stl, shape: box, density: 1}]}\n")
    with pytest.raises(st.SteinerError, match="both given"):
        st.load(package / "both.yaml")


def test_what_a_urdf_link_looks_like_is_kept(package):
    text = """<robot name="arm"><link name="base"><inertial><mass value="20"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<visual name="shell"><origin xyz="1 2 3" rpy="0 0 1.5707963267948966"/>
<geometry><mesh filename="package://arm_description/meshes/part.stl" scale="0.1 0.1 0.1"/></geometry>
<material name="red"><color rgba="1 0 0 0.5"/></material></visual>
<collision><geometry><cylinder radius="0.1" length="0.3"/></geometry></collision>
<collision><geometry><box size="0.2 0.3 0.4"/></geometry></collision>
<collision><geometry><sphere radius="0.2"/></geometry></collision></link></robot>"""
    (package / "urdf" / "arm.urdf").write_text(text)
    with pytest.warns(ModelWarning, match="no moving joint"):
        (base,) = st.load(package / "urdf" / "arm.urdf").links
    shell, cylinder, block, ball = base.shapes
    assert shell.file.startswith("package://") and shell.scale == (0.1, 0.1, 0.1) and shell.name == "shell"
    assert shell.colour == (1, 0, 0, 0.5) and np.allclose(shell.pose.p, [1, 2, 3])
    assert (cylinder.solid.radius, cylinder.solid.height, cylinder.role) == (0.1, 0.3, "collision")
    assert (block.solid.z, ball.solid.radius) == (0.4, 0.2)


@pytest.mark.filterwarnings("ignore:.*has no moving joint")
@pytest.mark.parametrize(
    ("geometry", "says"),
    [
        ('<mesh filename="a.stl" scale="0 1 1"/>', 'scale="0 1 1" flattens'),
        ('<box size="1 1 1e200"/>', r"link 'b' visual: Box: z is 1e\+200"),
        ('<box size="0 1 1"/>', "has no volume"),
        ("<blob/>", "is no shape"),
        ("", "no geometry"),
    ],
)
def test_a_shape_without_a_meaning_is_noted_and_left_out(geometry, says, tmp_path):
    text = f'<robot name="a"><link name="b"><visual><geometry>{geometry}</geometry></visual></link></robot>'
    with pytest.warns(ModelWarning, match=says):
        st.loads(text, format="urdf")


@pytest.mark.parametrize("up", ["X_UP", "Y_UP", "Z_UP", ""])
def test_the_up_axis_of_collada_is_told_and_does_not_turn(up, tmp_path):
    file = tmp_path / "a.dae"
    stated = f"<up_axis>{up}</up_axis>".encode() if up else b""
    file.write_bytes(dae(*SOLID).replace(b"<up_axis>Z_UP</up_axis>", stated))
    mesh = st.Mesh.load(file)
    assert np.allclose(sorted(mesh.vertices.tolist()), sorted(SOLID[0].tolist()), atol=1e-12)
    assert [(f.code, f.severity) for f in mesh.findings] == ([("up-axis", "note")] if up in ("X_UP", "Y_UP") else [])
    assert all(up in f.text and "RViz" in f.text for f in mesh.findings)


def test_legal_oddities_of_text_files_are_read(tmp_path):
    """A byte order mark before `solid`, and lines of OBJ that go on after a backslash."""
    vertices, faces = SOLID
    (tmp_path / "a.stl").write_text(f"\ufeff{ascii_stl(vertices, faces)}", encoding="utf-8")
    (tmp_path / "a.obj").write_text(obj(vertices, faces).decode().replace("f ", "f \\\n"))
    volumes = [st.Mesh.load(tmp_path / name, unit="m").volume for name in ("a.stl", "a.obj")]
    np.testing.assert_allclose(volumes, st.Mesh(vertices, faces).volume, rtol=1e-6)
    (tmp_path / "b.stl").write_bytes(bytes(80) + (1).to_bytes(4, "little") + bytes(60))
    with pytest.raises(st.SteinerError, match="more than that follows"):
        st.Mesh.load(tmp_path / "b.stl", unit="m")
