"""The composed link of the lecture decks: budget, formulas, a counterweight and a picture.

Run it in this folder: `python decks_link.py`.  Body A is a box with a hole, shifted by −d; body B a bar along x;
body C a box with a hole, turned about x by −α and shifted by +d.  Each body has its own ρV, which the
decks leave out, so B's frame is the centre of the link only if A and C weigh the same.
"""

from __future__ import annotations

from pathlib import Path

import sympy as sp

import steiner as st

HERE = Path(__file__).parent


def main() -> None:
    """From the file to the table, the formulas and the picture."""
    link = st.load(HERE / "decks_link.yaml")
    print(link.budget(about="link"), "\n")
    print("overlaps:", link.check() or "none", "\n")

    tensor = symbolic_link().mass_properties.inertia
    print("Iyz of the link, in symbols:", sp.simplify(tensor[1, 2]), "\n")

    moved = st.balance(link, [("C", "x")], {"x": 0.01})
    print(moved, "\n")
    print("centre with C moved:", moved.applied().com(), "m\n")
    st.draw(link, "decks_link.svg")
    print("written: decks_link.svg")


def symbolic_link() -> st.Assembly:
    """The same link with a symbol for every dimension."""
    w, l, h, r, R, L, d, alpha, rho = sp.symbols("w l h r R L d alpha rho", positive=True)
    drilled = [
        st.Part("box", st.Box(w, l, h), density=rho),
        st.Part("hole", st.Cylinder(r, h), density=rho, cavity=True),
    ]
    return st.Assembly(
        "link",
        [
            st.Assembly("A", drilled, pose=st.Pose.from_rpy((-d, 0, 0))),
            st.Part("B", st.Cylinder(R, L, axis="x"), density=rho),
            st.Assembly("C", drilled, pose=st.Pose.from_rpy((d, 0, 0), (-alpha, 0, 0))),
        ],
    )


if __name__ == "__main__":
    main()
