"""The three links of the NM7MAR manipulator (Szumiński & Kapitaniak 2006, §5), each of three cuboids.

Run it: `python nm7mar_links.py`.  Links 1 and 2 lie along x, link 3 along z (eq. 12 with x → z).  Under
eqs 47 and 48 the centre of gravity lies at half length, in symbols and in numbers.  The paper prints
no dimensions: the ones below are illustrative.
"""

from __future__ import annotations

import sympy as sp

import steiner as st

LENGTHS = {1: 0.45, 2: 0.35, 3: 0.30}  # metres, illustrative


def link(i: int, length: float, thick: float = 0.08) -> st.Assembly:
    """Elements r, k, l of equal volume; the frame of the link is that of element r."""
    axis = 2 if i == 3 else 0
    cuboid = 0.3 * length

    def element(name: str, place: float, offset: float) -> st.Assembly:
        size, origin, centre = [thick] * 3, [0.0] * 3, [0.0] * 3
        size[axis], origin[axis], centre[axis] = cuboid, place, offset
        part = st.Part("cuboid", st.Box(*size), material="aluminium", pose=st.Pose(p=centre))
        return st.Assembly(name, [part], pose=st.Pose(p=origin))

    aside = 0.02  # r_cr + r_ck + r_cl = 0 (eq. 48)
    return st.Assembly(
        f"link{i}",
        [element("r", 0.0, -aside), element("k", -length / 2, 0.0), element("l", -length, aside)],
    )


def criterion() -> st.Assembly:
    """The general link of fig. 1: volumes and offsets as symbols (eqs 6-12)."""
    L, rho = sp.symbols("L rho", positive=True)
    parts = []
    for name, place in (("r", 0), ("k", -L / 2), ("l", -L)):
        volume = sp.Symbol(f"V_{name}", positive=True)
        offset = sp.symbols(f"r_c{name}^x r_c{name}^y r_c{name}^z", real=True)
        body = st.Part("parts", body=st.MassProperties(rho * volume, offset))
        parts.append(st.Assembly(name, [body], pose=st.Pose.from_rpy((place, 0, 0))))
    return st.Assembly("link", parts)


def main() -> None:
    """Centres, tensors about the three reference points, and the criterion of eq. 7."""
    for i, length in LENGTHS.items():
        made = link(i, length)
        print(f"link {i}: centre {made.com()} m, half length {length / 2} m")
        assert made.check() == []
    made = link(1, LENGTHS[1])
    for about, equation in (("frame", 38), ("own", 39), ("link", 43)):
        print(f"\neq. {equation}:")
        print(made.budget(about=about))
    L, V_k = sp.Symbol("L", positive=True), sp.Symbol("V_k", positive=True)
    print()
    print(st.balance(criterion(), [V_k], {"x": -L / 2}))


if __name__ == "__main__":
    main()
