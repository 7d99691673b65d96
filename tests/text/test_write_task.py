"""`kuiper run --task write`: the prompt, what follows it as it comes, and how fast."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("typer", reason="the command line needs typer and rich, which are not installed")

import typer
from typer.testing import CliRunner, Result

from kuiper import RuntimeGraph
from kuiper.cli import app
from kuiper.text import Sampler, Tokens, write

ROOT = Path(__file__).resolve().parents[2]
WRITER = ROOT / "models" / "writer"
PROMPT = "The function returns"


def call(*arguments: object, code: int = 0) -> Result:
    result = CliRunner().invoke(app, ["run", *map(str, arguments)], env={"NO_COLOR": "1", "COLUMNS": "160"})
    assert result.exit_code == code, result.output
    return result


def error_of(*arguments: object) -> str:
    """The message of a call that fails: explained, with exit code 2 and without a traceback."""
    result = call(*arguments, code=2)
    assert "Traceback" not in result.stderr
    return " ".join(result.stderr.replace("│", " ").split())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("typed", "sampler", "seed"),
    [
        (("--temperature", 0.7, "--top-p", 0.9, "--seed", 1), Sampler(0.7, None, 0.9), 1),
        (("--temperature", 0), Sampler(0), 0),
        (("--temperature", 2, "--top", 3, "--top-p", 1, "--seed", 5), Sampler(2, 3), 5),
        ((), Sampler(0.7, None, 0.9), 0),
    ],
)
def test_it_prints_the_prompt_and_what_follows(
    writer: RuntimeGraph, tokens: Tokens, typed: tuple[object, ...], sampler: Sampler, seed: int
) -> None:
    result = call(WRITER, "--task", "write", "--prompt", PROMPT, "--tokens", 30, *typed)
    random = np.random.default_rng(seed)
    assert result.stdout == PROMPT + "".join(write(writer, tokens, PROMPT, 30, sampler=sampler, random=random)) + "\n"
    assert re.search(r"note: 30 tokens in .*s, \d+ tokens/s", result.stderr)


def test_each_token_is_shown_when_it_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []
    monkeypatch.setattr(typer, "echo", lambda text="", nl=True: shown.append(f"{text}\n" if nl else text))
    call(WRITER, "--task", "write", "--prompt", PROMPT, "--tokens", 7, "--temperature", 0)
    assert shown[0] == PROMPT
    assert len(shown) == 1 + 7 + 1
    assert shown[-1] == "\n"


def test_what_does_not_fit_is_explained(tmp_path: Path) -> None:
    task = ("--task", "write", "--prompt", PROMPT)
    alone = shutil.copytree(WRITER, tmp_path / "alone", ignore=shutil.ignore_patterns("tokens.json"))
    digits = shutil.copytree(ROOT / "models" / "digits", tmp_path / "digits")
    shutil.copy(WRITER / "tokens.json", digits)
    cases: dict[str, tuple[object, ...]] = {
        "--task write needs --prompt": (WRITER, "--task", "write"),
        "--prompt means nothing to --task classify": (WRITER, "--task", "classify", "--prompt", "a"),
        "--temperature, --top-p means nothing to kuiper run without": (WRITER, "--temperature", 1, "--top-p", 1),
        "--conf means nothing to --task write": (WRITER, *task, "--conf", 0.5),
        "INPUT means nothing to --task write": (WRITER, "photo.png", *task),
        "--keep, --output means nothing": (WRITER, *task, "--keep", "head", "--output", "x.npz"),
        "--scale, --mean, --std means nothing": (WRITER, *task, "--mean", "0.5"),
        "prompt: expected at least one character": (WRITER, "--task", "write", "--prompt", ""),
        "prompt: expected at most 192 tokens": (WRITER, "--task", "write", "--prompt", "Q" * 300),
        "expected printable ASCII and line ends, found 'é'": (WRITER, "--task", "write", "--prompt", "café"),
        "temperature": (WRITER, *task, "--temperature", -1),
        "top p: expected a number above 0": (WRITER, *task, "--top-p", 0),
        "expected tokens.json or tokenizer.json beside the network, found neither": (alone, *task),
        "expected words (N,T), keys and values": (digits, *task),
    }
    for expected, typed in cases.items():
        assert expected in error_of(*typed)
