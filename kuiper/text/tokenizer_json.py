"""tokenizer.json, as Hugging Face publishes it, read without its library: byte-level byte pairs, all else refused.

What is refused bears its name in the message, and the library `tokenizers` (kuiper/text/library.py) may know it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, cast

from kuiper.documents import Document, kind_of, read_object
from kuiper.errors import KuiperError, ModelFormatError
from kuiper.text.bytepairs import AddedToken, BytePairs
from kuiper.text.pieces import GPT2, PATTERNS, Splitter, digits, split

TOKENIZER = "tokenizer.json"
LARGEST = 64 << 20
"""Bytes of a tokenizer.json: that of Llama 3 has 17 million."""
_NORMALIZATIONS = ("NFC", "NFD", "NFKC", "NFKD")
_SPLITS = {("Isolated", False), ("Removed", True)}  # both keep the matches, of which these texts are made
_Normalization = Literal["NFC", "NFD", "NFKC", "NFKD"]


def read_byte_pairs(path: Path) -> BytePairs:
    """The vocabulary of a tokenizer.json. Raises ModelFormatError for what is damaged, and for what is not known here.

    Known are the model BPE with the 256 letters of bytes, the normalizers NFC to NFKD, the splitters ByteLevel, Digits
    and Split with one of PATTERNS, tokens around a text (TemplateProcessing), added tokens, the decoder ByteLevel.
    """
    spec = Document(path, read_object(path, "a tokenizer", LARGEST))
    spec.only(
        "version", "truncation", "padding", "added_tokens", "normalizer", "pre_tokenizer", "post_processor", "decoder",
        "model",
    )  # fmt: skip
    model = spec.inner("model") or Document(path, {}, "model.")
    vocabulary, merges = _model(model)
    before, after = _around(spec)
    decoders = _parts(spec, "decoder", "decoders")
    if [decoder.text("type") for decoder in decoders] != ["ByteLevel"]:
        found = ", ".join(decoder.text("type") for decoder in decoders) or "none"
        raise spec.fault("decoder", "ByteLevel", found[:80])
    try:
        return BytePairs(
            vocabulary,
            merges,
            _splitters(spec),
            added=_added(spec),
            normalization=_normalization(spec),
            whole=model.flag("ignore_merges", False),
            before=before,
            after=after,
        )
    except ModelFormatError:
        raise
    except KuiperError as error:
        raise ModelFormatError(path, None, "a vocabulary that fits together", error.message) from None


def _model(model: Document) -> tuple[dict[str, int], list[tuple[str, str]]]:
    """The entries and the pairs."""
    if model.text("type") != "BPE":
        raise model.fault("type", "BPE")
    model.only(
        "type", "dropout", "unk_token", "continuing_subword_prefix", "end_of_word_suffix", "fuse_unk", "byte_fallback",
        "ignore_merges", "vocab", "merges",
    )  # fmt: skip
    for key in ("continuing_subword_prefix", "end_of_word_suffix"):
        if model.get(key) not in (None, ""):
            raise model.fault(key, "none")
    if model.get("dropout") not in (None, 0):
        raise model.fault("dropout", "none")
    if model.flag("byte_fallback", False):
        raise model.fault("byte_fallback", "false, as bytes have letters of their own")
    vocabulary, merges = model.get("vocab"), model.get("merges")
    if not isinstance(vocabulary, dict):
        raise model.fault("vocab", "an object, entry: token")
    for entry, token in vocabulary.items():
        if type(token) is not int or not 0 <= token < 1 << 31:
            raise model.fault("vocab", "whole numbers from 0 on", f"{kind_of(token)} for {entry!r:.60}")
        _check_characters(model, "vocab", entry)
    if not isinstance(merges, list):
        raise model.fault("merges", "a list of pairs")
    return vocabulary, [_pair(model, merge) for merge in merges]


def _pair(model: Document, merge: Any) -> tuple[str, str]:
    """["a", "b"], or "a b" in older files."""
    parts = merge.split(" ") if isinstance(merge, str) else merge
    if not isinstance(parts, list) or len(parts) != 2 or not all(isinstance(part, str) for part in parts):
        raise model.fault("merges", "pairs of entries", kind_of(merge))
    return parts[0], parts[1]


def _added(spec: Document) -> list[AddedToken]:
    """The texts that are one token."""
    found = []
    for one in spec.inners("added_tokens") if spec.get("added_tokens") is not None else []:
        one.only("id", "content", "single_word", "lstrip", "rstrip", "normalized", "special")
        for key in ("single_word", "lstrip", "rstrip"):
            if one.flag(key, False):
                raise one.fault(key, "false")
        token, content = one.get("id"), one.text("content")
        if type(token) is not int or not 0 <= token < 1 << 31:
            raise one.fault("id", "a whole number from 0 on")
        if not content:
            raise one.fault("content", "a text that is not empty")
        _check_characters(one, "content", content)
        special = one.flag("special", False)
        found.append(AddedToken(token, content, special, one.flag("normalized", not special)))
    if len({one.content for one in found}) < len(found):
        raise spec.fault("added_tokens", "each text once", "one twice")
    return found


def _normalization(spec: Document) -> _Normalization | None:
    """How the text is normalized."""
    parts = _parts(spec, "normalizer", "normalizers")
    for part in parts:
        if part.text("type") not in _NORMALIZATIONS:
            raise part.fault("type", f"one of {', '.join(_NORMALIZATIONS)}")
    if len(parts) > 1:
        raise spec.fault("normalizer", "at most one", f"{len(parts)}")
    return cast(_Normalization, parts[0].text("type")) if parts else None


def _splitters(spec: Document) -> list[Splitter]:
    """What cuts a text into pieces, the last of them ByteLevel."""
    parts = _parts(spec, "pre_tokenizer", "pretokenizers")
    kinds = [part.text("type") for part in parts]
    known: dict[str, Callable[[Document], list[Splitter]]] = {
        "ByteLevel": _byte_level,
        "Split": _split,
        "Digits": _digits,
    }
    for kind, part in zip(kinds, parts):
        if kind not in known:
            raise part.fault("type", f"one of {', '.join(known)}")
    if kinds.count("ByteLevel") != 1 or kinds[-1] != "ByteLevel":
        raise spec.fault("pre_tokenizer", "ByteLevel at the end", ", ".join(kinds)[:80] or "none")
    return [splitter for kind, part in zip(kinds, parts) for splitter in known[kind](part)]


def _byte_level(part: Document) -> list[Splitter]:
    part.only("type", "add_prefix_space", "trim_offsets", "use_regex")
    first: list[Splitter] = [_with_space] if part.flag("add_prefix_space", True) else []
    return first + ([split(GPT2)] if part.flag("use_regex", True) else [])


def _with_space(text: str) -> list[str]:
    """The text with a space before it."""
    return [text if text.startswith(" ") else f" {text}"]


def _split(part: Document) -> list[Splitter]:
    part.only("type", "pattern", "behavior", "invert")
    pattern = part.inner("pattern")
    found = pattern.get("Regex") if pattern is not None else None
    if not isinstance(found, str) or found not in PATTERNS.values():
        raise part.fault("pattern", f"the expression of {' or '.join(PATTERNS)}", f"{found!r:.120}")
    if (part.text("behavior"), part.flag("invert", False)) not in _SPLITS:
        raise part.fault("behavior", "Isolated, or Removed and inverted")
    return [split(found)]


def _digits(part: Document) -> list[Splitter]:
    part.only("type", "individual_digits")
    if not part.flag("individual_digits", False):
        raise part.fault("individual_digits", "true")
    return [digits]


def _around(spec: Document) -> tuple[list[int], list[int]]:
    """The tokens before and after a text that stands alone."""
    before: list[int] = []
    after: list[int] = []
    for part in _parts(spec, "post_processor", "processors"):
        kind = part.text("type")
        if kind == "TemplateProcessing" and not before and not after:
            before, after = _template(part)
        elif kind != "ByteLevel":  # that one only says where tokens stood in the text
            raise part.fault("type", "ByteLevel, or TemplateProcessing once")
    return before, after


def _template(part: Document) -> tuple[list[int], list[int]]:
    """[special tokens, the text, special tokens] -> the tokens on each side."""
    entries = part.inner("special_tokens") or Document(part.path, {}, f"{part.within}special_tokens.")
    sides: list[list[int]] = [[]]
    for one in part.inners("single"):
        if one.inner("Sequence") is not None:
            sides.append([])
            continue
        named = one.inner("SpecialToken")
        entry = entries.inner(named.text("id")) if named is not None else None
        ids = entry.get("ids") if entry is not None else None
        if not isinstance(ids, list) or not all(type(token) is int for token in ids):
            raise part.fault("single", "the text, and special tokens of which special_tokens has the ids")
        sides[-1] += ids
    if len(sides) != 2:
        raise part.fault("single", "the text once", f"{len(sides) - 1} times")
    return sides[0], sides[1]


def _parts(spec: Document, key: str, inner: str) -> list[Document]:
    """The parts of a setting: none, one, or those of a Sequence."""
    whole = spec.inner(key)
    if whole is None:
        return []
    return whole.inners(inner) if whole.text("type") == "Sequence" else [whole]


def _check_characters(part: Document, key: str, text: str) -> None:
    """Raise ModelFormatError for half a character, which JSON can say."""
    if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
        raise part.fault(key, "texts of whole characters", f"{text!r:.60}")
