"""Programs written from formulas pass NaN on, as kernels do."""

from __future__ import annotations

import ctypes
import dataclasses
import math
import shutil
import subprocess

import numpy as np
import pytest

import steiner as st

FRICTIONS = {
    "coulomb and viscous": st.Coulomb(0.3) + st.Viscous(0.1),
    "directions": st.Coulomb(0.2, 0.5),
    "stribeck": st.Stribeck(0.3, 0.5, 0.1),
    "smoothed": st.Coulomb(0.3, width=0.01),
}


def rubbing(name: str, friction: st.Viscous) -> st.Robot:
    arm = st.load(f"gallery:{name}")

    def changed(link: st.Link) -> st.Link:
        return dataclasses.replace(link, joint=dataclasses.replace(link.joint, friction=friction))

    return arm.replace(links=tuple(changed(k) if k.joint.moves else k for k in arm.links))


@pytest.mark.parametrize("friction", FRICTIONS)
@pytest.mark.parametrize("name", ["rr", "puma560"])  # written out, and as named sub-expressions
def test_N12_nan_stays_nan_in_its_joint(name, friction, tmp_path):
    arm = rubbing(name, FRICTIONS[friction])
    eq, n = st.equations(arm), arm.n
    program: dict = {}
    exec(eq.python("F"), program)
    functions = [program["friction_forces"]]
    if shutil.which("gcc"):
        (tmp_path / "f.c").write_text(eq.c("F"))
        library = str(tmp_path / "f.so")
        flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
        subprocess.run(["gcc", *flags, "-o", library, str(tmp_path / "f.c"), "-lm"], check=True)
        native, array = getattr(ctypes.CDLL(library), f"{arm.name}_friction_forces"), ctypes.c_double * n

        def compiled(q, qd):
            out = array()
            native(array(*q), array(*qd), out)
            return list(out)

        functions.append(compiled)
    q = [0.1] * n
    for function in functions:
        for rate in (0.3, -0.3, 0.0):
            np.testing.assert_allclose(function(q, [rate] * n), arm.friction_forces(q, [rate] * n), rtol=1e-12)
        qd = [0.2, math.nan, *[0.2] * (n - 2)]
        found = function(q, qd)
        assert math.isnan(found[1]) and not math.isnan(found[0])
        np.testing.assert_array_equal(np.isnan(found), np.isnan(arm.friction_forces(q, qd)))
