"""A good file for every reader, and what strangers make of it: files of any size that are large in every way.

`SAMPLES` names the readers of the tables of formats; a test fails while one of them has no sample.
"""

from __future__ import annotations

import base64
import io
import json
import os
import re
import resource
import struct
import time
import warnings
import zipfile
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import steiner as st
from mesh_files import SOLID, dae, gltf_parts, obj, off, ply
from meshes import ascii_stl
from steiner.files import efforts, material_table, motors
from steiner.files.load import rendered
from steiner.robots import build
from tests.bad_input.mutations import ARM

STEP = Path(__file__).parent.parent / "examples" / "step_arm" / "bracket.step"
LINK = """unit: mm
link:
  name: upper
  parts:
    - {name: plate, shape: box, size: [120, 100, 60], material: steel, xyz: [0, 0, 5], rpy: [0, 90 deg, 0]}
    - {name: hole, shape: cylinder, radius: 5, height: 60, axis: x, material: steel, cavity: true}
"""
MOTORS = (
    "name,rated_torque [N m],peak_torque [N m],rated_speed [rpm],max_speed [rpm],ratios\n"
    "m1,1,2,3000,4000,50 100\nm2,1,2,3000,4000,50;100\n"
)
MOTION = "t,q1,q2,qd1,qd2,qdd1,qdd2\n" + "".join(f"{k / 10},0.{k},-0.{k},1e-3,.5,0,{k}\n" for k in range(8))
WORD = re.compile(r"[A-Za-z0-9_.+-]+")
ELEMENT = re.compile(r"<[A-Za-z_]+")


class Sample(NamedTuple):
    """The ending of a file, a text that is good, who reads it, and how the text is packed into the file."""

    suffix: str
    text: str
    read: Callable[[Path], Any]
    packed: Callable[[str], bytes] = str.encode


def zipped(text: str) -> bytes:
    """A 3MF archive of one model."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("3D/3dmodel.model", text)
    return file.getvalue()


def binary_gltf(text: str) -> bytes:
    """A .glb of nothing but its JSON."""
    data = text.encode()
    data += b" " * (-len(data) % 4)
    return b"glTF" + struct.pack("<III4s", 2, 20 + len(data), len(data), b"JSON") + data


def model_3mf() -> str:
    """The text inside a 3MF file."""
    points = "".join(f'<vertex x="{x!r}" y="{y!r}" z="{z!r}"/>\n' for x, y, z in (1000 * SOLID[0]).tolist())
    rows = "".join(f'<triangle v1="{a}" v2="{b}" v3="{c}"/>\n' for a, b, c in SOLID[1].tolist())
    core = "http://schemas.microsoft.com/3dmanufacturing/core/2015/02"
    return (
        f'<?xml version="1.0"?>\n<model unit="millimeter" xmlns="{core}"><resources>\n<object id="1"><mesh><vertices>\n'
        f'{points}</vertices><triangles>\n{rows}</triangles></mesh></object></resources>\n'
        '<build><item objectid="1"/></build></model>'
    )  # fmt: skip


def scene() -> str:
    """A glTF text with its numbers in it."""
    document, data = gltf_parts(*SOLID)
    document["buffers"][0]["uri"] = "data:;base64," + base64.b64encode(data).decode()
    return json.dumps(document, indent=1)


def motion(path: Path) -> Any:
    """The sum over all positions of a motion."""
    return sum(block.q.sum() for block in efforts.motion_file(path, build("rr")))


def of_robot(format: str) -> str:
    """A small arm as a text."""
    return rendered(build("rr"), format).text


def solid(path: Path) -> Any:
    """A mesh whose file does not say its unit."""
    return st.Mesh.load(path, unit="mm")


NEEDS = {"step": "OCP", ".parquet": "polars"}  # sample -> the module without which none is made or read


def rows() -> bytes:
    """A Parquet file of a motion."""
    import polars

    names, *lines = (line.split(",") for line in MOTION.split())
    file = io.BytesIO()
    polars.DataFrame({name: [float(line[k]) for line in lines] for k, name in enumerate(names)}).write_parquet(file)
    return file.getvalue()


SAMPLES = {
    "urdf": Sample(".urdf", ARM, st.load),
    "mjcf": Sample(".xml", of_robot("mjcf"), st.load),
    "sdf": Sample(".sdf", of_robot("sdf"), st.load),
    "robot_yaml": Sample(".yaml", of_robot("robot_yaml"), st.load),
    "link_yaml": Sample(".yaml", LINK, st.load),
    "dh_csv": Sample(".csv", of_robot("dh_csv"), st.load),
    "poe_csv": Sample(".csv", of_robot("poe_csv"), st.load),
    "dh_yaml": Sample(".yaml", of_robot("dh_yaml"), st.load),
    "poe_yaml": Sample(".yaml", of_robot("poe_yaml"), st.load),
    "modern_robotics": Sample(".json", of_robot("modern_robotics"), st.load),
    "step": Sample(".step", STEP.read_text(encoding="ascii"), lambda path: st.Cad.load(path, density=1000)),
    ".stl": Sample(".stl", ascii_stl(*SOLID), solid),
    ".obj": Sample(".obj", obj(*SOLID).decode(), solid),
    ".off": Sample(".off", off(*SOLID).decode(), solid),
    ".ply": Sample(".ply", ply(*SOLID).decode(), solid),
    ".dae": Sample(".dae", dae(*SOLID).decode(), st.Mesh.load),
    ".gltf": Sample(".gltf", scene(), st.Mesh.load),
    ".glb": Sample(".glb", scene(), st.Mesh.load, binary_gltf),
    ".3mf": Sample(".3mf", model_3mf(), st.Mesh.load, zipped),
    "motion": Sample(".csv", MOTION, motion),
    ".parquet": Sample(".parquet", "", motion, lambda text: rows() + text.encode()),
    "motors": Sample(".csv", MOTORS, motors.read),
    "materials": Sample(".csv", "part,material\nhousing,steel\nlid,2700\n", material_table.table),
    "materials_yaml": Sample(".yaml", "housing: steel\nlid: 2700\n", material_table.table),
}


def spread(found: list[Any], most: int) -> list[Any]:
    """Some of them, from the first to the last."""
    return [found[k * (len(found) - 1) // max(most - 1, 1)] for k in range(min(most, len(found)))]


def enlarged(text: str, size: int) -> Iterator[tuple[str, str]]:
    """What was done to a text, and the text: about so many characters, of every kind that can be many."""

    def many(piece: str) -> str:
        return piece * (size // len(piece))

    def numbered(piece: str) -> str:
        return "".join(piece.replace("%", str(k)) for k in range(size // (len(piece) + 5)))

    lines = text.splitlines(keepends=True)
    for k in spread([k for k, line in enumerate(lines) if line.strip()], 3):
        yield f"line {k + 1} over and over", "".join([*lines[:k], many(lines[k]), *lines[k + 1 :]])
    for word in spread(list(WORD.finditer(text)), 2):
        for kind, new in (("digits", "1"), ("words", "1 "), ("letters", "a"), ("quotes", '"'), ("lines", "\n")):
            how, (start, end) = f"{kind} for {word[0][:20]!r} at {word.start()}", word.span()
            yield how, text[:start] + many(new) + text[end:]
    if "</" in text:
        for tag in spread(list(ELEMENT.finditer(text)), 2):
            new = [("elements", many("<a/>")), ("depth", many("<a>")), ("comments", many("<!---->")),
                   ("entities", many("&amp;"))]  # fmt: skip
            for kind, inserted in new:
                yield f"{kind} before {tag[0]} at {tag.start()}", text[: tag.start()] + inserted + text[tag.start() :]
            for kind, inserted in (("attributes", numbered(" a%=''")), ("value", f" z='\U0001f600{many('a')}'")):
                yield f"{kind} in {tag[0]} at {tag.start()}", text[: tag.end()] + inserted + text[tag.end() :]
    elif text.startswith("{"):
        for place in spread([found.end() for found in re.finditer(r"[\[{]", text)], 3):
            keyed = text[place - 1] == "{"
            for kind in ("[", "[],", "{},", "1,", '"a",'):
                new = numbered(f'"k%":{kind}') if keyed and kind != "[" else many(kind)
                yield f"{kind!r} at {place}", text[:place] + new + text[place:]
    for kind, new in (("blanks", " "), ("comments", "# x\n"), ("brackets", "["), ("dashes", "- "), ("zeros", "\0")):
        yield f"{kind} behind", text + many(new)
        yield f"{kind} before", many(new) + text
    yield "keys", numbered("a%: &x% 1\n")
    yield "columns", numbered("a%,") + "\n" + text


class Reading(NamedTuple):
    """Bytes of the file, most bytes of memory in use beyond those before, seconds of the processor, and the outcome."""

    size: int
    memory: int
    seconds: float
    said: str


def reading(data: bytes, sample: Sample, path: Path) -> Reading:
    """A file read in a child of this process, which ends after it; its peak of memory begins where it is forked."""
    path.write_bytes(data)
    come, go = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            warnings.simplefilter("ignore")
            resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
            resource.setrlimit(resource.RLIMIT_CPU, (60, 60))
            Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the peak is what there is now
            before, start = _status("VmRSS"), time.process_time()
            said = _outcome(sample, path)
            spent = time.process_time() - start
            os.write(go, json.dumps([len(data), _status("VmHWM") - before, spent, said[:500]]).encode())
        finally:
            os._exit(0)
    os.close(go)
    with os.fdopen(come, "rb") as told:
        found = told.read()
    os.waitpid(child, 0)
    return Reading(*json.loads(found)) if found else Reading(len(data), 1 << 40, 1e9, "died, or took 60 s")


def _outcome(sample: Sample, path: Path) -> str:
    try:
        sample.read(path)
    except st.SteinerError as error:
        whole = str(error)
        return "refused" if "\n" not in whole and len(whole) <= 4000 else f"too long a message: {whole}"
    except BaseException as error:
        return f"{type(error).__name__}: {error}"
    return "read"


def _status(key: str) -> int:
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith(key))


def faults(name: str, folder: Path, size: int, some: Callable[[str], bool] = lambda how: True) -> list[str]:
    """What is wrong with how a reader takes files of about that size: memory, time, or what it says."""
    sample, wrong = SAMPLES[name], []
    path = folder / f"a{sample.suffix}"
    path.write_bytes(sample.packed(sample.text))
    if name not in ("motion", ".parquet"):  # polars must not have threads before a fork
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            sample.read(path)  # modules stay
    for k, how, text in ((k, *made) for k, made in zip(count(), enlarged(sample.text, size), strict=False)):
        if not some(f"{k} {how}"):
            continue
        found = reading(sample.packed(text), sample, path)
        if found.said not in ("read", "refused"):
            wrong.append(f"{name}: {how}: {found.said}")
        if found.memory > 10 * found.size + 100e6:
            wrong.append(f"{name}: {how}: {found.memory / 1e6:.0f} MB for a file of {found.size / 1e6:.1f} MB")
        if found.seconds > 1:
            half = dict(enlarged(sample.text, size // 2)).get(how)
            least = reading(sample.packed(half), sample, path).seconds if half is not None else found.seconds
            if found.seconds > 3 * least + 0.3:
                wrong.append(f"{name}: {how}: {found.seconds:.1f} s, and {least:.1f} s for half of it")
    return wrong


if __name__ == "__main__":  # python -m tests.readers FOLDER SIZE NAME …
    import sys

    import polars  # noqa: F401  a module, and not its threads

    for reader in sys.argv[3:]:
        print(*faults(reader, Path(sys.argv[1]), int(sys.argv[2])), sep="\n", flush=True)
