"""Wrong homework that the tests of homework 10 must catch: each replaces one piece of the worked solution."""

MUTANTS = [
    {
        "name": "by device",
        "exercise": "merge",
        "why": "all parts of a device become one, wherever they stand",
        "old": "        if merged and merged[-1][0] == device:\n            merged[-1][1].extend(nodes)",
        "new": "        twins = [part for part in merged if part[0] == device]\n"
        "        if twins:\n            twins[0][1].extend(nodes)",
    },
    {
        "name": "two at a time",
        "exercise": "merge",
        "why": "a third neighbour is compared with the part it was given with, not with the merged one",
        "old": "        if merged and merged[-1][0] == device:",
        "new": "        if merged and merged[-1][0] == device and len(merged[-1]) == 2 and merged[-1][1] in [\n"
        "            part[1] for part in parts\n        ]:",
    },
    {
        "name": "empty parts kept",
        "exercise": "merge",
        "why": "as in the original: a part without nodes stays in the list",
        "old": "        if not nodes:\n            continue\n        if merged",
        "new": "        if merged",
    },
    {
        "name": "empty parts dropped last",
        "exercise": "merge",
        "why": "empty parts go after merging, and two neighbours on one device are left",
        "old": "        if not nodes:\n            continue\n        if merged and merged[-1][0] == device:\n"
        "            merged[-1][1].extend(nodes)\n        else:\n            merged.append((device, list(nodes)))\n"
        "    return merged",
        "new": "        if merged and merged[-1][0] == device:\n            merged[-1][1].extend(nodes)\n"
        "        else:\n            merged.append((device, list(nodes)))\n"
        "    return [part for part in merged if part[1]]",
    },
    {
        "name": "empty only at the start",
        "exercise": "merge",
        "why": "only an empty main part, before the first blocked node, is thought of",
        "old": "        if not nodes:\n            continue",
        "new": "        if not nodes and not merged:\n            continue",
    },
    {
        "name": "later nodes first",
        "exercise": "merge",
        "why": "Tengine's list begins at the output; here it begins at the input",
        "old": "merged[-1][1].extend(nodes)",
        "new": "merged[-1][1][:0] = nodes",
    },
    {
        "name": "nodes sorted",
        "exercise": "merge",
        "why": "ids are taken for the running order",
        "old": "merged[-1][1].extend(nodes)",
        "new": "merged[-1] = (device, sorted(merged[-1][1] + nodes))",
    },
    {
        "name": "accelerator only",
        "exercise": "merge",
        "why": "only two device names are thought of",
        "old": "if merged and merged[-1][0] == device:",
        "new": 'if merged and merged[-1][0] == device and device in ("ACC", "CPU"):',
    },
    {
        "name": "last part lost",
        "exercise": "merge",
        "why": "a part is written down only when the next device comes",
        "old": "    return merged\n",
        "new": "    return merged[:-1]\n",
    },
    {
        "name": "later nodes lost",
        "exercise": "merge",
        "why": "the neighbour is removed, and its nodes with it",
        "old": "merged[-1][1].extend(nodes)",
        "new": "pass",
    },
    {
        "name": "no ssd case",
        "exercise": "inputs_outputs",
        "why": "made minus read: a tensor that is read at home is never handed over",
        "old": "    return [\n        (sorted(reads)",
        "new": "    outputs = [made - read_at_home for made in outputs]\n    return [\n        (sorted(reads)",
    },
    {
        "name": "returned forgotten",
        "exercise": "inputs_outputs",
        "why": "a result that the network returns stays inside when its own part reads it",
        "old": "(tensor not in read_at_home or node in returned)",
        "new": "tensor not in read_at_home",
    },
    {
        "name": "tensors for nodes",
        "exercise": "inputs_outputs",
        "why": "returned is read as tensors, not as nodes",
        "old": "node in returned",
        "new": "tensor in returned",
    },
    {
        "name": "everything made goes out",
        "exercise": "inputs_outputs",
        "why": "outputs are all that the part makes",
        "old": "(tensor not in read_at_home or node in returned)",
        "new": "(True or node in returned)",
    },
    {
        "name": "everything read comes in",
        "exercise": "inputs_outputs",
        "why": "inputs are all that the part reads",
        "old": "                    read_at_home.add(tensor)\n",
        "new": "                    read_at_home.add(tensor)\n                    inputs[here].add(tensor)\n",
    },
    {
        "name": "constants come in",
        "exercise": "inputs_outputs",
        "why": "a constant is taken for an input",
        "old": 'for tensor in [*reads, *makes] if kinds[tensor] == "input")',
        "new": 'for tensor in [*reads, *makes] if kinds[tensor] != "var")',
    },
    {
        "name": "input nodes forgotten",
        "exercise": "inputs_outputs",
        "why": "only what a node reads is looked at; an input node reads nothing",
        "old": "for tensor in [*reads, *makes] if",
        "new": "for tensor in reads if",
    },
    {
        "name": "inputs not for readers",
        "exercise": "inputs_outputs",
        "why": "a network input is given to the part of its node only",
        "old": "for tensor in [*reads, *makes] if",
        "new": "for tensor in makes if",
    },
    {
        "name": "inputs and constants handed over",
        "exercise": "inputs_outputs",
        "why": "whatever a node makes is taken for a computed tensor",
        "old": 'if kinds[tensor] == "var" and (tensor not in read_at_home',
        "new": "if (tensor not in read_at_home",
    },
    {
        "name": "wait for the caller",
        "exercise": "inputs_outputs",
        "why": "the wait count is the number of all inputs",
        "old": 'sum(kinds[tensor] == "var" for tensor in reads)',
        "new": "len(reads)",
    },
    {
        "name": "wait for makers",
        "exercise": "inputs_outputs",
        "why": "the wait count is the number of parts that make inputs, not of tensors",
        "old": 'sum(kinds[tensor] == "var" for tensor in reads)',
        "new": 'len({part_of[maker[tensor]] for tensor in reads if kinds[tensor] == "var"})',
    },
    {
        "name": "unsorted",
        "exercise": "inputs_outputs",
        "why": "outputs are appended as they are found, as in the original",
        "old": "(sorted(reads), sorted(hands_over), ",
        "new": "(sorted(reads), sorted(hands_over, key=lambda tensor: (tensor in read_at_home, tensor)), ",
    },
    {
        "name": "neighbours only",
        "exercise": "inputs_outputs",
        "why": "a tensor is taken to cross to the next part only",
        "old": "                    outputs[source].add(tensor)\n",
        "new": "                    if here == source + 1:\n                        outputs[source].add(tensor)\n",
    },
    {
        "name": "first output only",
        "exercise": "inputs_outputs",
        "why": "a node is taken to make one tensor",
        "old": "    for node, (_, makes) in enumerate(nodes):\n        for tensor in makes:\n            if",
        "new": "    for node, (_, makes) in enumerate(nodes):\n        for tensor in makes[:1]:\n            if",
    },
    {
        "name": "counted too early",
        "exercise": "waves",
        "why": "counts rise while the wave is being collected, so readers run beside their makers",
        "old": "        wave = [place for place in waiting if ready[place] == subgraphs[place][2]]\n",
        "new": "        wave = []\n"
        "        for place in waiting:\n"
        "            if ready[place] == subgraphs[place][2]:\n"
        "                wave.append(place)\n"
        "                for tensor in subgraphs[place][1]:\n"
        "                    for reader in readers.pop(tensor, []):\n"
        "                        ready[reader] += 1\n",
    },
    {
        "name": "one at a time",
        "exercise": "waves",
        "why": "each wave is a single sub-graph",
        "old": "        found.append(wave)",
        "new": "        wave = wave[:1]\n        found.append(wave)",
    },
    {
        "name": "makers counted",
        "exercise": "waves",
        "why": "a sub-graph that hands over two tensors counts once",
        "old": "            for tensor in subgraphs[place][1]:\n"
        "                for reader in readers.get(tensor, []):\n"
        "                    ready[reader] += 1",
        "new": "            for reader in {r for tensor in subgraphs[place][1] for r in readers.get(tensor, [])}:\n"
        "                ready[reader] += 1",
    },
    {
        "name": "one reader",
        "exercise": "waves",
        "why": "each tensor is taken to have one reader",
        "old": "readers.setdefault(tensor, []).append(place)",
        "new": "readers[tensor] = [place]",
    },
    {
        "name": "waits for the caller",
        "exercise": "waves",
        "why": "the number of all inputs is taken for the wait count",
        "old": "ready[place] == subgraphs[place][2]",
        "new": "ready[place] == len(subgraphs[place][0])",
    },
    {
        "name": "deadlock ignored",
        "exercise": "waves",
        "why": "an empty wave is taken for the end",
        "old": '            raise ValueError(f"a deadlock: sub-graphs {waiting} wait for each other")',
        "new": "            break",
    },
    {
        "name": "deadlock at the start only",
        "exercise": "waves",
        "why": "it is only checked that somebody can begin",
        "old": '            raise ValueError(f"a deadlock: sub-graphs {waiting} wait for each other")',
        "new": '            if not found:\n                raise ValueError("a deadlock")\n            break',
    },
    {
        "name": "another error",
        "exercise": "waves",
        "why": "the deadlock is found, and told with an exception that the task does not name",
        "old": "raise ValueError(f",
        "new": "raise RuntimeError(f",
    },
    {
        "name": "whoever has one",
        "exercise": "waves",
        "why": "a sub-graph runs as soon as the first of its tensors is there",
        "old": "ready[place] == subgraphs[place][2]",
        "new": "ready[place] >= min(subgraphs[place][2], 1)",
    },
    {
        "name": "the first begins alone",
        "exercise": "waves",
        "why": "only the first sub-graph is taken to read the network's inputs",
        "old": "        wave = [place for place in waiting if ready[place] == subgraphs[place][2]]\n",
        "new": "        wave = [place for place in waiting if ready[place] == subgraphs[place][2]]\n"
        "        wave = wave if found else [place for place in wave if place == 0]\n",
    },
    {
        "name": "latest first",
        "exercise": "waves",
        "why": "a wave is not in ascending order",
        "old": "        found.append(wave)",
        "new": "        found.append(wave[::-1])",
    },
    {
        "name": "first start only",
        "exercise": "fewest",
        "why": "the device of the first node always has the first turn",
        "old": "for start in sorted(set(devices))), key=len",
        "new": "for start in devices[:1]), key=len",
    },
    {
        "name": "the longer answer",
        "exercise": "fewest",
        "why": "the start that needs more levels is kept",
        "old": "return min((by_levels",
        "new": "return max((by_levels",
    },
    {
        "name": "no turn for the second device",
        "exercise": "fewest",
        "why": "a node without predecessors is at level 0, on whichever device",
        "old": "max([int(device != start), *",
        "new": "max([0, *",
    },
    {
        "name": "always one more",
        "exercise": "fewest",
        "why": "the level is the depth: it grows at every step, and parts of one device follow each other",
        "old": "(level[u] + (devices[u] != device) for u",
        "new": "(level[u] + 1 + (devices[u] == device) for u",
    },
    {
        "name": "never one more",
        "exercise": "fewest",
        "why": "the change of device is forgotten",
        "old": "(level[u] + (devices[u] != device) for u",
        "new": "(level[u] for u",
    },
    {
        "name": "one predecessor",
        "exercise": "fewest",
        "why": "only the first of the nodes that are read is looked at",
        "old": "for u in predecessors[node])]))",
        "new": "for u in predecessors[node][:1])]))",
    },
    {
        "name": "least instead of largest",
        "exercise": "fewest",
        "why": "the node runs when the first of its predecessors has run",
        "old": "max([int(device != start), *(level[u] + (devices[u] != device) for u in predecessors[node])])",
        "new": "max(int(device != start), min([level[u] + (devices[u] != device) for u in predecessors[node]] or [0]))",
    },
    {
        "name": "ranges of ids",
        "exercise": "fewest",
        "why": "only nodes with neighbouring numbers are put together, as Tengine does",
        "old": "    members: dict[int, list[int]] = {}\n    for node, turn in enumerate(level):\n",
        "new": "    members: dict[int, list[int]] = {}\n"
        "    level = [sum(devices[u] != devices[u - 1] for u in range(1, v + 1)) for v in range(len(devices))]\n"
        "    for node, turn in enumerate(level):\n",
    },
    {
        "name": "levels in the order found",
        "exercise": "fewest",
        "why": "a part stands where its first node was met",
        "old": "for turn in sorted(members)]",
        "new": "for turn in members]",
    },
    {
        "name": "the accelerator begins",
        "exercise": "fewest",
        "why": "two fixed names, and the accelerator always has the first turn",
        "old": "for start in sorted(set(devices))), key=len",
        "new": 'for start in ["ACC"][: len(devices)]), key=len',
    },
    {
        "name": "by recursion",
        "exercise": "fewest",
        "why": "a function that calls itself for every predecessor ends at Python's limit, about 1,000 deep",
        "old": "    level: list[int] = []\n",
        "new": "    def depth(v: int) -> int:\n"
        "        return 1 + max([depth(u) for above in predecessors[v : v + 1] for u in above[:1]], default=0)\n\n"
        "    depth(len(devices) - 1 if devices else 0)\n"
        "    level: list[int] = []\n",
    },
]
