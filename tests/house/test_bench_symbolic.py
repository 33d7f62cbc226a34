"""The benchmark of formulas: the peer is the same arm, and what disagrees is not measured."""

from __future__ import annotations

import pytest

from bench import symbolic
from steiner.formulas.examples import one_r, rr


def test_a_closed_form_is_five_times_faster_than_simplified_lagrange():
    row = symbolic.measured("RR", rr(), "lagrange", 5, repeats=1)
    assert row.error <= 1e-12 and row.ratio >= row.goal
    assert "RR" in symbolic.table([row])


def test_what_disagrees_is_not_measured(monkeypatch):
    true = symbolic.Peer.lagrange
    monkeypatch.setattr(symbolic.Peer, "lagrange", lambda self: true(self) * 1.001)
    with pytest.raises(SystemExit, match="differs"):
        symbolic.measured("pendulum", one_r(), "lagrange", 5, repeats=1)
