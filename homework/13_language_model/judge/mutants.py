"""Wrong homework that the tests must see: attention and choices with one mistake each."""

from __future__ import annotations


def _mutant(exercise: str, name: str, why: str, old: str, new: str) -> dict[str, str]:
    return {"exercise": exercise, "name": name, "why": why, "old": old, "new": new}


SIZES = "    tokens, width = q.shape[2:]\n"
FITS = "    if end > keys.shape[2]:\n"
WRITE_K = "    keys[:, :, count:end] = k\n"
WRITE_V = "    values[:, :, count:end] = v\n"
WRITE = WRITE_K + WRITE_V
SCORES = "    scores = q @ keys[:, :, :end].swapaxes(2, 3) / math.sqrt(width)\n"
AHEAD = "    ahead = np.arange(end) > np.arange(count, end)[:, None]\n"
MASK = "    scores = np.where(ahead, -np.inf, scores)\n"
POWERS = "    powers = np.exp(scores - scores.max(axis=3, keepdims=True))\n"
WEIGHTS = "    weights = powers / powers.sum(axis=3, keepdims=True)\n"
RETURN = "    return weights @ values[:, :, :end]\n"

_ATTENTION = (
    ("no_scaling", "forgets sqrt(D)", SCORES, SCORES.replace(" / math.sqrt(width)", "")),
    ("scaled_by_width", "divides by D", SCORES, SCORES.replace("math.sqrt(width)", "width")),
    ("scaled_by_tokens", "divides by the root of the number of places", SCORES,
     SCORES.replace("math.sqrt(width)", "math.sqrt(end)")),
    ("scaled_by_numpy", "numpy's square root is a float64, and all after it", SCORES,
     SCORES.replace("math.sqrt", "np.sqrt")),
    ("scaled_twice", "scales queries and scores", SCORES, SCORES.replace("q @", "q / math.sqrt(width) @")),
    ("keys_scaled_in_the_cache", "scales the keys before they are written", WRITE_K,
     "    k = k / math.sqrt(width)\n    width = 1\n" + WRITE_K),
    ("no_mask", "new tokens see what comes after them", AHEAD, "    ahead = np.zeros((tokens, end), bool)\n"),
    ("blind_to_itself", "a token does not see itself", AHEAD, AHEAD.replace(">", ">=")),
    ("sees_the_next", "the mask is one place late", AHEAD,
     AHEAD.replace("np.arange(count, end)", "np.arange(count + 1, end + 1)")),
    ("mask_over_the_past", "forgets that new token i stands at count + i", AHEAD,
     AHEAD.replace("np.arange(count, end)", "np.arange(tokens)")),
    ("mask_turned", "hides the past and shows the future", AHEAD, AHEAD.replace(">", "<")),
    ("mask_only_for_whole_texts", "masks only where the cache is empty", AHEAD, AHEAD + "    ahead &= count == 0\n"),
    ("masked_to_zero", "a score of 0 is no weight of 0", MASK, MASK.replace("-np.inf", "0")),
    ("masked_too_late", "sets weights to 0, which then do not sum to 1", MASK + POWERS + WEIGHTS,
     POWERS + WEIGHTS + "    weights = np.where(ahead, 0, weights)\n"),
    ("masked_not_enough", "hides with -10, which is a small weight", MASK, MASK.replace("-np.inf", "scores - 10")),
    ("softmax_over_queries", "the weights of a key sum to 1", POWERS,
     "    powers = np.exp(scores - scores.max())\n    powers /= powers.sum(axis=2, keepdims=True)\n"
     "    return powers @ values[:, :, :end]\n"),
    ("softmax_over_everything", "all weights of a head sum to 1", WEIGHTS,
     WEIGHTS.replace("axis=3", "axis=(2, 3)")),
    ("softmax_over_heads", "the weights of all heads sum to 1", WEIGHTS, WEIGHTS.replace("axis=3", "axis=1")),
    ("no_softmax", "the weights do not sum to 1", WEIGHTS, "    weights = powers\n"),
    ("unstable", "does not subtract the largest score", POWERS, "    powers = np.exp(scores)\n"),
    ("one_maximum_for_all", "subtracts the largest score of all queries", POWERS,
     POWERS.replace("scores.max(axis=3, keepdims=True)", "scores.max()")),
    ("clipped", "keeps scores between -80 and 80", POWERS, POWERS.replace("scores - scores.max(axis=3, keepdims=True)",
     "np.where(np.isfinite(scores), np.clip(scores, -80, 80), scores)")),
    ("written_at_zero", "overwrites the earlier tokens", WRITE,
     "    keys[:, :, :tokens] = k\n    values[:, :, :tokens] = v\n"),
    ("written_at_the_end", "fills the cache from the end", WRITE,
     "    keys[:, :, -tokens:] = k\n    values[:, :, -tokens:] = v\n"),
    ("written_late", "writes one place too far where there is room", WRITE,
     "    late = count + 1 if end < keys.shape[2] else count\n    keys[:, :, late : late + tokens] = k\n"
     "    values[:, :, late : late + tokens] = v\n"),
    ("not_written", "joins cache and new tokens, and keeps nothing", WRITE,
     "    keys = np.concatenate([keys[:, :, :count], k], axis=2)\n"
     "    values = np.concatenate([values[:, :, :count], v], axis=2)\n"),
    ("copied", "writes into a copy, to leave the caller's array alone", WRITE_K,
     "    keys, values = keys.copy(), values.copy()\n" + WRITE_K),
    ("values_not_written", "keeps the keys only", WRITE_V,
     "    values = np.concatenate([values[:, :, :count], v], axis=2)\n"),
    ("shifted", "moves the whole cache up by T places", WRITE,
     "    keys[:] = np.concatenate([keys[:, :, tokens:], k], axis=2)\n"
     "    values[:] = np.concatenate([values[:, :, tokens:], v], axis=2)\n"),
    ("rest_zeroed", "clears the places behind the new tokens", WRITE_V,
     WRITE_V + "    keys[:, :, end:] = 0\n    values[:, :, end:] = 0\n"),
    ("last_token_only", "writes only the last of the new tokens", WRITE,
     "    joined, behind = (np.concatenate([a[:, :, :count], b], 2) for a, b in ((keys, k), (values, v)))\n"
     "    keys[:, :, end - 1 : end], values[:, :, end - 1 : end] = k[:, :, -1:], v[:, :, -1:]\n"
     "    keys, values = joined, behind\n"),
    ("written_after", "looks first and writes then", WRITE,
     "    cache, keys, values = (keys, values), keys.copy(), values.copy()\n"
     "    cache[0][:, :, count:end], cache[1][:, :, count:end] = k, v\n"),
    ("k_and_v_exchanged", "writes values to keys and keys to values", WRITE,
     "    keys[:, :, count:end] = v\n    values[:, :, count:end] = k\n"),
    ("whole_room", "looks at all places, used or not", RETURN,
     "    scores = q @ keys.swapaxes(2, 3) / math.sqrt(width)\n"
     "    scores[:, :, :, :end][np.broadcast_to(ahead, (*scores.shape[:3], end))] = -np.inf\n"
     "    powers = np.exp(scores - scores.max(axis=3, keepdims=True))\n"
     "    return powers / powers.sum(axis=3, keepdims=True) @ values\n"),
    ("whole_room_masked", "hides unused places by a weight of 0, but 0 times nan is nan", RETURN,
     "    padded = np.zeros((*weights.shape[:3], keys.shape[2]), weights.dtype)\n"
     "    padded[:, :, :, :end] = weights\n    return padded @ values\n"),
    ("no_new_tokens", "looks at the earlier tokens only, where there are any", RETURN,
     "    if count:\n        weights = weights[:, :, :, :count] / weights[:, :, :, :count].sum(axis=3, keepdims=True)\n"
     "        return weights @ values[:, :, :count]\n" + RETURN),
    ("no_earlier_tokens", "looks at the new tokens only", AHEAD, AHEAD + "    ahead[:, :count] = True\n"),
    ("keys_for_values", "sums the keys", RETURN, RETURN.replace("values", "keys")),
    ("values_for_keys", "compares with the values", SCORES, SCORES.replace("keys", "values")),
    ("queries_for_keys", "compares queries with queries", WRITE_K, WRITE_K.replace("= k", "= q")),
    ("reshaped", "reshapes where it should transpose", SCORES,
     SCORES.replace(".swapaxes(2, 3)", ".reshape(*keys.shape[:2], width, end)")),
    ("first_head", "every head has the first head's weights", RETURN, RETURN.replace("weights @", "weights[:, :1] @")),
    ("first_text", "every text has the first text's weights", RETURN, RETURN.replace("weights @", "weights[:1] @")),
    ("always_float32", "computes in float32, whatever comes", RETURN,
     RETURN.replace("weights @ values[:, :, :end]", "(weights @ values[:, :, :end]).astype(np.float32)")),
    ("no_check", "cuts off what does not fit", FITS, "    end = min(end, keys.shape[2])\n    if False:\n"),
    ("check_too_strict", "keeps the last place free", FITS, FITS.replace(">", ">=")),
    ("check_without_tokens", "asks for one place, however many tokens come", FITS,
     "    end = min(end, keys.shape[2])\n" + FITS.replace("end >", "count >")),
)  # fmt: skip

CHECK = "    if not 0 < p <= 1:\n"
ORDER = '    order = np.argsort(-probabilities, kind="stable")\n'
COUNT = "    count = np.searchsorted(np.cumsum(probabilities[order]), p) + 1\n"
ONE = "    if p == 1:\n"
KEPT = "    kept[order[:count]] = probabilities[order[:count]]\n"
DIVIDED = "    return kept / kept.sum()\n"

_TOP_P = (
    ("without_the_last", "leaves the token out with which the sum reaches p", COUNT, COUNT.replace(" + 1", "")),
    ("one_more", "takes a token more where the sum is p exactly", COUNT,
     COUNT.replace(", p)", ', p, side="right")')),
    ("two_more", "takes one token too many", COUNT, COUNT.replace("+ 1", "+ 2")),
    ("ascending", "sorts with the smallest first", ORDER, ORDER.replace("-prob", "prob")),
    ("unsorted", "takes the tokens in their order", ORDER, "    order = np.arange(len(probabilities))\n"),
    ("not_renormalised", "what is left does not sum to 1", DIVIDED, "    return kept\n"),
    ("softmax_again", "makes a distribution with another softmax", DIVIDED,
     "    powers = np.where(kept > 0, np.exp(kept), 0).astype(kept.dtype)\n    return powers / powers.sum()\n"),
    ("divided_by_p", "divides by p, which is not the sum", DIVIDED, "    return kept / kept.dtype.type(p)\n"),
    ("rest_shared", "gives the rest to all tokens alike", DIVIDED,
     "    return np.where(kept > 0, kept + (1 - kept.sum()) / np.count_nonzero(kept), 0).astype(kept.dtype)\n"),
    ("order_lost", "returns the tokens sorted", KEPT, "    kept[:count] = probabilities[order[:count]]\n"),
    ("ranks_for_places", "takes the order's inverse for the order", KEPT,
     "    places = np.argsort(order)[:count]\n    kept[places] = probabilities[places]\n"),
    ("equals_backwards", "of equals the last comes first", ORDER,
     '    order = np.argsort(probabilities, kind="stable")[::-1]\n'),
    ("all_equals", "keeps all that are as probable as the last one", KEPT,
     "    least = probabilities[order[:count]].min()\n"
     "    kept[probabilities >= least] = probabilities[probabilities >= least]\n"),
    ("each_above_p", "keeps tokens that are more probable than p", COUNT,
     "    count = max(1, np.count_nonzero(probabilities >= p))\n"),
    ("share_of_tokens", "keeps that share of the tokens", COUNT,
     "    count = max(1, int(np.ceil(p * len(order))))\n"),
    ("below_one_minus_p", "drops tokens less probable than 1 - p", COUNT,
     "    count = max(1, np.count_nonzero(probabilities >= 1 - p))\n"),
    ("none_below_the_first", "keeps nothing where the first token is enough", COUNT,
     "    count = np.count_nonzero(np.cumsum(probabilities[order]) <= p)\n"),
    ("argmax_of_nothing", "where the sum stays below 1 nothing is found, and argmax says 0", COUNT,
     "    count = np.argmax(np.cumsum(probabilities[order]) >= p) + 1\n    if True:\n"
     "        return np.where(np.isin(np.arange(len(order)), order[:count]), probabilities, 0)"
     " / probabilities[order[:count]].sum()\n"),
    ("one_by_the_sum", "drops rare tokens for p = 1", ONE, "    if False:\n"),
    ("always_float64", "computes in float64, whatever comes", DIVIDED,
     "    return kept.astype(np.float64) / kept.sum()\n"),
    ("no_check", "takes any p", CHECK, "    if False:\n"),
    ("no_check_above", "takes a p above 1", CHECK, "    if not 0 < p:\n"),
    ("no_check_below", "takes a p of 0 and below", CHECK, "    if not p <= 1:\n"),
    ("nan_passes", "two comparisons that nan passes", CHECK, "    if p <= 0 or p > 1:\n"),
    ("one_is_refused", "takes no p of 1", CHECK, "    if not 0 < p < 1:\n"),
)  # fmt: skip

MUTANTS = [
    *(_mutant("cached_attention", *rest) for rest in _ATTENTION),
    *(_mutant("top_p", *rest) for rest in _TOP_P),
]
