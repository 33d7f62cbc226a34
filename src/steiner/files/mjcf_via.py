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
    plain = parse(_compiled(mujoco, text, notes.file, folder), f"{notes.file} (as MuJoCo writes it)")
    for compiler in plain.all("compiler"):
        for name in DONE:
            compiler.attributes.pop(name, None)
    return plain


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


def _compiled(mujoco: Any, text: str | bytes, file: str, folder: Path | None) -> str:
    before = mujoco.get_mju_user_warning()
    mujoco.set_mju_user_warning(lambda text: None)  # else MuJoCo writes its log into the current folder
    try:
        if folder is None:
            spec = mujoco.MjSpec.from_string(text if isinstance(text, str) else text.decode())
        else:
            spec = mujoco.MjSpec.from_file(str(inside(folder, Path(file).name)))
        spec.compiler.saveinertial = True
        spec.compiler.savecompiled = False  # all digits
        spec.compile()
        return spec.to_xml()
    except (ValueError, UnicodeError, mujoco.FatalError, mujoco.UnexpectedError) as error:
        raise FormatError(f"{file}: MuJoCo cannot compile it: {shown(str(error), 300)}") from None
    finally:
        mujoco.set_mju_user_warning(before)
