"""One door for files: what a file holds, by its ending and, where several formats share one, by its content.

A new format is one module with `read(text, notes, *, options) -> model` (and `write(model) -> text`) and one line in
`FORMATS`; the rules of `steiner.checks` judge whatever it gives.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

# from here and not from modules far down: CPython keeps frames in chunks of 16 KB, and at the end of one the many calls
# of the import of numpy each asked the system for a new chunk, and gave it back (7 ms)
import numpy as np  # noqa: F401

from steiner.checks.rules import judged, stopped
from steiner.doors import opened
from steiner.errors import ArgumentError, FormatError, ModelWarning, SteinerError, described, several, unknown
from steiner.files.reading import CAD_ENDINGS, MESH_ENDINGS, Notes, contents, told
from steiner.findings import Finding
from steiner.model.robot import Robot
from steiner.records import record

if TYPE_CHECKING:
    from steiner.assembly.tree import Assembly

Door = str | Callable[..., Any]
PREFIX = "gallery:"
TEXT = "<text>"  # names a text that came from no file
HOLDS = {"robot": "model.robot:Robot", "link": "assembly.tree:Assembly", "solid": "solids.base:Solid"}


def keys(*names: str) -> Callable[[bytes], bool]:
    """Whether a YAML or JSON text begins with one of these keys, or has it at the start of a line."""
    pattern = rb"^(?:\{\s*)?[\"']?(?:%s)[\"']?\s*:" % "|".join(names).encode()
    return lambda data: re.search(pattern, data, re.MULTILINE) is not None


def column(name: str) -> Callable[[bytes], bool]:
    """Whether a CSV text has a column of that name, with or without its unit."""

    def found(data: bytes) -> bool:
        lines = (line for line in data[:10_000].splitlines() if line.strip() and not line.lstrip().startswith(b"#"))
        return name.encode() in {cell.partition(b"[")[0].strip() for cell in next(lines, b"").split(b",")}

    return found


@record
class Format:
    """A file format: how its files end, what they hold, and who turns text into a model and back.

    Reader and writer are functions, or their "room:function", imported when used, and so is `losses(model)`: in words,
    what the writer leaves out.  `sniff` chooses between formats of one ending.
    """

    title: str
    suffixes: tuple[str, ...]
    holds: Literal["robot", "link", "solid", "motion"]
    read: Door | None
    write: Door | None = None
    losses: Door | None = None
    sniff: Callable[[bytes], bool] = lambda data: True
    by_path: bool = False  # its reader opens the file itself, which may be large


def root(tag: str) -> Callable[[bytes], bool]:
    """Whether the first element of an XML text is this one."""
    pattern = rb"(?>\xef\xbb\xbf|\s++|<\?(?>.*?\?>)|<!--(?>.*?-->))*+<%s\b" % tag.encode()
    return lambda data: re.match(pattern, data, re.DOTALL) is not None


FORMATS = {
    "mjcf": Format(
        "MJCF, the model of MuJoCo",
        (".xml", ".mjcf"),
        "robot",
        "files.mjcf:read",
        "files.mjcf_write:write",
        "files.mjcf_write:losses",
        sniff=root("mujoco"),
    ),
    "urdf": Format(
        "URDF, the robot description of ROS", (".urdf", ".xml"), "robot", "files.urdf:read",
        "files.urdf_write:write", "files.urdf_write:losses", sniff=root("robot"),
    ),
    "sdf": Format(
        "SDF, the description format of Gazebo and Drake", (".sdf", ".world"), "robot", "files.sdf:read",
        "files.sdf_write:write", "files.sdf_write:losses",
    ),
    "robot_yaml": Format(
        "YAML of a robot, its links and their parts",
        (".yaml", ".yml"),
        "robot",
        "files.robot_yaml:read",
        "files.yaml_write:write_robot",
        sniff=keys("robot"),
    ),
    "link_yaml": Format(
        "YAML of a link and its parts",
        (".yaml", ".yml"),
        "link",
        "files.link_yaml:read",
        "files.yaml_write:write_link",
        sniff=keys("link", "part"),
    ),
    "step": Format("STEP, solids and assemblies of CAD", CAD_ENDINGS, "link", "files.step:read", by_path=True),
    "dh_csv": Format(
        "CSV of a Denavit-Hartenberg table with its bodies", (".csv",), "robot", "files.tables:read_dh_csv",
        "files.tables:write_dh_csv", "files.tables:losses", sniff=column("alpha"),
    ),
    "poe_csv": Format(
        "CSV of screws and home poses with their bodies", (".csv",), "robot", "files.tables:read_poe_csv",
        "files.tables:write_poe_csv", "files.tables:losses", sniff=column("wx"),
    ),
    "dh_yaml": Format(
        "YAML of a Denavit-Hartenberg table with its bodies", (".yaml", ".yml"), "robot", "files.tables:read_dh_yaml",
        "files.tables:write_dh_yaml", "files.tables:losses", sniff=keys("dh"),
    ),
    "poe_yaml": Format(
        "YAML of screws and home poses with their bodies", (".yaml", ".yml"), "robot", "files.tables:read_poe_yaml",
        "files.tables:write_poe_yaml", "files.tables:losses", sniff=keys("poe"),
    ),
    "modern_robotics": Format(
        "JSON of Modern Robotics' Mlist, Glist and Slist", (".json",), "robot", "files.modern_robotics:read",
        "files.modern_robotics:write", "files.modern_robotics:losses",
    ),
    "matlab": Format(
        "MATLAB script of a rigidBodyTree", (".m",), "robot", None,
        "files.matlab_write:write", "files.matlab_write:losses",
    ),
    "mesh": Format(
        "a triangle mesh",
        MESH_ENDINGS,
        "solid",
        "files.mesh:read",
        by_path=True,
    ),
}

_OPTIONS = {"unit": None, "package_dirs": (), "mimic": "free", "snap": True, "via": None}


def load(
    source: str | os.PathLike[str],
    *,
    format: str | None = None,
    unit: str | None = None,
    package_dirs: Sequence[str | os.PathLike[str]] = (),
    mimic: str = "free",
    snap: bool = True,
    via: str | None = None,
) -> Any:
    """What a file holds: a `Robot` (.urdf, MJCF's .xml, its .yaml), an `Assembly` (the .yaml of a link), a `Mesh`
    (.stl .obj .ply .off .glb .gltf .dae .3mf), or a robot of the gallery ("puma560").

    Args:
        source: path of the file, or "gallery:NAME"; the bare name will do where no such file exists.
        format: a key of `FORMATS` or an ending; by default the ending of the file says it.
        unit: that of bare lengths, for formats without a standard unit and files that do not say theirs.
        package_dirs: where `package://` paths of meshes start; kept in `robot.provenance` for those
            who draw the robot, dynamics does not need them.
        mimic: "free" reads mimic joints as free ones and warns; "coupled" makes them follow.
        snap: make angles such as 1.57079632679 exact (entries of rotations within 1e-10).
        via: "mujoco" lets MuJoCo's compiler rewrite an MJCF file first, for what the reader does not know.
    """
    file = _name(source)
    if (exhibit := _exhibit(file)) is not None:
        return _built(exhibit)
    folders = several("package_dirs", package_dirs, "folders")
    options = {"unit": unit, "package_dirs": folders, "mimic": mimic, "snap": snap, "via": via}
    return told(_read(*_located(file, format), options))


def loads(
    text: str | bytes,
    *,
    format: str,
    unit: str | None = None,
    mimic: str = "free",
    snap: bool = True,
    via: str | None = None,
) -> Any:
    """What a text describes, such as a ROS parameter: loads(text, format="urdf").  The options are those of `load`."""
    if not isinstance(text, str | bytes):
        raise ArgumentError(f"loads: expected a text, got a {type(text).__name__}; a file is for load")
    return told(_read(TEXT, text, _fitting(format), {"unit": unit, "mimic": mimic, "snap": snap, "via": via}))


def save(
    model: Robot | Assembly, path: str | os.PathLike[str], *, format: str | None = None, force: bool = False
) -> Path:
    """Write a model to a file, with the shortest decimals that read back to the same numbers.

    An existing file is kept unless `force` is set; what the format cannot hold and dynamics needs is warned about
    (`convert` tells all that is lost).
    """
    target = Path(_name(path))
    minor = opened("files.writing:Minor")
    losses = [loss for loss in stored(model, target, format=format, force=force) if not isinstance(loss, minor)]
    if losses:
        warnings.warn(f"{target} cannot hold, and lacks: {'; '.join(losses)}", ModelWarning, stacklevel=2)
    return target


def convert(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    *,
    source_format: str | None = None,
    target_format: str | None = None,
    unit: str | None = None,
    mimic: str = "coupled",
    via: str | None = None,
    force: bool = False,
) -> list[str]:
    """Write what one file holds to another, in the format of its ending; gives what was lost, in words.

    Nothing is made nicer on the way: joints that follow others stay so, angles stay as they are written.  A target that
    exists is kept unless `force` is set; `unit`, `mimic` and `via` are those of `load`.
    """
    model = faithful(source, source_format, unit=unit, mimic=mimic, via=via)
    return stored(model, target, format=target_format, force=force)


def faithful(
    source: str | os.PathLike[str],
    format: str | None = None,
    *,
    data: bytes | None = None,
    unit: str | None = None,
    mimic: str = "coupled",
    via: str | None = None,
) -> Any:
    """What a file (or these bytes) holds, as it is written: followers follow, angles are not made exact."""
    file = _name(source)
    if data is None and (exhibit := _exhibit(file)) is not None:
        return _built(exhibit)
    located = _located(file, format) if data is None else (file, data, _fitting(format))
    return told(_read(*located, {"unit": unit, "via": via}, {"mimic": mimic, "snap": False}), stacklevel=4)


def stored(
    model: Any, path: str | os.PathLike[str], *, format: str | None = None, force: bool = False
) -> list[str]:
    """Write a model to a file; gives what was lost."""
    from steiner.text.written import replacing

    target = Path(_name(path))
    found = rendered(model, format, target.suffix.lower(), f"{os.fspath(path)}: ")
    with replacing(target, force=force) as file:
        file.write(found.text)
    return found.losses


@record
class Rendered:
    """A model as the text of a file, and what of it the text does not hold."""

    text: str
    losses: list[str]


def rendered(model: Any, format: str | None, suffix: str = "", where: str = "") -> Rendered:
    """A model in a format, by its name or by the ending of its files."""
    fitting = _fitting(format, suffix, where)
    able = {key: form for key, form in FORMATS.items() if form.write and isinstance(model, opened(HOLDS[form.holds]))}
    form = next((form for key, form in fitting.items() if key in able), None)
    if form is None:
        titles = " or ".join(form.title for form in fitting.values())
        saved = _endings(able or {key: form for key, form in FORMATS.items() if form.write})
        hint = f"it can be saved as {saved}" if able else f"no format holds that; what can be saved: {saved}"
        raise FormatError(f"{where}{type(model).__name__} cannot be written as {titles}; {hint}")
    return Rendered(opened(form.write)(model), opened(form.losses)(model) if form.losses else [])


def examined(source: str | os.PathLike[str], options: dict[str, Any]) -> tuple[Any, list[Finding]]:
    """A file's model, if it has one, and the findings; where the reader cannot read on, that is the only one."""
    file = _name(source)
    if (exhibit := _exhibit(file)) is not None:
        robot = _built(exhibit)
        return robot, judged(robot)
    located = None
    try:
        located = _located(file, None)
        return _read(*located, options)
    except SteinerError as error:
        if located is None and not error.rule:  # no file to say anything about
            raise
        return None, [_fatal(error, file)]


def _fatal(error: SteinerError, file: str) -> Finding:
    """An error that stopped a reader, as a finding: its text without the place that it begins with."""
    line, text = re.fullmatch(r"(?::(\d+))?:? ?(.*)", str(error).removeprefix(file), re.DOTALL).groups()  # type: ignore[union-attr]
    return stopped(error, text, file, int(line) if line else None)


def _name(source: Any) -> str:
    try:
        return os.fsdecode(source)
    except TypeError:
        raise ArgumentError(f"expected the path of a file or the name of a robot, got {described(source)}") from None


def _exhibit(file: str) -> str | None:
    """The name of a robot of the gallery, if the source is one and no file."""
    if file.startswith(PREFIX):
        return file.removeprefix(PREFIX)
    bare = file.isidentifier() and file in _exhibits()  # no exhibit has a dot or a slash in its name
    return file if bare and not Path(file).is_file() else None


def _exhibits() -> Collection[str]:
    """The gallery, which is opened only for who asks for a name in it."""
    return opened("robots:GALLERY")


def _built(exhibit: str) -> Robot:
    return opened("robots:build")(exhibit)


def _located(file: str, format: str | None) -> tuple[str, bytes, dict[str, Format]]:
    """Name and bytes of a file, and the formats that it may have."""
    path = Path(file)
    if format is None and not path.suffix and not os.path.lexists(path):
        raise FormatError(f"{file}: no such file, and {unknown('gallery robot', file, _exhibits())}")
    fitting = _fitting(format, path.suffix.lower(), f"{file}: ")
    if all(form.by_path for form in fitting.values()):
        return file, b"", fitting
    return file, contents(path, "a description of a robot or a link"), fitting


def _read(
    file: str,
    data: str | bytes,
    fitting: dict[str, Format],
    options: dict[str, Any],
    wishes: Mapping[str, Any] = MappingProxyType({}),
) -> tuple[Any, list[Finding]]:
    """The model of a text in one of the fitting formats, and the findings about it.

    An option that has no meaning for the format is refused, a wish is not.
    """
    key = next(iter(fitting))
    if len(fitting) > 1:
        seen = data.encode(errors="replace") if isinstance(data, str) else data
        key = next((k for k, form in fitting.items() if form.sniff(seen)), key)
    if (read := FORMATS[key].read) is None:
        raise FormatError(f"{file}: {FORMATS[key].title} is written and not read; expected {_endings(_readable())}")
    reader = opened(read)
    takes = getattr(reader, "__kwdefaults__", None) or {}
    for name, value in options.items():
        if name not in takes and not _usual(name, value):
            known = ", ".join(f"{k}=" for k in _OPTIONS if k in takes) or "no options"
            title = FORMATS[key].title
            raise FormatError(f"{file}: {name}={described(value)} has no meaning for {title}; it takes {known}")
    notes = Notes(file)
    model = reader(data, notes, **{name: value for name, value in {**wishes, **options}.items() if name in takes})
    return notes.judged(model, key)


def _usual(name: str, value: Any) -> bool:
    """Whether an option was left as it is."""
    usual = _OPTIONS[name]
    return value is usual or (isinstance(value, type(usual)) and value == usual)


def _fitting(name: str | None, suffix: str = "", where: str = "") -> dict[str, Format]:
    """The formats of that name or ending, at least one."""
    if name is not None and not isinstance(name, str):
        raise FormatError(unknown("format", name, FORMATS))
    if name in FORMATS:
        return {name: FORMATS[name]}
    ending = suffix if name is None else f".{name}"
    if ending == ".xacro":
        file = where.removesuffix(": ")
        raise FormatError(
            f"{where}this is a xacro template, not a robot yet; expand it and load what comes out: "
            f"xacro {file} -o {file.removesuffix('.xacro').removesuffix('.urdf')}.urdf"
        ).under("xacro")
    found = {key: form for key, form in FORMATS.items() if ending in form.suffixes}
    if found:
        return found
    if name is not None:
        raise FormatError(unknown("format", name, FORMATS))
    raise FormatError(
        f"{where}a file that ends in {suffix or 'nothing'!r} has no known format; expected {_endings(FORMATS)}, "
        "or pass format="
    )


def _readable() -> dict[str, Format]:
    return {key: form for key, form in FORMATS.items() if form.read}


def _endings(formats: dict[str, Format]) -> str:
    return ", ".join(f"{' '.join(form.suffixes)} ({form.title})" for form in formats.values())
