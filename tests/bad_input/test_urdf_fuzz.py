"""Whatever a file holds, the reader gives a robot or one sentence: no other exception, no NaN, no hang."""

from __future__ import annotations

import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from steiner.errors import ModelWarning
from steiner.files import loads
from tests.bad_input.mutations import ARM, enlarged, read_or_told, swapped, words_of

WORDS = words_of(ARM)
ODD = [
    "", "nan", "-inf", "1e999", "1,5", "0x10", "${m}", "base", "upper", "fore", "0", "-1", "1e308", "1e-308",
    "<", ">", "/>", "&lt;", "&#0;", "&x;", "<!--", "]]>", "<!DOCTYPE a>", "\u202e", "\x00", "é", "fixed", "floating",
    "planar", "-->", "continuous", "</robot>", "<link/>", '<link name="base"/>', "<inertial/>", "<mass/>",
]  # fmt: skip


def test_the_seed_of_the_fuzz_is_a_good_file():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        assert loads(ARM, format="urdf").n == 2
        assert loads(ARM, format="urdf", mimic="coupled").n == 1


@pytest.mark.parametrize("large", ["1e300", "1e160", "1.7e308"])
@pytest.mark.parametrize("what", ['value="1.5"', 'xyz="0.1 0 0.2"', 'xyz="0 0 0.3"', 'ixx="0.02"', 'multiplier="2"'])
def test_N17_numbers_too_large_to_square_are_refused_or_harmless(what, large):
    read_or_told(enlarged(ARM, what, large), "urdf", mimic="coupled")


@settings(max_examples=300)
@given(some.lists(some.tuples(some.sampled_from(WORDS), some.sampled_from(ODD + WORDS)), min_size=1, max_size=3),
       some.sampled_from(["free", "coupled"]))  # fmt: skip
def test_swapped_words_never_break_the_reader(swaps, mimic):
    read_or_told(swapped(ARM, swaps), "urdf", mimic=mimic)


@settings(max_examples=200)
@given(some.integers(0, len(ARM)), some.integers(0, 40), some.binary(max_size=6))
def test_damaged_bytes_never_break_the_reader(at, length, noise):
    data = ARM.encode()
    read_or_told(data[:at] + noise + data[at + length :], "urdf")


@settings(max_examples=100)
@given(some.binary(max_size=200))
def test_noise_is_refused(noise):
    read_or_told(noise, "urdf")


@settings(max_examples=100)
@given(some.permutations(range(len(ARM.splitlines()) - 3)), some.booleans())
def test_shuffled_lines_never_break_the_reader(order, snap):
    lines = ARM.splitlines()
    inner = lines[2:-1]
    read_or_told("\n".join([*lines[:2], *(inner[i] for i in order), lines[-1]]), "urdf", snap=snap)
