import numpy as np


def plan_memory(lives, sizes):
    offsets = {}
    for name in sorted(lives, key=lambda n: sizes[n], reverse=True):
        first, last = lives[name]
        taken = []
        for other in offsets:
            f, l = lives[other]
            if f <= last and first <= l:
                taken.append((offsets[other], offsets[other] + sizes[other]))
        taken.sort()
        position = 0
        for start, end in taken:
            if start - position >= sizes[name]:
                break
            position = max(position, end)
        offsets[name] = position
    return offsets


def fold_batchnorm(weight, bias, gamma, beta, mean, var, eps=1e-5):
    if bias is None:
        bias = np.zeros_like(mean)
    std = np.sqrt(var + eps)
    factor = gamma / std
    new_weight = weight * factor[:, None, None, None]
    new_bias = (bias - mean) * factor + beta
    return new_weight.astype(weight.dtype), new_bias.astype(weight.dtype)
