"""What lies beside a network: context, tokens that end a text, how its makers choose."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kuiper.errors import KuiperError, ModelFormatError
from kuiper.text import Sampler
from kuiper.text.settings import LanguageSettings, chosen_context
from kuiper.text.writing import ROOM


def given(folder: Path, **files: object) -> LanguageSettings:
    for name, values in files.items():
        text = values if isinstance(values, str) else json.dumps(values)
        (folder / f"{name}.json").write_text(text)
    return LanguageSettings.load(folder)


def test_a_folder_that_says_nothing_is_as_the_writer(tmp_path: Path) -> None:
    assert given(tmp_path) == LanguageSettings(ROOM, None, frozenset(), None)


def test_what_is_stored_is_loaded(tmp_path: Path) -> None:
    found = LanguageSettings(2048, 8192, frozenset({2, 5}))
    found.store(tmp_path)
    assert LanguageSettings.load(tmp_path) == found


@pytest.mark.parametrize(("eos", "stop"), [(7, {2, 7}), ([7, 8], {2, 7, 8}), (None, {2}), ([], {2})])
def test_what_the_makers_say_is_added(tmp_path: Path, eos: object, stop: set[int]) -> None:
    own = {"context": 9, "positions": 90, "stop": [2]}
    makers = {"eos_token_id": eos, "do_sample": True, "temperature": 0.7, "top_k": 20, "top_p": 0.8, "max_length": 3}
    found = given(tmp_path, kuiper=own, generation_config=makers)
    assert (found.stop, found.sampler) == (stop, Sampler(0.7, 20, 0.8))


@pytest.mark.parametrize(
    ("makers", "sampler"),
    [
        ({}, None),
        ({"do_sample": False, "temperature": 0.7}, Sampler(0)),
        ({"do_sample": True}, Sampler(1)),
        ({"do_sample": True, "top_k": 0}, Sampler(1)),
    ],
)
def test_how_the_makers_choose(tmp_path: Path, makers: dict[str, object], sampler: Sampler | None) -> None:
    assert given(tmp_path, generation_config=makers).sampler == sampler


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"kuiper": {"positions": 3}}, "kuiper.json: expected context: a whole number .*, found nothing"),
        ({"kuiper": {"context": -1, "positions": 3}}, "context: a whole number"),
        ({"kuiper": {"context": 1, "positions": 3, "stop": ["a"]}}, "stop: a token, or a list of tokens, found a list"),
        ({"kuiper": "["}, "as a JSON object"),
        ({"generation_config": {"eos_token_id": -1}}, "eos_token_id: a token, or a list of tokens, found -1"),
        ({"generation_config": {"eos_token_id": True}}, "eos_token_id: a token"),
        ({"generation_config": {"do_sample": 1}}, "do_sample: true or false"),
        ({"generation_config": {"do_sample": True, "temperature": "hot"}}, "temperature: a finite number"),
        ({"generation_config": {"do_sample": True, "top_k": -1}}, "top_k: a whole number from 0 on"),
        ({"generation_config": {"do_sample": True, "top_p": 2}}, "top_p: settings of a choice, found top p: expected"),
    ],
)
def test_values_that_are_not_possible_are_refused(tmp_path: Path, files: dict[str, object], words: str) -> None:
    with pytest.raises(ModelFormatError, match=words):
        given(tmp_path, **files)


@pytest.mark.parametrize("wanted", [0, 8193])
def test_a_context_is_one_that_the_network_was_made_for(wanted: int) -> None:
    with pytest.raises(KuiperError, match=f"context: expected 1 to 8192 tokens .*, found {wanted}"):
        chosen_context(wanted, 8192)
