"""`kuiper run`: one forward pass, and what came out."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from kuiper.cli import arguments, options
from kuiper.cli.model import load_model, network_inputs, random_inputs
from kuiper.cli.tasks import WRITE, Wishes, refuse, task_of
from kuiper.cli.text import console, note, shape_of, table
from kuiper.cli.waiting import progress
from kuiper.cli.write import write_on
from kuiper.errors import KuiperError, ShapeError
from kuiper.inputs import Normalization
from kuiper.runtime import EXECUTORS
from kuiper.vision import save_picture

EXAMPLE = "Example: kuiper run yolov5s.pnnx.param street.jpg --task detect --output found.png"

SCALE = "1/255"


def run(
    model: options.Model,
    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="INPUT", help="One file for each input; without any, random numbers."),
    ] = None,
    bin: options.Bin = None,
    keep: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Show this operator's result too; repeatable.")
    ] = None,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="FILE", help="Save results: .npz, .npy; with --task .png too."),
    ] = None,
    task: Annotated[
        str | None, typer.Option(metavar="NAME", help="classify, detect or segment one picture, or write.")
    ] = None,
    labels: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Task: names of the classes, one a line; or imagenet, coco, voc."),
    ] = None,
    top: Annotated[
        int | None,
        typer.Option(metavar="K", min=1, help="The K greatest values of each row, classes, boxes, or tokens."),
    ] = None,
    conf: Annotated[
        float | None,
        typer.Option(
            metavar="0..1", min=0, max=1, help="Boxes: least score (0.25); masks of one class: least share (0.5)."
        ),
    ] = None,
    iou: Annotated[
        float | None,
        typer.Option(metavar="0..1", min=0, max=1, help="Boxes: the better of two with more overlap stays (0.45)."),
    ] = None,
    scale: Annotated[str, typer.Option(metavar="NUMBER", help="Pictures: factor for the bytes 0..255.")] = SCALE,
    mean: Annotated[
        str | None,
        typer.Option(metavar="NUMBER", help="Pictures: subtracted after that, 1 number or 1 for each channel (0)."),
    ] = None,
    std: Annotated[
        str | None,
        typer.Option(metavar="NUMBER", help="Pictures: divides the difference, 1 number or 1 for each channel (1)."),
    ] = None,
    prompt: Annotated[str | None, typer.Option(metavar="TEXT", help="Write: how the text begins.")] = None,
    tokens: Annotated[int | None, typer.Option(metavar="N", min=1, help="Write: so many tokens more (100).")] = None,
    temperature: Annotated[
        float | None, typer.Option(min=0, help="Write: the lower, the likelier what is chosen; 0: the likeliest (0.7).")
    ] = None,
    top_p: Annotated[
        float | None,
        typer.Option(
            "--top-p", metavar="0..1", min=0, max=1, help="Write: choose among the likeliest that reach this sum (0.9)."
        ),
    ] = None,
    shape: options.Shapes = None,
    engine: options.Engine = "auto",
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of random input, and of what is written.")] = 0,
) -> None:
    """Run a network once and show its outputs.

    INPUT is a .npy file, a .npz file (FILE.npz:KEY names one of several arrays),
    or a picture (.png, .jpg, .bmp), resized to what the network reads.

    With --task it is one picture. classify: cut and normalized as for
    ImageNet's networks; detect: in a letterbox, for YOLOv5; segment: resized.
    A labels.txt beside the network, a line for each class, names the classes.
    Or, with --task write, there is no INPUT: a language model, with its
    tokens.json beside it, writes on after --prompt.
    """
    arguments.check_choice("--engine", engine, tuple(EXECUTORS))
    extents = arguments.shapes(shape or [])
    normalization = normalization_of(scale, mean, std)
    wishes = Wishes(labels, top, conf, iou, normalization, prompt, tokens, temperature, top_p)
    job = task_of(task, wishes, model)
    if task == WRITE:
        others: dict[str, object] = {"INPUT": files, "--keep": keep, "--output": output, "--shape": shape}
        others["--scale, --mean, --std"] = normalization
        refuse([name for name, value in others.items() if value], task)
        write_on(model, bin, wishes, seed, engine)
        return
    check_output(output, pictures=job is not None)
    graph = load_model(model, bin, engine=engine)
    if job is not None:
        inputs = job.read(files or [], graph.inputs)
    elif files:
        inputs = network_inputs(graph, files, normalization or Normalization())
    else:
        inputs = random_inputs(graph, extents, seed)
    with progress("running", len(graph.operators)) as advance:
        results = graph.forward(*inputs, keep=keep or [], on_operator=lambda op, seconds: advance())
    arrays = {f"output_{i}": np.asarray(x) for i, x in enumerate(results)}
    kept = {name: array for key, value in results.kept.items() for name, array in named_arrays(key, value)}
    if job is not None:
        console().print(job.answer(list(arrays.values())))
    if job is None or kept:
        show(arrays, kept)
    if top is not None and job is None:
        show_top(arrays, top)
    if job is not None and output is not None and Path(output).suffix.lower() == ".png":
        save_picture(output, job.drawn)
        note(f"saved the picture to {output}")
    elif output is not None:
        save(output, {**arrays, **{f"kept_{name}": array for name, array in kept.items()}})


def normalization_of(scale: str, mean: str | None, std: str | None) -> Normalization | None:
    """What the options say of bytes -> numbers; None where they say nothing. Raises typer.BadParameter."""
    scales = arguments.floats(scale)
    if len(scales) != 1:
        raise typer.BadParameter("--scale is one number")
    if mean is None and std is None and scales == arguments.floats(SCALE):
        return None
    return Normalization(scales[0], arguments.floats(mean or "0"), arguments.floats(std or "1"))


def named_arrays(name: str, value: Any) -> list[tuple[str, np.ndarray]]:
    """A result with its name; the members of tuples and lists get numbers."""
    if isinstance(value, (tuple, list)):
        return [pair for i, item in enumerate(value) for pair in named_arrays(f"{name}[{i}]", item)]
    return [(name, np.asarray(value))]


def show(outputs: Mapping[str, np.ndarray], kept: Mapping[str, np.ndarray]) -> None:
    """A table of the arrays: shape, element type, and the range of their values."""
    rows = table("name", "shape", "dtype", "min", "mean", "max", right=("min", "mean", "max"), fold=("name",))
    for name, array in [*outputs.items(), *kept.items()]:
        rows.add_row(name, shape_of(array.shape), str(array.dtype), *summary(array))
    console().print(rows)


def summary(array: np.ndarray) -> tuple[str, str, str]:
    """Least, mean and greatest value as text; "-" for what has none.

    >>> summary(np.array([1.0, 2.0, 6.0]))
    ('1', '3', '6')
    """
    if array.size == 0 or array.dtype.kind not in "biuf":
        return "-", "-", "-"
    numbers = array.astype(np.float64)
    return f"{numbers.min():.5g}", f"{numbers.mean():.5g}", f"{numbers.max():.5g}"


def show_top(outputs: Mapping[str, np.ndarray], count: int) -> None:
    """The greatest values of every row, with their indices. Raises ShapeError when no output has rows."""
    suitable = {name: x for name, x in outputs.items() if x.ndim in (1, 2) and x.size and x.dtype.kind in "biuf"}
    if not suitable:
        raise ShapeError(
            "--top", "an output (classes) or (N,classes)", ", ".join(shape_of(x.shape) for x in outputs.values())
        )
    rows = table("output", "row", "rank", "index", "value", right=("row", "rank", "index", "value"))
    for name, array in suitable.items():
        for number, row in enumerate(np.atleast_2d(array)):
            for rank, index in enumerate(np.argsort(-row.astype(np.float64), kind="stable")[:count]):
                rows.add_row(name, str(number), str(rank + 1), str(index), f"{row[index]:.5g}")
    out = console()
    out.print()
    out.print(rows)


def check_output(file: str | None, *, pictures: bool = False) -> None:
    """Refuse, before any work, a file that cannot be written."""
    if file is None:
        return
    if Path(file).suffix.lower() not in (".npy", ".npz", *([".png"] * pictures)):
        ways = ".png, .npz or .npy" if pictures else ".npz or .npy (.png with --task)"
        raise KuiperError(f"--output {file}: expected a name that ends in {ways}")
    if not Path(file).resolve().parent.is_dir():
        raise KuiperError(f"--output {file}: expected an existing folder, found no {Path(file).parent}")


def save(file: str, arrays: Mapping[str, np.ndarray]) -> None:
    """Write the arrays: .npz under their names, .npy for a single one."""
    one_array = Path(file).suffix.lower() == ".npy"
    if one_array and len(arrays) != 1:
        raise KuiperError(f"--output {file}: .npy holds one array, found {len(arrays)} ({', '.join(arrays)}); use .npz")
    try:
        with open(file, "wb") as stream:
            if one_array:
                np.save(stream, next(iter(arrays.values())), allow_pickle=False)
            else:
                np.savez(stream, allow_pickle=False, **arrays)
    except OSError as error:
        raise KuiperError(f"--output {file}: cannot be written: {error.strerror or error}") from error
    note(f"saved {', '.join(arrays)} to {file}")
