"""Integers told apart and joined, by the million: natively where there is LLVM, else by sorting."""

from __future__ import annotations

import numpy as np

from steiner.backends import default_backend

NATIVE = 20_000  # items from which on native code pays for its loading


def numbered(rows: np.ndarray, expected: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """For rows (n, k) of 32-bit words: each row's number among the distinct ones, and where each of those stands first.

    Distinct rows are numbered in the order of their first appearance; it helps to expect about as many as there are.
    """
    words = np.ascontiguousarray(rows).view(np.uint32)
    if default_backend() == "llvm" and len(words) >= NATIVE:
        from steiner.backends.llvm import grouping

        return grouping.numbered(words, expected or len(words) // 6)
    whole = words.view(np.dtype((np.void, 4 * words.shape[1]))).ravel()
    _, first, index = np.unique(whole, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.zeros(len(order), np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    return place[index], first[order].astype(np.int32)


def joined(left: np.ndarray, right: np.ndarray, items: int) -> np.ndarray:
    """The group of each of the items 0, 1, …, named by its smallest one, if left[k] and right[k] are in one group."""
    if default_backend() == "llvm" and items >= NATIVE:
        from steiner.backends.llvm import grouping

        return grouping.joined(np.ascontiguousarray(left, np.int32), np.ascontiguousarray(right, np.int32), items)
    parent = np.arange(items, dtype=np.int32)
    while True:  # the larger of two roots hangs on the smaller, then every item on its root
        a, b = parent[left], parent[right]
        if np.array_equal(a, b):
            return parent
        np.minimum.at(parent, np.maximum(a, b), np.minimum(a, b))
        while not np.array_equal(above := parent[parent], parent):
            parent = above
