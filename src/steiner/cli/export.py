"""`steiner export`: an algorithm on a robot as C, CasADi, JAX or JavaScript files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from steiner.cli.common import RobotArgument, find, say
from steiner.errors import SteinerError


def export(
    robot: RobotArgument,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="The folder to write into.")],
    c: Annotated[bool, typer.Option("--c", help="A C99 file and its header: no allocation, libm only.")] = False,
    casadi: Annotated[bool, typer.Option("--casadi", help="A serialized casadi.Function.")] = False,
    jax: Annotated[bool, typer.Option("--jax", help="A Python module for JAX.")] = False,
    js: Annotated[bool, typer.Option("--js", help="An ES module on typed arrays.")] = False,
    algorithm: Annotated[str, typer.Option(metavar="NAME", help="What to compute.")] = "inverse_dynamics",
    name: Annotated[str | None, typer.Option(metavar="NAME", help="Of the function and its files.")] = None,
    dtype: Annotated[str, typer.Option(metavar="float64|float32", help="Precision of C and JAX.")] = "float64",
    parameter: Annotated[
        list[str] | None, typer.Option(metavar="PATH", help="A number that becomes an input: link2.mass, gravity, …")
    ] = None,
    derivative: Annotated[
        list[str] | None, typer.Option(metavar="INPUT", help="Derivatives by this input too: q, qd, link2.mass, …")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace files that exist.")] = False,
) -> None:
    """An algorithm on a robot, for other programs: C for a controller, CasADi and JAX for optimisation, or a page.

    Example: `steiner export puma560 --c -o firmware --algorithm forward_dynamics`
    """
    targets = [target for target, chosen in (("c", c), ("casadi", casadi), ("jax", jax), ("js", js)) if chosen]
    if not targets:
        raise SteinerError("export: say what to write: --c, --casadi, --jax or --js")
    from steiner.kernels.export import export as exported

    arm = find(robot)
    for target in targets:
        paths = exported(
            arm, algorithm, target, folder=output, name=name, dtype=dtype, parameters=parameter or (),
            derivatives=derivative or (), force=force,
        )  # fmt: skip
        for path in paths:
            say(f"{path} written")
