"""A plugin that writes down which functions of steiner the tests named after a requirement enter.

`python -m pytest -p tests.entered …` with ENTERED=file.json; imports count for nothing, only calls made by a test.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest

from tests.requirements import ids

SOURCE = str(Path(__file__).parent.parent / "src" / "steiner") + os.sep
FOUND: defaultdict[str, set[str]] = defaultdict(set)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[Any]:
    """Notes every function that the test enters."""
    seen: set[CodeType] = set()

    def note(frame: FrameType, event: str, argument: object) -> None:
        if event == "call":
            seen.add(frame.f_code)

    wanted = ids(item.name)
    if wanted:
        threading.setprofile(note)
        sys.setprofile(note)
    try:
        return (yield)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]
        names = {
            f"{code.co_filename.removeprefix(SOURCE)}:{code.co_qualname}"
            for code in seen
            if code.co_filename.startswith(SOURCE)
        }
        for key in wanted:
            FOUND[key] |= names


def pytest_sessionfinish() -> None:
    """Writes all of it."""
    found = {key: sorted(names) for key, names in sorted(FOUND.items())}
    Path(os.environ["ENTERED"]).write_text(json.dumps(found), encoding="utf-8")
