"""Lessons of the manual: what the decks and the paper derive beside bodies and arms, each line made of what "
"the package says.

A lesson is a `Derivation`: the left sides are written here, the right ones come from the package, and a test evaluates
every line.
"""

from __future__ import annotations

import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import sympy as sp  # noqa: TID251  # the letters of the decks

import steiner as st
from steiner.formulas.examples import EXAMPLES
from steiner.solids.terms import Name, Product, Sum, Term, Transposed, Value
from steiner.solids.working import Line, line
from steiner.spatial import Ad, ad, skew
from steiner.text.steps import Derivation, Step

EXAMPLE_FILES = Path(__file__).parent.parent / "examples"
alpha, gamma, delta = sp.symbols("alpha gamma delta", real=True)
m = sp.Symbol("m", positive=True)


def times(*factors: Any) -> Product:
    """Factors side by side."""
    return Product(tuple(f if isinstance(f, Term) else Value(f) for f in factors))


def tidied(value: Any) -> Any:
    """An array of expressions, each simplified."""
    return np.array([sp.trigsimp(sp.expand(sp.sympify(v))) for v in np.ravel(value)], dtype=object).reshape(
        np.shape(value)
    )


# ---- decks 000 and 001 -------------------------------------------------------------------------------------


def axis() -> Derivation:
    """The moment about any axis, angular momentum, principal axes (000, 001)."""
    w, l, h = sp.symbols("w l h", positive=True)
    direction = np.array(sp.symbols("lambda_x lambda_y lambda_z", real=True), dtype=object)
    omega = np.array(sp.symbols("omega_x omega_y omega_z", real=True), dtype=object)
    corner = st.Limits(("z", 0, h), ("y", 0, l), ("x", 0, w)).with_mass(m)
    tensor = corner.inertia_about((0, 0, 0))
    entries = {f"I_{'xyz'[i]}{'xyz'[j]}": tensor[i, j] * (1 if i == j else -1) for i in range(3) for j in range(i, 3)}
    I, L, H, lam = Name("I"), Name("I", "OL"), Name("H"), Name("lambda")
    xx, yy, zz, xy, yz, xz = (sp.Symbol(f"I_{e}") for e in ("xx", "yy", "zz", "xy", "yz", "xz"))
    x, y, z = direction
    written = xx * x**2 + yy * y**2 + zz * z**2 - 2 * xy * x * y - 2 * yz * y * z - 2 * xz * z * x
    cube = st.Box(w, w, w).with_mass(m)
    diagonal = np.array([1, 1, 1], dtype=object) / sp.sqrt(3)
    plate = st.Plate(w, l).with_mass(m)
    spin = np.array([0, 0, omega[2]], dtype=object)
    turned = st.Box(w, l, h).at(rpy=(0, 0, alpha)).with_mass(m)
    known = {I.key: tensor, lam.key: direction, **entries, L.key: sp.expand(direction @ tensor @ direction)}
    box = st.Box(w, l, h).with_mass(m)
    momentum = tidied(box.angular_momentum(omega))
    steps: list[Step] = [
        ("The tensor of a box about its corner, with −∫xy dm off the diagonal:", [line(I, tensor)]),
        (
            "**About any axis** through that corner, along the unit vector $\\lambda$; $I_{xy} = \\int xy\\,dm$ "
            "are the "
            "products, which stand with a minus in the tensor:",
            [line(L, Product((Transposed(lam), I, lam)), written)],
        ),
        (
            "**The cube about its space diagonal**: as about any other axis through its centre.",
            [
                Line(
                    (
                        Name("I", "d"),
                        times(Transposed(Value(diagonal)), cube.inertia, diagonal),
                        Value(sp.simplify(cube.moment_about(diagonal, through=(0, 0, 0)))),
                    )
                )
            ],
        ),
        (
            "**Angular momentum** $H = I \\omega$ about the centre of mass. A plate that spins in its plane: H "
            "is parallel "
            "to ω.",
            [Line((Name("H", "p"), times(plate.inertia, spin), Value(tidied(plate.angular_momentum(spin)))))],
        ),
        (
            "A box about its principal axes, in space: each component with its own moment, so H is in general not "
            "parallel to ω.",
            [Line((H, times(box.inertia, omega), Value(momentum)))],
        ),
        (
            "The same box turned by α about z and spinning about x: a product of inertia appears, and with it a "
            "component of H along y.",
            [
                line(Name("I'"), tidied(turned.inertia)),
                Line(
                    (
                        Name("H'"),
                        times(Name("I'"), np.array([omega[0], 0, 0], dtype=object)),
                        Value(tidied(turned.angular_momentum(np.array([omega[0], 0, 0], dtype=object)))),
                    )
                ),
            ],
        ),
        (
            "**Principal axes** are those in which the products vanish; for the turned box they are its own edges, "
            "and the principal moments do not know of α.",
            [line(Name("I", "1"), sp.factor(box.principal()[0][0]))],
        ),
    ]
    known |= {
        "I_d": m * w**2 / 6,
        "H_p": plate.inertia @ spin,
        "H": momentum,
        "I'": turned.inertia,
        "H'": turned.inertia @ np.array([omega[0], 0, 0], dtype=object),
        "I_1": m * (h**2 + l**2) / 12,
    }
    return Derivation("Moments about any axis, and angular momentum", tuple(steps), known=known)


# ---- the paper ---------------------------------------------------------------------------------------------


def rotations() -> Derivation:
    """The sequence of rotations and the tensor carried to the link's axes: eqs 14-26."""
    x, y, z = sp.symbols("x_ml y_ml z_ml", real=True)
    A, Ag, Aa, Ad_ = Name("A", "o"), Name("A", "gamma"), Name("A", "alpha"), Name("A", "delta")
    single = {
        k: st.Pose.from_rpy((0, 0, 0), angles).R
        for k, angles in {Ag.key: (gamma, 0, 0), Aa.key: (0, alpha, 0), Ad_.key: (0, 0, delta)}.items()
    }
    whole = tidied(st.Pose.from_rpy((0, 0, 0), (gamma, alpha, delta)).R)
    special = st.Pose.from_rpy((0, 0, 0), (gamma, 0, delta))
    local = np.array([x, y, z], dtype=object)
    r = special.apply(local)
    integrand = tidied((r @ r) * np.eye(3, dtype=int) - np.outer(r, r))
    s_g, c_g, s_d, c_d = sp.sin(gamma), sp.cos(gamma), sp.sin(delta), sp.cos(delta)
    across, up = c_g * y - s_g * z, s_g * y + c_g * z
    written = {  # eq. 26 with the signs of X7
        "a": s_d * (s_d * x + 2 * c_d * across) * x + c_d**2 * across**2 + up**2,
        "b": -s_d * c_d * (x**2 - across**2) - x * (c_d**2 - s_d**2) * across,
        "c": c_d * (c_d * x - 2 * s_d * across) * x + s_d**2 * across**2 + up**2,
        "d": -s_d * (s_g * c_g * (z**2 - y**2) + y * z * (s_g**2 - c_g**2)) - c_d * up * x,
        "e": -c_d * (s_g * c_g * (y**2 - z**2) + y * z * (c_g**2 - s_g**2)) - s_d * up * x,
        "f": (c_d * x - s_d * across) ** 2 + (s_d * x + c_d * across) ** 2,
    }
    places = {"a": (0, 0), "b": (1, 0), "c": (1, 1), "d": (2, 0), "e": (2, 1), "f": (2, 2)}
    a, b, h = sp.symbols("a_ip b_ip h_ip", positive=True)
    body = st.Box(a, b, h).with_mass(m)
    moved = body.moved(st.Pose.from_rpy((0, 0, 0), (0, alpha, 0)))
    known: dict[str, Any] = {
        **single,
        A.key: whole,
        "r_m": r,
        "I": body.inertia,
        "I'": tidied(moved.inertia),
        "q": integrand,
    } | {k: integrand[at] for k, at in places.items()}
    lower = np.array([[sp.Symbol(k) for k in row] for row in ("abd", "bce", "def")], dtype=object)
    steps: list[Step] = [
        (
            "**Rotations** about fixed axes: γ about x first, then α about y, then δ about z (eqs 14-16).",
            [line(name, single[name.key]) for name in (Ag, Aa, Ad_)],
        ),
        (
            "**In sequence** they take coordinates of an element to those of its link (eqs 15, 17). Angles of a "
            "URDF, roll, pitch "
            "and yaw, are the same three.",
            [line(A, Product((Ad_, Aa, Ag))), line(A, whole)],
        ),
        (
            "**A point** of the part, in the axes of the link (eqs 23, 24), here with α = 0:",
            [line(Name("r", "m"), times(tidied(special.R), local), tidied(r))],
        ),
        (
            "**The integrand** of the tensor (eq. 22) with that point in it, entry by entry (eq. 25):",
            [line(Name("q"), Value(lower))],
        ),
        (
            "Its entries (eq. 26). The paper prints the terms with $x$ of b, d and e with the other sign; a "
            "part with "
            "$\\int xy\\,dm \\neq 0$ tells which is right.",
            [line(Name(k), value) for k, value in written.items()],
        ),
        (
            "**The same for a homogeneous part**: its tensor in its own convenient axes, then turned (the decks' "
            "I′ = R I Rᵀ). A cuboid, turned by α about y:",
            [
                line(Name("I"), body.inertia),
                line(Name("I'"), Product((Aa, Name("I"), Transposed(Aa)))),
                line(Name("I'"), tidied(moved.inertia)),
            ],
        ),
    ]
    return Derivation("Rotations, and the tensor in the link's axes", tuple(steps), known=known)


def payload() -> Derivation:
    """The manipulated object: eqs 28-34, and what it adds to the arm."""
    a, b, w, mp, wd = sp.symbols("a b w_p m_p l_2", positive=True)
    xp, yp, zp = sp.symbols("x_p y_p z_p", real=True)
    A, point = Name("A", "alpha"), np.array([xp, yp, zp], dtype=object)
    pose = st.Pose.from_rpy((0, 0, 0), (0, alpha, 0))
    cube = st.Box(w, w, w).with_mass(mp)
    points = {"1": (a, 0, 0), "2": (0, 0, b), "3": (a, 0, b)}
    arm = EXAMPLES["rr"]()
    q = sp.symbols("theta_1 theta_2", real=True)
    loaded = arm.with_payload(cube, pose=st.Pose.from_rpy((wd, 0, 0)))
    last = arm.link_names[-1]
    J = tidied(arm.jacobian(q, last, frame="aligned", point=(wd, 0, 0)))
    added = tidied(loaded.mass_matrix(q) - arm.mass_matrix(q))
    rates = np.array(sp.symbols("u_1 u_2", real=True), dtype=object)
    turned = tidied(cube.moved(pose).inertia)
    known: dict[str, Any] = {
        A.key: pose.R,
        "r_n": pose.apply(point),
        "I_p": cube.inertia,
        "I'_p": turned,
        "J_v": J[3:],
        "J_omega": J[:3],
        "M_p": added,
        "K_p": sp.expand(rates @ added @ rates) / 2,
        "m_p": mp,
        **{f"P_{k}": pose.apply(np.array(p, dtype=object)) for k, p in points.items()},
    }
    Jv, Jw, I = Name("J", "v"), Name("J", "omega"), Name("I", "p")
    steps: list[Step] = [
        (
            "**The object's frame** is turned by α about y against that of the last link (eqs 30-32):",
            [line(A, pose.R), line(Name("r", "n"), Product((A, Value(point))), pose.apply(point))],
        ),
        (
            "**Points** of the object in the axes of the last link (eq. 33):",
            [
                line(
                    Name("P", k), Product((A, Value(np.array(p, dtype=object)))), pose.apply(np.array(p, dtype=object))
                )
                for k, p in points.items()
            ],
        ),
        (
            "**The tensor of a cube** of side $w_p$ along the axes of the last link: the same however it is "
            "turned (eqs 29, 34; "
            "the paper's “hexagon” is a cube).",
            [line(I, cube.inertia), line(Name("I'", "p"), Product((A, I, Transposed(A))), turned)],
        ),
        (
            "**What it adds to an arm** of two bars that holds it at the tip, $l_2$ from the second joint: the "
            "motion of its centre and its "
            "turning, by the Jacobians of that point.",
            [line(Jv, J[3:]), line(Jw, J[:3])],
        ),
        (
            "**To the mass matrix**, which is that of the arm with the object less that without:",
            [
                line(
                    Name("M", "p"),
                    Sum(((1, Product((Name("m", "p"), Transposed(Jv), Jv))), (1, Product((Transposed(Jw), I, Jw))))),
                ),
                line(Name("M", "p"), added),
            ],
        ),
        (
            "**And to the kinetic energy**, ½ m |v|² + ½ ωᵀ I ω, at the rates u of the joints:",
            [line(Name("K", "p"), times(sp.Rational(1, 2), Transposed(Value(rates)), Name("M", "p"), rates))],
        ),
    ]
    return Derivation("The manipulated object", tuple(steps), known=known)


# ---- deck 003 ----------------------------------------------------------------------------------------------


def one_body() -> Derivation:
    """Newton and Euler of one body, twists and wrenches, in two frames."""
    body = st.Box(0.3, 0.2, 0.1).with_mass(2)
    V = np.array([1, -2, 0.5, 0.2, 0.1, -0.3])
    dV = np.array([0.4, 0.3, -1, 1, 0, 0.5])
    rigid = st.RigidBody(body)
    F = rigid.inverse(V, dV)
    T = st.Pose.from_rpy((0.1, -0.2, 0.3), (0.2, 0.4, -0.1))  # where {b} stands in {a}
    there = rigid.moved(T)
    V_a, dV_a = Ad(T) @ V, Ad(T) @ dV
    F_a = there.inverse(V_a, dV_a)
    G = Name("G", "b")
    turn = Name("Ad", "T")
    known: dict[str, Any] = {
        "V_b": V,
        "G_b": body.spatial,
        "F_b": F,
        "f": F[3:],
        "n": F[:3],
        "I": body.inertia,
        "A_b": dV,
        "ad_V": ad(V),
        "Ad_T": Ad(T.inverse()),
        "G_a": there.body.spatial,
        "F_a": F_a,
        "V_a": V_a,
        "K": rigid.kinetic_energy(V),
        "m": 2.0,
    }
    half = Value(sp.Rational(1, 2))
    Fb, Vb, dVb, Fa, Va = Name("F", "b"), Name("V", "b"), Name("A", "b"), Name("F", "a"), Name("V", "a")
    steps: list[Step] = [
        (
            "A box of 2 kg, 0.3 × 0.2 × 0.1 m, with {b} at its centre. **Its twist** $V_b$ and the rate $A_b$ "
            "of it, angular part "
            "first.",
            [line(Vb, V), line(dVb, dV)],
        ),
        (
            "**Newton** in the body's frame, f = m (v̇ + ω × v), and **Euler**, n = I ω̇ + ω × I ω:",
            [
                line(Name("f"), times(2, Sum(((1, Value(dV[3:])), (1, times(skew(V[:3]), V[3:]))))), F[3:]),
                line(
                    Name("n"),
                    Sum(((1, times(body.inertia, dV[:3])), (1, times(skew(V[:3]), body.inertia, V[:3])))),
                    F[:3],
                ),
            ],
        ),
        (
            "**Both in one**: $F_b = G_b A_b - ad_V^T G_b V_b$, with the spatial inertia G (the slide's last "
            "step has lost the "
            "minus).",
            [
                line(G, body.spatial),
                line(Name("ad", "V"), ad(V)),
                line(Fb, Product((G, dVb)) - Product((Transposed(Name("ad", "V")), G, Vb)), F),
            ],
        ),
        (
            "**In another frame {a}**: inertia and wrench with $Ad_T$, T where {a} stands in {b}; energy does "
            "not change.",
            [
                line(turn, Ad(T.inverse())),
                line(Name("G", "a"), Product((Transposed(turn), G, turn))),
                line(Name("G", "a"), there.body.spatial),
                line(Fa, Product((Transposed(turn), Fb)), F_a),
            ],
        ),
        (
            "**Kinetic energy** by either:",
            [
                line(
                    Name("K"),
                    Product((half, Transposed(Vb), G, Vb)),
                    Product((half, Transposed(Va), Name("G", "a"), Va)),
                    rigid.kinetic_energy(V),
                )
            ],
        ),
    ]
    return Derivation("One rigid body: twists and wrenches", tuple(steps), known=known)


def apple() -> Derivation:
    """The hand and the apple, line by line as on the slide."""
    told = runpy.run_path(str(EXAMPLE_FILES / "hand_and_apple.py"))
    F_h, F_a, F_f = (told[k].vector for k in ("F_h", "F_a", "F_f"))
    T_hf, T_af = told["T_hf"], told["T_af"]
    hf, af = Name("T", "hf"), Name("T", "af")
    lifts = Name("Ad", "hf"), Name("Ad", "af")
    known: dict[str, Any] = {
        "F_h": F_h,
        "F_a": F_a,
        "F_f": F_f,
        hf.key: T_hf.matrix,
        af.key: T_af.matrix,
        lifts[0].key: Ad(T_hf),
        lifts[1].key: Ad(T_af),
    }
    whole = Product((Transposed(lifts[0]), Name("F", "h"))) + Product((Transposed(lifts[1]), Name("F", "a")))
    steps: list[Step] = [
        (
            "A hand of 0.5 kg holds an apple of 0.1 kg; g = 10 m/s², as the slide has it. What does the sensor "
            "between arm and "
            "hand feel? Three frames: {f} at the sensor, {h} at the centre of the hand, 0.10 m away, {a} at the "
            "apple, 0.15 m further. "
            "**The weights**, each in its own frame, moments first:",
            [line(Name("F", "h"), F_h), line(Name("F", "a"), F_a)],
        ),
        ("**Where the sensor stands** in those frames:", [line(hf, T_hf.matrix), line(af, T_af.matrix)]),
        ("**Their adjoints**:", [line(lifts[0], Ad(T_hf)), line(lifts[1], Ad(T_af))]),
        (
            "**The sum at the sensor**, $F_f = Ad_{hf}^T F_h + Ad_{af}^T F_a$: −0.75 N m about z and −6 N along y.",
            [
                line(
                    Name("F", "f"),
                    whole,
                    Sum(
                        (
                            (1, Value(told["F_h"].in_frame(told["f"]).vector)),
                            (1, Value(told["F_a"].in_frame(told["f"]).vector)),
                        )
                    ),
                    F_f,
                )
            ],
        ),
    ]
    return Derivation("A hand and an apple", tuple(steps), known=known)


def statics() -> Derivation:
    """Joint torques of an arm at rest that pushes: τ = Jᵀ F."""
    arm = EXAMPLES["rr"]()
    q = np.array(sp.symbols("theta_1 theta_2", real=True), dtype=object)
    n, fx, fy = sp.symbols("n_z f_x f_y", real=True)
    l2 = sp.Symbol("l_2", positive=True)
    last, tip = arm.link_names[-1], (l2, 0, 0)
    J = tidied(arm.jacobian(q, last, frame="aligned", point=tip))
    push = st.Wrench((0, 0, n), (fx, fy, 0), acting_on=last, at=tip)
    torque = tidied(arm.static_torque(q, exerted_by_robot=push, gravity=False))
    held = tidied(arm.static_torque(q, external=push, gravity=False))
    F = Name("F")
    known: dict[str, Any] = {"J": J, "F": push.vector, "tau": torque, "tau_env": held}
    steps: list[Step] = [
        (
            "**Power at the joints** is the power that moves the arm and the power at its tip; at rest only the "
            "latter is left, so "
            "τᵀ q̇ = Fᵀ V = Fᵀ J q̇ for every q̇. The Jacobian of the tip of two bars, $l_2$ from the second "
            "joint, angular part first:",
            [line(Name("J"), J)],
        ),
        (
            "**The wrench** that the arm exerts there, along the world's axes: a moment about z and a force.",
            [line(F, push.vector)],
        ),
        (
            "**The torques**, without those that hold the arm's own weight:",
            [line(Name("tau"), Product((Transposed(Name("J")), F))), line(Name("tau"), torque)],
        ),
        (
            "**Held against** the same wrench, exerted by the environment on the arm, the motors give the opposite:",
            [line(Name("tau", "env"), times(-1, Transposed(Name("J")), F), held)],
        ),
    ]
    return Derivation("Statics: torques of an arm that pushes", tuple(steps), known=known)


LESSONS: dict[str, Callable[[], Derivation]] = {
    "axis": axis,
    "rotations": rotations,
    "payload": payload,
    "one_body": one_body,
    "apple": apple,
    "statics": statics,
}
