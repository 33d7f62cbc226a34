"""Mesh files: one function for all who need one, with the unit known and the policy said.

A new format is one reader and one line in `MESHES`.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from steiner.errors import ArgumentError, FormatError, ModelWarning, is_one_of, need
from steiner.files.collada import read_dae
from steiner.files.gltf import read_gltf
from steiner.files.obj import read_obj
from steiner.files.off import read_off
from steiner.files.ply import read_ply
from steiner.files.polygons import checked, finite
from steiner.files.quantity import LENGTH
from steiner.files.reading import Notes, regular, told, unreadable
from steiner.files.scenes import Scene
from steiner.files.stl import Progress, read_stl
from steiner.files.threemf import read_3mf
from steiner.files.xml import shown
from steiner.findings import Finding
from steiner.solids.mesh import Mesh, Policy
from steiner.solids.mesh_integrals import Moments, Soup, central_moments
from steiner.solids.mesh_policy import POLICIES, made
from steiner.solids.mesh_topology import welded
from steiner.solids.polygon import check_reach

LARGEST = 4_000_000_000  # bytes: 80 million triangles of a binary STL file
UNUSUAL = (1.0, 1.0, 1.0)
HUGE = 1e50  # metres, as of other solids
SCHEMES = ("", "file", "package", "model")
NAMED = "a path, package://NAME/PATH or file://PATH"
MISSING = "mesh-missing"  # the rule of `steiner.checks`


@dataclass(frozen=True)
class MeshFormat:
    """A mesh format: what it is called, who reads it, and whether its files say their unit."""

    title: str
    read: Callable[[Path, Progress], Any]
    says_unit: bool = False


MESHES = {
    ".stl": MeshFormat("STL", read_stl),
    ".obj": MeshFormat("OBJ", read_obj),
    ".ply": MeshFormat("PLY", read_ply),
    ".off": MeshFormat("OFF", read_off),
    ".glb": MeshFormat("glTF", read_gltf, says_unit=True),
    ".gltf": MeshFormat("glTF", read_gltf, says_unit=True),
    ".dae": MeshFormat("COLLADA", read_dae, says_unit=True),
    ".3mf": MeshFormat("3MF", read_3mf, says_unit=True),
}


def mesh_from(
    path: str | os.PathLike[str],
    *,
    unit: str | None = None,
    policy: Policy = "exact",
    scale: Sequence[float] = UNUSUAL,
    progress: Progress = lambda count: None,
) -> Mesh:
    """The mesh of a file, in metres.

    Args:
        path: the file.
        unit: that of its lengths, where the file does not say it.
        policy: what is allowed if the mesh is not sound; see `Mesh.load`.
        scale: factors along x, y and z, as URDF has them; a mirrored mesh is turned outward again.
        progress: is told how many bytes were read.
    """
    if not is_one_of(policy, POLICIES):
        raise ArgumentError(f"policy={policy!r}: expected one of {', '.join(map(repr, POLICIES))}")
    vertices, faces, moments, findings = triangles(path, unit=unit, progress=progress)
    factors = np.asarray(scale, float)
    if factors.shape != (3,) or not np.isfinite(factors).all() or (factors == 0).any():
        raise FormatError(
            f"{os.fspath(path)}: scale {list(scale)} flattens the mesh; expected three factors that are not 0"
        )
    if (factors != 1).any():
        vertices, moments = vertices * factors, None
        if not (size := float(np.abs(vertices).max(initial=0))) < HUGE:
            raise FormatError(f"{os.fspath(path)}: scale {list(scale)} makes it {size:g} m large; check the units")
        faces = faces[:, ::-1] if np.prod(factors) < 0 else faces
    return made(vertices, faces, policy, os.fspath(path), moments, findings)


class Triangles(NamedTuple):
    """Vertices (m, 3) in metres, each place once, and faces (n, 3) as they stand in a file; their moments if
    they are known, and what there is to tell about the file.
    """

    vertices: np.ndarray
    faces: np.ndarray
    moments: Moments | None = None
    findings: tuple[Finding, ...] = ()


def triangles(
    path: str | os.PathLike[str], *, unit: str | None = None, progress: Progress = lambda count: None
) -> Triangles:
    """What a mesh file holds, welded but not yet trusted."""
    file = regular(path)
    form = MESHES.get(file.suffix.lower())
    if form is None:
        raise FormatError(f"{file}: a file that ends in {file.suffix!r} is no mesh; expected {', '.join(MESHES)}")
    factor = _factor(file, form, unit)
    size = file.stat().st_size
    if not 0 < size <= LARGEST:
        what = f"{size / 1e9:.1f} GB is too large for a mesh (at most {LARGEST / 1e9:.0f})"
        raise FormatError(f"{file}: {what if size else 'the file is empty; expected a mesh'}")
    try:
        with np.errstate(all="ignore"):  # what is not finite then is told below
            found = form.read(file, progress)
    except OSError as error:
        raise unreadable(file, error) from None
    moments, findings = None, ()
    if isinstance(found, np.ndarray):  # corners in the order of the file: they are integrated fastest as they stand
        if len(found) == 0:
            raise FormatError(f"{file}: no triangle in this file; expected a mesh")
        vertices, faces = finite(file, welded(found))
    else:
        findings = found.findings if isinstance(found, Scene) else ()
        points, corners = checked(file, found[:2])
        vertices, index = welded(np.ascontiguousarray(points, float))
        faces = index[corners]
    vertices = vertices.astype(float)
    if factor != 1:
        vertices *= factor
    check_reach(str(file), vertices)
    if isinstance(found, np.ndarray):
        volume, centre, gyration = central_moments(Soup(found))
        moments = factor**3 * volume, factor * centre, factor**2 * gyration
    vertices.flags.writeable = False
    return Triangles(vertices, faces, moments, findings)


def _factor(file: Path, form: MeshFormat, unit: str | None) -> float:
    if unit is not None and not is_one_of(unit, LENGTH):
        raise FormatError(f"unit={unit!r} is no unit of length; expected one of {', '.join(LENGTH)}")
    if form.says_unit:
        return 1.0  # its reader gives metres
    if unit is None:
        raise FormatError(
            f'{file}: {form.title} carries no unit; pass unit="mm" (--unit mm), or whatever its lengths are in'
        )
    return LENGTH[unit]


def load_mesh(
    kind: type[Mesh], path: str | os.PathLike[str], *, unit: str | None = None, policy: Policy = "exact"
) -> Mesh:
    """See `Mesh.load`; what was found is warned about."""
    notes = Notes(os.fspath(need("path", path, (str, os.PathLike))))
    mesh = told(notes.judged(mesh_from(path, unit=unit, policy=policy)))
    unit_of_the_file(path, unit)
    return mesh


def unit_of_the_file(path: str | os.PathLike[str], unit: str | None) -> None:
    """Warns where a unit was asked for that a file's own one overrules."""
    form = MESHES[Path(path).suffix.lower()]
    own = "is in metres" if form.title == "glTF" else "says its own unit"
    if unit is not None and form.says_unit and (form.title, unit) != ("glTF", "m"):
        told = f"{os.fspath(path)}: {form.title} {own}, so unit={unit!r} changes nothing; scale it if that is wrong"
        warnings.warn(told, ModelWarning, stacklevel=5)


def read(data: Any, notes: Notes, *, unit: str | None = None) -> Mesh:
    """The mesh of a file, for the table of formats; meshes are read from their files, not from texts."""
    if data:
        raise FormatError(f"{notes.file}: a mesh is read from its file, not from a text; use load")
    return mesh_from(notes.file, unit=unit)


# ---- meshes that other files name -----------------------------------------------------------------


def located(reference: str, file: str, package_dirs: Sequence[str] = ()) -> Path:
    """The file that a robot's file names: `package://name/…`, `file://…` or a path beside it.

    Looked at are the folder of the file, the folders above it that are named like the package, and `package_dirs`;
    what leads out of these, be it by a symbolic link, is refused, and nothing is fetched.
    """
    name = reference.replace("\\", "/")
    scheme, _, address = name.rpartition("://")
    if not reference.strip() or "\0" in reference or scheme not in SCHEMES:
        raise FormatError(f"{shown(reference)!r} is no name of a mesh file here; expected {NAMED}").under(MISSING)
    home = Path(file).resolve().parent
    roots = [Path(folder).resolve() for folder in package_dirs]
    packages: list[Path] = []
    options = [home / address, *(root / address for root in roots)]
    if scheme in ("package", "model"):
        package, _, rest = address.partition("/")
        packages = _packages(package, home, roots)
        options = [base / rest for base in packages]
    allowed = [home, *roots, *packages]
    try:
        found = [option.resolve() for option in options]
        inside = [real for real in found if any(real.is_relative_to(root) for root in allowed)]
        for real in inside:
            if real.is_file():
                return real
    except (OSError, RuntimeError) as error:  # names too long, links that lead to themselves
        raise FormatError(f"{shown(reference)!r} cannot be looked for: {error}").under(MISSING) from None
    if len(inside) < len(found):
        raise FormatError(
            f"{shown(reference)!r} lies outside of the folder of this file and of package_dirs, where nothing is read"
        ).under("mesh-outside")
    what = "no such file; pass package_dirs= (--package-dir) if it lies in a package elsewhere"
    if any(real.exists() for real in inside):
        what = "is no file to read, but a folder or a device"
    raise FormatError(f"{shown(reference)!r}: {what}").under(MISSING)


def _packages(package: str, home: Path, roots: Sequence[Path]) -> list[Path]:
    """Folders that a ROS package may be, nearest first."""
    if not package or package in (".", ".."):
        raise FormatError(f"{package!r} before '/' is no name of a package; expected {NAMED}").under(MISSING)
    around = [folder for folder in (home, *home.parents) if folder.name == package]
    below = [folder / package for folder in (home, *roots) if (folder / package).is_dir()]
    return [*around, *below, *(root for root in roots if root.name == package)]


def shape_mesh(
    reference: str,
    file: str,
    *,
    scale: Sequence[float] = UNUSUAL,
    package_dirs: Sequence[str] = (),
    policy: Policy = "exact",
) -> Mesh:
    """The mesh that a link's shape names: metres, unless the mesh file says its unit; refused with a sentence."""
    return mesh_from(located(reference, file, package_dirs), unit="m", policy=policy, scale=scale)
