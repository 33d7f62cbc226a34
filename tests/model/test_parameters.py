"""Numbers of a robot by path: a name means the same thing whatever else has it."""

from __future__ import annotations

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


@pytest.mark.parametrize("path", ["l2.mass", "l1.weight", "mass", "", "l1.", ".mass", "l0.armature"])
def test_W5_a_path_that_leads_nowhere_is_told(arm, path):
    with pytest.raises(st.SteinerError, match="parameter"):
        parameter(arm, path)
