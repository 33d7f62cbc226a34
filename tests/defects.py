"""Faults that once were there: each has tests of its name, `test_N8_…`, that failed before it was mended.

N: numbers that were silently wrong.  W: wrong or missing errors.  R: hangs, security, robustness.  K: mistakes that
the tests of the time did not notice.  A test may stand for several, and for requirements beside: `test_D2_K6_…`.
"""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).parent

DEFECTS = {
    "N1": "`Limits` by functions had no error estimate: peaks, kinks, steps and waves were off in the second digit",
    "N2": "`Limits` by expressions far from the origin lost all digits, down to negative moments",
    "N3": "values kept the caller's arrays, and gave theirs away: bodies, poses, wrenches, gravity could be written to",
    "N4": "`to_dh` of nearly parallel axes put the common normal 1e6 m away and lost the torque with it",
    "N5": "a separate inside-out shell of a `Mesh` counted negative",
    "N6": "narrow sectors of `Torus` and `Revolution`, and thin rings, lost their digits by cancellation",
    "N7": "needles spun about their axis lost digits in every method of a robot",
    "N8": "`Pose.rpy` near gimbal lock, and so files written from it, was off by 1e-7 and more",
    "N9": "`log` within 1e-6 of half a turn was off by as much",
    "N10": "None, texts and masked entries in arrays became NaN, or hidden data were used",
    "N11": "axes of length 1e±160 became zero or infinite",
    "N12": "programs written from formulas gave no friction where the velocity is NaN",
    "N13": "a payload with the name of a link took its parameters",
    "N14": "a tensor given at run time need not be symmetric, and its triangles gave different torques",
    "N15": "a limit on one side only was lost in URDF",
    "N16": "`Pose(R)` kept matrices that are rotations to six digits only",
    "N17": "results that are no numbers were written without a word; files brought numbers whose moments overflow",
    "N18": "files without a unit were read as metres; bodies not of this world passed",
    "N19": "impossible bodies, and degrees in place of radians, passed silently in Python",
    "N20": "a variant of a compiled function changed the defaults of all; regrouped bodies were lost in copies",
    "W1": "payloads, frictions, limits and dimensions of the wrong kind were accepted, and failed later",
    "W2": "an AttributeError inside lazy code was told as a missing method",
    "W3": "`dir(robot)` and completion showed no dynamics before the first call",
    "W4": '`st.load("panda")` asked: did you mean \'panda\'?',
    "W5": "a parameter that leads nowhere was told to be itself",
    "W6": "`locked` of anything but a mapping raised what Python had to say",
    "W7": "a method called inside a compiled function gave no hint to the function to call",
    "W8": "raw exceptions: symbols and NaN in `structure`, singular M, arms without joints, odd gravity, wrong models",
    "W9": "a ball by plain `math.sqrt` failed at its rim",
    "W10": "thin meshes and bodies that share an edge were refused",
    "W11": "a symbolic prism with a hole larger than its outline had a negative volume",
    "W12": "what is printed: noise of 1e-16, addresses of kernels, three kilobytes for an assembly",
    "W13": "`steiner inertia` was 206 columns wide whatever the terminal",
    "R1": "numbers without end were read in quadratic and cubic time",
    "R2": "an object planted in a shared cache was run; nothing was ever removed from it",
    "R3": "children forked while a thread compiled hung",
    "R4": "long chains were read in quadratic time",
    "R5": "`--force` replaced devices, pipes and symbolic links",
    "R6": "names from files reached pages, terminals and spreadsheets raw",
    "R7": "tracebacks: long fields, endless hexadecimals, loops of links, Ctrl-C while starting, ragged rows",
    "R8": "large flat YAML, deep brackets, alias bombs and XML of nothing took long and much memory",
    "R9": "a full disk left half an export and named no file; long names failed; messages had no end",
    "R10": "an object that lies about its memory as `out=` crashed the interpreter",
    "R11": "files were written with names that cannot be read back",
    "R12": "the umask of the process was set for a moment; files were not on the disk when they got their name",
    "R13": "time that repeats or runs backwards, and a single row, passed silently",
    "K1": "nobody noticed exp(−r²/2) in the friction of Stribeck",
    "K2": "nobody noticed linear rows in the angular ellipsoid",
    "K3": "nobody noticed a thicker NM7MAR",
    "K4": "only a law noticed that ω̇₀ of the base was ignored",
    "K5": "hardly anybody noticed that a weighed assembly kept its tensor",
    "K6": "the test of the sum of squares called `skew` only",
    "K7": "the test of the misprints of eqs 20, 21 and 43 could hardly fail",
    "K8": "the page of requirements named code that their tests do not touch",
}


def ids(test: str) -> list[str]:
    """The faults that a test is named after: test_N5_W10_… is for N5 and W10."""
    match = re.match(r"test_((?:[A-Z]\d+[ab]?_)+)", test)
    return [key for key in match[1].strip("_").split("_") if key[0] in "NWRK"] if match else []


def proofs() -> dict[str, list[str]]:
    """Per id the tests named after it."""
    found: dict[str, list[str]] = {}
    for path in sorted(TESTS.rglob("test_*.py")):
        for test in re.findall(r"^def (test_\w+)", path.read_text(encoding="utf-8"), re.MULTILINE):
            for key in ids(test):
                found.setdefault(key, []).append(f"{path.relative_to(TESTS).as_posix()}::{test}")
    return found


if __name__ == "__main__":
    for key, tests in sorted(proofs().items(), key=lambda item: list(DEFECTS).index(item[0])):
        print(key, DEFECTS[key], *tests, sep="\n    ")
