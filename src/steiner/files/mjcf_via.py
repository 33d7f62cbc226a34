"""MJCF through MuJoCo's own compiler: what the reader does not know comes back as plain bodies, joints and inertias."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from steiner.errors import FormatError
from steiner.files.mjcf_bodies import inside
from steiner.files.reading import Notes
from steiner.files.xml import Element, parse, shown

PULLS = ("file", "fileback", "filedown", "filefront", "fileleft", "fileright", "fileup")  # attributes that name files
FOLDERS = ("meshdir", "assetdir", "texturedir")
DONE = ("inertiafromgeom", "settotalmass", "boundmass", "boundinertia", "balanceinertia")  # is in the inertias now
NAMELESS = "nameless body "  # marks of bodies while MuJoCo has them
UNKNOWN = ("plugin", "attach", "model")  # elements that load code or other models


def rewritten(root: Element, text: str | bytes, notes: Notes, folder: Path | None, via: str) -> Element:
    """The document as MuJoCo's compiler writes it: every body with its inertia, nothing left to work out."""
    if via != "mujoco":
        raise FormatError(f"via={via!r}: expected 'mujoco', whose compiler rewrites a model")
    _stay_inside(root, folder)
    try:
        import mujoco
    except ImportError:
        raise FormatError(f'{notes.file}: via="mujoco" needs MuJoCo: pip install mujoco') from None
    written, inertias = _compiled(mujoco, text, notes.file, folder)
    plain = parse(written, f"{notes.file} (as MuJoCo writes it)")
    for compiler in plain.all("compiler"):
        for name in DONE:
            compiler.attributes.pop(name, None)
    for body in [e for e in plain.below() if e.tag == "body"]:
        _weigh(body, inertias[body.attributes["name"]])
        if body.attributes["name"].startswith(NAMELESS):
            del body.attributes["name"]
    return plain


def _weigh(body: Element, inertia: dict[str, str]) -> None:
    """Give a body the inertia of the compiled model: what is written is that of the file, not scaled nor from geoms."""
    stated = Element("inertial", inertia, body.file, body.line, body)
    body.children[:] = [stated, *(child for child in body.children if child.tag != "inertial")]


def _inertia(body: Any) -> dict[str, str]:
    numbers = {"mass": body.mass, "pos": body.ipos, "quat": body.iquat, "diaginertia": body.inertia}
    return {key: " ".join(repr(float(x)) for x in values) for key, values in numbers.items()}


def _stay_inside(root: Element, folder: Path | None) -> None:
    """Refuse what would make MuJoCo read files outside the folder, or load code."""
    folders = [Path(e.attributes[name]) for e in root.all("compiler") for name in FOLDERS if name in e.attributes]
    for e in root.below():
        if e.tag in UNKNOWN:
            e.fail(f"<{shown(e.tag)}> pulls in other models or code, which is not done")
        for name in PULLS:
            if name not in e.attributes:
                continue
            if folder is None:
                e.fail(f"a text has no folder to look for {shown(e.attributes[name])!r}")
            for base in (Path(), *folders):
                target = (folder / base / e.attributes[name]).resolve()
                if not target.is_relative_to(folder.resolve()):
                    e.fail(f"{shown(e.attributes[name])!r} lies outside the folder of the model, which is not read")


def _compiled(
    mujoco: Any, text: str | bytes, file: str, folder: Path | None
) -> tuple[str, dict[str, dict[str, str]]]:
    """The text as MuJoCo writes it, and the inertias of its bodies by name."""
    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(lambda text: None)  # else MuJoCo writes its log into the current folder
    try:
        if folder is None:
            spec = mujoco.MjSpec.from_string(text if isinstance(text, str) else text.decode())
        else:
            spec = mujoco.MjSpec.from_file(str(inside(folder, Path(file).name)))
        spec.compiler.savecompiled = False  # all digits
        spec.compiler.fusestatic = False
        for k, body in enumerate(spec.bodies):
            body.name = body.name or f"{NAMELESS}{k}"
        model = spec.compile()
        return spec.to_xml(), {model.body(k).name: _inertia(model.body(k)) for k in range(1, model.nbody)}
    except (ValueError, UnicodeError, mujoco.FatalError, mujoco.UnexpectedError) as error:
        raise FormatError(f"{file}: MuJoCo cannot compile it: {shown(str(error), 300)}") from None
    finally:
        mujoco.set_mju_user_warning(before)
