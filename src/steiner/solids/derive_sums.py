"""Derivations of solids that are sums: the integrals of one triangle or tetrahedron, then all of them together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import sympy

from steiner.inertia import tensor_of
from steiner.solids.base import Solid
from steiner.solids.derive import Region, integrate, short, tex, worked
from steiner.spatial import cross, dot
from steiner.text.steps import Derivation

Step = tuple[str, tuple[str, ...]]
LISTED = 12  # pieces that are written out one by one


class Piece(NamedTuple):
    """One kind of piece: what it is, which integrals over it are worked, and those of a solid written out."""

    corners: str  # besides the origin
    axes: str
    heading: str
    integrands: tuple[str, ...]  # products of axes; "" is the size of the piece
    terms: Callable[[Any], list[Any]]  # the determinants of the pieces of a solid
    after: Callable[[Any], list[Step]]  # from the sums over pieces to integrals over the volume


def derive_sum(solid: Solid) -> Derivation:
    """The derivation of a polygon's or a mesh's solid."""
    kind = type(solid).__name__
    piece = PIECES[kind]
    m = sympy.Symbol("m", positive=True)
    axis = getattr(solid, "axis", "z")
    turned = f" The axis lies along {axis}: x, y, z are permuted cyclically in what follows the sums." * (axis != "z")
    steps: list[Step] = [(f"Homogeneous. Frame: {solid.frame}.{turned}", ())]
    steps.append((f"**One piece.** {piece.heading}", tuple(_one(piece))))
    steps.append(_listed(piece, piece.terms(solid)))
    steps += piece.after(solid)
    body = solid.with_mass(m)
    steps += _sums(solid, m)
    return Derivation(f"{kind}: inertia tensor", tuple(steps), body)


def _one(piece: Piece) -> list[str]:
    """The integrals over one piece, innermost first."""
    variables = sympy.symbols("u v w", real=True)[: len(piece.corners)]
    limits = [(sympy.Integer(0), 1 - sum(variables[:k])) for k in range(len(variables))]
    weights = dict(zip(piece.corners, variables, strict=True))
    point = {a: sum(t * sympy.Symbol(f"{corner}_{a}", real=True) for corner, t in weights.items()) for a in piece.axes}
    nowhere = sympy.Integer(0)  # the integrands below are written with the corners themselves
    region = Region(variables, tuple(limits), (nowhere, nowhere, nowhere), sympy.Symbol("d"))
    name = r"\triangle" if len(piece.corners) == 2 else r"\Delta"
    differential = r"\,dA" if len(piece.corners) == 2 else r"\,dV"
    lines = []
    for product in piece.integrands:
        factors = [point[axis] for axis in product]
        chain, value = worked(
            [region], rf"\int_{{{name}}} {_power(product)}{differential}", lambda *_, f=factors: sympy.prod(f), 1
        )
        lines += [*chain[:-1], f"{chain[-1]} = {tex(sympy.factor(value))}"] if product else chain
    return lines


def _power(product: str) -> str:
    """rrz as r²z."""
    return " ".join(axis + (f"^{n}" if (n := product.count(axis)) > 1 else "") for axis in dict.fromkeys(product))


def _listed(piece: Piece, values: Sequence[Any]) -> Step:
    """The determinants of all pieces, written out if they are few."""
    divisor = 2 if len(piece.corners) == 2 else 6
    size = "A" if divisor == 2 else "V"
    count = f"**All pieces.** There are {len(values)}; every integral is the sum over them"
    total = short(sum(values[1:], values[0]) / divisor)
    if len(values) > LISTED:
        return f"{count}.", (rf"{size} = \sum \tfrac{{d}}{{{divisor}}} = {total}",)
    lines = [", \\quad ".join(f"d_{{{k + 1}}} = {short(v)}" for k, v in enumerate(values))]
    names = " + ".join(f"d_{{{k + 1}}}" for k in range(len(values)))
    return f"{count}:", (*lines, rf"{size} = \tfrac{{1}}{{{divisor}}}\left({names}\right) = {total}")


def _sums(solid: Solid, m: Any) -> list[Step]:
    """Volume, centre, tensor about the origin, and the theorem of Huygens and Steiner."""
    volume, first, second = solid.with_density(1).moments
    pairs = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)]
    squares = ", \\quad ".join(
        rf"\int {_power('xyz'[i] + 'xyz'[j])}\,dV = {short(second[i, j])}" for i, j in pairs
    )
    firsts = ", \\quad ".join(rf"\int {a}\,dV = {short(v)}" for a, v in zip("xyz", first, strict=True))
    centre = [v / volume for v in first]
    about = tensor_of(second) * (m / volume)
    central = solid.with_mass(m).inertia
    return [
        ("**The integrals over the volume.**", (f"V = {short(volume)}", firsts, squares)),
        ("**Centre of mass.**", (rf"P_c = \tfrac{{1}}{{V}} \int r\,dV = {_matrix(centre, 1)}",)),
        (
            "**Tensor about the origin of the frame**, of mass m:",
            (
                r"{}^A I = \tfrac{m}{V} \int \left[(r \cdot r)\,1 - r \otimes r\right] dV",
                f"{{}}^A I = {_matrix(about.ravel(), 3)}",
            ),
        ),
        (
            "**Huygens-Steiner, to the centre of mass.**",
            (
                r"{}^C I = {}^A I - m\left[(P_c \cdot P_c)\,1 - P_c \otimes P_c\right]",
                f"{{}}^C I = {_matrix(central.ravel(), 3)}",
            ),
        ),
    ]


def _matrix(values: Iterable[Any], columns: int) -> str:
    return tex(sympy.Matrix(3, columns, [short(v, True) for v in values]))


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


def _raised(solid: Any) -> list[Step]:
    """A prism: the polygon's integrals times the height."""
    h = short(solid.height)
    return [
        (
            f"**Along z**, from −h/2 to h/2, with h = {h}:",
            (
                r"V = \int dA \int_{-h/2}^{h/2} dz = A h, \quad \int x\,dV = h \int x\,dA, \quad "
                r"\int x^2\,dV = h \int x^2\,dA, \quad \int xy\,dV = h \int xy\,dA",
                r"\int z\,dV = \int dA \int_{-h/2}^{h/2} z\,dz = 0, \quad "
                r"\int z^2\,dV = \int dA \int_{-h/2}^{h/2} z^2\,dz = \tfrac{h^3}{12} A",
            ),
        )
    ]


def _turned(solid: Any) -> list[Step]:
    """A solid of revolution: the section's integrals times those of the angle."""
    t, angle = sympy.Symbol(r"\varphi", real=True), sympy.sympify(solid.angle)
    turns = {"": 1, r"\cos\varphi": sympy.cos(t), r"\sin\varphi": sympy.sin(t), r"\cos^2\varphi": sympy.cos(t) ** 2,
             r"\sin^2\varphi": sympy.sin(t) ** 2, r"\sin\varphi\cos\varphi": sympy.sin(t) * sympy.cos(t)}  # fmt: skip
    end = short(angle)
    lines = [
        rf"\int_0^{{{end}}} {name}\,d\varphi = {short(integrate(sympy.sympify(f), t, sympy.Integer(0), angle))}"
        for name, f in turns.items()
    ]
    return [
        ("**The angle**, from 0 to its end:", tuple(lines)),
        (
            r"**Turned about z**: $x = r\cos\varphi$, $y = r\sin\varphi$, $dV = r\,d\varphi\,dA$ (Pappus).",
            (
                r"V = \int d\varphi \int r\,dA, \quad \int x\,dV = \int \cos\varphi\,d\varphi \int r^2\,dA, \quad "
                r"\int z\,dV = \int d\varphi \int r z\,dA",
                r"\int x^2\,dV = \int \cos^2\varphi\,d\varphi \int r^3\,dA, \quad "
                r"\int xy\,dV = \int \sin\varphi\cos\varphi\,d\varphi \int r^3\,dA",
                r"\int xz\,dV = \int \cos\varphi\,d\varphi \int r^2 z\,dA, \quad "
                r"\int z^2\,dV = \int d\varphi \int r z^2\,dA",
            ),
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
_OF_FACES = Piece("abc", "xy", TETRAHEDRON, ("", "x", "xx", "xy"), _faces, lambda _solid: [])

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
