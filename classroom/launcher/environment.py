"""Environment variables for the programs that the launcher starts: the caller's, without those that misdirect them."""

from __future__ import annotations

import re
from collections.abc import Mapping

DROPPED = {
    *("PYTHONPATH", "PYTHONHOME", "PYTHONPLATLIBDIR", "VIRTUAL_ENV", "__PYVENV_LAUNCHER__", "CONDA_PREFIX"),
    # Without cached bytecode in the environment every start would take twice as long.
    "PYTHONDONTWRITEBYTECODE",
}

KEPT_SETTINGS = re.compile(
    "INDEX|LINKS|PROXY|CERT|HOST|TIMEOUT|RETRIES|CACHE|OFFLINE|KEYRING|TLS|LINK_MODE|HTTP|CONFIG_FILE"
)
"""The PIP_ and UV_ settings for reaching packages; the others change what is installed, or where."""


def clean_variables(variables: Mapping[str, str]) -> dict[str, str]:
    """The variables without another Python's paths; pip's index settings are copied to uv's.

    >>> clean_variables({"PYTHONPATH": "elsewhere", "PIP_TARGET": "elsewhere", "PIP_NO_INDEX": "1", "HOME": "/home"})
    {'PIP_NO_INDEX': '1', 'HOME': '/home', 'UV_NO_INDEX': '1'}
    """
    kept = {}
    for name, value in variables.items():
        is_setting = name.startswith(("PIP_", "UV_"))
        if name not in DROPPED and (not is_setting or KEPT_SETTINGS.search(name)):
            kept[name] = value
    for name in ("INDEX_URL", "EXTRA_INDEX_URL", "NO_INDEX", "FIND_LINKS"):
        setting = kept.get(f"PIP_{name}")
        if setting:
            # pip separates the folders of FIND_LINKS by spaces, uv by commas.
            kept.setdefault(f"UV_{name}", ",".join(setting.split()) if name == "FIND_LINKS" else setting)
    return kept
