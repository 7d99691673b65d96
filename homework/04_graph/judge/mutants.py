"""Wrong solutions of homework 4, from mistakes that people make; the tests must find each of them."""

LOOP = """    while ready:
        name = ready.popleft()
        order.append(name)
        for follower in successors[name]:
            missing[follower] -= 1
            if missing[follower] == 0:
                ready.append(follower)
"""

ERROR = 'raise ValueError("the graph has a cycle: " + " -> ".join(find_cycle(successors, left)))'

MUTANTS = [
    {
        "name": "pre-order with a stack",
        "exercise": "topological_order",
        "why": "a node is written down when it is met, not when all its predecessors are done",
        "old": LOOP,
        "new": """    stack, seen = list(ready)[::-1], set()
    while stack:
        name = stack.pop()
        if name not in seen:
            seen.add(name)
            order.append(name)
            stack += reversed(successors[name])
""",
    },
    {
        "name": "pre-order, last successor first",
        "exercise": "topological_order",
        "why": "the same with the successors as they come",
        "old": LOOP,
        "new": """    stack, seen = list(ready), set()
    while stack:
        name = stack.pop()
        if name not in seen:
            seen.add(name)
            order.append(name)
            stack += successors[name]
""",
    },
    {
        "name": "level by level",
        "exercise": "topological_order",
        "why": "a queue of nodes that were met: breadth first is no topological order either",
        "old": LOOP,
        "new": """    met = set(ready)
    while ready:
        name = ready.popleft()
        order.append(name)
        for follower in successors[name]:
            if follower not in met:
                met.add(follower)
                ready.append(follower)
""",
    },
    {
        "name": "post-order, not reversed",
        "exercise": "topological_order",
        "why": "depth first gives the order backwards",
        "old": "    return order\n",
        "new": "    return order[::-1]\n",
    },
    {
        "name": "recursion",
        "exercise": "topological_order",
        "why": "right until a chain is longer than Python's limit",
        "old": LOOP,
        "new": """    def run(name: str) -> None:
        order.append(name)
        for follower in successors[name]:
            missing[follower] -= 1
            if missing[follower] == 0:
                run(follower)

    for name in list(ready):
        run(name)
""",
    },
    {
        "name": "only one input",
        "exercise": "topological_order",
        "why": "the walk starts at the first node without predecessors only",
        "old": "ready = deque(name for name, count in missing.items() if count == 0)",
        "new": "ready = deque([name for name, count in missing.items() if count == 0][:1])",
    },
    {
        "name": "starts at the first key",
        "exercise": "topological_order",
        "why": "the first operator of the file need not be an input",
        "old": "ready = deque(name for name, count in missing.items() if count == 0)",
        "new": "ready = deque(list(successors)[:1])",
    },
    {
        "name": "forgets operators without arrows",
        "exercise": "topological_order",
        "why": "nodes are gathered from the arrows, so one without any is lost",
        "old": "    return order\n",
        "new": "    followed = {f for fs in successors.values() for f in fs}\n"
        "    return [name for name in order if successors[name] or name in followed]\n",
    },
    {
        "name": "a double arrow counts once on one side",
        "exercise": "topological_order",
        "why": "predecessors are counted without, arrows are followed with repetition",
        "old": "        for follower in followers:",
        "new": "        for follower in dict.fromkeys(followers):",
    },
    {
        "name": "a double arrow is subtracted once",
        "exercise": "topological_order",
        "why": "predecessors are counted with, arrows are followed without repetition",
        "old": "        for follower in successors[name]:\n            missing",
        "new": "        for follower in set(successors[name]):\n            missing",
    },
    {
        "name": "no look for cycles",
        "exercise": "topological_order",
        "why": "what is left over is forgotten silently",
        "old": "    if len(order) < len(successors):",
        "new": "    if False:",
    },
    {
        "name": "only a graph without any input is a cycle",
        "exercise": "topological_order",
        "why": "a cycle may hang on a part that runs",
        "old": "    if len(order) < len(successors):",
        "new": "    if successors and not order:",
    },
    {
        "name": "only a cycle behind an input is a cycle",
        "exercise": "topological_order",
        "why": "a walk from the inputs does not come to a cycle that nothing leads to",
        "old": "    if len(order) < len(successors):",
        "new": "    if order and len(order) < len(successors):",
    },
    {
        "name": "what nothing leads to is dropped",
        "exercise": "topological_order",
        "why": "a depth-first walk from the inputs misses a cycle that no input reaches",
        "old": "    if len(order) < len(successors):",
        "new": """    followed = {follower for followers in successors.values() for follower in followers}
    seen, front = set(), [name for name in successors if name not in followed]
    while front:
        if (name := front.pop()) not in seen:
            seen.add(name)
            front += successors[name]
    if len(order) < len(seen):""",
    },
    {
        "name": "an operator that reads itself is let through",
        "exercise": "topological_order",
        "why": "the arrow from a node to itself is not counted",
        "old": "            missing[follower] += 1",
        "new": "            missing[follower] += follower != name",
    },
    {
        "name": "the error names nobody",
        "exercise": "topological_order",
        "why": "'there is a cycle' does not help to find it",
        "old": ERROR,
        "new": 'raise ValueError("the graph has a cycle")',
    },
    {
        "name": "the error names everybody",
        "exercise": "topological_order",
        "why": "a list of the whole network does not help either",
        "old": ERROR,
        "new": 'raise ValueError(f"there is a cycle in {list(successors)}")',
    },
    {
        "name": "the error names one who waits behind the cycle",
        "exercise": "topological_order",
        "why": "the first node that is left over need not be on the cycle",
        "old": ERROR,
        "new": 'raise ValueError(f"cycle at {left[0]}")',
    },
    {
        "name": "the wrong exception",
        "exercise": "topological_order",
        "why": "the task asks for ValueError",
        "old": ERROR,
        "new": 'raise RuntimeError("the graph has a cycle: " + " -> ".join(find_cycle(successors, left)))',
    },
    {
        "name": "unknown successors are dropped",
        "exercise": "topological_order",
        "why": "a fault of the file is hidden, and the operator behind it is missing without a word",
        "old": "    missing = dict.fromkeys(successors, 0)",
        "new": "    successors = {n: [f for f in fs if f in successors] for n, fs in successors.items()}\n"
        "    missing = dict.fromkeys(successors, 0)",
    },
    {
        "name": "unknown successors are added",
        "exercise": "topological_order",
        "why": "an operator that does not exist gets a place in the order",
        "old": "    missing = dict.fromkeys(successors, 0)",
        "new": "    successors = dict.fromkeys((f for fs in successors.values() for f in fs), ()) | dict(successors)\n"
        "    missing = dict.fromkeys(successors, 0)",
    },
    {
        "name": "the list is kept from call to call",
        "exercise": "topological_order",
        "why": "a default or global list is shared by all calls",
        "old": "    order: list[str] = []",
        "new": '    order = topological_order.__dict__.setdefault("order", [])',
    },
    {
        "name": "a tuple instead of a list",
        "exercise": "topological_order",
        "why": "the task asks for a list",
        "old": "    return order\n",
        "new": "    return tuple(order)\n",
    },
    {
        "name": "no operators are an error",
        "exercise": "topological_order",
        "why": "the empty network has an order, the empty one",
        "old": "    if len(order) < len(successors):",
        "new": '    if not order:\n        raise ValueError(f"no input: cycle {list(successors)}")\n'
        "    if len(order) < len(successors):",
    },
    {
        "name": "nothing is ever let go",
        "exercise": "peak_bytes",
        "why": "the sum of all results is the space without reuse",
        "old": "        alive -= leaving.get(step, 0)\n",
        "new": "",
    },
    {
        "name": "inputs go before the output comes",
        "exercise": "peak_bytes",
        "why": "an operator needs its inputs while it writes its output",
        "old": """        alive += sizes[name]
        peak = max(peak, alive)
        alive -= leaving.get(step, 0)
""",
        "new": """        alive += sizes[name] - leaving.get(step, 0)
        peak = max(peak, alive)
""",
    },
    {
        "name": "what nobody reads goes at once",
        "exercise": "peak_bytes",
        "why": "what the network returns must live to the end",
        "old": "    last = dict.fromkeys(order, len(order) - 1)",
        "new": "    last = {name: step for step, name in enumerate(order)}",
    },
    {
        "name": "the first reader lets go",
        "exercise": "peak_bytes",
        "why": "the last reader counts",
        "old": "            last[source] = step",
        "new": "            last[source] = min(last[source], step)",
    },
    {
        "name": "each reader lets go",
        "exercise": "peak_bytes",
        "why": "a result that is read twice is subtracted twice",
        "old": "        alive -= leaving.get(step, 0)",
        "new": "        alive -= sum(sizes[source] for source in reads[name])",
    },
    {
        "name": "only inputs and output of one operator",
        "exercise": "peak_bytes",
        "why": "results that are read later are alive, too",
        "old": "        peak = max(peak, alive)",
        "new": "        peak = max(peak, sizes[name] + sum(sizes[source] for source in set(reads[name])))",
    },
    {
        "name": "what is left at the end",
        "exercise": "peak_bytes",
        "why": "the busiest step is asked for, not the last",
        "old": "    return peak",
        "new": "    return alive",
    },
    {
        "name": "the order of the sizes",
        "exercise": "peak_bytes",
        "why": "operators run in the order of `order`, not of the dictionary",
        "old": "    last = dict.fromkeys(order, len(order) - 1)",
        "new": "    order = list(sizes)\n    last = dict.fromkeys(order, len(order) - 1)",
    },
    {
        "name": "one result leaves per step",
        "exercise": "peak_bytes",
        "why": "two results may have the same last reader",
        "old": "        leaving[step] = leaving.get(step, 0) + sizes[name]",
        "new": "        leaving[step] = sizes[name]",
    },
    {
        "name": "only the first input of each operator is read",
        "exercise": "peak_bytes",
        "why": "an operator reads all its inputs",
        "old": "        for source in reads[name]:",
        "new": "        for source in reads[name][:1]:",
    },
    {
        "name": "an operator in two slots counts twice",
        "exercise": "peak_bytes",
        "why": "cat(x, x) has one x in memory",
        "old": "        peak = max(peak, alive)",
        "new": "        double = sum(sizes[s] for s in reads[name]) - sum(sizes[s] for s in set(reads[name]))\n"
        "        peak = max(peak, alive + double)",
    },
]
