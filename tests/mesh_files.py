"""One solid as a file of every format of meshes."""

from __future__ import annotations

import json
import struct
import zipfile

import numpy as np

from meshes import polytope

SOLID = polytope(3)


def obj(vertices, faces):
    lines = ["mtllib ../../secret.mtl", *(f"v {x!r} {y!r} {z!r}" for x, y, z in vertices.tolist()), "vn 0 0 1"]
    return "\n".join([*lines, *(f"f {a + 1}//1 {b + 1}//1 {c + 1}//1" for a, b, c in faces.tolist()), ""]).encode()


def off(vertices, faces):
    points = [f"{x!r} {y!r} {z!r}" for x, y, z in vertices.tolist()]
    rows = [f"3 {a} {b} {c}" for a, b, c in faces.tolist()]
    return "\n".join(["OFF  # a comment", f"{len(points)} {len(rows)} 0", *points, *rows, ""]).encode()


def ply(vertices, faces, order="ascii"):
    head = ["ply", f"format {order} 1.0", "comment made by hand", f"element vertex {len(vertices)}"]
    head += [f"property double {axis}" for axis in "xyz"]
    head += [f"element face {len(faces)}", "property list uchar int vertex_indices", "end_header", ""]
    text = "\n".join(head).encode()
    if order == "ascii":
        points = [f"{x!r} {y!r} {z!r}" for x, y, z in vertices.tolist()]
        return text + "\n".join([*points, *(f"3 {a} {b} {c}" for a, b, c in faces.tolist()), ""]).encode()
    sign = "<" if "little" in order else ">"
    body = vertices.astype(f"{sign}f8").tobytes()
    return text + body + b"".join(struct.pack(f"{sign}B3i", 3, *face) for face in faces.tolist())


def gltf_parts(vertices, faces):
    shift = np.array([1.0, 2.0, 3.0])
    points, index = (vertices - shift).astype("<f4"), faces.astype("<u4")
    data = points.tobytes() + index.tobytes()
    document = {
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
        "nodes": [{"children": [1], "translation": [0.0, 0.0, 3.0]}, {"mesh": 0, "translation": [1.0, 2.0, 0.0]}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": len(points), "type": "VEC3"},
            {"bufferView": 1, "componentType": 5125, "count": index.size, "type": "SCALAR"},
        ],
        "bufferViews": [
            {"buffer": 0, "byteOffset": 0, "byteLength": points.nbytes},
            {"buffer": 0, "byteOffset": points.nbytes, "byteLength": index.nbytes},
        ],
        "buffers": [{"byteLength": len(data)}],
    }  # fmt: skip
    return document, data


def glb(vertices, faces):
    document, data = gltf_parts(vertices, faces)
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(data), b"BIN\0") + data
    return b"glTF" + struct.pack("<II", 2, 12 + len(chunks)) + chunks


def dae(vertices, faces):
    points = " ".join(repr(x) for x in (100 * vertices - [50, 0, 0]).ravel().tolist())
    corners = " ".join(f"{k} 0" for k in faces.ravel().tolist())
    return f"""<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="centimeter" meter="0.01"/><up_axis>Z_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="pa" count="{3 * len(vertices)}">{points}</float_array></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="{len(faces)}"><input semantic="VERTEX" source="#v" offset="0"/>
<input semantic="NORMAL" source="#p" offset="1"/><p>{corners}</p></triangles></mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node><translate>50 0 0</translate><node><rotate>0 0 1 90</rotate>
<node><rotate>0 0 1 -90</rotate><instance_geometry url="#g"/></node></node></node>
</visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>""".encode()


def write_3mf(path, vertices, faces):
    points = "".join(f'<vertex x="{x!r}" y="{y!r}" z="{z!r}"/>' for x, y, z in (1000 * vertices).tolist())
    rows = "".join(f'<triangle v1="{a}" v2="{b}" v3="{c}"/>' for a, b, c in faces.tolist())
    text = f"""<?xml version="1.0"?><model unit="millimeter" xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02">
<resources><object id="1"><mesh><vertices>{points}</vertices><triangles>{rows}</triangles></mesh></object>
<object id="2"><components><component objectid="1" transform="1 0 0 0 1 0 0 0 1 7 0 0"/></components></object>
</resources><build><item objectid="2" transform="1 0 0 0 1 0 0 0 1 -7 0 0"/></build></model>"""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("3D/3dmodel.model", text)
