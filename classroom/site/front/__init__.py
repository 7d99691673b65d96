"""The front page's exhibits: a network that reads what a visitor draws, and pictures of what other networks see.

`network` writes a trained network as a script for the browser, `static/digits-run.js` runs it there and
`static/digits-page.js` draws every layer; `pictures` has kuiper look at photographs when the site is built.
"""

from __future__ import annotations

from pathlib import Path

STATIC = Path(__file__).with_name("static")
RUN, PAGE, STYLES = "digits-run.js", "digits-page.js", "front.css"


def assets() -> list[Path]:
    """The scripts and style sheets of the front page, in loading order."""
    return [STATIC / RUN, STATIC / PAGE, STATIC / STYLES]
