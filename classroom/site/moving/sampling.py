"""Lesson 13: what may follow a prompt: the writer's scores under temperature and top-p."""

from __future__ import annotations

from functools import cache

import numpy as np

import kuiper
from classroom.register import ROOT
from classroom.site.moving.scene import Frame, Panel, Part, PartState, PartStates
from classroom.site.moving.shapes import rect, words
from classroom.site.moving.sliders import Adjustable, Settings, Slider
from kuiper.text import Cache, Tokens, forward, probabilities, top_p

WRITER = ROOT / "models" / "writer"
PROMPT = "The function returns"
SHOWN = 10
"""So many of the likeliest tokens have a bar each."""
LEFT, LONG, LINE, TOP = 84.0, 190.0, 24.0, 24.0
"""Pixels: where the bars begin, how long one of 100 % is, the height of a line, where the lines begin."""
WORDS = {
    "cut": 'After "{prompt}": at temperature {temperature} the {kept} likeliest tokens reach {top_p}. One of them is '
    "drawn, in proportion; the other {gone} have no chance any more.",
    "one": 'After "{prompt}": at temperature {temperature} the likeliest token alone reaches {top_p}. It is written '
    "each time; the other {gone} have no chance any more.",
    "all": 'After "{prompt}": at temperature {temperature} each of the {kept} tokens may be drawn, however unlikely.',
}


@cache
def scores() -> np.ndarray:
    """(V,) the writer's scores after the prompt, to two decimals, as the page has them."""
    graph = kuiper.load(WRITER / "writer.pnnx.param", engine="simple")
    ids = Tokens.load(WRITER / "tokens.json").encode(PROMPT)
    return forward(graph, ids, Cache.of(graph, len(ids)))[-1].astype(np.float64).round(2)


@cache
def names() -> list[str]:
    """The likeliest tokens as they are shown, a space as an open box."""
    table = Tokens.load(WRITER / "tokens.json")
    likely = np.argsort(-scores(), kind="stable")[:SHOWN]
    return [table.decode([int(token)]).replace(" ", "␣").replace("\n", "⏎") for token in likely]


def scene() -> Adjustable:
    """A bar for each of the likeliest tokens, and one for all others together."""
    sliders = (
        Slider("temperature", "Temperature", [f"{i / 10:.1f}" for i in range(1, 21)], "1.0"),
        Slider("top_p", "Top-p", [f"{i / 20:.2f}" for i in range(2, 21)], "0.90"),
    )
    hundredths = (100 * np.sort(scores())[::-1]).round().astype(int)
    data = {
        "greatest": int(hundredths[0]),
        "drops": (-np.diff(hundredths)).tolist(),
        "names": names(),
        "prompt": PROMPT,
    }
    return Adjustable("sampling", "Temperature and top-p: what may come next", [_bars()], sliders, frame, data, WORDS)


def frame(settings: Settings) -> Frame:
    """The bars at some settings, with kuiper's chances."""
    order = np.argsort(-scores(), kind="stable")
    before = probabilities(scores(), float(settings["temperature"]))[order]
    left = top_p(before, float(settings["top_p"]))
    kept = int(np.count_nonzero(left)) if float(settings["top_p"]) < 1 else len(left)
    states: PartStates = {}
    for i, name in enumerate(names()):
        stays = i < kept
        states[f"token{i}"] = PartState("" if stays else "muted", name)
        states |= _bar(i, before[i], left[i] if stays else 0.0, stays)
    others, rest = before[SHOWN:].sum(), left[SHOWN:].sum()
    states |= _bar(SHOWN, others, rest, kept > SHOWN)
    more = kept - SHOWN
    states["more"] = PartState("", f"{more} others") if more > 0 else PartState("muted", "all others")
    key = "one" if kept == 1 else "all" if kept == len(left) else "cut"
    say = WORDS[key].format(prompt=PROMPT, kept=kept, gone=len(left) - kept, **settings)
    return Frame(say, states)


def _bar(i: int, before: float, left: float, stays: bool) -> PartStates:
    """The chance before the cut, and what is left of it, as bars and in percent."""
    percent = f"{100 * left:.1f} %" if stays else "cut off"
    return {f"before{i}": PartState("bar plain", share=round(float(before), 4)),
            f"left{i}": PartState("bar green" if stays else "hidden", share=round(float(left), 4)),
            f"percent{i}": PartState("" if stays else "muted", percent)}  # fmt: skip


def _bars() -> Panel:
    parts = []
    for i in range(SHOWN + 1):
        y = TOP + i * LINE
        parts.append(Part(f"before{i}", rect(LEFT, y + 13, LONG, 7, 0), size=0, kind="bar"))
        parts.append(Part(f"left{i}", rect(LEFT, y + 3, LONG, 9, 0), size=0, kind="bar"))
        key = f"token{i}" if i < SHOWN else "more"
        parts.append(Part(key, "", "", LEFT - 6, y + LINE / 2, 12.0, "end"))
        parts.append(Part(f"percent{i}", "", "", LEFT + LONG + 66, y + LINE / 2, 12.0, "end"))
    ground = words("grey: before the cut, green: after it; ␣ space, ⏎ new line", 2, 9, 11.0, "start", "note")
    label = f'The {SHOWN} likeliest tokens after "{PROMPT}" with their chances, and all others together.'
    return Panel(LEFT + LONG + 68, TOP + (SHOWN + 1) * LINE + 2, label, parts, ground)
