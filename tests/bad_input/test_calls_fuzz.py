"""Whatever is passed to whatever is public: a result, or a sentence; no raw error, no hang, no crash."""

from __future__ import annotations

import math
import random
import re
import signal
import time
import traceback
import warnings

import numpy as np
import pytest

import steiner as st
from steiner.errors import LONGEST, SteinerError
from tests.bad_input.public_calls import Callee, arguments, callees, specimen

SLOWEST = 8.0  # seconds of a call: equations and native code take their time
# what Python says of a call that does not fit the signature, of an operator between strangers, and what the
# caller's own function says when it is compiled
SIGNATURE = re.compile(
    r"\(\) (missing|takes|got an unexpected|got multiple|got some)|missing a required|unexpected keyword|too many "
    r"positional|multiple values for|unsupported operand|bad operand|can't multiply|must be real number, not Prepared"
)


class Hung(BaseException):
    """A call took too long."""


def alarm(*_):
    raise Hung


def outcome(callee: Callee, pick: random.Random) -> tuple[str, str] | None:
    """(where it went wrong, the call) if a call ends neither in a result nor in a sentence."""
    positional, named, call = arguments(callee, pick)
    signal.setitimer(signal.ITIMER_PROF, SLOWEST)
    try:
        callee.of()(*positional, **named)
    except SteinerError as error:
        return None if 0 < len(str(error)) <= LONGEST else ("an empty or endless message", call)
    except TypeError as error:
        return None if SIGNATURE.search(str(error)) else (place(error), call)
    except Hung:
        return "hangs", call
    except Exception as error:
        return place(error), call
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return None


def place(error: Exception) -> str:
    frames = [f for f in traceback.extract_tb(error.__traceback__) if "steiner/" in f.filename]
    where = f"{frames[-1].filename.rpartition('steiner/')[2]}:{frames[-1].lineno}" if frames else "?"
    return f"{type(error).__name__} at {where}: {str(error)[:80]!r}"


def fuzzed(count: int, seconds: float, seed: int) -> dict[str, str]:
    """Where calls went wrong, each with one call that does; as many as there is time for."""
    pick = random.Random(seed)
    everything = list(callees())
    wrong: dict[str, str] = {}
    end = time.monotonic() + seconds
    for k in range(count):
        if time.monotonic() > end:
            break
        callee = everything[k % len(everything)] if k < len(everything) else pick.choice(everything)
        found = outcome(callee, pick)
        if found:
            wrong.setdefault(*found)
    return wrong


@pytest.fixture
def quiet(tmp_path, monkeypatch):
    """In a folder of its own, without warnings, with an alarm."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("webbrowser.open", lambda *args: True)
    before = signal.signal(signal.SIGPROF, alarm)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield
    signal.signal(signal.SIGPROF, before)


def told(wrong: dict[str, str]) -> str:
    return "\n".join(f"{where}\n    {call}" for where, call in sorted(wrong.items()))


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no alarm on this system")
def test_W8_some_calls_with_anything_end_in_a_result_or_a_sentence(quiet):
    wrong = fuzzed(450, 15, seed=1)
    assert not wrong, told(wrong)


@pytest.mark.heavy
@pytest.mark.parametrize("seed", [2, 3])
def test_W8_many_calls_with_anything_end_in_a_result_or_a_sentence(quiet, seed):
    wrong = fuzzed(6000, math.inf, seed)
    assert not wrong, told(wrong)


def test_everything_public_is_called():
    names = {callee.name for callee in callees()}
    for name in st.__all__:
        if isinstance(public := getattr(st, name), type) and not issubclass(public, BaseException):
            assert name in names and isinstance(specimen(name)(), public)
    assert {"Robot.inverse_dynamics", "Robot.from_dh", "Box.with_density", "Pose.__matmul__", "Budget.row"} <= names
    assert {"Compiled.__call__", "Balance.value", "StructureMap.plot", "Equations.text", "Structure.ellipsoid"} <= names
