"""The package's one lock, and a process that forks: whoever forks waits until nothing is half done.

What several threads must not do at once — import a room on first use, speak to LLVM — is done under `LOCK`.  A child
has no other thread than the one that forked, so a lock that another held would stay locked in it for ever, around
something unfinished.  Hence a fork takes the lock first.
"""

from __future__ import annotations

import functools
import os
import sys
from _thread import RLock  # as functools does: `threading` has it from there
from collections.abc import Callable

LOCK = RLock()


def held_by_forks(take: Callable[[], object], give: Callable[[], object]) -> None:
    """Let every fork take another lock too, after the package's, and give it back in parent and child."""
    taken: list[bool] = []

    def before() -> None:
        LOCK.acquire()
        take()
        taken.append(True)

    def after() -> None:
        if taken:  # else this was registered while a fork waited: it did not run `before`
            taken.pop()
            give()
            LOCK.release()

    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=before, after_in_parent=after, after_in_child=after)


def _renewed() -> None:
    """Python 3.11 computes every `cached_property` under a lock of its own; in a child nobody is computing one."""
    for module in [m for name, m in list(sys.modules.items()) if name.partition(".")[0] == "steiner"]:
        for kind in [k for k in vars(module).values() if isinstance(k, type)]:
            for attribute in vars(kind).values():
                if isinstance(attribute, functools.cached_property):
                    attribute.lock = RLock()  # type: ignore[attr-defined]


held_by_forks(lambda: None, lambda: None)
if sys.version_info < (3, 12) and hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renewed)
