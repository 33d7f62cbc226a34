"""Write the STEP files of `examples/step_arm`: a drilled, filleted bracket and an arm of two links (extra `cad`).

Run `python -m tools.step_examples`.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent.parent / "examples" / "step_arm"


def bracket() -> list[tuple[str, Any, tuple[float, float, float]]]:
    """A plate of 100 × 60 × 8 mm with rounded upright edges and four holes, and a boss."""
    plate = filleted(box(100, 60, 8), 10)
    for x in (15, 85):
        for y in (15, 45):
            plate = cut(plate, cylinder(4, 10), (x, y, -1))
    return [("plate", plate, (0, 0, 0)), ("boss", cut(cylinder(15, 30), cylinder(8, 32), (0, 0, -1)), (50, 30, 8))]


def link(length: float, width: float) -> list[tuple[str, Any, tuple[float, float, float]]]:
    """A beam along x between two hubs."""
    beam = cut(box(length, width, 20), box(length - 20, width - 8, 12), (10, 4, 4))
    hub = cut(cylinder(width * 0.7, 30), cylinder(width * 0.35, 32), (0, 0, -1))
    gap = width * 0.7
    beam = cut(cut(beam, cylinder(gap, 40), (0, width / 2, -10)), cylinder(gap, 40), (length, width / 2, -10))
    place = (0, -width / 2, -10)
    return [("beam", beam, place), ("hub", hub, (0, 0, -15)), ("far hub", hub, (length, 0, -15))]


def box(x: float, y: float, z: float) -> Any:
    """A box with a corner at the origin, mm."""
    from OCP.BRepPrimAPI import BRepPrimAPI_MakeBox

    return BRepPrimAPI_MakeBox(float(x), float(y), float(z)).Shape()


def cylinder(radius: float, height: float) -> Any:
    """A cylinder on the origin along z, mm."""
    from OCP.BRepPrimAPI import BRepPrimAPI_MakeCylinder

    return BRepPrimAPI_MakeCylinder(float(radius), float(height)).Shape()


def moved(shape: Any, at: tuple[float, float, float]) -> Any:
    """The shape shifted."""
    from OCP.gp import gp_Trsf, gp_Vec
    from OCP.TopLoc import TopLoc_Location

    shift = gp_Trsf()
    shift.SetTranslation(gp_Vec(*map(float, at)))
    return shape.Moved(TopLoc_Location(shift))


def cut(shape: Any, tool: Any, at: tuple[float, float, float]) -> Any:
    """The shape without the tool."""
    from OCP.BRepAlgoAPI import BRepAlgoAPI_Cut

    return BRepAlgoAPI_Cut(shape, moved(tool, at)).Shape()


def filleted(shape: Any, radius: float) -> Any:
    """The shape with its upright edges rounded."""
    from OCP.BRepAdaptor import BRepAdaptor_Curve
    from OCP.BRepFilletAPI import BRepFilletAPI_MakeFillet
    from OCP.TopAbs import TopAbs_ShapeEnum
    from OCP.TopExp import TopExp_Explorer
    from OCP.TopoDS import TopoDS

    edge_of = getattr(TopoDS, "Edge_s", None) or TopoDS.Edge
    made, walk = BRepFilletAPI_MakeFillet(shape), TopExp_Explorer(shape, TopAbs_ShapeEnum.TopAbs_EDGE)
    done: list[Any] = []
    while walk.More():
        edge = edge_of(walk.Current())
        direction = BRepAdaptor_Curve(edge).Line().Direction()
        if abs(direction.Z()) > 0.9 and not any(edge.IsSame(other) for other in done):
            done.append(edge)
            made.Add(float(radius), edge)
        walk.Next()
    return made.Shape()


def written(parts: list[tuple[str, Any, tuple[float, float, float]]], name: str, path: Path, unit: str = "MM") -> None:
    """An assembly of named parts as a STEP file; the time is left out, so that the file is always the same."""
    from OCP.gp import gp_Trsf, gp_Vec
    from OCP.Interface import Interface_Static
    from OCP.STEPCAFControl import STEPCAFControl_Writer
    from OCP.STEPControl import STEPControl_StepModelType
    from OCP.TCollection import TCollection_ExtendedString
    from OCP.TDataStd import TDataStd_Name
    from OCP.TDocStd import TDocStd_Document
    from OCP.TopLoc import TopLoc_Location
    from OCP.XCAFApp import XCAFApp_Application
    from OCP.XCAFDoc import XCAFDoc_DocumentTool

    document = TDocStd_Document(TCollection_ExtendedString("XmlOcaf"))
    XCAFApp_Application.GetApplication_s().InitDocument(document)
    tool = XCAFDoc_DocumentTool.ShapeTool_s(document.Main())
    top = tool.NewShape()
    TDataStd_Name.Set_s(top, TCollection_ExtendedString(name, True))
    seen: list[tuple[Any, Any]] = []
    for part, shape, at in parts:
        label = next((label for other, label in seen if other.IsSame(shape)), None)
        if label is None:
            label = tool.AddShape(shape, False)
            TDataStd_Name.Set_s(label, TCollection_ExtendedString(part, True))
            seen.append((shape, label))
        shift = gp_Trsf()
        shift.SetTranslation(gp_Vec(*map(float, at)))
        component = tool.AddComponent(top, label, TopLoc_Location(shift))
        TDataStd_Name.Set_s(component, TCollection_ExtendedString(part, True))
    tool.UpdateAssemblies()
    Interface_Static.SetCVal_s("write.step.unit", unit)
    writer = STEPCAFControl_Writer()
    writer.SetNameMode(True)
    writer.Transfer(document, STEPControl_StepModelType.STEPControl_AsIs)
    writer.Write(str(path))
    text = path.read_text(encoding="utf-8")
    text = re.sub(r"FILE_NAME\(.*?\);", f"FILE_NAME('{name}','',(''),(''),'','','');", text, count=1, flags=re.DOTALL)
    path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for file, parts in {"bracket": bracket(), "upper": link(300, 40), "fore": link(240, 32)}.items():
        written(parts, file, FOLDER / f"{file}.step")
