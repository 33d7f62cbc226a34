"""Threads that change hands as often as the interpreter lets them."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterable


def at_once(works: Iterable[Callable[[], object]]) -> None:
    """Run each in a thread of its own, and wait for all."""
    old = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        threads = [threading.Thread(target=work) for work in works]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(old)
