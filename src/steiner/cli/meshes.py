"""Meshes for `steiner inertia`: one file as a link of one part, a folder of files as a table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from steiner.cli.common import progress
from steiner.errors import SteinerError


def mesh_link(file: Path, unit: str | None, policy: str, matter: Any) -> tuple[Any, Any]:
    """The link that a mesh file is, in a matter, and its mesh; with a bar if the file is large."""
    from steiner.assembly.tree import Assembly, Part
    from steiner.files.mesh import mesh_from, unit_of_the_file
    from steiner.files.reading import Notes, regular, told

    given = {name: getattr(matter, name) for name in ("density", "material", "mass")}
    stated = {name: value for name, value in given.items() if value is not None}
    if not stated:
        raise SteinerError(f"{file}: a mesh says nothing of its matter; give --density, --material or --mass")
    with progress(f"reading {file.name}", regular(file).stat().st_size) as bar:
        (task,) = bar.task_ids
        mesh = mesh_from(file, unit=unit, policy=policy, progress=lambda count: bar.advance(task, count))  # type: ignore[arg-type]
    told(Notes(str(file)).judged(mesh))
    unit_of_the_file(file, unit)
    return Assembly(file.stem, [Part(file.stem, mesh, **stated)]), mesh


def remark(mesh: Any) -> str:
    """One line about the mesh, and one for each finding."""
    head = f"mesh: {len(mesh.faces)} triangles, {mesh.volume:.6g} m³, method {mesh.method}, grade {mesh.grade}"
    return "\n".join([head, *(f"{f.severity}: {f.text} [{f.code}]" for f in mesh.findings)])


def facts(mesh: Any) -> dict[str, Any]:
    """The same for programs."""
    findings = [{"code": f.code, "severity": f.severity, "text": f.text} for f in mesh.findings]
    return {
        "triangles": len(mesh.faces),
        "volume_m3": float(mesh.volume),
        "method": mesh.method,
        "grade": mesh.grade,
        "findings": findings,
    }


def folder_rows(folder: Path, solid: Callable[[Path], tuple[Any, Any]]) -> Iterator[dict[str, Any]]:
    """One row for each mesh and CAD file of a folder: its body, a mesh's grade, or why it was refused.

    `solid` gives the link that a file is, and its mesh if it is one.
    """
    from steiner.files.reading import CAD_ENDINGS, MESH_ENDINGS

    known = (*MESH_ENDINGS, *CAD_ENDINGS)
    files = sorted(path for path in folder.iterdir() if path.is_file() and path.suffix.lower() in known)
    if not files:
        raise SteinerError(f"{folder}: no mesh in this folder; expected files such as part.stl or part.step")
    for path in files:
        try:
            link, mesh = solid(path)
        except SteinerError as error:
            yield {"file": path.name, "error": str(error)}
            continue
        whole = link.mass_properties
        yield {
            "file": path.name,
            "mass_kg": float(whole.mass),
            "com_m": whole.com.tolist(),
            "inertia_kg_m2": whole.inertia.tolist(),
        } | ({"mesh": facts(mesh)} if mesh is not None else {})


def urdf_text(body: Any) -> str:
    """The element that a URDF has for a body."""
    from steiner.files.urdf_write import inertial
    from steiner.inertia import MassProperties
    from steiner.text.tables import settled, settled_centres

    return inertial(MassProperties.trusted(body.mass, settled_centres(body.com, body), settled(body.inertia)))


def folder_urdf(rows: list[dict[str, Any]]) -> str:
    """The rows as links of a URDF, to paste."""
    from steiner.text import names

    links = []
    for row in rows:
        if "error" not in row:
            element = urdf_text(_body(row))
            inner = "".join(f"  {line}\n" for line in element.splitlines())
            links.append(f'<link name="{names.html(Path(row["file"]).stem)}">\n{inner}</link>\n')
    return "".join(links)


def _body(row: dict[str, Any]) -> Any:
    import numpy as np

    from steiner.inertia import MassProperties

    return MassProperties.trusted(row["mass_kg"], np.array(row["com_m"]), np.array(row["inertia_kg_m2"]))


def folder_table(rows: list[dict[str, Any]]) -> Any:
    """The rows for people; tensors are about the centres of mass."""
    from steiner.text.tables import Table, settled, settled_centres, shown

    head = ("file", "mass kg", "centre m", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz", "method", "grade")
    lines, refused = [], []
    for row in rows:
        if "error" in row:
            lines.append((row["file"], *["–"] * 8, "refused", "–"))
            refused.append(row["error"])
            continue
        body = _body(row)
        tensor = settled(body.inertia)
        entries = [tensor[i][j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
        centre = ", ".join(shown(x) for x in settled_centres(body.com, body))
        lines.append(
            (
                row["file"],
                shown(row["mass_kg"]),
                f"({centre})",
                *(shown(x) for x in entries),
                *((row["mesh"]["method"], row["mesh"]["grade"]) if "mesh" in row else ("CAD", "–")),
            )
        )
    return Table(head, lines, align="lrl" + "r" * 6 + "ll", notes=refused)
