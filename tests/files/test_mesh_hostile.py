"""Mesh files that lie: numbers too long, counts too small, scenes without end, references out of the file.

Each of these once gave a wrong number, a traceback or no end.
"""

from __future__ import annotations

import base64
import json
import struct
import subprocess
import sys
import time
import tracemalloc
import zipfile

import numpy as np
import pytest

import steiner as st
from mesh_files import SOLID, dae, glb, gltf_parts, obj, off, ply, write_3mf
from meshes import ascii_stl, binary_stl, box, exact_moments, torus
from steiner.errors import FormatError, GeometryError
from steiner.files.mesh import mesh_from

VOLUME = exact_moments(*SOLID)[0]
LONG = b"0.4" + b"0" * 45 + b"e1"  # 4, in more characters than a table of words holds


def loaded(folder, name, data):
    (folder / name).write_bytes(data)
    return mesh_from(folder / name, unit="m")


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.stl", ascii_stl(*box()).encode().replace(b"4.0", LONG)),
        ("a.off", off(*box()).replace(b"4.0", LONG)),
        ("a.ply", ply(*box()).replace(b"4.0", LONG)),
        ("a.dae", dae(*box()).replace(b"350.0 ", b"0.35" + b"0" * 45 + b"e3 ")),
    ],
)
def test_a_long_number_keeps_its_exponent(name, data, tmp_path):
    assert any(len(word.strip(b"</float_array>")) > 40 for word in data.replace(b">", b" ").split())
    assert loaded(tmp_path, name, data).volume == pytest.approx(0.28, rel=1e-12)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("mark.stl", b"\xef\xbb\xbf" + ascii_stl(*SOLID).encode()),
        ("mark.obj", b"\xef\xbb\xbf" + obj(*SOLID).removeprefix(b"mtllib ../../secret.mtl\n")),
        ("colours.off", b"".join(line + (b" 255 0 0" if line[:2] == b"3 " and line.count(b" ") == 3 else b"") + b"\n"
                                 for line in off(*SOLID).splitlines())),
        ("vertices.off", b"".join(line + (b" 1 0 0 1" if line.count(b" ") == 2 and b"." in line else b"") + b"\n"
                                  for line in off(*SOLID).replace(b"OFF  #", b"COFF #").splitlines())),
    ],
)  # fmt: skip
def test_marks_and_colours_are_left_alone(name, data, tmp_path):
    assert loaded(tmp_path, name, data).volume == pytest.approx(VOLUME, rel=1e-12)


def fewer(data, by=2):
    return data.replace(b"element face %d" % len(SOLID[1]), b"element face %d" % (len(SOLID[1]) - by))


def head(*lines):
    return "\n".join(["ply", "format binary_little_endian 1.0", *lines, "end_header", ""]).encode()


POINT = ("element vertex 3", "property float x", "property float y", "property float z", "element face 1")
HUGE = b"v 1e200 0 0\nv 0 1e200 0\nv 0 0 1e200\nv 0 0 0\nf 1 2 3\nf 1 4 2\nf 2 4 3\nf 1 3 4\n"
TETRAHEDRON = b"1 2 3\n2 2 3\n1 3 3\n1 2 4\n"
TURNS = b"3 0 2 1\n3 0 1 3\n3 1 2 3\n3 0 3 2\n"
BAD = {
    "more.off": (off(*SOLID) + b"3 0 1 2\n", "4 numbers follow the 12 faces that it claims"),
    "four.off": (off(*SOLID).replace(b"OFF", b"4OFF"), "another number of coordinates than three"),
    "five.off": (off(*SOLID).replace(b"OFF", b"nOFF 5"), "another number of coordinates than three"),
    "binary.off": (off(*SOLID).replace(b"OFF", b"OFF BINARY"), "OFF file in binary is not read"),
    "half the vertices.off": (b"OFF 4 4 0\n" + b"\n".join(off(*box()).splitlines()[2:10]) + b"\n" + TURNS,
                              "face 2 of 4 begins with"),
    "colours without lines.off": (b"OFF 4 4 0\n" + TETRAHEDRON + TURNS.replace(b"\n", b" 1 0 0 "),
                                  "each face on its line"),
    "many corners.off": (b"OFF 4 1 0\n" + TETRAHEDRON + b"9000 " + b"0 1 2 " * 3000, "between 4 vertices"),
    "many corners.obj": (b"v 1 2 3\n" * 4 + b"f " + b"1 2 3 " * 3000, "8998 triangles between 4 vertices"),
    "many faces.ply": (ply(*SOLID).replace(b"face %d" % len(SOLID[1]), b"face 5000")
                       .partition(b"\n3 ")[0] + b"\n" + b"3 0 1 2\n" * 5000, "5000 triangles between"),
    "half.off": (off(*SOLID).replace(b"3 0 ", b"3 0.5 ", 1).replace(b"3 1 ", b"3 0.5 ", 1), "whole number"),
    "fewer.ply": (fewer(ply(*SOLID)), "8 numbers follow what the header claims"),
    "fewer_binary.ply": (fewer(ply(*SOLID, "binary_big_endian")), "26 bytes follow what the header claims"),
    "twice.ply": (ply(*SOLID).replace(b"double z", b"double x"), "twice.ply:7: 'property double x' is no line"),
    "vertices.ply": (head(*POINT[:-1], *POINT), "'element vertex 3' is no line"),
    "length.ply": (head(*POINT, "property list float int vertex_indices") + b"\0" * 99, "length.ply:8.* is no line"),
    "huge.obj": (HUGE, r"the coordinate 1e\+200 is too large"),
    "count.dae": (dae(*SOLID).replace(b'count="%d"' % (3 * len(SOLID[0])), b'count="9"'), "count='9'> holds 24"),
    "faces.dae": (dae(*SOLID).replace(b'<triangles count="12"', b'<triangles count="99"'), "count='99'> holds 12"),
    "tags.dae": (b"<a>" * 400_000, "400000 tags in 1200000 bytes are too many"),
    "offset.dae": (dae(*SOLID).replace(b'offset="0"', b'offset="x"'), "an offset of its inputs"),
    "minus.dae": (dae(*SOLID).replace(b'offset="0"', b'offset="-1"'), "damaged"),
    "other.dae": (dae(*SOLID).replace(b'url="#g"', b'url="../other.dae#g"'), "leads to another file"),
    "lost.dae": (dae(*SOLID).replace(b'url="#g"', b'url="#h"'), "names nothing in this file"),
    "skin.dae": (dae(*SOLID).replace(b"instance_geometry", b"instance_controller"), "bent by a skin"),
    "look.dae": (dae(*SOLID).replace(b"<rotate>0 0 1 90</rotate>", b"<lookat>1 2 3</lookat>"), "placed by <lookat>"),
    "nan.dae": (dae(*SOLID).replace(b"<translate>50", b"<translate>nan"), "not finite"),
    "inf.dae": (dae(*SOLID).replace(b"<rotate>0 0 1 90", b"<rotate>0 0 1 inf"), "<rotate> has numbers that are n"),
    "nodes.dae": (dae(*SOLID).replace(b"<node><translate>", b"".join(
        b'<node id="n%d"><instance_node url="#n%d"/><instance_node url="#n%d"/></node>' % (k, k + 1, k + 1)
        for k in range(60)) + b'<node id="n60"/><node><translate>', 1), "nodes within nodes without end"),
}  # fmt: skip


FREE = {
    "counts on the first line": b"OFF 4 4 6\n" + TETRAHEDRON + TURNS,
    "counts glued to the word": b"OFF4 4 6\n" + TETRAHEDRON + TURNS,
    "counts apart": b"OFF\n4\n4\n6\n" + TETRAHEDRON + TURNS,
    "no edges": b"OFF\n4 4\n" + TETRAHEDRON + TURNS,
    "no word": b"4 4 6\n" + TETRAHEDRON + TURNS,
    "one line": b"OFF 4 4 6 " + TETRAHEDRON.replace(b"\n", b" ") + TURNS.replace(b"\n", b" "),
    "comments": b"# a\nOFF # b\n\n4 4 6 # c\n#1 1 1\n" + TETRAHEDRON + b"3 0 2 1 # 9\n\n3 0 1 3\n3 1 2 3\n3 0 3 2\n#",
    "two vertices a line": b"OFF 4 4 6\n1 2 3 2 2 3\n1 3 3 1 2 4\n3 0 2 1 .5 .5 .5\n3 0 1 3 7\n3 1 2 3\n3 0 3 2 9 9 9",
    "two faces a line": b"OFF 4 4 6\n" + TETRAHEDRON + b"3 0 2 1 3 0 1 3\n3 1 2 3 3 0 3 2\n",
    "a face on two lines": b"OFF 4 4 6\n" + TETRAHEDRON + b"3 0 2 1\n3 0 1 3\n3 1 2 3\n3 0 3\n2\n",
    "vertices with colours": b"OFF 4 4 6\n" + TETRAHEDRON.replace(b"\n", b" 255 0 0 255\n") + TURNS,
    "COFF of three": b"COFF 4 4 6\n" + TETRAHEDRON.replace(b"\n", b" 255 0 0\n") + TURNS,
    "NOFF": b"NOFF 4 4 6\n" + TETRAHEDRON.replace(b"\n", b" 0 0 1 ") + b"\n" + TURNS,
    "STCNOFF": b"STCNOFF 4 4 6\n" + TETRAHEDRON.replace(b"\n", b" 0 0 1 1 0 0 1 .5 .5 ") + TURNS.replace(b"\n", b" "),
    "small letters": b"off\n4 4 6\n" + TETRAHEDRON + TURNS,
}  # fmt: skip


@pytest.mark.parametrize("name", FREE)
def test_OFF_is_read_as_it_is_defined(name, tmp_path):
    (tmp_path / "a.off").write_bytes(FREE[name])
    mesh = mesh_from(tmp_path / "a.off", unit="m")
    assert (mesh.volume, mesh.centroid.tolist()) == (pytest.approx(1 / 6), pytest.approx([1.25, 2.25, 3.25]))


@pytest.mark.parametrize("name", BAD)
def test_what_a_file_claims_falsely_is_told(name, tmp_path):
    data, says = BAD[name]
    start = time.process_time()
    with pytest.raises((FormatError, GeometryError), match=says) as error:
        loaded(tmp_path, name, data)
    assert name in str(error.value) and time.process_time() - start < 2


def strips(kind, corners):
    text = dae(*box()).decode()
    lists = "".join("<p>" + " ".join(f"{k} 0" for k in row) + "</p>" for row in corners)
    start = text.index("<p>")
    return (text[:start] + lists + text[text.index("</triangles>") :]).replace("triangles", kind).encode()


def test_strips_and_fans_of_collada_are_triangles(tmp_path):
    ring = [(0, 1, 4, 5, 6, 7, 2, 3, 0, 1), (0, 4, 2, 6), (1, 3, 5, 7)]  # around x, and its two ends
    assert loaded(tmp_path, "a.dae", strips("tristrips", [r[::-1] for r in ring])).volume == pytest.approx(0.28)
    fans = [[a, b, c] for a, b, c in box()[1].tolist()]
    assert loaded(tmp_path, "b.dae", strips("trifans", fans)).volume == pytest.approx(0.28)


# ---- glTF --------------------------------------------------------------------------------------------


def changed(*path, to):
    document, data = gltf_parts(*SOLID)
    place = document
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = to
    document["buffers"][0].setdefault("uri", "data:;base64," + base64.b64encode(data).decode())
    return json.dumps(document).encode()


@pytest.mark.parametrize(
    ("path", "to", "says"),
    [
        (("accessors", 0, "type"), "VEC2", "expected VEC3"),
        (("accessors", 0, "componentType"), 5123, "positions are whole numbers; expected floats"),
        (("accessors", 1, "componentType"), 5126, "numbers of vertices are no whole numbers"),
        (("bufferViews", 0, "byteLength"), 3, "more than its bufferView of 3 bytes"),
        (("buffers", 0, "uri"), "https://example.org/a.bin", "nothing is fetched"),
        (("buffers", 0, "uri"), "file:///etc/passwd", "nothing is fetched"),
        (("bufferViews", 0, "byteOffset"), -4, "claims 96 bytes from -4"),
        (("bufferViews", 0, "byteStride"), 1, "more than its bufferView"),
        (("nodes", 0, "rotation"), [0, 0, 0, 1.1], "no unit quaternion"),
        (("nodes", 1, "skin"), 0, "bent by a skin"),
        (("nodes", 0, "translation"), [10**400, 0, 0], "damaged"),
        (("scenes", 0, "nodes"), [-1], "no entry -1 among 2"),
        (("scenes", 0, "nodes"), [0] * 20_000, "without end"),
        (("buffers", 0, "uri"), "/etc/passwd", "outside of the folder"),
        (("buffers", 0, "uri"), "http://example.org/a.bin", "nothing is fetched"),
    ],
)
def test_a_gltf_that_does_not_fit_together_is_refused(path, to, says, tmp_path):
    with pytest.raises(FormatError, match=says):
        loaded(tmp_path, "a.gltf", changed(*path, to=to))


def test_quantized_positions_are_parts_of_the_largest_number(tmp_path):
    vertices, faces = box(size=(1.0, 0.5, 0.25), at=np.zeros(3))
    data = np.round(vertices * 32767).astype("<i2").tobytes() + faces.astype("<u4").tobytes()
    document, _ = gltf_parts(vertices, faces)
    document["accessors"][0] |= {"componentType": 5122, "normalized": True}
    document["bufferViews"][0] |= {"byteLength": 48}
    document["bufferViews"][1] |= {"byteOffset": 48}
    document["extensionsUsed"] = document["extensionsRequired"] = ["KHR_mesh_quantization"]
    document["buffers"][0]["uri"] = "data:;base64," + base64.b64encode(data).decode()
    mesh = loaded(tmp_path, "a.gltf", json.dumps(document).encode())
    assert mesh.volume == pytest.approx(0.125, rel=1e-4) and np.allclose(mesh.centroid, [1.5, 2.25, 3.125], rtol=1e-4)


def test_instances_are_not_unfolded_without_end(tmp_path):
    document, data = gltf_parts(*torus(60, 50))
    document["scenes"][0]["nodes"] = [0] * 4000
    document["buffers"][0]["uri"] = "data:;base64," + base64.b64encode(data).decode()
    tracemalloc.start()
    with pytest.raises(FormatError, match="6000 triangles become 24000000 by instances"):
        loaded(tmp_path, "a.gltf", json.dumps(document).encode())
    assert tracemalloc.get_traced_memory()[1] < 50e6
    tracemalloc.stop()


def test_a_glb_of_another_length_is_refused(tmp_path):
    with pytest.raises(FormatError, match="cut short"):
        loaded(tmp_path, "a.glb", glb(*SOLID) + b"\0")


# ---- 3MF ---------------------------------------------------------------------------------------------

PRODUCTION = "http://schemas.microsoft.com/3dmanufacturing/production/2015/06"


def model(tmp_path):
    write_3mf(tmp_path / "plain.3mf", *SOLID)
    with zipfile.ZipFile(tmp_path / "plain.3mf") as archive:
        return archive.read("3D/3dmodel.model").decode()


def packed(path, parts, how=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path, "w", how) as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return path


def test_models_in_other_parts_of_an_archive_are_read_as_slicers_write_them(tmp_path):
    text = model(tmp_path)
    inner = text.replace("<component ", "<none ").replace("<item ", "<none ")
    start, end = text.index('<object id="1">'), text.index('<object id="2">')
    outer = (text[:start] + text[end:]).replace("<model ", f'<model xmlns:p="{PRODUCTION}" ')
    outer = outer.replace("<component ", '<component p:path="/3D/Objects/a.model" ')
    good = packed(tmp_path / "a.3mf", {"3D/3dmodel.model": outer, "3D/Objects/a.model": inner})
    assert mesh_from(good).volume == pytest.approx(VOLUME, rel=1e-12)
    with pytest.raises(FormatError, match="is no part of this archive"):
        mesh_from(packed(tmp_path / "b.3mf", {"3D/3dmodel.model": outer}))
    other = {"3D/3dmodel.model": outer, "3D/Objects/a.model": inner.replace("millimeter", "inch")}
    with pytest.raises(FormatError, match="another unit"):
        mesh_from(packed(tmp_path / "c.3mf", other))


def test_damaged_and_endless_archives_are_told(tmp_path):
    text = model(tmp_path)
    twice = '<object id="{}"><components><component objectid="{}"/><component objectid="{}"/></components></object>'
    chain = "".join(twice.format(k, k + 1, k + 1) for k in range(3, 70)) + '<object id="70"><components/></object>'
    endless = text.replace("</resources>", chain + "</resources>").replace('<item objectid="2"', '<item objectid="3"')
    cases = {
        endless: "without end",
        text.replace("<model", '<!DOCTYPE a [<!ENTITY b "c">]><model'): "document type declaration",
        text.replace('objectid="1"', 'objectid="2"'): "without end",
        text.replace('objectid="1"', 'objectid="77"'): "object '77' is not in",
        text.replace('v1="', 'w1="', 1): "expected three numbers v1, v2, v3, got w1=",
        text.replace('v1="', 'v1="9', 1): "a face uses vertex 9",
        text.replace("1 0 0 0 1 0 0 0 1 7 0 0", "1 0 0"): "expected 12 numbers",
        text.replace("<mesh>", "<mesh><beamlattice/>"): "lattice of beams",
        text[:-20]: "not well-formed",
    }
    for broken, says in cases.items():
        start = time.process_time()
        with pytest.raises(FormatError, match=says):
            mesh_from(packed(tmp_path / "a.3mf", {"3D/3dmodel.model": broken}))
        assert time.process_time() - start < 2
    named = packed(tmp_path / "c.3mf", {"3D/3dmodel.model": text, "\u00e9.model": text}).read_bytes()
    (tmp_path / "c.3mf").write_bytes(named.replace("\u00e9".encode(), b"\xc3\xc3"))
    with pytest.raises(FormatError, match="cannot be unpacked"):
        mesh_from(tmp_path / "c.3mf")
    data = bytearray((tmp_path / "plain.3mf").read_bytes())
    data[90:130] = bytes(40)
    (tmp_path / "b.3mf").write_bytes(bytes(data))
    with pytest.raises(FormatError, match="cannot be unpacked"):
        mesh_from(tmp_path / "b.3mf")


def test_a_bomb_that_lies_about_its_size_is_not_unpacked(tmp_path):
    packed(tmp_path / "a.3mf", {"3D/3dmodel.model": b" " * 30_000_000})
    data = bytearray((tmp_path / "a.3mf").read_bytes())
    for mark, at in ((b"PK\x01\x02", 24), (b"PK\x03\x04", 22)):
        where = data.find(mark) + at
        data[where : where + 4] = struct.pack("<I", 100)
    (tmp_path / "a.3mf").write_bytes(bytes(data))
    tracemalloc.start()
    with pytest.raises(FormatError, match="cannot be unpacked"):
        mesh_from(tmp_path / "a.3mf")
    assert tracemalloc.get_traced_memory()[1] < 5e6
    tracemalloc.stop()


@pytest.mark.parametrize("form", ["obj", "off", "ply", "dae", "3mf", "stl"])
def test_texts_take_at_most_eight_times_their_file(form, tmp_path):
    vertices, faces = torus(200, 100)
    vertices = np.round(vertices, 7)
    path = tmp_path / f"a.{form}"
    if form == "3mf":
        write_3mf(path, vertices, faces)
    else:
        writers = {"obj": obj, "off": off, "ply": ply, "dae": dae, "stl": binary_stl}
        path.write_bytes(writers[form](vertices, faces))
    size = path.stat().st_size
    if form == "3mf":
        with zipfile.ZipFile(path) as archive:
            size = archive.infolist()[0].file_size  # of what is packed
    mesh_from(path, unit="m")  # kernels and modules stay
    tracemalloc.start()
    mesh_from(path, unit="m")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak <= 8 * size


PEAK = """
import resource, sys
import steiner as st
peak = lambda: 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
few, many = sys.argv[1:]
st.Mesh.load(few, unit="m")  # kernels and modules stay
before = peak()
st.Mesh.load(many, unit="m")
print(peak() - before)
"""


@pytest.mark.heavy
@pytest.mark.parametrize("form", ["stl", "glb", "3mf"])
def test_a_million_triangles_take_at_most_eight_times_their_file(form, tmp_path):
    paths = [tmp_path / f"{name}.{form}" for name in ("few", "many")]
    for path, size in zip(paths, (100, 500), strict=True):
        solid = torus(2 * size, size)
        if form == "3mf":
            write_3mf(path, *solid)
        else:
            path.write_bytes({"stl": binary_stl, "glb": glb}[form](*solid))
    done = subprocess.run([sys.executable, "-c", PEAK, *map(str, paths)], capture_output=True, text=True, check=True)
    assert int(done.stdout) <= 8 * paths[1].stat().st_size


@pytest.mark.parametrize("words", [b"1 \\\n", b"1 ", b"1\\\n\\\n"], ids=["lines that go on", "one line", "empty lines"])
def test_one_face_without_end_takes_time_and_memory_like_its_file(words, tmp_path):
    path = tmp_path / "a.obj"
    loaded(tmp_path, "warm.obj", obj(*SOLID))  # modules stay
    path.write_bytes(b"v 1 2 3\n" * 4 + b"f " + words * 200_000 + b"2 3\n")
    tracemalloc.start()
    start = time.process_time()
    try:
        mesh_from(path, unit="m")
    except FormatError as error:
        peak, said = tracemalloc.get_traced_memory()[1], str(error)
    finally:
        tracemalloc.stop()
    assert time.process_time() - start < 3
    assert "200000 triangles between 4 vertices" in said
    assert peak < 10 * path.stat().st_size + 5e6


@pytest.mark.parametrize("share", [0.3, 0.99])
def test_the_line_of_a_fault_in_a_long_text_is_found_at_once(share, tmp_path):
    """Lines were once counted from the beginning for each number: an hour for a file of four megabytes."""
    lines = ascii_stl(*torus(60, 50)).splitlines(keepends=True)
    at = next(k for k in range(int(share * len(lines)), 0, -1) if "vertex" in lines[k])
    lines[at] = "vertex 1 2 x3\n"
    start = time.process_time()
    with pytest.raises(FormatError, match=rf"a.stl:{at + 1}: expected a coordinate, got 'x3'"):
        loaded(tmp_path, "a.stl", "".join(lines).encode())
    assert time.process_time() - start < 2


def shared(count, *, shifted):
    """A glTF whose mesh has many primitives over the same bytes, each shifted a little, or not."""
    document, data = gltf_parts(*torus(60, 50))
    first, index = document["accessors"]
    document["accessors"] = [index]
    for k in range(count):
        vertices = {"count": first["count"] - k, "byteOffset": 12 * k} if shifted else {}
        document["accessors"].append({**first, **vertices})
    primitives = [{"attributes": {"POSITION": k + 1 if shifted else 1}, "indices": 0} for k in range(count)]
    document["meshes"] = [{"primitives": primitives}]
    document["buffers"][0]["uri"] = "data:;base64," + base64.b64encode(data).decode()
    return json.dumps(document).encode()


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (lambda: changed("scenes", 0, "nodes", to=[1] * 400_000), "nodes within nodes without end"),
        (lambda: changed("nodes", 0, "children", to=[1] * 400_000), "nodes within nodes without end"),
        (lambda: changed("extras", to=[[]] * 900_000), "values in .* bytes of JSON are too many"),
        (lambda: shared(2000, shifted=False), "6000 triangles become 12000000 by instances"),
        (lambda: shared(2000, shifted=True), "its accessors claim .* bytes, more than 4 times what is there"),
        (lambda: shared(20_000, shifted=False), "nodes within nodes without end"),
    ],
)
def test_what_a_gltf_names_over_and_over_takes_no_memory(data, says, tmp_path):
    text = data()
    tracemalloc.start()
    try:
        with pytest.raises(FormatError, match=says):
            loaded(tmp_path, "a.gltf", text)
        assert tracemalloc.get_traced_memory()[1] < 10 * len(text) + 50e6
    finally:
        tracemalloc.stop()


def test_positions_that_many_triangles_share_are_read_once(tmp_path):
    text = dae(*torus(60, 50)).decode()
    start, end = text.index("<triangles"), text.index("</triangles>") + len("</triangles>")
    one = text[start:end].replace(text[text.index("<p>") : text.index("</p>")], "<p>0 0 1 0 2 0")
    one = one.replace('count="6000"', 'count="1"')
    begun = time.process_time()
    with pytest.raises(FormatError, match="3000 vertices become 4500000 by instances"):
        loaded(tmp_path, "a.dae", (text[:start] + one * 1500 + text[end:]).encode())
    assert time.process_time() - begun < 2


def test_deep_elements_of_collada_are_refused(tmp_path):
    text = dae(*SOLID).replace(b"<p>", b"<extra>" * 300 + b"</extra>" * 300 + b"<p>")
    with pytest.raises(FormatError, match="nested deeper than 200"):
        loaded(tmp_path, "a.dae", text)


def test_what_a_3mf_is_made_of_is_bounded(tmp_path):
    text = model(tmp_path)
    cases = {
        text.replace("<mesh>", "<mesh>" + "<a>" * 300 + "</a>" * 300): "deeper than 200",
        text.replace("<mesh>", "<mesh>" + "".join(f"<a{k}/>" for k in range(2000))): "more than 1000 kinds",
        text.replace("<vertex ", "<vertex " + " ".join(f"a{k}=''" for k in range(200_000)) + " ", 1): "1000000 bytes",
        text.replace("<resources>", "<resources>" + "<object/>" * 100_001): "more than 100000 objects",
    }
    for broken, says in cases.items():
        with pytest.raises(FormatError, match=says):
            mesh_from(packed(tmp_path / "a.3mf", {"3D/3dmodel.model": broken}, zipfile.ZIP_STORED))


def test_lines_of_an_OFF_file_are_bounded(tmp_path):
    with pytest.raises(FormatError, match="more than 1000000 lines, and one for 6 bytes"):
        loaded(tmp_path, "a.off", b"OFF\n8 12 0\n" + b"1\n" * 2_000_000)


def test_a_file_of_a_robot_is_refused_by_its_mesh(tmp_path):
    (tmp_path / "huge.obj").write_bytes(HUGE)
    with pytest.raises(st.SteinerError, match="too large"):
        st.load(tmp_path / "huge.obj", unit="mm")
