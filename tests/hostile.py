"""Names that strangers' files may hold, and a robot that has them everywhere."""

from __future__ import annotations

from steiner.model.joints import Revolute
from steiner.model.link import Link
from steiner.model.robot import Robot
from steiner.robots import build

NASTY = (
    'x; system("rm -rf /")', "*/ #error gotcha /*", "a\nb\r\n#include <stdlib.h>", "??/\n", "int", "sin", "", "7dof",
    "_Reserved__name", "Größe", "机器人", "\\", "//", "%s%n", "'; drop", "a" * 300, '"""', "v1", "q", "{}", "main",
    "log",
)  # fmt: skip


def hostile(name: str, link: str) -> Robot:
    body = build("rr").links[-1].body
    return Robot(name or "nameless", [Link(link or "link", None, Revolute(name=name or "joint"), body=body)])
