"""Good files made bad: by bytes, by words, by lines; a reader may give a model, or a sentence with its place."""

from __future__ import annotations

import math
import random
import re
import time
import traceback
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from steiner.errors import LONGEST, FormatError, ModelWarning, SteinerError
from steiner.files import loads

SLOWEST = 2.0  # seconds for a file, of this process: others may be at work
WORD = re.compile(r"[^\s<>\"'=,:\[\]{}()]+")
ODD = [
    "", "0", "-1", "-0.0", "1e999", "-1e308", "1e-320", "nan", ".nan", "inf", ".inf", "-.inf", "NaN", "1,5", "1_000",
    "0x10",
    "0b1", "0o17", "1:30", "٣", "½", "1.5 kg", "120 mm", "3 furlong", "1/0", "${m}", "true", "no", "~", "null",
    "2020-01-01",
    "=1+1", "@x", "*a", "&a", "!!python/name:os.system", "!x", "|", ">", "%", "`", "?", "- -", "---", "...", "#",
    "<<", "<<: *a",
    "[", "]", "{", "}", "[[[[", "\"", "'", "\\", "\t", "\r", "\n\n", "\x00", "\x1b[31m", "\u2028", "\ufeff", "é",
    "\U0001f600",
    "<!--", "-->", "<![CDATA[", "<!DOCTYPE a [<!ENTITY b 'c'>]>", "&lt;", "&#0;", "&b;", "/>", "</robot>", "<?xml?>",
    "9" * 400, "x" * 3000, "a" * 70_000, "box", "sphere", "mesh", "revolute", "floating", "base", "upper", "link",
    "parts",
]  # fmt: skip
MANY = 100_000  # characters of what a regular expression may stumble over
ENDLESS = [
    "1" * MANY + "x", "1" * MANY, "0x" + "f" * MANY, "1." + "0" * MANY + "e", "-" * MANY, "1e" * (MANY // 2),
    "." * MANY,
    " " * MANY + "x", "1 " * (MANY // 2), "a" * MANY, "\t" * MANY, "mm" * (MANY // 2), "1 m" + "m" * MANY,
    "(" * MANY, "," * MANY,
    "\u0663" * MANY, "1_" * (MANY // 2), "'" * MANY, "&" * MANY, "1:" * (MANY // 2), "+1" * (MANY // 2), "\\" * MANY,
]  # fmt: skip


ARM = """<?xml version="1.0"?>
<robot name="arm">
  <link name="base"/>
  <link name="upper">
    <inertial>
      <origin xyz="0.1 0 0.2" rpy="0.1 0.2 0.3"/><mass value="1.5"/>
      <inertia ixx="0.02" ixy="0.001" ixz="0" iyy="0.03" iyz="0" izz="0.025"/>
    </inertial>
    <visual><geometry><box size="0.1 0.2 0.3"/></geometry></visual>
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


def words_of(text: str) -> list[str]:
    """The words and marks of an XML text."""
    return [w for w in text.replace("<", " <").replace(">", "> ").replace('"', ' " ').split() if w]


def swapped(text: str, swaps: list[tuple[str, str]]) -> str:
    """The text with words put in the places of others; of short ones the last place."""
    for old, new in swaps:
        text = text.replace(old, new, 1) if len(old) > 2 else new.join(text.rsplit(old, 1))
    return text


def enlarged(text: str, what: str, large: str) -> str:
    """The text with a number in the place of all those of an attribute, which is there."""
    assert what in text
    name, _, rest = what.partition('"')
    return text.replace(what, f'{name}"{" ".join([large] * len(rest.split()))}"')


def read_or_told(text: str | bytes, format: str, **options: Any) -> None:
    """Read it; only our own errors, which begin with the file and line, are allowed, and finite numbers."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        try:
            robot = loads(text, format=format, **options)
        except FormatError as error:
            assert str(error).startswith("<text>:") and "\n" not in str(error)
            return
        except SteinerError as error:
            raise AssertionError(f"an error without file and line: {error}") from error
    assert math.isfinite(robot.total_mass)
    for body in robot.bodies:
        assert np.isfinite(body.mount.matrix).all()
        assert all(np.isfinite(m).all() for m in body.moments)


def mutated(good: str, pick: random.Random) -> bytes:
    """The text with one to four things changed."""
    text = good
    for _ in range(pick.choice((1, 1, 2, 4))):
        text = pick.choice((_word, _word, _word, _lines, _cut, _indent, _repeat))(text, pick)
    data = text.encode("utf-8", errors="replace")
    return _bytes(data, pick) if pick.random() < 0.25 else data


def _word(text: str, pick: random.Random) -> str:
    words = list(WORD.finditer(text))
    if not words:
        return text + pick.choice(ODD)
    found = pick.choice(words)
    new = pick.choice(words)[0] if pick.random() < 0.3 else pick.choice(ODD)
    return text[: found.start()] + new + text[found.end() :]


def _lines(text: str, pick: random.Random) -> str:
    lines = text.split("\n")
    a, b = pick.randrange(len(lines)), pick.randrange(len(lines))
    how = pick.randrange(4)
    if how == 0:
        lines[a], lines[b] = lines[b], lines[a]
    elif how == 1:
        del lines[a]
    elif how == 2:
        lines.insert(b, lines[a])
    else:
        lines[a] = pick.choice(ODD)
    return "\n".join(lines)


def _cut(text: str, pick: random.Random) -> str:
    a, b = sorted(pick.randrange(len(text) + 1) for _ in range(2))
    return pick.choice((text[:a], text[a:], text[:a] + text[b:]))


def _indent(text: str, pick: random.Random) -> str:
    lines = text.split("\n")
    k = pick.randrange(len(lines))
    lines[k] = pick.choice((" ", "  ", "\t", "- ", "")) + lines[k].lstrip() if pick.random() < 0.5 else " " + lines[k]
    return "\n".join(lines)


def _repeat(text: str, pick: random.Random) -> str:
    a, b = sorted(pick.randrange(len(text) + 1) for _ in range(2))
    piece = text[a:b][:200]
    return text[:a] + piece * pick.choice((2, 5, 300)) + text[b:]


def _bytes(data: bytes, pick: random.Random) -> bytes:
    at, length = pick.randrange(len(data) + 1), pick.choice((0, 1, 3, 40))
    return data[:at] + pick.randbytes(pick.choice((0, 1, 2, 8))) + data[at + length :]


def tried(read: Callable[[bytes], object], data: bytes, name: str) -> str:
    """What is wrong with how a file was read; nothing if it gave a model, or a sentence that begins with its place."""
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            read(data)
        except SteinerError as error:
            text = str(error)
            if not re.match(rf"{re.escape(name)}:\d+: ", text) or len(text) > LONGEST or "\n" in text:
                return f"no place, or too long: {text[:150]}"
        except Exception as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
            return f"{type(error).__name__} at {last.filename[-40:]}:{last.lineno}: {error!s:.80}"
    if time.process_time() - start > SLOWEST:
        return "takes too long"
    return ""


def fuzzed(read: Callable[[bytes], object], good: list[str], name: str, count: int, seconds: float, seed: int) -> str:
    """Everything that went wrong, each with a file that does it."""
    pick = random.Random(seed)
    wrong: dict[str, bytes] = {}
    end = time.monotonic() + seconds
    for _ in range(count):
        if time.monotonic() > end:
            break
        data = mutated(pick.choice(good), pick)
        if fault := tried(read, data, name):
            wrong.setdefault(fault, data)
    return "\n".join(f"{fault}\n    {data[:300]!r}" for fault, data in sorted(wrong.items()))
