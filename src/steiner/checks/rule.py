"""What a rule is: a judgement about a model, with its number, its severity, the usual cause and what to do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, final

import numpy as np

from steiner.doors import opened
from steiner.findings import Finding
from steiner.model.joints import Joint
from steiner.model.link import Link
from steiner.model.robot import NO_SOURCE, Robot
from steiner.model.source import Source, element
from steiner.records import record, replace

if TYPE_CHECKING:
    from steiner.assembly.tree import Assembly

MENDED = ("urdf", "sdf", "mjcf")  # formats that `steiner fix` mends
FILE = "steiner fix FILE "  # in a fix: the command, whose file is that of the model


@final
@record
class Remark:
    """What a rule has to say: about which element ("" is the whole), what, at which link or joint.

    A cause with its evidence and a fix with its numbers stand in place of those of the rule.
    """

    element: str
    text: str
    link: str = ""
    joint: str = ""
    cause: str = ""
    fix: str = ""


def mending(source: Source) -> str:
    """How `steiner fix` is called on a model's file; what it does not mend is converted before."""
    import shlex

    if not source.file or source.format in MENDED:
        return f"steiner fix {shlex.quote(source.file)} " if source.file else FILE
    other = shlex.quote(str(PurePath(source.file.removeprefix("gallery:")).with_suffix(".urdf")))
    return f"steiner convert {shlex.quote(source.file)} {other} && steiner fix {other} "


def told_elsewhere(model: Any) -> Iterable[Remark]:
    """Told by the reader of a file, which cannot read on, or by the drawing; never by looking at a model."""
    return ()


@final
@record
class Rule:
    """A judgement with its number, name and severity, what usually causes it and what to do.

    Who judges is a function or its "room:name", imported when it is asked.  Rules that look at each model when it is
    loaded are quick; those with `on_load=False` are asked by `check` only.
    """

    code: str
    name: str
    severity: str
    judge: str | Callable[[Any], Iterable[Remark]]
    cause: str = ""
    fix: str = ""
    on_load: bool = True

    @property
    def what(self) -> str:
        """What it looks for, in a sentence."""
        if self.judge is not told_elsewhere:
            return self._judge.__doc__ or ""
        return f"{self.cause[:1].upper()}{self.cause[1:]}." if self.cause else "What cannot be read."

    @property
    def _judge(self) -> Callable[[Any], Iterable[Remark]]:
        return opened(self.judge)

    def __call__(self, model: Robot | Assembly, source: Source | None = None) -> Iterator[Finding]:
        """Findings about a model, with the places that its source knows."""
        if source is None:
            source = model.source if isinstance(model, Robot) else NO_SOURCE
        with np.errstate(over="ignore", invalid="ignore"):  # what overflows is told
            remarks = list(self._judge(model))
        for remark in remarks:
            what, text, mend = remark.element, remark.text, remark.fix or self.fix
            yield Finding(
                self.code, f"{what}: {text}" if what else text, self.severity, rule=self.name,
                file=source.file, line=source.line(what), link=remark.link, joint=remark.joint,
                cause=remark.cause or self.cause, fix=mend.replace(FILE, mending(source)) if FILE in mend else mend,
            )  # fmt: skip

    def about(self, finding: Finding) -> Finding:
        """What another room found, under the number of this rule."""
        cause, fix = finding.cause or self.cause, finding.fix or self.fix
        return replace(finding, code=self.code, rule=self.name, cause=cause, fix=fix)


def about_link(link: Link, text: str, aspect: str = "", cause: str = "", fix: str = "") -> Remark:
    """A remark about a link, or an aspect of it."""
    return Remark(element("link", link.name, aspect), text, link.name, cause=cause, fix=fix)


def about_joint(link: Link, joint: Joint, text: str, aspect: str = "", cause: str = "", fix: str = "") -> Remark:
    """A remark about the joint of a link, or one of its screws."""
    name = link.joint.name or joint.name
    return Remark(element("joint", name, aspect), text, link.name, joint.name, cause, fix)


def limited(robot: Robot) -> Iterator[tuple[Link, Joint, Any]]:
    """Moving joints that have limits, each of them None, a number or a symbol."""
    for link in robot.links:
        for joint in link.joint.screws():
            if joint.limits is not None:
                yield link, joint, joint.limits
