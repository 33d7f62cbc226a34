"""M8: the criteria for the centre of gravity listed as cases (eqs 7, 9, 11), for volumes and for masses (X8, X9)."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sympy as sp

import steiner as st
from steiner.assembly.criteria import derive
from tests.evaluating import wrong

L, rho = sp.symbols("L rho", positive=True)
V = {p: sp.Symbol(f"V_{p}", positive=True) for p in "rkl"}
M = {p: sp.Symbol(f"m_{p}", positive=True) for p in "rkl"}
C = {p: sp.symbols(f"r_c{p}_x r_c{p}_y r_c{p}_z", real=True) for p in "rkl"}
PLACE = {"r": 0, "k": -L / 2, "l": -L}
TARGETS = {"x": -L / 2, "y": 0, "z": 0}


def link(masses):
    parts = {p: st.Part("parts", body=st.MassProperties(masses[p], C[p])) for p in "rkl"}
    return st.Assembly("link", [st.Assembly(p, [parts[p]], pose=st.Pose.from_rpy((PLACE[p], 0, 0))) for p in "rkl"])


VOLUMES = {p: rho * V[p] for p in "rkl"}
WEIGHTS = {"volumes": (VOLUMES, V), "masses": (M, M)}


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("axis", "xyz")
def test_M8_every_case_substituted_gives_the_target(weights, axis):
    made = link(WEIGHTS[weights][0])
    found = st.balance(made, [C["r"]["xyz".index(axis)]], {axis: TARGETS[axis]})
    assert [c.kind for c in found.cases] == ["equivalent", *["sufficient"] * (len(found.cases) - 1)]
    for case in found.cases:
        assert case.values is not None, case
        assert all(sp.cancel(c.subs(case.values)) == 0 for c in case.conditions), case
        centre = sp.sympify(made.com()["xyz".index(axis)]).subs(case.values)
        assert sp.cancel(centre - TARGETS[axis]) == 0, case


@pytest.mark.parametrize("weights", WEIGHTS)
def test_M8_eqs_7_9_and_11_are_among_the_cases(weights):
    masses, w = WEIGHTS[weights]
    made = link(masses)

    def listed(axis):
        found = st.balance(made, [C["r"][0]], {axis: TARGETS[axis]})
        return [set(map(sp.expand, case.conditions)) for case in found.cases]

    x = [C[p][0] for p in "rkl"]
    assert {w["k"] - w["r"], w["l"] - w["r"], sum(x)} in listed("x")  # eq. 7
    assert {w["r"] - w["l"], x[1], x[0] + x[2]} in listed("x")  # X9: any V_k
    for k, axis in ((1, "y"), (2, "z")):  # eqs 9, 11
        r, b, l = (C[p][k] for p in "rkl")
        printed = [
            {r, b, l},
            {w["k"] - w["r"], w["l"] - w["r"], r + b + l},
            {r, w["k"] * b + w["l"] * l},
            {b, w["r"] * r + w["l"] * l},
            {l, w["r"] * r + w["k"] * b},
        ]
        found = listed(axis)
        assert all(case in found for case in printed)


def test_M8_equal_volumes_do_not_do_if_densities_differ():
    """X8: then the weights are masses, ρ V each."""
    densities = {p: sp.Symbol(f"rho_{p}", positive=True) for p in "rkl"}
    made = link({p: densities[p] * V[p] for p in "rkl"})
    found = st.balance(made, [V["k"]], {"x": -L / 2})
    equal = next(case for case in found.cases if case.title == "equal weights")
    assert densities["k"] * V["k"] - densities["r"] * V["r"] in equal.conditions
    assert found.holds(equal.values)
    assert not found.holds({V["k"]: V["r"], V["l"]: V["r"], C["l"][0]: -C["r"][0] - C["k"][0]})


def test_M8_sufficient_is_not_necessary():
    """X9: eq. 7 does not hold, and yet the centre is at half length."""
    found = st.balance(link(VOLUMES), [V["k"]], {"x": -L / 2})
    equal = next(case for case in found.cases if case.title == "equal weights")
    other = {C["r"][0]: 0, C["k"][0]: 0, C["l"][0]: 0, V["l"]: V["r"]}
    assert found.holds(other) and any(sp.simplify(c.subs(other)) != 0 for c in equal.conditions)
    criterion = found.cases[0]
    assert sp.simplify(criterion.conditions[0].subs(other)) == 0


def test_M8_the_cases_are_told_in_words():
    text = str(st.balance(link(VOLUMES), [V["k"]], {"y": 0}))
    assert "V_k = V_r and V_l = V_r and r_ck_y + r_cl_y + r_cr_y = 0 ⇒ y = 0 (sufficient)" in text
    assert "⇔ y = 0 (equivalent)" in text


def test_M8_a_link_of_numbers_lists_only_what_can_be():
    box = st.Part("box", st.Box(0.4, 0.1, 0.1), "steel", pose=st.Pose(p=(0.2, 0, 0)))
    weight = st.Part("weight", st.Sphere(0.1), "steel", pose=st.Pose(p=(-0.1, 0, 0)))
    found = st.balance(st.Assembly("link", [box, weight]), [("weight", "mass")], {"x": 0})
    assert [case.kind for case in found.cases] == ["equivalent"]
    (weight,) = found.cases[0].values.values()
    assert float(weight) == pytest.approx(2 * box.mass_properties.mass, rel=1e-12)


@pytest.mark.parametrize("weights", WEIGHTS)
def test_M8_the_cases_as_formulas_each_line_of_them_evaluated(weights):
    found = st.balance(link(WEIGHTS[weights][0]), [C["r"][0]], TARGETS)
    derivation = found.derivation()
    assert wrong(derivation) == []
    assert len(derivation.steps) == 1 + len(TARGETS) + len(found.cases)
    assert all(text.count("sufficient") == len(found.cases) - 3 for text in (derivation.html(), derivation.latex()))
    wrongly = replace(found.cases[2], conditions=(found.cases[2].conditions[0] + 1,))
    assert wrong(derive(found.assembly, found.targets, [wrongly]))
