"""The small tables: materials, gallery, derivations, terms, targets of export, doors; a new line gets these tests."""

from __future__ import annotations

import importlib
import inspect
import pickle
import pkgutil
import warnings
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

import steiner
import steiner as st
from steiner import dynamics as dy
from steiner import scalar
from steiner.doors import ALGORITHM, DOORS, opened
from steiner.errors import ModelWarning, SteinerError
from steiner.formulas.derivations import METHODS
from steiner.formulas.examples import rp, rr
from steiner.formulas.terms import TERMS, usual
from steiner.kernels.export import TARGETS, export
from steiner.materials import ALIASES, MATERIALS, Material, material
from steiner.model.friction import FRICTIONS, Friction
from steiner.model.joint_types import JOINTS
from steiner.model.joints import Joint
from steiner.robots import GALLERY, build
from steiner.solids.compound import Compound, Placed
from steiner.solids.derivations import DERIVATIONS
from steiner.solids.hollow import Hollow
from steiner.solids.shapes import SOLIDS, Solid
from tests.c_programs import GCC, call, library
from tests.comparing import close, five_point, floats
from tests.js_programs import NODE, run
from tests.random_robots import random_state

# ---- public classes --------------------------------------------------------------------------------


@pytest.mark.parametrize(  # a solid of a CAD file has no formula, and so no row
    ("base", "table"),
    [(Solid, [*SOLIDS, st.Cad]), (Joint, JOINTS.values()), (Friction, FRICTIONS.values())],
    ids=["solids", "joints", "frictions"],
)
def test_what_is_in_a_table_is_public_and_what_is_public_is_in_a_table(base, table):
    public = [getattr(st, name) for name in st.__all__]
    assert {cls for cls in public if inspect.isclass(cls) and issubclass(cls, base)} == set(table)


# ---- materials -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MATERIALS)
def test_a_material_is_found_however_it_is_spelled(name):
    own = MATERIALS[name]
    assert own.name == name and isinstance(own, Material) and material(own) is own
    for spelled in (name, name.upper(), name.replace(" ", "_"), f" {name.replace('-', ' ')} "):
        assert material(spelled) is own
    assert material(name.replace("aluminium", "aluminum")) is own
    box = st.Box(0.1, 0.2, 0.3)
    assert box.of(name).mass == pytest.approx(own.density * 0.006, rel=1e-14)
    assert st.Part("block", box, material=name).signed.mass == box.of(name).mass


def test_aliases_are_other_words_for_materials():
    assert not ALIASES.keys() & MATERIALS.keys()
    for alias, name in ALIASES.items():
        assert material(alias) is material(alias.upper()) is MATERIALS[name]


# ---- gallery: what publications say is in test_robots ----------------------------------------------


@pytest.mark.parametrize("name", GALLERY)
def test_a_robot_of_the_gallery_obeys_the_laws(name):
    robot = build(name)
    q, qd, qdd = random_state(robot, 3)
    M, tau = floats(dy.mass_matrix(robot, q)), floats(dy.inverse_dynamics(robot, q, qd, qdd))
    assert close(M, dy.mass_matrix_by_jacobians(robot, q), 1e-11)
    C, g, F = (floats(f) for f in (dy.coriolis_matrix(robot, q, qd), dy.gravity_forces(robot, q),
                                   dy.friction_forces(robot, q, qd)))  # fmt: skip
    assert close(tau, M @ qdd + C @ qd + g + F, 1e-11)
    assert close(dy.forward_dynamics(robot, q, qd, tau), qdd, 1e-13 * np.linalg.cond(M))
    slopes = five_point(lambda x: dy.potential_energy(robot, x), q)
    assert np.abs(slopes - g).max() <= 1e-8 * max(1, np.abs(g).max())
    again = pickle.loads(pickle.dumps(robot))
    assert np.array_equal(floats(dy.inverse_dynamics(again, q, qd, qdd)), tau) and again.source == robot.source


@pytest.mark.parametrize("name", GALLERY)
def test_a_robot_of_the_gallery_goes_through_a_file(name, tmp_path):
    robot = build(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)  # rotors, and friction that a URDF cannot hold
        st.save(robot, tmp_path / "robot.urdf")
        again = st.load(tmp_path / "robot.urdf", snap=False).replace(gravity=robot.gravity)
    q, qd, _ = random_state(robot, 4)
    assert again.joint_names == robot.joint_names
    assert close(dy.bias_forces(again, q, qd), dy.bias_forces(robot, q, qd), 1e-11)
    ours, theirs = dy.forward_kinematics(again, q), dy.forward_kinematics(robot, q)
    assert all(close(ours[link].matrix, theirs[link].matrix, 1e-11) for link in robot.link_names)


# ---- derivations -----------------------------------------------------------------------------------

PLATE = st.Box(0.3, 0.2, 0.1)
COMPOSED = {  # kinds that are no shapes
    Compound: PLATE - st.Cylinder(0.03, 0.1), Placed: PLATE.at(xyz=(1, 0, 0)),
    Hollow: st.Box(0.1, 0.2, 0.3).hollow(0.01),
}  # fmt: skip
SHAPES = {cls: cls.example() for cls in SOLIDS}


@pytest.mark.parametrize("kind", DERIVATIONS, ids=lambda kind: kind.__name__)
def test_a_kind_of_derivation_is_that_of_a_solid(kind, monkeypatch):
    """Some solid comes to this row; that shapes end at their closed form is in test_solids_contract."""
    monkeypatch.setitem(DERIVATIONS, kind, lambda solid: (kind, solid))
    solids = (COMPOSED | SHAPES).values()
    nearest = [x for x in solids if next(k for k in type(x).__mro__ if k in DERIVATIONS) is kind]
    assert nearest and nearest[0].derivation() == (kind, nearest[0])


def test_the_derivation_of_a_composed_solid_ends_at_its_closed_form():
    assert COMPOSED.keys() <= DERIVATIONS.keys()
    derivation, solid = COMPOSED[Compound].derivation(), COMPOSED[Compound]
    worked = sp.Matrix(derivation.result.inertia).subs(sp.Symbol("rho", positive=True), 2700)
    assert close(worked.tolist(), solid.with_density(2700).inertia, 1e-12)
    assert all(f"{x:.6g}".partition("e")[0] in derivation.markdown() for x in np.diag(solid.with_density(1).inertia))
    own, moved = PLATE.derivation(), COMPOSED[Placed].derivation()  # its own integrals, and where it has come to lie
    assert moved.title.startswith(own.title) and own.markdown().partition("\n")[2].strip() in moved.markdown()
    about = sp.Matrix(moved.known["0:I"]).subs(sp.Symbol("m", positive=True), 2)
    assert close(about.tolist(), COMPOSED[Placed].with_mass(2.0).inertia_about((0, 0, 0)), 1e-12)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("example", [rr, rp], ids=lambda f: f.__name__)
def test_a_derivation_of_the_equations_ends_at_the_equations(method, example):
    eq = st.equations(example())
    document = eq.derivation(method)
    assert set(eq.document("tau", proof=False).formulas()) <= set(document.formulas())
    assert "agree: " in document.markdown() and eq.proof.holds
    assert len(document.formulas()) > 10


# ---- terms -----------------------------------------------------------------------------------------


def sagging() -> st.Robot:
    """Two joints with numbers, friction and a rotor."""
    robot = build("desk")
    return robot.locked({robot.joint_names[-1]: 0.4})


@pytest.mark.parametrize("name", TERMS)
def test_a_term_is_one_thing_in_formulas_sequences_and_programs(name):
    term, robot = TERMS[name], sagging()
    state = dict(zip(("q", "qd", "qdd"), random_state(robot, 5), strict=True))
    arguments = [state[array] for array in term.arrays]
    expected = floats(term.algorithm(robot, *arguments))
    eq = st.equations(robot)
    symbols = {"q": eq.q, "qd": eq.qd, "qdd": eq.qdd}
    values = {s: x for array, row in symbols.items() for s, x in zip(row, state[array], strict=True)}
    for formula in (getattr(eq, name), eq.expanded(name)):
        found = formula.subs(values)
        found = np.array(found.tolist() if hasattr(found, "tolist") else found, dtype=float)
        assert close(found.reshape(expected.shape), expected, 1e-10)
    program: dict = {}
    for text in (eq.python(name), eq.sequence(name).python()):
        exec(text, program)
        found = floats(program[term.name](*(a.tolist() for a in arguments)))
        assert close(found.reshape(expected.shape), expected, 1e-10)
    assert term.meaning in eq.python(name) and term.meaning in eq.c(name)
    assert term.letter in eq.latex(name) or (term.entry and term.entry in eq.latex(name))


def test_terms_are_told_apart():
    assert len({term.name for term in TERMS.values()}) == len({term.title for term in TERMS.values()}) == len(TERMS)
    assert set(usual(sagging())) <= TERMS.keys() and "F" in usual(sagging())


# ---- targets of export -----------------------------------------------------------------------------


def run_c(live, state, shape, folder):
    if GCC is None:
        pytest.skip("no C compiler on this machine")
    return call(library(live, folder), state, [shape])[0]


def run_casadi(live, state, shape, folder):
    return np.array(live(*state)).reshape(shape)


def run_jax(live, state, shape, folder):
    import jax

    was = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    try:
        return np.asarray(live(*state))
    finally:
        jax.config.update("jax_enable_x64", was)


def run_js(live, state, shape, folder):
    if NODE is None:
        pytest.skip("no Node on this machine; pages run the same text in a browser")
    ((name, text),) = live.items()
    return run(text, name.removesuffix(".mjs"), [state], [shape])[0][0]


# how what a target gives is called, and the library it needs; a new target brings its line
RUNNERS = {"c": (run_c, None), "casadi": (run_casadi, "casadi"), "jax": (run_jax, "jax"), "js": (run_js, None)}


@pytest.mark.parametrize(
    "target", [pytest.param(name, marks=[pytest.mark.heavy] * bool(RUNNERS.get(name, " ")[1])) for name in TARGETS]
)
def test_a_target_computes_what_the_library_does(target, tmp_path):
    run, needs = RUNNERS[target]
    if needs:
        pytest.importorskip(needs, reason=f"{needs} is not installed")
    robot = build("scara")
    state = random_state(robot, 6)
    for name, count in (("inverse_dynamics", 3), ("mass_matrix", 1)):
        want = getattr(robot, name)(*state[:count])
        place = tmp_path / name
        place.mkdir()
        found = run(export(robot, name, target), state[:count], want.shape, place)
        assert close(found, want, 1e-12), name
    paths = export(robot, "mass_matrix", target, folder=tmp_path / "out")
    assert paths and all(path.parent == tmp_path / "out" and path.read_text("ascii") for path in paths)
    with pytest.raises(SteinerError, match="exists"):
        export(robot, "mass_matrix", target, folder=tmp_path / "out")


def test_targets_say_what_they_give():
    assert RUNNERS.keys() == TARGETS.keys() and all(len(target.title) > 8 for target in TARGETS.values())


# ---- doors -----------------------------------------------------------------------------------------


def declared(owner: str, name: str) -> type:
    """The class that has the method, wherever in the package it is defined."""
    found = set()
    for module in pkgutil.walk_packages(steiner.__path__, "steiner."):
        if not module.name.endswith("__main__"):
            found.add(getattr(importlib.import_module(module.name), owner, None))
    (cls,) = (thing for thing in found if name in getattr(thing, "__dict__", {}))
    return cls


@pytest.mark.parametrize("row", [row for row in DOORS if row[0].isupper()])
def test_a_door_leads_where_its_declaration_says(row):
    owner, _, name = row.partition(".")
    method, work = vars(declared(owner, name))[name], opened(DOORS[row])
    method = getattr(method, "__func__", method)
    assert len(inspect.getdoc(method) or "") > 10
    shown = list(inspect.signature(method).parameters.values())
    taken = list(inspect.signature(work).parameters.values())
    if any(p.kind is p.VAR_KEYWORD for p in shown):  # **options: of those that are not named
        shown = [p for p in shown if p.kind is not p.VAR_KEYWORD]
        taken = [p for p in taken if p.kind not in (p.KEYWORD_ONLY, p.VAR_KEYWORD)]
    assert len(shown) == len(taken)
    for a, b in zip(shown[1:], taken[1:], strict=True):
        assert (a.name, a.kind, a.default) == (b.name, b.kind, b.default)


def test_the_doors_of_numbers_and_of_algorithms_open():
    assert {row for row in DOORS if row.startswith("number.")} == {"number.sympy"}
    assert scalar.sin(sp.pi / 6) == sp.Rational(1, 2) == opened(DOORS["number.sympy"])(Fraction(1, 2))
    robot = build("rr")
    assert np.array_equal(opened(ALGORITHM)(robot, type(robot).crba)([0.1, 0.2]), robot.mass_matrix([0.1, 0.2]))
