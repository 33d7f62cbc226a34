"""From the drawing of parts to the torque each part costs, at a pose and along a motion."""

from __future__ import annotations

import numpy as np

import steiner as st


def test_M11_parts_sum_to_their_link_and_links_to_the_torque():
    """Along a motion of the desk arm; each part alone, as a robot of nothing else, costs what the table says."""
    arm = st.load("gallery:desk")
    t = np.linspace(0, 1, 9)[:, None]
    q, qd, qdd = 0.5 * np.sin(t + [0, 1, 2]), 0.5 * np.cos(t + [0, 1, 2]), -0.5 * np.sin(t + [0, 1, 2])
    shares = arm.torque_breakdown(q, qd, qdd, by="part")
    links = arm.torque_breakdown(q, qd, qdd, by="link")
    total = arm.inverse_dynamics(q, qd, qdd)
    assert np.allclose(sum(shares.values()), total, rtol=1e-12, atol=1e-12)
    for link in arm.links:
        if link.name not in links:
            continue  # what stands on the ground costs nothing
        own = [tau for path, tau in shares.items() if path.partition("/")[0] == link.name]
        assert np.allclose(sum(own), links[link.name], rtol=1e-11, atol=1e-12)
    assert not [path for path in shares if path.endswith("unaccounted")]
    for path in ("upper/elbow motor", "fore/gripper/servo", "upper/beam/hollow"):  # the last is a cavity: it saves
        name, _, inner = path.partition("/")
        link = arm.link(name)
        without = st.Link(
            link.name, link.parent, link.joint, link.mount, origin=link.origin, made_of=link.made_of.without(inner)
        )
        lighter = arm.replace(links=[without if each.name == name else each for each in arm.links])
        saved = total - lighter.inverse_dynamics(q, qd, qdd)
        assert np.allclose(shares[path], saved, rtol=1e-10, atol=1e-12)
