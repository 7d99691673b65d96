"""The front page's HTML: where to start, the digit to draw, and the pictures of what networks see."""

from __future__ import annotations

import html
from pathlib import PurePosixPath

from classroom.lesson_words import course_hours
from classroom.register import Course
from classroom.site.front import PAGE, RUN
from classroom.site.front.pictures import Shown

DIGIT = """
<section id="digit" aria-label="A network reads a digit" data-logits="">
<div>
<canvas class="digit-pad" width="280" height="280" role="img"
 aria-label="Paper to draw a digit on, with mouse or finger; the buttons below show stored ones"></canvas>
<p class="digit-said" role="status"></p>
<ol class="digit-scores" aria-label="The share of each digit"></ol>
<p id="digit-choose">or choose a scan:</p>
<div class="digit-choice" role="group" aria-labelledby="digit-choose"></div>
<button type="button" class="digit-clear">Clear</button>
</div>
<div>
<ol class="digit-layers" aria-label="What the layers give"></ol>
</div>
</section>
<script defer src="{network}"></script>
<script defer src="_static/{run}"></script>
<script defer src="_static/{page}"></script>
<p class="digit-without">Here a network runs in the page itself, which takes JavaScript.</p>
"""
"""The places that static/digits-page.js fills; without JavaScript a sentence stands instead."""


def digit(network: PurePosixPath) -> str:
    """The digit to draw; `network` : the script with the network."""
    return raw(DIGIT.format(network=network, run=RUN, page=PAGE))


def raw(markup: str) -> str:
    """HTML as a raw block in Markdown."""
    return f"```{{raw}} html\n{markup.strip()}\n```"


def doors(course: Course, first: str, download: str, size: int) -> str:
    """The two buttons and the hours; `first` and `download` : addresses; `size` of the download in bytes, 0: none."""
    buttons = [f'<a class="front-door first" href="{first}">Start lesson 1</a>']
    if size:
        words = f"Download the course ({size / 1e6:.0f} MB)"
        buttons.append(f'<a class="front-door" href="{download}" download>{words}</a>')
    hours, exercises = course_hours(course)
    told = (
        f"{len(course.lessons)} lessons, about {hours} hours to read and run, and about {exercises} hours for the "
        "exercises. Nothing is sent anywhere, and no page needs the internet."
    )
    return raw(f'<p class="front-doors">{" ".join(buttons)}</p>\n<p class="front-hours">{told}</p>')


def seen(pictures: list[tuple[Shown, PurePosixPath, str]]) -> str:
    """Pictures (what, its file, a caption) side by side."""
    figures = [
        f'<figure><img src="{file}" alt="{html.escape(shown.alt)}" width="{shown.pixels.shape[1]}" '
        f'height="{shown.pixels.shape[0]}" loading="lazy"><figcaption>{html.escape(caption)}</figcaption></figure>'
        for shown, file, caption in pictures
    ]
    return raw(f'<div class="front-seen">{"".join(figures)}</div>')
