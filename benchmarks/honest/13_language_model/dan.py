import numpy as np


def attend(query, keys, values):
    """One query (N, H, D) and all that it sees."""
    d = query.shape[-1]
    logits = np.matmul(keys, query[..., np.newaxis])[..., 0] / np.sqrt(d).astype(query.dtype)
    shifted = np.exp(logits - np.amax(logits, axis=2, keepdims=True))
    share = shifted / np.sum(shifted, axis=2, keepdims=True)
    return np.matmul(share[:, :, np.newaxis, :], values)[:, :, 0, :]


def cached_attention(q, k, v, keys, values, count):
    if count + k.shape[2] > keys.shape[2]:
        raise ValueError("too many tokens: %d + %d" % (count, k.shape[2]))
    answers = []
    for step in range(k.shape[2]):
        np.copyto(keys[:, :, count + step], k[:, :, step])
        np.copyto(values[:, :, count + step], v[:, :, step])
        visible = count + step + 1
        answers.append(attend(q[:, :, step], keys[:, :, :visible], values[:, :, :visible]))
    return np.stack(answers, axis=2)


def top_p(probabilities, p):
    if not p > 0 or not p <= 1:
        raise ValueError("p")
    left = probabilities.astype(float)
    result = np.zeros(len(left))
    while result.sum() < p or p == 1:
        i = int(left.argmax())
        if left[i] < 0:
            break
        result[i] = probabilities[i]
        left[i] = -1
    return (result / result.sum()).astype(probabilities.dtype)
