import numpy as np


def clash(a, b):
    return not (a[1] < b[0] or b[1] < a[0])


def plan_memory(lives, sizes):
    plan = {}
    todo = list(lives)
    todo.sort(key=lambda name: (-sizes[name], lives[name]))
    for name in todo:
        neighbours = [other for other in plan if clash(lives[name], lives[other])]
        candidates = [0] + [plan[o] + sizes[o] for o in neighbours]
        fitting = []
        for c in candidates:
            if all(c + sizes[name] <= plan[o] or c >= plan[o] + sizes[o] for o in neighbours):
                fitting.append(c)
        plan[name] = min(fitting)
    return plan


def fold_batchnorm(weight, bias, gamma, beta, mean, var, eps=1e-5):
    out_w = np.empty_like(weight)
    out_b = np.empty_like(gamma)
    for o in range(len(weight)):
        scale = gamma[o] / (var[o] + eps) ** 0.5
        out_w[o] = weight[o] * scale
        old = 0 if bias is None else bias[o]
        out_b[o] = beta[o] + scale * (old - mean[o])
    return out_w, out_b
