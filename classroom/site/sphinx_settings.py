"""Sphinx's configuration for the site. Pages load nothing from elsewhere, and no notebook is run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from classroom.site import front, math_font, moving, progress, viewer
from classroom.site.code_links import linkcode_resolve
from classroom.site.live import build as live
from classroom.site.search import records
from classroom.site.tree import EXTRA, Tree
from kuiper.show.svg import MONO

THEME = Path(__file__).with_name("theme")
TITLE = "Kuiper"

SHEETS = ("site.css", "reading.css", "figures.css", "figure-colours.css", "glossary.css")
SCRIPTS = ("site.js", "copy.js", "enlarge.js", "glossary.js")
"""Style sheets and scripts of every page, in loading order."""

FONTS = {
    "font-stack": "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Liberation Sans', sans-serif",
    "font-stack--headings": "var(--font-stack)",
    "font-stack--monospace": MONO,
}
"""The text's family, and the monospaced one of code, figures and moving pictures."""
ACCENT = {"light": "#0b57a4", "dark": "#8ab8f0"}
"""Links: at least 4.5 : 1 on the page's background."""

SOME = {
    **dict.fromkeys(viewer.LOADED, viewer.MARK),
    "moving-figure.js": "moving-stage",
    "moving-stepper.js": "moving-steps",
    "moving-sliders.js": "moving-sliders",
    **{f"moving-{name}.js": f"moving-{name}" for name in moving.ADJUSTABLE},
    "progress-shelf.js": "progress-shelf",
}
"""Style sheets and scripts that only some pages load -> the class by which such a page is known."""


def settings(tree: Tree) -> dict[str, Any]:
    """The configuration for a filled tree."""
    shared = [*progress.assets(), *moving.assets(), *live.assets()]
    return {
        "project": TITLE,
        "html_title": TITLE,
        "html_short_title": TITLE,
        "language": "en",
        "exclude_patterns": [EXTRA],
        "templates_path": [str(THEME / "templates")],
        "html_favicon": str(THEME / "static" / "favicon.svg"),
        "html_extra_path": [str(tree.folder / EXTRA)],
        "author": "",
        "root_doc": "index",
        "extensions": [
            "myst_nb",
            "sphinx.ext.autodoc",
            "sphinx.ext.linkcode",
            "classroom.site.sphinx_extension",
            "classroom.site.figures",
            "classroom.site.page_head",
            "classroom.site.lesson_way",
            "classroom.site.glossary_terms",
            "classroom.site.search.records",
        ],
        "suppress_warnings": ["myst.domains"],
        "course_root": str(tree.root),
        "course_register": tree.course,
        "course_sources": sorted(str(path) for path in tree.sources),
        "linkcode_resolve": linkcode_resolve,
        # notebooks as stored
        "nb_execution_mode": "off",
        "nb_code_prompt_show": "Guessed? Show the {type}",
        "nb_code_prompt_hide": "Hide the {type}",
        "nb_merge_streams": True,
        "myst_enable_extensions": ["dollarmath", "amsmath", "colon_fence"],
        "myst_heading_anchors": 4,
        "myst_links_external_new_tab": False,
        # the API
        "autodoc_member_order": "bysource",
        "autodoc_typehints": "signature",
        # a first line such as "size(x) -> the lengths" is text, not a signature
        "autodoc_docstring_signature": False,
        "autodoc_preserve_defaults": True,
        "python_use_unqualified_type_names": True,
        "default_role": "literal",
        "highlight_language": "text",
        "add_module_names": False,
        "smartquotes": False,
        # appearance, and no copies of the sources
        "html_theme": "furo",
        "html_theme_options": theme_options(),
        "html_static_path": [
            str(THEME / "static"),
            str(tree.folder / math_font.FILE),
            str(math_font.LICENCE),
            str(tree.folder / progress.REGISTER),
            str(tree.folder / viewer.FAMILIES),
            *(str(path) for path in (*shared, *front.assets(), *viewer.assets())),
            str(records.STATIC),
        ],
        "html_css_files": [*SHEETS, *(path.name for path in shared if path.suffix == ".css" and path.name not in SOME)],
        "html_js_files": [
            *((name, {"defer": "defer"}) for name in (*SCRIPTS, progress.REGISTER.name)),
            *((path.name, {"defer": "defer"}) for path in shared if path.suffix == ".js" and path.name not in SOME),
        ],
        "html_math_renderer": "mathml",
        "html_copy_source": False,
        "html_show_sourcelink": False,
        "html_show_copyright": False,
        "html_last_updated_fmt": None,
        "pygments_style": "a11y-high-contrast-light",
        "html_use_index": True,
        "html_domain_indices": False,
        "html_permalinks_icon": "#",
    }


def theme_options() -> dict[str, Any]:
    """Options of the Furo theme: our colours."""
    return {
        "sidebar_hide_name": False,
        "navigation_with_keys": False,
        "top_of_page_buttons": [],
        "light_css_variables": {
            "color-brand-primary": ACCENT["light"],
            "color-brand-content": ACCENT["light"],
            "color-brand-visited": "#6b3fa0",
            **FONTS,
        },
        "dark_css_variables": {
            "color-brand-primary": ACCENT["dark"],
            "color-brand-content": ACCENT["dark"],
            "color-brand-visited": "#c4a5f0",
        },
    }
