"""The arguments that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

Model = Annotated[
    str,
    typer.Argument(
        metavar="MODEL", help="The .pnnx.param file, its name without that ending, or a folder that holds exactly one."
    ),
]
Bin = Annotated[str | None, typer.Option("--bin", metavar="FILE", help="File of the weights; by default MODEL's twin.")]
Shapes = Annotated[
    list[str] | None,
    typer.Option(
        "--shape",
        metavar="N,C,H,W",
        help="Shape of an input, such as 1,3,224,224; once for each input, in their order.",
    ),
]
Engine = Annotated[str, typer.Option("--engine", help="How kuiper computes: simple, fast, compiled or auto.")]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Seed of random input.")]
