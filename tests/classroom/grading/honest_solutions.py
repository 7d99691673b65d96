"""Solutions of lesson 4's homework, each worked out by itself: what honest students might hand in."""

KAHN_WITH_A_LIST = '''
def topological_order(successors):
    indegree = {}
    for node in successors:
        indegree[node] = 0
    for node in successors:
        for child in successors[node]:
            if child not in indegree:
                raise KeyError(f"unknown operator {child}")
            indegree[child] = indegree[child] + 1
    result = []
    stack = [n for n in indegree if indegree[n] == 0]
    while len(stack) > 0:
        current = stack.pop()
        result.append(current)
        for child in successors[current]:
            indegree[child] = indegree[child] - 1
            if indegree[child] == 0:
                stack.append(child)
    if len(result) != len(successors):
        rest = set(successors) - set(result)
        node = min(rest)
        seen = []
        while node not in seen:
            seen.append(node)
            for other in rest:
                if node in successors[other]:
                    node = other
                    break
        raise ValueError("there is a cycle through " + node)
    return result


def peak_bytes(order, reads, sizes):
    best = 0
    for i in range(len(order)):
        total = 0
        for j in range(i + 1):
            readers = [k for k in range(len(order)) if order[j] in reads[order[k]]]
            if not readers or max(readers) >= i:
                total += sizes[order[j]]
        if total > best:
            best = total
    return best
'''

ROUNDS = '''
def topological_order(successors):
    known = set(successors)
    for name in successors:
        unknown = set(successors[name]) - known
        if unknown:
            raise ValueError("no such operator: " + ", ".join(sorted(unknown)))
    waiting = {name: set() for name in successors}
    for name, outs in successors.items():
        for out in outs:
            waiting[out].add(name)
    order = []
    while waiting:
        free = [name for name, inputs in waiting.items() if not inputs]
        if not free:
            raise ValueError(f"cycle at {walk_back(waiting)}")
        order.extend(free)
        for name in free:
            del waiting[name]
        for inputs in waiting.values():
            inputs.difference_update(free)
    return order


def walk_back(waiting):
    here = next(iter(waiting))
    for _ in range(len(waiting)):
        here = next(iter(waiting[here]))
    return here


def peak_bytes(order, reads, sizes):
    end = {}
    for name in order:
        end[name] = len(order)
    for i, name in enumerate(order):
        for r in reads[name]:
            end[r] = i
    return max((sum(sizes[n] for n in order[: i + 1] if end[n] >= i) for i in range(len(order))), default=0)
'''

DEPTH_FIRST = '''
WHITE, GREY, BLACK = range(3)


def topological_order(successors):
    colour = {name: WHITE for name in successors}
    done = []
    for root in successors:
        if colour[root] != WHITE:
            continue
        colour[root] = GREY
        path = [(root, iter(successors[root]))]
        while path:
            name, rest = path[-1]
            for nxt in rest:
                if nxt not in colour:
                    raise KeyError(nxt)
                if colour[nxt] == GREY:
                    raise ValueError(f"{nxt} lies on a cycle")
                if colour[nxt] == WHITE:
                    colour[nxt] = GREY
                    path.append((nxt, iter(successors[nxt])))
                    break
            else:
                colour[name] = BLACK
                done.append(name)
                path.pop()
    return done[::-1]


def peak_bytes(order, reads, sizes):
    uses = {name: 0 for name in order}
    for name in order:
        for r in set(reads[name]):
            uses[r] += 1
    held, peak = 0, 0
    for name in order:
        held += sizes[name]
        if held > peak:
            peak = held
        for r in set(reads[name]):
            uses[r] -= 1
            if uses[r] == 0:
                held -= sizes[r]
    return peak
'''

KAHN_WITH_A_COUNTER = '''
from collections import Counter, deque


def topological_order(successors):
    incoming = Counter()
    for targets in successors.values():
        incoming.update(targets)
    for target in incoming:
        if target not in successors:
            raise ValueError(f"{target!r} is used but never defined")
    queue = deque()
    for name in successors:
        if not incoming[name]:
            queue.append(name)
    ordered = []
    while queue:
        first = queue.popleft()
        ordered.append(first)
        for target in successors[first]:
            incoming[target] -= 1
            if not incoming[target]:
                queue.append(target)
    stuck = [name for name in successors if incoming[name]]
    if stuck:
        back = {}
        for name in stuck:
            for target in successors[name]:
                back[target] = name
        at, trail = stuck[0], set()
        while at not in trail:
            trail.add(at)
            at = back[at]
        raise ValueError("cycle: " + at)
    return ordered


def peak_bytes(order, reads, sizes):
    position = {name: i for i, name in enumerate(order)}
    last_use = [len(order) - 1] * len(order)
    for name in order:
        for needed in reads[name]:
            last_use[position[needed]] = position[name]
    change = [0] * (len(order) + 1)
    for i, name in enumerate(order):
        change[i] += sizes[name]
        change[last_use[i] + 1] -= sizes[name]
    running = highest = 0
    for delta in change:
        running += delta
        highest = max(highest, running)
    return highest
'''

SOLUTIONS = (KAHN_WITH_A_LIST, ROUNDS, DEPTH_FIRST, KAHN_WITH_A_COUNTER)

TENSORS = (
    '''
def flatten(x, row_major=True):
    c, h, w = x.shape
    out = np.empty(c * h * w, dtype=x.dtype)
    i = 0
    for k in range(c):
        plane = x[k] if row_major else x[k].T
        out[i : i + h * w] = plane.ravel()
        i += h * w
    return out


def padding(x, pads, value=0.0):
    if any(p < 0 for p in pads):
        raise ValueError("negative pad")
    up, bottom, left, right = pads
    return np.pad(x, ((0, 0), (up, bottom), (left, right)), constant_values=x.dtype.type(value))


def reshape(x, shapes, row_major=True):
    shapes = list(shapes)
    while len(shapes) < 3:
        shapes.insert(0, 1)
    if np.prod(shapes) != x.size:
        raise ValueError("sizes differ")
    if row_major:
        return np.reshape(x, shapes)
    c, h, w = shapes
    return np.stack([p.reshape(w, h).T for p in np.split(flatten(x, False), c)])
''',
    '''
def flatten(x, row_major=True):
    return (x if row_major else np.transpose(x, (0, 2, 1))).flatten()


def padding(x, pads, value=0.0):
    top, bottom, left, right = pads
    if top < 0 or bottom < 0 or left < 0 or right < 0:
        raise ValueError("pads must not be negative, got %s" % (pads,))
    c, h, w = x.shape
    y = np.zeros((c, h + top + bottom, w + left + right), x.dtype)
    y[...] = value
    for i in range(c):
        for r in range(h):
            y[i, r + top, left : left + w] = x[i, r]
    return y


def reshape(x, shapes, row_major=True):
    if len(shapes) == 1:
        shapes = (1, 1, shapes[0])
    elif len(shapes) == 2:
        shapes = (1, shapes[0], shapes[1])
    flat = flatten(x, row_major)
    if flat.size != shapes[0] * shapes[1] * shapes[2]:
        raise ValueError(f"cannot make {shapes} out of {x.shape}")
    if not row_major:
        return flat.reshape(shapes[0], shapes[2], shapes[1]).transpose(0, 2, 1)
    return flat.reshape(shapes)
''',
)
"""Solutions of lesson 2's homework."""
