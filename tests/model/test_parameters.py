"""Numbers of a robot by path: a name means the same thing whatever else has it."""

from __future__ import annotations

import re

import numpy as np
import pytest

import steiner as st
from steiner.model.parameters import parameter, with_parameters


@pytest.fixture
def arm() -> st.Robot:
    body = st.MassProperties(2.5, (0.1, 0, 0), (1, 1, 1))
    joint = st.Revolute(name="l1", armature=0.3)  # a joint may have the name of a link
    return st.Robot("a", [st.Link("l0", body=body), st.Link("l1", "l0", joint, st.Pose(p=(0, 0, 1)), body)])


def test_N13_a_payload_of_a_links_name_hides_nothing(arm):
    loaded = arm.with_payload(st.MassProperties(5), link="l1", name="l1")
    assert parameter(loaded, "l1.mass") == 2.5
    assert parameter(loaded, "l1.armature") == 0.3
    heavier = with_parameters(loaded, {"l1.mass": 4.0})
    assert heavier.link("l1").body.mass == 4.0 and heavier.payloads[0].body.mass == 5
    f = st.compile("mass_matrix", loaded, parameters=["l1.mass", "l1.armature"])
    np.testing.assert_array_equal(f([0.2]), loaded.mass_matrix([0.2]))
    assert f([0.2], parameters={"l1.armature": 1.3})[0, 0] == pytest.approx(loaded.mass_matrix([0.2])[0, 0] + 1)


PATHS = ["l2.mass", "l1.weight", "mass", "", "l1.", ".mass", "l0.armature", "l1", "payload", "gravity.x", "gravity.",
         "payload.", "l1.xyz.x", "l1.l1"]  # fmt: skip


@pytest.mark.parametrize("path", PATHS)
def test_W5_a_path_that_leads_nowhere_is_told_and_nobody_is_asked_whether_he_meant_it(arm, path):
    loaded = arm.with_payload(st.MassProperties(5))
    asked = [lambda: parameter(loaded, path), lambda: st.export(loaded, to="c", parameters=[path]),
             lambda: st.compile("mass_matrix", loaded, parameters=[path])]  # fmt: skip
    for ask in asked:
        with pytest.raises(st.SteinerError, match="parameter") as told:
            ask()
        found = re.search(r"no \w+ named '(.*?)'.*did you mean '(.*?)'", str(told.value))
        assert found is None or found[1] != found[2], str(told.value)
