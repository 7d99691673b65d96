"""tokenizer.json: tokens are those of Hugging Face's library, with and without it; what is unknown is refused by name.

`python tests/text/test_tokenizer_json.py` writes what lies in stored/ again: a tokenizer.json, and the tokens that the
library finds for some texts.
"""

from __future__ import annotations

import copy
import importlib.util
import json
import sys
import tempfile
import unicodedata
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kuiper.errors import KuiperError, ModelFormatError
from kuiper.text import BytePairs, LibraryTokens, load_vocabulary, read_byte_pairs, tokenizer_json
from kuiper.text.bytepairs import LETTER_OF, AddedToken, join_pairs
from kuiper.text.pieces import GPT2, LLAMA3, PATTERNS, QWEN2, split
from kuiper.text.tokens import merged

STORED = Path(__file__).parent / "stored"
KINDS = ("gpt2", "with a space first", "smollm2", "qwen2", "llama3")
LINES = [
    "The function returns the length of the list, then the list itself.",
    "def f(x):\n    return x + 1  # it's what they've said\n\n\nprint(f(12345))\r\n",
    "Привет, мир! Как дела у мира?",
    "你好，世界。世界你好！",
    "مرحبا بالعالم، كيف الحال؟ ١٢٣٤",
    "नमस्ते दुनिया, दुनिया कैसी है? १२३",
    "café naïve Zürich œuvre cafe\u0301",
    "👨‍👩‍👧‍👦 😀😀 🏳️‍🌈 👍🏽",
    "100 000 + 1999 = 101999, ½ x² Ⅷ ③",
    "    if a:\t\tb\n        c   \n",
]
TEXTS = [
    *LINES,
    "",
    " ",
    "It's I'M they'LL we'Ve 'ſ 'S x's",
    "  two   three    \n \n\n  \r\n\r\n \t x \u00a0\u2003\u3000y \x0b\x0c\x85z",
    "\x00\x01\x1b[0m\x1c\x1d\x1e\x1f\x7f\ufeff\u200d\u200e",
    "<s>the<|im_end|>\n<|im_end|><|im_start|>user hello wörld",
    "a\u0301\u0328 \u1e9b\u0323 \ufb01 Å Å 각 각 …",
    "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𒀀𒀁 𝟙𝟚𝟛 ⅷ ௧௨ ꧑",
    "https://example.org/?q=1&r=%20#top {}[]()<>|\\/~^`\"'",
    "x" * 40 + " " * 40 + "1" * 40 + "\n" * 40 + "!" * 40,
]


needs_library = pytest.mark.skipif(
    importlib.util.find_spec("tokenizers") is None, reason="compares with tokenizers, which is not installed"
)
QUICK = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
CHARACTERS = st.characters(
    exclude_categories=["Cs", "Cn"]
)  # what Python's tables do not have may be a letter elsewhere
ANY_TEXT = st.lists(
    st.one_of(st.sampled_from(TEXTS), st.text(CHARACTERS, max_size=12), st.text("ab's 1\n\r\t é́<|>_", max_size=20)),
    max_size=4,
).map("".join)


@cache
def trained(kind: str) -> Any:
    """The library's Tokenizer of one of KINDS."""
    from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

    tokenizer = Tokenizer(models.BPE(ignore_merges=kind == "llama3"))
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=kind not in ("qwen2", "llama3"))
    if kind == "gpt2":
        tokenizer.pre_tokenizer = byte_level
    elif kind == "with a space first":
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    else:
        first = (
            pre_tokenizers.Digits(individual_digits=True)
            if kind == "smollm2"
            else pre_tokenizers.Split(Regex({"qwen2": QWEN2, "llama3": LLAMA3}[kind]), "isolated")
        )
        tokenizer.pre_tokenizer = pre_tokenizers.Sequence([first, byte_level])
    if kind == "qwen2":
        tokenizer.normalizer = normalizers.NFC()
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=420,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        special_tokens=["<s>", "<|im_start|>", "<|im_end|>"],
        show_progress=False,
    )
    tokenizer.train_from_iterator(LINES * 3, trainer)
    tokenizer.add_tokens(["hello wörld"])
    if kind == "llama3":
        begin = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", tokenizer.token_to_id("<s>"))])
        tokenizer.post_processor = processors.Sequence([processors.ByteLevel(trim_offsets=False), begin])
    return tokenizer


@cache
def both(kind: str) -> tuple[BytePairs, LibraryTokens]:
    """A trained tokenizer, as it is read here and by the library."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tokenizer.json"
        trained(kind).save(str(path))
        return read_byte_pairs(path), LibraryTokens.load(path)


def stored_spec() -> dict[str, Any]:
    return json.loads((STORED / "tokenizer.json").read_text(encoding="utf-8"))


@pytest.fixture
def read(tmp_path: Path) -> Callable[[Any], BytePairs]:
    """Writes a tokenizer.json and reads it."""

    def write_and_read(spec: Any) -> BytePairs:
        path = tmp_path / "tokenizer.json"
        path.write_bytes(spec if isinstance(spec, bytes) else json.dumps(spec).encode())
        return read_byte_pairs(path)

    return write_and_read


# equal to the library


def test_the_stored_tokens_are_found_without_the_library() -> None:
    tokens = read_byte_pairs(STORED / "tokenizer.json")
    stored = json.loads((STORED / "tokens.json").read_text(encoding="utf-8"))
    assert [one["text"] for one in stored] == TEXTS
    for one in stored:
        assert tokens.encode(one["text"]) == one["tokens"], one["text"]


@needs_library
def test_the_stored_tokens_are_the_librarys() -> None:
    tokens = LibraryTokens.load(STORED / "tokenizer.json")
    for one in json.loads((STORED / "tokens.json").read_text(encoding="utf-8")):
        assert tokens.encode(one["text"]) == one["tokens"], one["text"]


@needs_library
@pytest.mark.parametrize("kind", KINDS)
@QUICK
@given(text=ANY_TEXT, alone=st.booleans())
def test_tokens_of_any_text_are_the_librarys(kind: str, text: str, alone: bool) -> None:
    ours, library = both(kind)
    found = ours.encode(text, add_special_tokens=alone)
    assert found == library.encode(text, add_special_tokens=alone)
    assert ours.decode(found) == library.decode(found)
    assert ours.decode(found, skip_special_tokens=True) == library.decode(found, skip_special_tokens=True)


@needs_library
@pytest.mark.parametrize("kind", KINDS)
@QUICK
@given(data=st.data())
def test_any_tokens_are_the_librarys_text_and_come_in_whole_characters(kind: str, data: st.DataObject) -> None:
    ours, library = both(kind)
    assert len(ours) == len(library)
    tokens = data.draw(st.lists(st.integers(0, len(ours) - 1), max_size=12))
    kept = [token for token in tokens if ours.pieces[token].isascii() or token not in ours.added]
    assert ours.decode(kept) == library.decode(kept)
    for vocabulary in (ours, library):
        assert "".join(vocabulary.stream(tokens)) == vocabulary.decode(tokens, skip_special_tokens=True)


@needs_library
@pytest.mark.parametrize("kind", KINDS)
def test_both_know_what_is_special_and_what_a_text_is_as_a_whole(kind: str) -> None:
    ours, library = both(kind)
    assert ours.special == library.special == {0, 1, 2}
    for content in ("<|im_end|>", "hello wörld", "the", "no such entry"):
        assert ours.token(content) == library.token(content)
    assert ours.token("<|im_end|>") == 2


@needs_library
@pytest.mark.slow
@pytest.mark.parametrize("name", PATTERNS)
def test_every_character_that_both_know_falls_where_the_library_puts_it(name: str) -> None:
    from tokenizers import Regex, pre_tokenizers

    library, ours = pre_tokenizers.Split(Regex(PATTERNS[name]), "isolated"), split(PATTERNS[name])
    differ = set()
    for plane in range(17):
        codes = range(plane << 16, (plane + 1) << 16)
        known = [chr(code) for code in codes if unicodedata.category(chr(code)) not in ("Cs", "Cn")]
        for form in ("a{}b", " {}", "1{}2"):
            for start in range(0, len(known), 4096):
                text = "\x00".join(form.format(character) for character in known[start : start + 4096])
                found = [piece for piece, _ in library.pre_tokenize_str(text)]
                if found != ours(text):
                    one = [
                        x
                        for x in known[start : start + 4096]
                        if [p for p, _ in library.pre_tokenize_str(form.format(x))] != ours(form.format(x))
                    ]
                    differ |= set(one or ["context"])
    assert not differ, sorted(differ)


# streams


def test_a_character_waits_for_its_last_byte() -> None:
    tokens = read_byte_pairs(STORED / "tokenizer.json")
    smile = [tokens.vocabulary[LETTER_OF[byte]] for byte in "🙂".encode()]
    pieces = list(tokens.stream([*tokens.encode("ab"), *smile, *tokens.encode("<|im_end|>"), *smile[:2]]))
    assert pieces == ["a", "b", "🙂", "\ufffd"]


@needs_library
def test_a_character_waits_in_the_library_too_and_special_tokens_are_not_shown() -> None:
    tokens = LibraryTokens.load(STORED / "tokenizer.json")
    smile = [tokens.token(LETTER_OF[byte]) for byte in "🙂".encode()]
    pieces = list(tokens.stream([*tokens.encode("ab"), *smile, *tokens.encode("<|im_end|>"), *smile[:2]]))
    assert pieces == ["a", "b", "🙂", "\ufffd"]


# joining


@QUICK
@given(
    word=st.lists(st.integers(0, 3), max_size=30),
    pairs=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=6, unique=True),
)
def test_joining_is_what_the_definition_says(word: list[int], pairs: list[tuple[int, int]]) -> None:
    merges = {pair: (rank, 4 + rank) for rank, pair in enumerate(pairs) if max(pair) < 4 + rank}
    expected = list(word)
    while known := [(merges[pair][0], i) for i, pair in enumerate(pairwise(expected)) if pair in merges]:
        _, i = min(known)
        expected[i : i + 2] = [merges[expected[i], expected[i + 1]][1]]
    assert join_pairs(word, merges) == expected


def test_a_long_piece_takes_no_squares_of_its_length() -> None:
    merges = {(0, 0): (0, 1), (1, 1): (1, 2)}
    steps = []

    class Counted(dict):
        def __contains__(self, pair: object) -> bool:
            steps.append(pair)
            return super().__contains__(pair)

    assert join_pairs([0] * 4000, Counted(merges)) == [2] * 1000
    assert len(steps) < 40_000
    assert merged([0] * 4, (0, 0), 1) == [1, 1]


# refusals


def changed(*path: str | int, to: Any) -> dict[str, Any]:
    """The stored specification with one value changed."""
    spec = copy.deepcopy(stored_spec())
    inner: Any = spec
    for key in path[:-1]:
        inner = inner[key]
    if to is None:
        inner.pop(path[-1])
    else:
        inner[path[-1]] = to
    return spec


SPLIT = {"type": "Split", "pattern": {"Regex": QWEN2}, "behavior": "Isolated", "invert": False}
BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
REFUSED = {
    "Unigram": (("model", "type"), "Unigram", "model.type: BPE, found 'Unigram'"),
    "WordPiece": (("model", "type"), "WordPiece", "found 'WordPiece'"),
    "no model": (("model",), {}, "model.type: a text, found nothing"),
    "a model's setting": (("model", "beam"), 3, "model.beam: no setting but type, "),
    "dropout": (("model", "dropout"), 0.1, "model.dropout: none, found 0.1"),
    "byte_fallback": (("model", "byte_fallback"), True, "byte_fallback: false"),
    "prefix": (("model", "continuing_subword_prefix"), "##", "continuing_subword_prefix: none, found '##'"),
    "vocab": (("model", "vocab"), ["a"], "model.vocab: an object"),
    "a token of 1.0": (("model", "vocab", "a"), 1.0, "vocab: whole numbers from 0 on, found 1.0 for 'a'"),
    "a token below 0": (("model", "vocab", "a"), -1, "found -1 for 'a'"),
    "two entries with a token": (("model", "vocab", "a"), 3, "two entries with one"),
    "half a character": (("model", "vocab", "\ud800"), 999, "texts of whole characters"),
    "a byte missing": (("model", "vocab", "Ġ"), None, "an entry for each of 256 bytes, found none for 32"),
    "merges": (("model", "merges"), {}, "model.merges: a list"),
    "a merge of three": (("model", "merges", 0), "a b c", "pairs of entries, found 'a b c'"),
    "a merge of numbers": (("model", "merges", 0), [1, 2], "pairs of entries, found a list"),
    "a merge of strangers": (("model", "merges", 0), ["no", "such"], "entries of the vocabulary, found 'no"),
    "normalizer": (("normalizer",), {"type": "Lowercase"}, "normalizer.type: one of NFC, .*, found 'Lowercase'"),
    "two normalizers": (
        ("normalizer",), {"type": "Sequence", "normalizers": [{"type": "NFC"}, {"type": "NFD"}]}, "at most one, found 2"
    ),
    "pre_tokenizer": (("pre_tokenizer",), {"type": "Metaspace"}, "pre_tokenizer.type: .*, found 'Metaspace'"),
    "no pre_tokenizer": (("pre_tokenizer",), None, "pre_tokenizer: ByteLevel at the end, found none"),
    "a split alone": (("pre_tokenizer",), SPLIT, "ByteLevel at the end, found Split"),
    "an expression": (
        ("pre_tokenizer", "pretokenizers", 0, "pattern"), {"Regex": "(a+)+$"}, r"Llama 3 or Qwen2, found '\(a\+"
    ),
    "a text to split": (("pre_tokenizer", "pretokenizers", 0, "pattern"), {"String": " "}, "pattern: .*, found None"),
    "behavior": (("pre_tokenizer", "pretokenizers", 0, "behavior"), "MergedWithNext", "Isolated, or Removed and inv"),
    "removed": (("pre_tokenizer", "pretokenizers", 0, "behavior"), "Removed", "Isolated, or Removed and inv"),
    "an inner pre_tokenizer": (("pre_tokenizer", "pretokenizers", 0), {"type": "Punctuation"}, "found 'Punctuation'"),
    "runs of digits": (("pre_tokenizer", "pretokenizers", 0), {"type": "Digits"}, "individual_digits: true"),
    "sequences of sequences": (
        ("pre_tokenizer", "pretokenizers", 0), {"type": "Sequence", "pretokenizers": []}, "found 'Sequence'"
    ),
    "decoder": (("decoder",), {"type": "WordPiece"}, "decoder: ByteLevel, found WordPiece"),
    "no decoder": (("decoder",), None, "decoder: ByteLevel, found none"),
    "post_processor": (("post_processor",), {"type": "RobertaProcessing"}, "found 'RobertaProcessing'"),
    "a template without the text": (
        ("post_processor",), {"type": "TemplateProcessing", "single": []}, "the text once, found 0 times"
    ),
    "a template with a stranger": (
        ("post_processor",),
        {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "<x>"}}, {"Sequence": {"id": "A"}}]},
        "special_tokens has the ids",
    ),
    "a template with a token of nothing": (
        ("post_processor",),
        {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "<x>"}}, {"Sequence": {"id": "A"}}],
         "special_tokens": {"<x>": {"id": "<x>", "ids": [12345], "tokens": ["<x>"]}}},
        "tokens around a text: .*, found 12345",
    ),
    "single_word": (("added_tokens", 0, "single_word"), True, r"added_tokens\[0\].single_word: false, found true"),
    "lstrip": (("added_tokens", 1, "lstrip"), True, r"added_tokens\[1\].lstrip: false"),
    "an added token without a text": (("added_tokens", 0, "content"), "", "a text that is not empty"),
    "an added token twice": (("added_tokens", 1, "content"), "<s>", "each text once"),
    "an added token elsewhere": (("added_tokens", 0, "id"), 7, "'<s>': expected a token of its own, found 7"),
    "an added token that is another": (("added_tokens", 3, "id"), 7, "expected a token of its own, found 7"),
    "another section": (("layers",), [], "layers: no setting but version"),
}  # fmt: skip


def test_the_stored_file_has_what_refusals_change(read: Callable[[Any], BytePairs]) -> None:
    spec = stored_spec()
    assert spec["pre_tokenizer"] == {"type": "Sequence", "pretokenizers": [SPLIT, BYTE_LEVEL]}
    assert read(spec).encode("the") == read_byte_pairs(STORED / "tokenizer.json").encode("the")


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_known_is_refused_by_name(read: Callable[[Any], BytePairs], name: str) -> None:
    path, value, words = REFUSED[name]
    with pytest.raises(ModelFormatError, match=words) as caught:
        read(changed(*path, to=value))
    assert "tokenizer.json: expected" in str(caught.value)
    assert len(str(caught.value)) < 600
    str(caught.value).encode("utf-8")


def test_older_forms_mean_the_same(read: Callable[[Any], BytePairs]) -> None:
    spec = stored_spec()
    spec["model"]["merges"] = [" ".join(pair) for pair in spec["model"]["merges"]]
    spec["model"] |= {"unk_token": None, "continuing_subword_prefix": "", "end_of_word_suffix": ""}
    spec["pre_tokenizer"]["pretokenizers"][0] |= {"behavior": "Removed", "invert": True}
    spec["decoder"] = {"type": "Sequence", "decoders": [spec["decoder"]]}
    spec["normalizer"] = {"type": "Sequence", "normalizers": [spec["normalizer"]]}
    found, expected = read(spec), read_byte_pairs(STORED / "tokenizer.json")
    for text in TEXTS:
        assert found.encode(text) == expected.encode(text)


def test_half_a_character_is_no_text() -> None:
    with pytest.raises(KuiperError, match=r"text: expected characters, found '\\ud800', half of one"):
        read_byte_pairs(STORED / "tokenizer.json").encode("a\ud800")


@needs_library
def test_half_a_character_is_no_text_for_the_library_either() -> None:
    with pytest.raises(KuiperError, match="text: expected"):
        LibraryTokens.load(STORED / "tokenizer.json").encode("a\ud800")


@pytest.mark.parametrize("wrong", [-1, 421])
def test_an_unknown_token_is_an_error(wrong: int) -> None:
    tokens = read_byte_pairs(STORED / "tokenizer.json")
    with pytest.raises(KuiperError, match=f"expected numbers from 0 to 420, found {wrong}"):
        tokens.decode([1, wrong])


@needs_library
@pytest.mark.parametrize("wrong", [-1, 421])
def test_an_unknown_token_is_an_error_of_the_librarys_too(wrong: int) -> None:
    with pytest.raises(KuiperError, match=f"expected numbers from 0 to 420, found {wrong}"):
        LibraryTokens.load(STORED / "tokenizer.json").decode([1, wrong])


def test_an_added_token_may_leave_a_gap() -> None:
    entries = {LETTER_OF[byte]: byte for byte in range(256)}
    tokens = BytePairs(entries, [], [split(GPT2)], added=[AddedToken(300, "<x>")])
    assert (len(tokens), tokens.encode("<x>a"), tokens.decode([299, 300])) == (301, [300, 97], "<x>")


# damage


@pytest.mark.parametrize(
    "data", [b"", b"{", b"[]", b"\xff\xfe", b'{"a":' * 100_000, b'{"model": {}, "model": {}}', b"PK\x03\x04", b"null"]
)
def test_a_file_of_something_else_is_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "tokenizer.json").write_bytes(data)
    with pytest.raises(ModelFormatError, match=r"tokenizer\.json: expected"):
        read_byte_pairs(tmp_path / "tokenizer.json")
    if importlib.util.find_spec("tokenizers") is not None:
        with pytest.raises(ModelFormatError, match=r"tokenizer\.json: expected"):
            LibraryTokens.load(tmp_path / "tokenizer.json")


def test_a_file_of_gigabytes_is_not_read(tmp_path: Path) -> None:
    with open(tmp_path / "tokenizer.json", "wb") as file:
        file.truncate(tokenizer_json.LARGEST + 1)  # a hole: no disk is needed
    for load in (read_byte_pairs, LibraryTokens.load):
        if load is read_byte_pairs or importlib.util.find_spec("tokenizers") is not None:
            with pytest.raises(ModelFormatError, match="a tokenizer in at most"):
                load(tmp_path / "tokenizer.json")


def refused_or_usable(path: Path) -> None:
    """A KuiperError in words, or vocabularies that write every text again."""
    loads = [read_byte_pairs]
    if importlib.util.find_spec("tokenizers") is not None:
        loads.append(LibraryTokens.load)
    for load in loads:
        try:
            tokens = load(path)
            found = tokens.encode("It's é <s>1\n", add_special_tokens=True)
            "".join(tokens.stream(found))
        except KuiperError as error:
            str(error).encode("utf-8")


VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-3, 500), st.floats(), st.text(max_size=4),
              st.sampled_from([2**31, 10**400, "BPE", "ByteLevel", "Sequence", "NFC", "Split", "WordLevel", "\ud800"])),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=3), inner, max_size=3)),
    max_leaves=4,
)  # fmt: skip


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths to values, of long lists and objects the first few."""
    inner = list(value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else [])[:9]
    return [path] * bool(path) + [one for key, below in inner for one in places(below, (*path, key))]


@QUICK
@given(data=st.data())
def test_any_other_value_is_refused_or_usable(tmp_path: Path, data: st.DataObject) -> None:
    spec = stored_spec()
    for _ in range(data.draw(st.integers(1, 2))):
        *path, last = data.draw(st.sampled_from(places(spec)))
        inner = spec
        for key in path:
            inner = inner[key]
        inner[last] = data.draw(VALUES)
    (tmp_path / "tokenizer.json").write_text(json.dumps(spec), encoding="utf-8")
    refused_or_usable(tmp_path / "tokenizer.json")


@pytest.mark.slow
@QUICK
@given(edits=st.lists(st.tuples(st.integers(0, 8600), st.integers(0, 255)), max_size=4), cut=st.integers(0, 9000))
def test_any_damage_is_refused_or_harmless(tmp_path: Path, edits: list[tuple[int, int]], cut: int) -> None:
    data = bytearray((STORED / "tokenizer.json").read_bytes())
    for at, value in edits:
        data[at % len(data)] = value
    (tmp_path / "tokenizer.json").write_bytes(data[: cut if cut < len(data) else None])
    refused_or_usable(tmp_path / "tokenizer.json")


# which file


def test_the_file_beside_a_network_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(
        KuiperError, match=r"expected tokens\.json or tokenizer\.json beside the network, found neither"
    ):
        load_vocabulary(tmp_path)
    (tmp_path / "tokenizer.json").write_bytes((STORED / "tokenizer.json").read_bytes())
    expected = json.loads((STORED / "tokens.json").read_text(encoding="utf-8"))[0]
    assert load_vocabulary(tmp_path).encode(expected["text"]) == expected["tokens"]
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    without = load_vocabulary(tmp_path)
    assert isinstance(without, BytePairs)
    assert without.encode(expected["text"]) == expected["tokens"]
    (tmp_path / "tokenizer.json").write_text(json.dumps(changed("model", "type", to="Unigram")), encoding="utf-8")
    with pytest.raises(KuiperError, match=r"found 'Unigram'\nThe library tokenizers, .*: pip install -e \"\.\[llm\]\""):
        load_vocabulary(tmp_path)
    (tmp_path / "tokens.json").write_text('{"merges": []}')
    assert load_vocabulary(tmp_path).encode("a") == [66]


def test_the_library_says_how_it_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(KuiperError, match=r"tokenizers is not installed \(no module tokenizers\): pip install -e"):
        LibraryTokens.load(STORED / "tokenizer.json")


def main() -> None:
    """Write stored/."""
    STORED.mkdir(exist_ok=True)
    tokenizer = trained("qwen2")
    text = json.dumps(json.loads(tokenizer.to_str()), ensure_ascii=False)
    (STORED / "tokenizer.json").write_text(text + "\n", encoding="utf-8")
    tokens = [{"text": one, "tokens": tokenizer.encode(one).ids} for one in TEXTS]
    (STORED / "tokens.json").write_text(json.dumps(tokens) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
