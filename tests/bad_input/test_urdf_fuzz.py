"""Whatever a file holds, the reader gives a robot or one sentence: no other exception, no NaN, no hang."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from steiner.errors import FormatError, ModelWarning, SteinerError
from steiner.files import loads

GOOD = """<?xml version="1.0"?>
<robot name="arm">
  <link name="base"/>
  <link name="upper">
    <inertial>
      <origin xyz="0.1 0 0.2" rpy="0.1 0.2 0.3"/><mass value="1.5"/>
      <inertia ixx="0.02" ixy="0.001" ixz="0" iyy="0.03" iyz="0" izz="0.025"/>
    </inertial>
  </link>
  <link name="fore">
    <inertial><mass value="0.5"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial>
  </link>
  <joint name="shoulder" type="revolute">
    <origin xyz="0 0 0.3" rpy="1.57079632679 0 0"/><parent link="base"/><child link="upper"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="10" velocity="2"/><dynamics damping="0.1" friction="0.2"/>
  </joint>
  <joint name="elbow" type="prismatic">
    <origin xyz="0.5 0 0"/><parent link="upper"/><child link="fore"/><axis xyz="1 1 0"/>
    <limit lower="0" upper="1" effort="10" velocity="2"/><mimic joint="shoulder" multiplier="2" offset="0.1"/>
  </joint>
</robot>
"""
WORDS = [w for w in GOOD.replace("<", " <").replace(">", "> ").replace('"', ' " ').split() if w]
ODD = [
    "", "nan", "-inf", "1e999", "1,5", "0x10", "${m}", "base", "upper", "fore", "0", "-1", "1e308", "1e-308",
    "<", ">", "/>", "&lt;", "&#0;", "&x;", "<!--", "]]>", "<!DOCTYPE a>", "\u202e", "\x00", "é", "fixed", "floating",
    "planar", "-->", "continuous", "</robot>", "<link/>", '<link name="base"/>', "<inertial/>", "<mass/>",
]  # fmt: skip


def tried(text: str | bytes, **options) -> None:
    """Read it; only our own errors, which begin with the file and line, are allowed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        try:
            robot = loads(text, format="urdf", **options)
        except FormatError as error:
            assert str(error).startswith("<text>:") and "\n" not in str(error)
            return
        except SteinerError as error:
            raise AssertionError(f"an error without file and line: {error}") from error
    assert math.isfinite(robot.total_mass)
    for body in robot.bodies:
        assert np.isfinite(body.mount.matrix).all()
        assert all(np.isfinite(m).all() for m in body.moments)


def test_the_seed_of_the_fuzz_is_a_good_file():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        assert loads(GOOD, format="urdf").n == 2
        assert loads(GOOD, format="urdf", mimic="coupled").n == 1


@pytest.mark.parametrize("large", ["1e300", "1e160", "1.7e308"])
@pytest.mark.parametrize("what", ['value="1.5"', 'xyz="0.1 0 0.2"', 'xyz="0 0 0.3"', 'ixx="0.02"', 'multiplier="2"'])
def test_N17_numbers_too_large_to_square_are_refused_or_harmless(what, large):
    name, _, rest = what.partition('"')
    tried(GOOD.replace(what, f'{name}"{" ".join([large] * len(rest.split()))}"'), mimic="coupled")


@settings(max_examples=300)
@given(some.lists(some.tuples(some.sampled_from(WORDS), some.sampled_from(ODD + WORDS)), min_size=1, max_size=3),
       some.sampled_from(["free", "coupled"]))  # fmt: skip
def test_swapped_words_never_break_the_reader(swaps, mimic):
    text = GOOD
    for old, new in swaps:
        text = text.replace(old, new, 1) if len(old) > 2 else new.join(text.rsplit(old, 1))
    tried(text, mimic=mimic)


@settings(max_examples=200)
@given(some.integers(0, len(GOOD)), some.integers(0, 40), some.binary(max_size=6))
def test_damaged_bytes_never_break_the_reader(at, length, noise):
    data = GOOD.encode()
    tried(data[:at] + noise + data[at + length :])


@settings(max_examples=100)
@given(some.binary(max_size=200))
def test_noise_is_refused(noise):
    tried(noise)


@settings(max_examples=100)
@given(some.permutations(range(len(GOOD.splitlines()) - 3)), some.booleans())
def test_shuffled_lines_never_break_the_reader(order, snap):
    lines = GOOD.splitlines()
    inner = lines[2:-1]
    tried("\n".join([*lines[:2], *(inner[i] for i in order), lines[-1]]), snap=snap)
