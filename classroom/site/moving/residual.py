"""Lesson 8: the first residual block of the classifier, on the lesson's patch: x, F(x), and their sum."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import kuiper
from classroom.register import ROOT
from classroom.site.moving.errors import MovingError
from classroom.site.moving.pixels import data_url, image
from classroom.site.moving.scene import Frame, Panel, Part, PartState, PartStates, Scene
from classroom.site.moving.shapes import arrow, path, rect, words
from kuiper.vision import preprocess

MODELS = ROOT / "models"
PHOTO, PATCH = 1, slice(60, 124)
"""Which of the detector's held-out scenes, and which rows and columns of it: the lesson's patch, a cat's eye."""
BLOCK = {"x": "stem.3", "inner": "stages.0.relu", "f": "convbn2d_2", "sum": "pnnx_expr_10", "y": "pnnx_unique_0"}
"""The first block's values -> the operators that make them."""
ORANGE, BLUE = (217, 95, 2), (33, 102, 172)
SIDE, GAP, TOP, LOWER = 96.0, 31.0, 24.0, 168.0
"""Pixels: the side of a map, between two, and where the two rows of maps begin."""


@dataclass(frozen=True)
class Maps:
    """One channel of the block's values, (H,W) each; `channel` : which."""

    channel: int
    x: np.ndarray
    inner: np.ndarray
    f: np.ndarray
    sum: np.ndarray
    y: np.ndarray


def maps() -> Maps:
    """The channel in which F(x) changes x most, in proportion to how much it varies."""
    patch = np.load(MODELS / "detector" / "heldout.npz")["images"][PHOTO, PATCH, PATCH]
    graph = kuiper.load(MODELS / "classifier" / "classifier.pnnx.param")
    kept = graph.forward(preprocess(patch, resize=64, crop=64), keep=list(BLOCK.values())).kept
    values = {name: kept[operator][0] for name, operator in BLOCK.items()}
    if not np.allclose(values["x"] + values["f"], values["sum"], atol=1e-5):
        raise MovingError("residual: expected x + F(x) where the expression adds")
    channel = int((values["f"].std(axis=(1, 2)) * values["x"].std(axis=(1, 2))).argmax())
    return Maps(channel, **{name: value[channel] for name, value in values.items()})


def painted(values: np.ndarray, largest: float) -> str:
    """(H,W) numbers -> a picture: white at 0, orange above, blue below, full at `largest`."""
    share = np.minimum(np.abs(values) / largest, 1)[..., None]
    colour = np.where(values[..., None] > 0, ORANGE, BLUE)
    return data_url((255 + (colour - 255) * share).round().astype(np.uint8))


def scene() -> Scene:
    """The block step by step, then two single pixels, then the block without its halves."""
    found = maps()
    return Scene("residual", "A residual block: x, and a correction to it", [_block(found)], frames := _frames(found),
                 next(i for i, frame in enumerate(frames) if "y" in frame.states))  # fmt: skip


def _numbers(found: Maps, place: tuple[int, int], step: int) -> PartStates:
    """The numbers of one pixel in words, and a ring around it in each map, as far as the step has come."""
    i, j = place
    cell = SIDE / found.x.shape[0]
    states = {f"spot {name}": PartState("fine", None, j * cell, i * cell) for name in ("x", "f", "sum", "y")[:step]}
    lines = (f"x     {found.x[place]:6.2f}", f"F(x)  {found.f[place]:6.2f}", f"sum   {found.sum[place]:6.2f}",
             f"y     {found.y[place]:6.2f}")  # fmt: skip
    states |= {f"line{number}": PartState("", line) for number, line in enumerate(lines[:step])}
    return states | {"where": PartState("", f"row {i}, column {j}")}


def _frames(found: Maps) -> list[Frame]:
    adds = np.unravel_index(int(np.where(found.x > 0.3, found.f, -np.inf).argmax()), found.f.shape)
    takes = np.unravel_index(int(np.where(found.x + found.f < 0, found.x, -np.inf).argmax()), found.f.shape)
    up, down = (int(adds[0]), int(adds[1])), (int(takes[0]), int(takes[1]))
    shown: PartStates = {"x": PartState()}
    frames = [Frame(f"This is x: channel {found.channel} of what the classifier's stem makes of a patch, a cat's eye, "
                    f"{len(found.x)}x{len(found.x)} numbers. White is 0, orange positive, blue negative.",
                    dict(shown))]  # fmt: skip

    def add(say: str, *, now: str = "", **new: PartState) -> None:
        shown.update(new)
        lit = {name: PartState("now") for name in now.split()}
        frames.append(Frame(say, shown | lit))

    add("The first convolution and its ReLU look at all channels of x. Here is one of their maps.",
        now="a1", inner=PartState())  # fmt: skip
    add("The second convolution makes F(x) of them: the correction. Orange is to be added to x, blue to be taken away.",
        now="a2", f=PartState())  # fmt: skip
    add("The shortcut carries x past both, unchanged. It costs nothing.", now="shortcut")
    add("x and F(x) are added, number by number.", now="shortcut a3", sum=PartState())
    add("A ReLU makes what is negative 0. This is y, the block's result.", now="a4", y=PartState())
    whole = dict(shown)
    for place, what in ((up, "Here F(x) adds most"), (down, "Here F(x) takes away more than was there")):
        total = f"{found.x[place]:.2f} {'+' if found.f[place] >= 0 else '-'} {abs(found.f[place]):.2f} = "
        total += f"{found.sum[place]:.2f}"
        end = "y is the same." if found.sum[place] >= 0 else "the ReLU makes it 0."
        frames.append(Frame(f"{what}: {total}, and {end}", whole | _numbers(found, place, 4)))
    size = float(np.abs(found.f).mean() / np.abs(found.x).mean())
    off = {"f": PartState("hidden"), "inner": PartState("hidden"), "sum": PartState("hidden"), "y": PartState("hidden")}
    frames.append(Frame("What if the convolutions give 0? Then y is x: it came out of a ReLU, so it is never negative. "
                        f"To change nothing is easy. Here the mean size of F(x) is {size:.0%} of that of x.",
                        whole | off | {"y without f": PartState()}))  # fmt: skip
    frames.append(Frame("And without the shortcut? Then y is relu(F(x)): of x only what two convolutions have let "
                        "through is left, and they would have to learn to copy it.",
                        whole | {"y": PartState("hidden"), "sum": PartState("hidden"), "y without x": PartState(),
                                 "shortcut": PartState("hidden")}))  # fmt: skip
    return frames


def _block(found: Maps) -> Panel:
    columns = [2 + i * (SIDE + GAP) for i in range(3)]
    largest = float(max(np.abs(found.x).max(), np.abs(found.f).max(), np.abs(found.sum).max()))
    inner = float(np.abs(found.inner).max())
    places = {"x": (columns[0], TOP), "inner": (columns[1], TOP), "f": (columns[2], TOP), "sum": (columns[1], LOWER),
              "y": (columns[2], LOWER)}  # fmt: skip
    parts = []
    for name, (x, y) in places.items():
        values = getattr(found, name)
        parts.append(_map(name, painted(values, inner if name == "inner" else largest), x, y))
    parts.append(_map("y without f", painted(found.x, largest), *places["y"]))
    parts.append(_map("y without x", painted(np.maximum(found.f, 0), largest), *places["y"]))
    middle, low, cell = TOP + SIDE / 2, LOWER + SIDE / 2, SIDE / found.x.shape[0]
    bottom = TOP + SIDE
    under = (bottom + LOWER) / 2 - 7
    x, inner_x, f, sum_x = columns[0], columns[1], columns[2], columns[1] + SIDE / 2
    parts += [
        Part("a1", arrow((x + SIDE + 3, middle), (inner_x - 3, middle))),
        Part("a2", arrow((inner_x + SIDE + 3, middle), (f - 3, middle))),
        Part("shortcut", arrow((x + SIDE / 2, bottom + 3), (x + SIDE / 2, under), (sum_x - 9, under))),
        Part("a3", path(f"M{f + SIDE / 2:g} {bottom + 3:g}V{under:g}H{sum_x + 9:g}") +
             arrow((sum_x, under + 8), (sum_x, LOWER - 16))),
        Part("a4", arrow((columns[1] + SIDE + 3, low), (columns[2] - 3, low))),
    ]  # fmt: skip
    parts += [
        Part(f"spot {name}", rect(*places[name], cell, cell, 0), size=0, kind="hidden")
        for name in ("x", "f", "sum", "y")
    ]
    parts.append(Part("where", "", "", 2, LOWER + 12, 11.5, "start"))
    parts += [Part(f"line{i}", "", "", 2, LOWER + 32 + 17 * i, 11.5, "start") for i in range(4)]
    titles = (("x", x, 12.0), ("after conv, ReLU", inner_x, 12.0), ("F(x)", f, 12.0), ("x + F(x)", inner_x, LOWER - 9),
              ("y = relu(x + F(x))", f - 14, LOWER - 9), ("shortcut", x + SIDE / 2 + 6, under - 9))  # fmt: skip
    ground = "".join(words(*title, 11.0, "start", "note") for title in titles) + words("+", sum_x, under, 15.0)
    label = "x passes through two convolutions, which make F(x); a line leads x past them; both are added, then a ReLU."
    return Panel(columns[2] + SIDE + 2, LOWER + SIDE + 2, label, parts, ground)


def _map(name: str, url: str, x: float, y: float) -> Part:
    return Part(
        name, rect(x - 0.5, y - 0.5, SIDE + 1, SIDE + 1, 0) + image(url, x, y, SIDE, SIDE), size=0, kind="hidden"
    )
