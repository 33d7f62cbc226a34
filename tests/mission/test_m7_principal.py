"""M7: principal moments of a symbolic tensor where they are plain to see."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import steiner as st

w, l, h, m, A, B, C, D = sp.symbols("w l h m A B C D", positive=True)
VALUES = {w: 0.3, l: 0.2, h: 0.1, m: 2.0, A: 3.0, B: 2.0, C: 4.0, D: 0.7}


def floats(values):
    return np.array([float(sp.sympify(v).subs(VALUES)) for v in np.ravel(values)]).reshape(np.shape(values))


def test_M7_a_diagonal_tensor_has_its_entries():
    moments, R = st.Box(w, l, h).with_mass(m).principal()
    expected = [m * (l**2 + h**2) / 12, m * (w**2 + h**2) / 12, m * (l**2 + w**2) / 12]
    assert all(sp.simplify(x - y) == 0 for x, y in zip(moments, expected, strict=True))
    assert (R == np.eye(3, dtype=int)).all()


@pytest.mark.parametrize(("i", "j"), [(0, 1), (1, 2), (0, 2)])
@pytest.mark.parametrize("sign", [1, -1])
def test_M7_a_block_is_turned_about_the_third_axis(i, j, sign):
    tensor = np.array(np.diag([A, B, C]), dtype=object)
    tensor[i, j] = tensor[j, i] = sign * D
    body = st.MassProperties(m, (0, 0, 0), tensor)
    moments, R = body.principal()
    turn = floats(R)
    np.testing.assert_allclose(turn.T @ floats(tensor) @ turn, np.diag(floats(moments)), atol=1e-13)
    assert np.linalg.det(turn) == pytest.approx(1, abs=1e-13)
    numbers = st.MassProperties(2.0, (0, 0, 0), floats(tensor)).principal()[0]
    np.testing.assert_allclose(sorted(floats(moments)), numbers, rtol=1e-13)
    third = 3 - i - j
    assert moments[third] == tensor[third, third] and R[third, third] == 1


def test_M7_the_turned_body_of_the_decks():
    alpha = sp.Symbol("alpha", real=True)
    body = st.Box(w, l, h).with_mass(m).moved(st.Pose.from_rpy(rpy=(alpha, 0, 0)))
    moments, _ = body.principal()
    at = VALUES | {alpha: 0.4}
    found = sorted(float(sp.sympify(x).subs(at)) for x in moments)
    np.testing.assert_allclose(found, st.Box(0.3, 0.2, 0.1).with_mass(2.0).principal()[0], rtol=1e-12)


def test_M7_two_products_are_not_plain_to_see():
    tensor = np.array([[A, D, D], [D, B, 0], [D, 0, C]], dtype=object)
    with pytest.raises(st.SteinerError, match="diagonal or has one product; this one has 2"):
        st.MassProperties(m, (0, 0, 0), tensor).principal()
