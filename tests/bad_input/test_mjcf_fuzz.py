"""Whatever an MJCF file holds, the reader gives a robot or one sentence: no other exception, no NaN, no hang."""

from __future__ import annotations

import time
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from steiner.errors import FormatError, ModelWarning
from steiner.files import loads
from tests.bad_input.mutations import enlarged, read_or_told, swapped, words_of

GOOD = """<mujoco model="arm">
  <compiler angle="radian" eulerseq="xyz" inertiafromgeom="auto" balanceinertia="true"/>
  <option gravity="0 0 -9.81"/>
  <default><joint damping="0.1"/><default class="thin"><geom type="capsule" size="0.02 0.1"/></default></default>
  <asset><mesh name="tet" vertex="0 0 0 1 0 0 0 1 0 0 0 1" face="0 2 1 0 1 3 0 3 2 1 2 3" scale="1 1 1"/></asset>
  <worldbody>
    <geom type="plane" size="1 1 1"/>
    <body name="upper" pos="0 0 0.3" euler="0.1 0.2 0.3" childclass="thin">
      <inertial pos="0.1 0 0.2" mass="1.5" diaginertia="0.02 0.03 0.025" quat="1 0 0 0.1"/>
      <joint name="shoulder" axis="0 1 0" range="-1 1" ref="0.1" armature="0.2"/>
      <joint name="twist" type="slide" pos="0 0 0.1" axis="1 1 0"/>
      <geom fromto="0 0 0 0 0 0.2"/>
      <frame pos="0.5 0 0" zaxis="1 1 0">
        <body name="fore" axisangle="1 0 0 0.5">
          <joint name="elbow" frictionloss="0.2" stiffness="0.3"/>
          <geom type="box" size="0.1 0.2 0.3" density="500" xyaxes="1 0 0 0 1 0"/>
          <geom type="mesh" mesh="tet" mass="0.5" group="1"/>
        </body>
      </frame>
    </body>
  </worldbody>
  <equality><joint joint1="elbow" joint2="shoulder" polycoef="0.1 2 0 0 0"/></equality>
</mujoco>
"""
WORDS = words_of(GOOD)
ODD = [
    "", "nan", "-inf", "1e999", "1,5", "0x10", "upper", "fore", "thin", "0", "-1", "1e308", "1e-308", "0 0 0", "1 2",
    "<", ">", "/>", "&lt;", "&#0;", "&x;", "<!--", "]]>", "<!DOCTYPE a>", "\u202e", "\x00", "é", "ball", "free", "mesh",
    "-->", "true", "false", "</mujoco>", "<body/>", "<joint/>", "<frame/>", "<inertial/>", "<geom/>", "<default/>",
    '<include file="/etc/passwd"/>', "<freejoint/>", 'childclass="thin"', 'type="sphere"',
]  # fmt: skip


def test_the_seed_of_the_fuzz_is_a_good_file():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        assert loads(GOOD, format="mjcf").n == 3
        assert loads(GOOD, format="mjcf", mimic="coupled").n == 2


NUMBERS = ['mass="1.5"', 'pos="0.1 0 0.2"', 'pos="0 0 0.3"', 'diaginertia="0.02 0.03 0.025"', 'size="0.1 0.2 0.3"',
           'polycoef="0.1 2 0 0 0"', 'quat="1 0 0 0.1"', 'density="500"', 'axis="1 1 0"', 'scale="1 1 1"', 'ref="0.1"',
           'fromto="0 0 0 0 0 0.2"', 'zaxis="1 1 0"', 'euler="0.1 0.2 0.3"', 'gravity="0 0 -9.81"']  # fmt: skip


@pytest.mark.parametrize("large", ["1e300", "1e160", "1.7e308", "1e-300", "-1e200"])
@pytest.mark.parametrize("what", NUMBERS)
def test_numbers_too_large_to_square_are_refused_or_harmless(what, large):
    read_or_told(enlarged(GOOD, what, large), "mjcf", mimic="coupled")


@settings(max_examples=200)
@given(some.lists(some.tuples(some.sampled_from(WORDS), some.sampled_from(ODD + WORDS)), min_size=1, max_size=3),
       some.sampled_from(["free", "coupled"]))  # fmt: skip
def test_swapped_words_never_break_the_reader(swaps, mimic):
    read_or_told(swapped(GOOD, swaps), "mjcf", mimic=mimic)


@settings(max_examples=100)
@given(some.integers(0, len(GOOD)), some.integers(0, 40), some.binary(max_size=6))
def test_damaged_bytes_never_break_the_reader(at, length, noise):
    data = GOOD.encode()
    read_or_told(data[:at] + noise + data[at + length :], "mjcf")


@settings(max_examples=50)
@given(some.permutations(range(len(GOOD.splitlines()) - 2)), some.booleans())
def test_shuffled_lines_never_break_the_reader(order, snap):
    lines = GOOD.splitlines()
    inner = lines[1:-1]
    read_or_told("\n".join([lines[0], *(inner[i] for i in order), lines[-1]]), "mjcf", snap=snap)


def many(count: int) -> str:
    """Many of everything: classes in classes, bodies, geoms, followers in a row."""
    classes = "".join(f'<default class="c{k}"><joint damping="{k + 1}"/></default>' for k in range(count))
    joints, geoms = '<joint axis="1 0 0"/>', '<geom size=".1"/><frame><geom size=".1"/></frame>'
    bodies = "".join(f'<body><joint name="j{k}" class="c{k}"/>{joints}{geoms}</body>' for k in range(count))
    chain = "".join(f'<joint joint1="j{k}" joint2="j{k + 1}"/>' for k in range(count - 1))
    return f"<mujoco><default>{classes}</default><worldbody>{bodies}</worldbody><equality>{chain}</equality></mujoco>"


def test_time_is_linear_in_the_size_of_the_file():
    def seconds(count: int) -> float:
        start = time.process_time()
        read_or_told(many(count), "mjcf", mimic="coupled")
        return time.process_time() - start

    seconds(50)
    few, more = min(seconds(100) for _ in range(2)), seconds(400)
    assert more < 10 * few + 0.3


def test_deep_nesting_is_refused_in_one_sentence():
    deep = "<body>" * 300 + "</body>" * 300
    with pytest.raises(FormatError, match="nested deeper"):
        loads(f"<mujoco><worldbody>{deep}</worldbody></mujoco>", format="mjcf")
    frames = "<frame>" * 150 + BODY + "</frame>" * 150
    read_or_told(f"<mujoco><worldbody>{frames}</worldbody></mujoco>", "mjcf")


BODY = '<body><joint/><geom size=".1"/></body>'
