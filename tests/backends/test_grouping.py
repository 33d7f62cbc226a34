"""Rows told apart and items joined: natively and by sorting, the same."""

from __future__ import annotations

import numpy as np
import pytest

from steiner.backends import grouping


@pytest.fixture(params=[0, 1 << 60], ids=["native", "sorted"])
def way(request, monkeypatch):
    monkeypatch.setattr(grouping, "NATIVE", request.param)


@pytest.mark.parametrize("width", [1, 2, 3, 6])
@pytest.mark.parametrize("expected", [0, 1, 10_000])
def test_rows_are_numbered_in_the_order_of_their_first_appearance(way, width, expected):
    rows = np.random.default_rng(width).integers(0, 5, (3000, width)).astype(np.uint32)
    index, first = grouping.numbered(rows, expected)
    seen: dict[tuple[int, ...], int] = {}
    for k, row in enumerate(map(tuple, rows.tolist())):
        number = seen.setdefault(row, len(seen))
        assert index[k] == number
        assert k != first[number] or index[k] == number
    assert len(first) == len(seen) and np.array_equal(rows[first][index], rows)


def test_rows_that_differ_only_in_one_bit_are_told_apart(way):
    rows = (np.uint32(1) << np.arange(32, dtype=np.uint32))[:, None] ^ np.zeros((1, 3), np.uint32)
    assert len(grouping.numbered(np.ascontiguousarray(rows))[1]) == 32


def test_no_rows_have_no_numbers(way):
    index, first = grouping.numbered(np.zeros((0, 3), np.uint32))
    assert len(index) == len(first) == 0


def test_a_group_is_named_by_its_smallest_item(way):
    left, right = np.array([7, 2, 5, 9]), np.array([3, 7, 6, 9])
    assert grouping.joined(left, right, 10).tolist() == [0, 1, 2, 2, 4, 5, 5, 2, 8, 9]


def test_random_groups_are_those_of_a_slow_search(way):
    rng = np.random.default_rng(3)
    left, right = rng.integers(0, 400, (2, 300))
    label = np.arange(400)
    for _ in range(400):  # spreads the smallest name until nothing changes
        low = np.minimum(label[left], label[right])
        np.minimum.at(label, left, low)
        np.minimum.at(label, right, low)
    assert np.array_equal(grouping.joined(left, right, 400), label)
