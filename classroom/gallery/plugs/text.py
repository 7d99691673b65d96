"""Lesson 13: attention with a KV cache, and sampling of the next token."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from classroom.gallery.pipeline import Replacements
from classroom.gallery.plugs.plug import Plug, as_step, of_types, same_type
from kuiper.errors import KuiperError
from kuiper.layers.sequence.attention import ScaledDotProductAttention

ATTENTION = "F.scaled_dot_product_attention"


def attention_with_cache(
    replacements: Replacements, exercise: str, cached_attention: Callable[..., Any]
) -> Replacements:
    """Attention over a cache of P slots, of which some are in use, followed by T new tokens.

    The engine concatenates both and masks unused slots with a mask (T,P+T); the student's function gets them
    separately, with one key/value head per query head, and a cache that has room for the new tokens.
    """
    cached_attention = replacements.counted(exercise, cached_attention)

    class CachedAttention(ScaledDotProductAttention):
        def forward(self, query: np.ndarray, key: np.ndarray, value: np.ndarray) -> np.ndarray:
            count = places_in_use(self.attn_mask, query.shape[-2], key.shape[-2])
            if count is None or query.ndim != 4 or self.is_causal or self.scale is not None:
                return super().forward(query, key, value)
            room = key.shape[2] - query.shape[2]
            heads = query.shape[1] // key.shape[1] if self.enable_gqa else 1
            key, value = (np.repeat(x, heads, axis=1) for x in (key, value))
            memory = [x[:, :, :room] for x in (key, value)]
            memory = [np.concatenate([x, np.zeros_like(query)], axis=2) for x in memory]
            new = [x[:, :, room:] for x in (key, value)]
            y = cached_attention(query.copy(), *(x.copy() for x in new), *memory, count)
            for name, x, cache in zip(("k", "v"), new, memory):
                if not np.array_equal(cache[:, :, count : count + x.shape[2]], x, equal_nan=True):
                    raise KuiperError(f"{exercise} did not write {name} to the places from {count} on of its cache")
            return same_type(exercise, y, query)

    replacements.registry.override(ATTENTION, CachedAttention)
    return replacements


def places_in_use(mask: np.ndarray | None, new: int, places: int) -> int | None:
    """Number of cache slots in use before the `new` tokens, from a boolean mask (T,P+T).

    None unless the mask is: the first slots, then the new tokens causally.

    >>> places_in_use(np.array([[True, True, False, True, False], [True, True, False, True, True]]), 2, 5)
    2
    """
    if mask is None or mask.shape != (new, places) or mask.dtype != bool:
        return None
    count = int(mask[0, : places - new].sum())
    first = np.arange(places - new) < count
    meant = np.concatenate([np.broadcast_to(first, (new, places - new)), np.tri(new, dtype=bool)], axis=1)
    return count if np.array_equal(mask, meant) else None


PLUGS = (
    Plug(
        "cached_attention",
        "cached_attention",
        "F.scaled_dot_product_attention",
        attention_with_cache,
        of_types(ATTENTION),
    ),
    Plug("top_p", "top_p", "which tokens may follow", as_step),
)
