"""Derivations of solids that are sums: the integrals of one triangle or tetrahedron, then all of them together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import sympy

from steiner.inertia.properties import tensor_of
from steiner.solids.base import Solid
from steiner.solids.derive import Region, worked
from steiner.solids.expressions import exactly, integrate
from steiner.solids.polygon import moment
from steiner.solids.terms import (
    Inner,
    Integral,
    Name,
    Outer,
    Product,
    Quotient,
    Sum,
    Term,
    Value,
    Written,
    resolved,
)
from steiner.solids.working import Line, line
from steiner.spatial import cross, dot
from steiner.text.steps import Derivation, Step

Known = dict[str, Any]
LISTED = 12  # pieces that are written out one by one


class Piece(NamedTuple):
    """One kind of piece: what it is, which integrals over it are worked, and those of a solid written out."""

    corners: str  # besides the origin
    axes: str
    heading: str
    integrands: tuple[str, ...]  # products of axes; "" is the size of the piece
    terms: Callable[[Any], list[Any]]  # the determinants of the pieces of a solid
    after: Callable[[Any, Known], list[Step]]  # from the sums over pieces to integrals over the volume


def derive_sum(solid: Solid) -> Derivation:
    """The derivation of a polygon's or a mesh's solid."""
    kind = type(solid).__name__
    piece = PIECES[kind]
    m = sympy.Symbol("m", positive=True)
    axis = getattr(solid, "axis", "z")
    turned = f" The axis lies along {axis}: x, y, z are permuted cyclically in what follows the sums." * (axis != "z")
    known: Known = {}
    steps: list[Step] = [(f"Homogeneous. Frame: {solid.frame}.{turned}", ())]
    steps.append((f"**One piece.** {piece.heading}", _one(piece, known)))
    steps.append(_listed(piece, piece.terms(solid), known))
    steps += piece.after(solid, known)
    steps += _sums(solid, m, known)
    return Derivation(f"{kind}: inertia tensor", tuple(steps), solid.with_mass(m), known)


def _one(piece: Piece, known: Known) -> list[Line]:
    """The integrals over one piece, innermost first."""
    variables = sympy.symbols("u v w", real=True)[: len(piece.corners)]
    limits = [(sympy.Integer(0), 1 - sum(variables[:k])) for k in range(len(variables))]
    weights = dict(zip(piece.corners, variables, strict=True))
    point = {a: sum(t * sympy.Symbol(f"{corner}_{a}", real=True) for corner, t in weights.items()) for a in piece.axes}
    nowhere = sympy.Integer(0)  # the integrands below are written with the corners themselves
    region = Region(variables, tuple(limits), (nowhere, nowhere, nowhere), sympy.Symbol("d"))
    over, of = (r"\triangle", "A") if len(piece.corners) == 2 else (r"\Delta", "V")
    lines = []
    for product in piece.integrands:
        factors = [point[axis] for axis in product]
        label = integral(product, of, over)
        (chain,), value, _ = worked([region], label, lambda *_, f=factors: sympy.prod(f), 1)
        known[label.key] = value
        lines.append(Line((*chain.sides, Value(sympy.factor(value)))) if product else chain)
    return lines


def integral(product: str, of: str, over: str = "") -> Written:
    """∫ x² dV, of the whole or of one piece."""
    sign = f"\\int_{{{over}}}" if over else r"\int"
    piece = {r"\triangle": "△", r"\Delta": "Δ"}.get(over, "")
    drawn = f"<msub><mo>∫</mo><mo>{piece}</mo></msub>" if piece else "<mo>∫</mo>"
    powers = {axis: product.count(axis) for axis in dict.fromkeys(product)}
    latex = " ".join(axis + f"^{n}" * (n > 1) for axis, n in powers.items())
    letters = "".join(f"<msup><mi>{axis}</mi><mn>{n}</mn></msup>" if n > 1 else f"<mi>{axis}</mi>"
                      for axis, n in powers.items())  # fmt: skip
    written = f"<mrow>{drawn}{letters}<mi>d</mi><mi>{of}</mi></mrow>"
    return Written(f"∫{piece}{product}d{of}", rf"{sign} {latex}\,d{of}", written)


def _listed(piece: Piece, values: Sequence[Any], known: Known) -> Step:
    """The determinants of all pieces, written out if they are few."""
    divisor = 2 if len(piece.corners) == 2 else 6
    size = Name("A" if divisor == 2 else "V")
    known[size.key] = sum(values[1:], values[0]) / divisor
    count = f"**All pieces.** There are {len(values)}; every integral is the sum over them"
    if len(values) > LISTED:
        return f"{count}, $\\tfrac{{1}}{{{divisor}}} \\sum d$:", (line(size, known[size.key]),)
    names = [Name("d", str(k + 1)) for k in range(len(values))]
    known |= {name.key: v for name, v in zip(names, values, strict=True)}
    each = [line(name, v) for name, v in zip(names, values, strict=True)]
    total = Quotient(Sum(tuple((1, name) for name in names)), Value(divisor))
    return f"{count}:", (*each, line(size, total, known[size.key]))


def _sums(solid: Solid, m: Any, known: Known) -> list[Step]:
    """Volume, centre, tensor about the origin, and the theorem of Huygens and Steiner."""
    volume, first, second = solid.with_density(1).moments
    pairs = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)]
    values = [(integral("xyz"[k], "V"), v) for k, v in enumerate(first)]
    values += [(integral("xyz"[i] + "xyz"[j], "V"), second[i, j]) for i, j in pairs]
    centre = np.array([v / volume for v in first], dtype=object)
    about = tensor_of(second) * (m / volume)
    central = solid.with_mass(m).inertia
    P, at, origin = Name("P", "c"), Name("I", about="C"), Name("I", about="A")
    known |= {label.key: v for label, v in values}
    known |= {"V": volume, "P_c": centre, "C:I": central, "A:I": about, "∫r": first, "∫rr": tensor_of(second)}
    firsts = Written("∫r", r"\int r\,dV", "<mrow><mo>∫</mo><mi>r</mi><mi>d</mi><mi>V</mi></mrow>")
    seconds = Written(
        "∫rr", r"\int \left[(r \cdot r)\,1 - r \otimes r\right] dV",
        "<mrow><mo>∫</mo><mo>[</mo><mo>(</mo><mi>r</mi><mo>·</mo><mi>r</mi><mo>)</mo><mn>1</mn><mo>−</mo>"
        "<mi>r</mi><mo>⊗</mo><mi>r</mi><mo>]</mo><mi>d</mi><mi>V</mi></mrow>",
    )  # fmt: skip
    return [
        ("**The integrals over the volume.**", (line(Name("V"), volume), *(line(label, v) for label, v in values))),
        ("**Centre of mass.**", (line(P, Quotient(Value(1), Name("V")) * firsts, centre),)),
        (
            "**Tensor about the origin of the frame**, of mass m:",
            (line(origin, Quotient(Name("m"), Name("V")) * seconds), line(origin, about)),
        ),
        (
            "**Huygens-Steiner, to the centre of mass.**",
            (line(at, origin - Name("m") * (Inner(P) - Outer(P))), line(at, central)),
        ),
    ]


# ---- the pieces --------------------------------------------------------------------------------------


def _edges(solid: Any) -> list[Any]:
    """a × b of every edge; holes run against the outer loop."""
    return [
        a[0] * b[1] - b[0] * a[1]
        for loop in solid.loops
        for a, b in zip(loop, (*loop[1:], loop[0]), strict=True)
    ]


def _faces(solid: Any) -> list[Any]:
    """det(a, b, c) of every face."""
    mesh = getattr(solid, "_hull", solid)
    a, b, c = (mesh.vertices[mesh.faces[:, k]] for k in range(3))
    return [dot(p, cross(q, r)) for p, q, r in zip(a, b, c, strict=True)]


def _section(solid: Any, products: Sequence[str], axes: str, known: Known) -> list[Line]:
    """The integrals over the section, summed over its triangles."""
    values = {p: moment(solid.loops, p.count(axes[0]), p.count(axes[1])) for p in products}
    known |= {integral(p, "A").key: v for p, v in values.items()}
    return [line(integral(p, "A"), v) for p, v in values.items()]


def _raised(solid: Any, known: Known) -> list[Step]:
    """A prism: the polygon's integrals times the height."""
    h, z = Name("h"), sympy.Symbol("z", real=True)
    height = sympy.Symbol("h", positive=True)
    known["h"] = exactly(solid.height)
    sections = _section(solid, ("x", "y", "xx", "yy", "xy"), "xy", known)
    along = [Integral(z**n, ((z, -height / 2, height / 2),)) for n in range(3)]

    def over(product: str, section: Term, n: int, *more: Term) -> Line:
        label = integral(product, "U") if product else Name("V")  # U: the volume, with its axis along z
        known[label.key] = resolved(Product((section, along[n])).value(known), known)
        return line(label, Product((section, along[n])), *more)

    area = Name("A")
    lines = [over("", area, 0, area * h)]
    lines += [over(p, integral(p, "A"), 0, h * integral(p, "A")) for p in ("x", "y", "xx", "yy", "xy")]
    lines += [over("z", area, 1, Value(0)), over("zz", area, 2, Quotient(Value(height**3), Value(12)) * area)]
    heading = "**Along z**, from −h/2 to h/2; $dU$ is the element of volume with the axis along z:"
    return [("**The section.**", sections), (heading, [line(h, solid.height), *lines])]


def _turned(solid: Any, known: Known) -> list[Step]:
    """A solid of revolution: the section's integrals times those of the angle."""
    t, angle = sympy.Symbol(r"\varphi", real=True), exactly(solid.angle)
    turns = {"": sympy.Integer(1), "c": sympy.cos(t), "s": sympy.sin(t), "cc": sympy.cos(t) ** 2,
             "ss": sympy.sin(t) ** 2, "sc": sympy.sin(t) * sympy.cos(t)}  # fmt: skip
    integrals = {n: Integral(f, ((t, sympy.Integer(0), angle),)) for n, f in turns.items()}
    sections = _section(solid, ("r", "rr", "rz", "rrr", "rrz", "rzz"), "rz", known)
    lines = []
    for product, turn, section in (
        ("", "", "r"), ("x", "c", "rr"), ("y", "s", "rr"), ("z", "", "rz"), ("xx", "cc", "rrr"), ("yy", "ss", "rrr"),
        ("xy", "sc", "rrr"), ("xz", "c", "rrz"), ("yz", "s", "rrz"), ("zz", "", "rzz"),
    ):  # fmt: skip
        label = integral(product, "U") if product else Name("V")
        sides = Product((integrals[turn], integral(section, "A")))
        known[label.key] = sides.value(known)
        lines.append(line(label, sides, known[label.key]))
    return [
        ("**The section.**", sections),
        (
            "**The angle**, from 0 to its end:",
            [line(i, integrate(i.integrand, *i.limits[0])) for i in integrals.values()],
        ),
        (
            r"**Turned about z**: $x = r\cos\varphi$, $y = r\sin\varphi$, $dU = r\,d\varphi\,dA$ (Pappus); "
            "$dU$ is the element of volume with the axis along z.",
            lines,
        ),
    ]


TRIANGLE = (
    "Each edge from $a$ to $b$ spans a triangle with the origin, $u a + v b$ with $dA = d\\,du\\,dv$ and "
    "$d = {d}$; triangles that run clockwise, and holes, count negative."
)
TETRAHEDRON = (
    "Each face $(a, b, c)$ spans a tetrahedron with the origin, $u a + v b + w c$ with $dV = d\\,du\\,dv\\,dw$ and "
    "$d = \\det(a, b, c)$, negative if the origin lies outside that face. $y$ and $z$ go as $x$ does."
)
_OF_FACES = Piece("abc", "xy", TETRAHEDRON, ("", "x", "xx", "xy"), _faces, lambda _solid, _known: [])

PIECES = {
    "Prism": Piece(
        "ab", "xy", TRIANGLE.format(d="a_x b_y - b_x a_y") + " $y$ goes as $x$ does.", ("", "x", "xx", "xy"),
        _edges, _raised,
    ),
    "Revolution": Piece(
        "ab", "rz", TRIANGLE.format(d="a_r b_z - b_r a_z"), ("", "r", "rr", "rz", "rrr", "rrz", "rzz"), _edges, _turned,
    ),
    "Mesh": _OF_FACES,
    "ConvexHull": _OF_FACES,
}  # fmt: skip
