"""STEP files through OCP: assemblies walked with names and placements, every solid measured once.

The file's own units are honoured; what comes out is in metres.
"""

# pyright: reportAttributeAccessIssue=false
# (the bindings of the CAD kernel state no types)

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from steiner.assembly.tree import Assembly, Part
from steiner.errors import ArgumentError, FormatError, described, need, printable, unknown
from steiner.files.material_table import table
from steiner.files.reading import Notes, regular, told
from steiner.files.step_solids import explored, measured, warn
from steiner.materials import MATERIALS
from steiner.solids.cad import Cad
from steiner.spatial import Pose

LARGEST = 500_000_000  # bytes
MOST_PARTS = 100_000
DAMAGED = "the file is damaged: export it again"
TEXTS = re.compile(rb"'[^']*+(?:'|\Z)|/\*(?:[^*]++|\*(?!/))*+(?:\*/|\Z)")  # strings and comments
ODD = re.compile(  # neither in words nor between them: letters beyond ASCII, words without end, numbers without commas
    rb"[^\t\n\v\f\r -~]|(?<![^\s,();=])[^\s,();=]{1001}|[\d.]\s++[-+\d.]"
)


def read(data: Any, notes: Notes, *, unit: str | None = None) -> Assembly:
    """The assembly of a STEP file, for the table of formats: parts without a material are refused by name."""
    if data:
        raise FormatError(f"{notes.file}: a STEP file is read from its file, not from a text; use load")
    return assembly_from(notes.file, notes)


def load_cad(
    path: str | os.PathLike[str], *, materials: Any = None, material: Any = None, density: Any = None
) -> Assembly:
    """See `Cad.load`; what was found is warned about."""
    notes = Notes(os.fspath(need("path", path, (str, os.PathLike))))
    return told(notes.judged(assembly_from(path, notes, materials=materials, material=material, density=density)))


def assembly_from(
    path: str | os.PathLike[str], notes: Notes, *, materials: Any = None, material: Any = None, density: Any = None
) -> Assembly:
    """The assembly of a STEP file, each part with its matter."""
    if material is not None and density is not None:
        raise ArgumentError("material and density are both given; one of them is for the parts that are named nowhere")
    file = regular(path)
    matter = Matter(file, table(materials), material, density)
    with quiet():
        made = Document(file, notes, matter).assembly()
    unused = matter.unused() if isinstance(materials, Mapping) else []  # a table in a file may serve many drawings
    if unused:
        raise FormatError(f"{file}: {unknown('part', unused[0], matter.seen, 'this file (materials)')}")
    return made


# ---- what parts are made of ------------------------------------------------------------------------


class NoMatter(FormatError):
    """A part whose shape is known, and of what it is made is not."""


@dataclass
class Matter:
    """Materials by the name of a part or by its colour, and what all others ("*") are made of."""

    file: Path
    named: dict[str, Any]
    material: Any = None
    density: Any = None

    def __post_init__(self) -> None:
        self.seen: dict[str, None] = {}

    def of(self, name: str, colour: tuple[float, float, float] | None, own: tuple[str, float] | None) -> dict[str, Any]:
        """The `material=` or `density=` of a part."""
        shade = "#" + "".join(f"{round(255 * x):02x}" for x in colour) if colour else ""
        for key in (name, re.sub(r"[:_ ]\d{1,9}$", "", name), shade):
            if key:
                self.seen[key] = None
            if key and key in self.named:
                return _stated(self.named[key])
        if own is not None:
            material, density = own
            return {"density": 1000 * density} if density > 0 else _stated(material)
        if "*" in self.named:
            return _stated(self.named["*"])
        if self.material is not None:
            return {"material": self.material}
        if self.density is not None:
            return {"density": self.density}
        shown = f" (colour {shade})" if shade else ""
        raise NoMatter(
            f"{self.file}: part {name!r}{shown} has no material; give materials= or material= to st.Cad.load, "
            "--material to steiner inertia, or material: beside the file: of a link in YAML"
        )

    def unused(self) -> list[str]:
        """Names in the table that no part has."""
        return [key for key in self.named if key not in self.seen and key != "*"]


def _stated(value: Any) -> dict[str, Any]:
    return {"density": value} if isinstance(value, int | float) else {"material": value}


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Without what the CAD kernel prints: names of files as they are, and colours."""
    try:
        from OCP.Message import Message
    except ImportError:
        raise FormatError("STEP files need OCP: pip install 'steiner[cad]'") from None
    messenger = Message.DefaultMessenger_s()
    printers = list(messenger.Printers())
    for printer in printers:
        messenger.RemovePrinter(printer)
    try:
        yield
    finally:
        for printer in printers:
            messenger.AddPrinter(printer)


class Document:
    """A STEP file, read; its solids measured as they are met, repeated ones once."""

    def __init__(self, file: Path, notes: Notes, matter: Matter) -> None:
        self.file, self.notes, self.matter = file, notes, matter
        self.measured: dict[str, list[Cad]] = {}
        self.count = 0
        size = file.stat().st_size
        if size > LARGEST:
            raise FormatError(f"{file}: {size / 1e6:.0f} MB is too large for a STEP file (at most {LARGEST / 1e6:.0f})")
        data = file.read_bytes() if size else b""
        head = data[:64].lstrip(b"\xef\xbb\xbf \t\r\n")
        if not head.startswith(b"ISO-10303-21"):
            raise FormatError(f"{file}: no STEP file; it should begin with ISO-10303-21, not {described(head[:12])}")
        if odd := ODD.search(TEXTS.sub(b"''", data.removeprefix(b"\xef\xbb\xbf"))):
            word = described(odd[0][:40].decode("latin-1"))
            raise FormatError(f"{file}: cannot be read as STEP: {word} is no word of it; {DAMAGED}")
        del data
        self.main, self.tool, self.colours = self._transferred()

    def _transferred(self) -> tuple[Any, Any, Any]:
        from OCP.IFSelect import IFSelect_ReturnStatus
        from OCP.STEPCAFControl import STEPCAFControl_Reader
        from OCP.TCollection import TCollection_ExtendedString
        from OCP.TDocStd import TDocStd_Document
        from OCP.UnitsMethods import UnitsMethods_LengthUnit
        from OCP.XCAFApp import XCAFApp_Application
        from OCP.XCAFDoc import XCAFDoc_DocumentTool

        document = TDocStd_Document(TCollection_ExtendedString("XmlOcaf"))
        XCAFApp_Application.GetApplication_s().InitDocument(document)
        XCAFDoc_DocumentTool.SetLengthUnit_s(document, 1.0, UnitsMethods_LengthUnit.UnitsMethods_LengthUnit_Meter)
        reader = STEPCAFControl_Reader()
        reader.SetNameMode(True)
        reader.SetColorMode(True)
        reader.SetMatMode(True)
        try:
            status = reader.ReadFile(str(self.file))
            done = status == IFSelect_ReturnStatus.IFSelect_RetDone and reader.Transfer(document)
        except Exception as error:  # whatever the kernel throws at a broken file
            raise FormatError(f"{self.file}: cannot be read as STEP: {described(error)}") from None
        if not done:
            raise FormatError(f"{self.file}: cannot be read as STEP; is it whole?")
        self._check(reader.Reader().WS())
        main = document.Main()
        self.document = document  # labels live as long as it does
        return main, XCAFDoc_DocumentTool.ShapeTool_s(main), XCAFDoc_DocumentTool.ColorTool_s(main)

    def _check(self, session: Any) -> None:
        """What the kernel cannot read it leaves out, and goes on with zero: numbers must all be there."""
        found = session.ModelCheckList(False)
        found.Start()
        while found.More():
            check, number, model = found.Value(), found.Number(), session.Model()
            if check.HasFailed():
                where = f"a {model.Value(number).DynamicType().Name()}" if number > 0 else "its syntax"
                said = printable(str(check.CFail(1)))[:120]
                if number <= 0 or said.endswith(("not a Real", "not an Integer")):
                    raise FormatError(f"{self.file}: {where}: {said}; {DAMAGED}")
                warn(self.notes, f"{where}: {said}")
            found.Next()

    def assembly(self) -> Assembly:
        """All free shapes under one node; a single assembly is that node itself."""
        free = self._children(self.tool.GetFreeShapes)
        nodes = [node for label in free for node in self.nodes(label)]
        if not nodes:
            raise FormatError(f"{self.file}: holds no solid; surfaces alone enclose nothing")
        if len(nodes) == 1 and isinstance(nodes[0], Assembly):
            return nodes[0]
        return Assembly(self.file.stem or "part", unique(nodes))

    def nodes(self, label: Any) -> list[Part | Assembly]:
        """The parts or the element that a label stands for."""
        from OCP.TDF import TDF_Label

        real = label
        if self.tool.IsReference_s(label):
            real = TDF_Label()
            self.tool.GetReferredShape_s(label, real)
        name = self._name(label) or self._name(real) or "part"
        own = self._name(real) or name
        pose = self._pose(self.tool.GetLocation_s(label), name)
        if self.tool.IsAssembly_s(real):
            below = self._children(self.tool.GetComponents_s, real)
            inner = [node for child in below for node in self.nodes(child)]
            return [Assembly(name, unique(inner), pose=pose)] if inner else []
        solids = self.solids(real, own)
        made = []
        for number, solid in enumerate(solids, 1):
            self.count += 1
            if self.count > MOST_PARTS:
                raise FormatError(f"{self.file}: more than {MOST_PARTS} parts")
            matter = self._matter(own, name, solid, real)
            made.append(Part(name if len(solids) == 1 else f"{name} {number}", solid, pose=pose, **matter))
        return list(made)

    def _matter(self, own: str, name: str, solid: Cad, label: Any) -> dict[str, Any]:
        stated = own if own in self.matter.named or name not in self.matter.named else name
        self.matter.seen[name] = None
        return self.matter.of(stated, solid.colour, material_of(label))

    def solids(self, label: Any, name: str) -> list[Cad]:
        """The solids of a simple shape, in its own frame."""
        key = entry(label)
        if key not in self.measured:
            from OCP.TopLoc import TopLoc_Location

            shape = self.tool.GetShape_s(label).Located(TopLoc_Location())
            colour = self._colour(label, shape)
            self.measured[key] = [measured(s, self.notes, name, colour) for s in explored(shape)]
            if not self.measured[key]:
                warn(self.notes, f"part {name!r} is a surface, not a solid: it has no volume and is left out")
        return self.measured[key]

    def _children(self, ask: Any, *label: Any) -> list[Any]:
        try:
            from OCP.collections import Sequence_TDF_Label
        except ImportError:  # OCP 7
            from OCP.TDF import TDF_LabelSequence as Sequence_TDF_Label
        found = Sequence_TDF_Label()
        ask(*label, found)
        return [found.Value(k) for k in range(1, found.Length() + 1)]

    def _name(self, label: Any) -> str:
        from OCP.TDataStd import TDataStd_Name

        key, attribute = TDataStd_Name.GetID_s(), TDataStd_Name()
        known = label.IsAttribute(key) and label.FindAttribute(key, attribute)
        found = attribute.Get().ToExtString() if known else ""
        return printable(found.replace("/", "∕")).strip()[:200]

    def _pose(self, location: Any, name: str) -> Pose:
        move = location.Transformation()
        if abs(move.ScaleFactor() - 1) > 1e-12 or move.IsNegative():
            raise FormatError(f"{self.file}: part {name!r} is scaled or mirrored; expected a rigid placement")
        T = np.array([[move.Value(i, j) for j in range(1, 5)] for i in range(1, 4)])
        return Pose(T[:, :3], T[:, 3])

    def _colour(self, label: Any, shape: Any) -> tuple[float, float, float] | None:
        from OCP.Quantity import Quantity_Color, Quantity_TypeOfColor
        from OCP.XCAFDoc import XCAFDoc_ColorType

        found = Quantity_Color()
        kinds = (
            XCAFDoc_ColorType.XCAFDoc_ColorSurf, XCAFDoc_ColorType.XCAFDoc_ColorGen, XCAFDoc_ColorType.XCAFDoc_ColorCurv
        )  # fmt: skip
        for kind in kinds:
            if self.colours.GetColor_s(label, kind, found) or self.colours.GetColor(shape, kind, found):
                r, g, b = found.Values(Quantity_TypeOfColor.Quantity_TOC_sRGB)
                return float(r), float(g), float(b)
        return None


def unique(nodes: list[Part | Assembly]) -> list[Part | Assembly]:
    """Siblings under names of their own: pin, pin 2, pin 3."""
    from dataclasses import replace

    seen: set[str] = set()
    result: list[Part | Assembly] = []
    for node in nodes:
        name, number = node.name, 1
        while name in seen:
            number += 1
            name = f"{node.name} {number}"
        seen.add(name)
        result.append(node if name == node.name else replace(node, name=name))
    return result


def entry(label: Any) -> str:
    """A label's own address."""
    from OCP.TCollection import TCollection_AsciiString
    from OCP.TDF import TDF_Tool

    text = TCollection_AsciiString()
    TDF_Tool.Entry_s(label, text)
    return text.ToCString()


def material_of(label: Any) -> tuple[str, float] | None:
    """Name and density of a label's material; the number is read as g/cm³, as CAD programs write it."""
    from OCP.TDataStd import TDataStd_TreeNode
    from OCP.XCAFDoc import XCAFDoc, XCAFDoc_Material

    key, node = XCAFDoc.MaterialRefGUID_s(), TDataStd_TreeNode()
    if not label.IsAttribute(key) or not label.FindAttribute(key, node) or not node.HasFather():
        return None  # (asking for an attribute that is not there crashes OCP 8)
    found = XCAFDoc_Material()
    home, own = node.Father().Label(), XCAFDoc_Material.GetID_s()
    if not home.IsAttribute(own) or not home.FindAttribute(own, found):
        return None
    name = found.GetName().ToCString() if found.GetName() else ""
    density = float(found.GetDensity())
    return (name, density) if density > 0 or name.lower() in MATERIALS else None
