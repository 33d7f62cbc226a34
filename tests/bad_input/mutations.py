"""Good files made bad: by bytes, by words, by lines; a reader may give a model, or a sentence with its place."""

from __future__ import annotations

import random
import re
import time
import traceback
import warnings
from collections.abc import Callable

from steiner.errors import LONGEST, SteinerError

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
