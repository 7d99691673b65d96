r"""A framework of one's own, in fifty lines: why the solution is as it is.

A file lists operators, and says with names which of them hand arrays to which. A framework needs three dictionaries:

- *operand -> who writes it.* With it each operator becomes a successor of the writers of its inputs, and
  `topological_order` of lesson 4 has what it wants. This is done once, when the network is made.
- *operand -> array*, new for each x, so that no call sees what an earlier one computed. Every operator adds what it
  writes. Nothing is taken out, because somebody else may read it, too.
- *type -> what computes it.* The solution asks with `if`; a dictionary of functions is the registry of lesson 5.

The inner function remembers `order`, `weights` and `parts`: a closure is the shortest object. `kuiper.load` gives a
RuntimeGraph in its place, which has a name, knows its operators and can say what each of them computed.

Why a loop over the order, and no function that computes an operand by first computing those it is made of? Because such
a function ends in a RecursionError after a thousand operators, and without a memory it computes the input of a
residual block twice, of two blocks four times, of ten blocks a thousand times.

Typical mistakes:

- Operators are run in the order of the file. PNNX writes them in an order that can run; in a file that somebody edited,
  or that another program wrote, they may stand in any order.
- The last array that was computed is returned. What pnnx.Output reads is the result.
- `weights[f"{name}.bias"]` without a look at whether there is one.
- An unknown type passes its input on. A network then gives numbers, and they are wrong: the worst there is. It is
  refused when the network is made, because a server that loads it at night must not learn of it in the morning.

What it lacks beside kuiper: memory that is used again, shapes that are checked, kernels that are fast, and a message
for everything that a file can have wrong. That is what the other thousands of lines are for.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from classroom.judge import Mutant, Student, expect, expect_refused, task
from classroom.mine import networks
from classroom.mine.networks import Network, Writer, random_network, shuffled
from classroom.mine.reference import answers, call_part, parsed_lines
from kuiper import KuiperError

from .shared import wrong


def outputs(text: str, weights: dict[str, np.ndarray], inputs: list[np.ndarray]) -> list[np.ndarray]:
    """What the network gives, by kuiper."""
    return answers(Network(text, weights, inputs[0].shape[1:]), inputs)


def outputs_mistakes(
    text: str, weights: dict[str, np.ndarray], inputs: list[np.ndarray]
) -> dict[str, list[np.ndarray]]:
    """Likely cause -> what it gives: by kuiper, for the network as it is misread."""
    right = outputs(text, weights, inputs)
    misread = {
        "An operator wrote into the array that it read, which others read, too: compute makes a new array.": (
            overwritten(text, "nn.ReLU", "nn.Sigmoid"),
            weights,
        ),
        "nn.Linear wrote into the array that it read, which others read, too: make a new array, without out= and +=.": (
            overwritten(text, "nn.Linear"),
            weights,
        ),
        "An expression wrote into its first input, which others read, too: return what parts.evaluate gives.": (
            overwritten(text, "pnnx.Expression"),
            weights,
        ),
        "The value computed last was returned: the result is what pnnx.Output reads, result = read[0].": (
            last_computed(text),
            weights,
        ),
        "No bias was added: the weight is weights[f'{name}.weight'], and the bias weights.get(f'{name}.bias').": (
            text,
            {key: array * (not key.endswith(".bias")) for key, array in weights.items()},
        ),
        "An expression got its operands in another order: @0 is the first input of the operator's line.": (
            re.sub(r"(pnnx\.Expression\s+\S+\s+2 1) (\S+) (\S+)", r"\1 \3 \2", text),
            weights,
        ),
        "An expression passed its first input on: of the types that begin with pnnx. only Input and Output compute "
        "nothing.": (re.sub(r"expr=\S+", "expr=@0", text), weights),
        "A linear layer multiplied by weight and not by weight.T.": (
            text,
            {
                key: array.T if array.ndim == 2 and len(set(array.shape)) == 1 else array
                for key, array in weights.items()
            },
        ),
        "All layers of a type took the same weights: the operator's own stand under its name.": (
            text,
            dict(_of_the_first(weights)),
        ),
    }
    found = {}
    for cause, (read_text, read_weights) in misread.items():
        try:
            given = outputs(read_text, read_weights, inputs)
        except KuiperError:
            continue
        if all(a.shape == b.shape for a, b in zip(given, right)):
            found[cause] = given
    return {cause: found[cause] for cause in found if wrong({cause: np.stack(found[cause][:1])}, np.stack(right[:1]))}


def overwritten(text: str, *kinds: str) -> str:
    """The network in which operators of these types write over their first input."""
    lines, instead = text.splitlines(), dict[str, str]()
    for number, line in enumerate(lines[2:], 2):
        words = line.split()
        ends = 4 + int(words[2])
        words[4:ends] = [instead.get(operand, operand) for operand in words[4:ends]]
        if words[0] in kinds:
            instead[line.split()[4]] = words[ends]
        lines[number] = " ".join(words)
    return "\n".join(lines) + "\n"


def last_computed(text: str) -> str:
    """The network whose output is what the last operator before it writes."""
    lines = text.splitlines()
    (output,) = (number for number, line in enumerate(lines) if line.startswith("pnnx.Output"))
    words, last = lines[output].split(), lines[output - 1].split()
    words[4] = last[4 + int(last[2])]
    lines[output] = " ".join(words)
    return "\n".join(lines) + "\n"


def _of_the_first(weights: dict[str, np.ndarray]) -> Any:
    first: dict[Any, np.ndarray] = {}
    for key, array in weights.items():
        kind = key.rpartition(".")[2], array.shape
        yield key, first.setdefault(kind, array)


def expect_network(student: Student, network: Network, inputs: Sequence[np.ndarray], text: str | None = None) -> None:
    """Raise Failure unless the student's framework computes the network; `text` : its lines in another order."""
    got = student.run_framework(text or network.text, network.weights, list(inputs), call_part)
    expect(got, answers(network, inputs), rtol=1e-4, atol=1e-4)


@task("framework")
def networks_in_any_order(student: Student, rng: np.random.Generator) -> None:
    """Random networks, their lines shuffled, with several inputs each."""
    for _ in range(3):
        network = random_network(rng, 5)
        expect_network(student, network, [network.batch(rng, n) for n in (1, 3)], shuffled(network.text, rng))


@task("framework")
def every_block(student: Student, rng: np.random.Generator) -> None:
    """All kinds of block in one network."""
    network = random_network(rng, len(networks.BLOCKS))
    expect_network(student, network, [network.batch(rng, 2)])


@task("framework")
def two_networks_at_once(student: Student, rng: np.random.Generator) -> None:
    """A second network does not see the first one's results."""
    for rows in (2, 3):
        write = Writer(rng)
        network = write.network(write.linear(write.each("nn.ReLU", write.image(1, rows, 2)), 2))
        expect_network(student, network, [network.batch(rng, 2), network.batch(rng, 2)])


@task("framework")
def strange_types_anywhere(student: Student, rng: np.random.Generator) -> None:
    """A type that is not known is refused although nothing reads its result, and its line comes first."""
    for kind in ("nn.ReLU6", "nn.Conv1d", "relu"):
        write = Writer(rng)
        y = write.each("nn.ReLU", write.image(1, 2, 2))
        write.add(kind, [y.name])
        network = write.network(y.name)
        head, lines = network.text.splitlines()[:2], network.text.splitlines()[2:]
        text = "\n".join([*head, *lines[::-1]]) + "\n"
        expect_refused(lambda text: student.run_framework(text, {}, [], call_part), text)


@task("framework")
def a_long_chain(student: Student, rng: np.random.Generator) -> None:
    """A deep network, shuffled, in which the chain is read again at its end."""
    write = Writer(rng)
    first = y = write.each("nn.Sigmoid", write.image(1, 2, 2))
    for _ in range(1498):
        y = write.each("nn.ReLU", y)
    network = write.network(write.expression("sub(@0,mul(@1,3))", y, first).name)
    text, inputs = shuffled(network.text, rng), [network.batch(rng, 1)]
    got = student.run_deep(text, network.weights, inputs, parsed_lines(text), call_part)
    expect(got, answers(network, inputs), rtol=1e-4, atol=1e-4)


WALK = """        for operator in order:
            kind, _, inputs, outputs, _, _ = operator
            read = [values[operand] for operand in inputs]
            if kind == "pnnx.Input":
                values[outputs[0]] = x
            elif kind == "pnnx.Output":
                result = read[0]
            else:
                values[outputs[0]] = compute(parts, operator, read, weights)
        return result
"""
RECURSIVE = """        def value(operand: str) -> np.ndarray:
            if operand not in values:
                operator = by_name[writers[operand]]
                if operator[0] == "pnnx.Input":
                    values[operand] = x
                else:
                    values[operand] = compute(parts, operator, [value(one) for one in operator[2]], weights)
            return values[operand]

        return value(next(operator for operator in order if operator[0] == "pnnx.Output")[2][0])
"""
OWN_LINE = """[
        (words[0], words[1], words[4:a], words[a:b], dict(word.split("=", 1) for word in words[b:]), {})
        for words in map(str.split, text.splitlines()[2:])
        if words
        for a in [4 + int(words[2])]
        for b in [a + int(words[3])]
    ]"""
OWN_ORDER = """    import graphlib

    reads = {name: [one for one in successors if name in successors[one]] for name in successors}
    order = [by_name[name] for name in graphlib.TopologicalSorter(reads).static_order()]
"""
PARSED = "[parts.parse_operator(line) for line in text.splitlines()[2:] if line.strip()]"
ORDERED = "    order = [by_name[name] for name in parts.topological_order(successors)]\n"
UNKNOWN = """        if kind not in TYPES:
            raise ValueError(f"{name} is a {kind}, which this framework cannot compute")
"""
CONV = 'option("stride"), option("padding"), option("groups"))'
POOL = 'option("kernel_size"), option("stride"), option("padding"))'
WEIGHTS = 'weight, bias = weights.get(f"{name}.weight"), weights.get(f"{name}.bias")'
COMPUTED = "values[outputs[0]] = compute(parts, operator, read, weights)"

MUTANTS = [
    Mutant(
        "counts_too",
        "takes the line with the counts for an operator",
        old="text.splitlines()[2:]",
        new="text.splitlines()[1:]",
    ),
    Mutant(
        "empty_line",
        "parses empty lines, too",
        old="for line in text.splitlines()[2:] if line.strip()]",
        new="for line in text.splitlines()[2:]]",
        breaks="lines",
    ),
    Mutant(
        "order_of_file",
        "runs the operators in the order of the file",
        old="parts.topological_order(successors)]",
        new="successors]",
        breaks="order",
    ),
    Mutant("own_order", "orders the operators by itself", old=ORDERED, new=OWN_ORDER, breaks="order"),
    Mutant("own_line", "splits the lines by itself", old=PARSED, new=OWN_LINE, breaks="lines"),
    Mutant(
        "backwards",
        "makes the readers' writers their successors",
        old="successors[writers[operand]].append(name)",
        new="successors[name].append(writers[operand])",
    ),
    Mutant(
        "sorted_names",
        "sorts the operators by name",
        old="parts.topological_order(successors)]",
        new="sorted(successors)]",
    ),
    Mutant("recursive", "computes an operand by computing its inputs first", old=WALK, new=RECURSIVE, breaks="deep"),
    Mutant(
        "recursive_twice",
        "does the same, and forgets what it has computed",
        old=WALK,
        new=RECURSIVE.replace("if operand not in values:", "if True:"),
    ),
    Mutant(
        "last_computed",
        "returns what was computed last",
        old="        return result\n",
        new="        return list(values.values())[-1]\n",
        breaks="ends",
    ),
    Mutant(
        "last_line",
        "returns what the last line but one writes",
        old="        return result\n",
        new="        return values[operators[-2][3][0]]\n",
    ),
    Mutant(
        "input_by_name",
        "knows the input by the name that PNNX gives it",
        old='if kind == "pnnx.Input":',
        new='if operator[1] == "pnnx_input_0":',
        breaks="ends",
    ),
    Mutant(
        "operand_0",
        "puts x where PNNX's files have it, under 0",
        old="values[outputs[0]] = x",
        new='values["0"] = x',
        breaks="ends",
    ),
    Mutant(
        "read_and_gone",
        "takes an operand out as soon as it is read",
        old="read = [values[operand] for operand in inputs]",
        new="read = [values.pop(operand) for operand in inputs]",
        breaks="shared",
    ),
    Mutant(
        "in_place",
        "writes what nn.ReLU gives over what it reads",
        old="return parts.relu(inputs[0])",
        new="inputs[0][...] = parts.relu(inputs[0])\n        return inputs[0]",
        breaks="kept",
    ),
    Mutant(
        "sigmoid_in_place",
        "writes what nn.Sigmoid gives over what it reads",
        old="return parts.sigmoid(inputs[0])",
        new="inputs[0][...] = parts.sigmoid(inputs[0])\n        return inputs[0]",
        breaks="kept",
    ),
    Mutant(
        "expression_in_place",
        "writes what an expression gives over its first input",
        old='return parts.evaluate(params["expr"], inputs)',
        new='y = parts.evaluate(params["expr"], inputs)\n    if y.shape != inputs[0].shape:\n        return y\n'
        "    inputs[0][...] = y\n    return inputs[0]",
        breaks="kept",
    ),
    Mutant(
        "linear_in_place",
        "adds the bias of a linear layer into its input, where that has as many numbers",
        old="return y if bias is None else y + bias",
        new="if bias is not None and y.shape == inputs[0].shape:\n            return np.add(y, bias, out=inputs[0])\n"
        "        return y if bias is None else y + bias",
        breaks="kept",
    ),
    Mutant(
        "cached_by_shape",
        "keeps the result of each shape",
        old="    return network\n",
        new="    known: dict = {}\n"
        "    return lambda x: known[x.shape] if x.shape in known else known.setdefault(x.shape, network(x))\n",
        breaks="again",
    ),
    Mutant(
        "known_prefix",
        "takes a type that begins like a known one for that",
        old="        if kind not in TYPES:",
        new="        if not kind.startswith(TYPES):",
        breaks="unknown",
    ),
    Mutant(
        "bias_gone",
        "takes the bias out of the weights",
        old=WEIGHTS,
        new='weight, bias = weights.get(f"{name}.weight"), weights.pop(f"{name}.bias", None)',
        breaks="kept",
    ),
    Mutant(
        "weight_overwritten",
        "scales the weight where it lies",
        old="        y = inputs[0] @ weight.T\n",
        new="        weight *= np.float32(1)\n        y = inputs[0] @ weight.T\n",
        breaks="kept",
    ),
    Mutant(
        "first_input",
        "tells topological_order of each operator's first input only",
        old="for operand in inputs:\n            successors",
        new="for operand in inputs[:1]:\n            successors",
        breaks="order",
    ),
    Mutant(
        "expr_gone",
        "takes the expression out of the operator",
        old='parts.evaluate(params["expr"], inputs)',
        new='parts.evaluate(params.pop("expr"), inputs)',
        breaks="again",
    ),
    Mutant(
        "options_gone",
        "takes the options out of the operator",
        old="return parts.parse_parameter(params[key])[1]",
        new="return parts.parse_parameter(params.pop(key))[1]",
        breaks="again",
    ),
    Mutant(
        "expr_parsed",
        "reads the expression as an option",
        old='parts.evaluate(params["expr"], inputs)',
        new='parts.evaluate(option("expr"), inputs)',
        breaks="expression",
    ),
    Mutant(
        "zeros_for_none",
        "makes a bias of zeros where there is none",
        old="return parts.conv2d(inputs[0], weight, bias, ",
        new="bias = np.zeros(len(weight), np.float32) if bias is None else bias\n"
        "        return parts.conv2d(inputs[0], weight, bias, ",
        breaks="bias",
    ),
    Mutant(
        "one_reader",
        "keeps one reader for each operand",
        old="successors[writers[operand]].append(name)",
        new="successors[writers[operand]] = [name]",
    ),
    Mutant("twice", "computes each operator twice", old=COMPUTED, new=f"{COMPUTED}; {COMPUTED}", breaks="once"),
    Mutant(
        "computed_before",
        "computes nothing that has a value already",
        old="    def network(x: np.ndarray) -> np.ndarray:\n        values: dict[str, np.ndarray] = {}\n"
        "        for operator in order:\n            kind, _, inputs, outputs, _, _ = operator\n",
        new="    values: dict[str, np.ndarray] = {}\n\n    def network(x: np.ndarray) -> np.ndarray:\n"
        "        for operator in order:\n            kind, _, inputs, outputs, _, _ = operator\n"
        "            if outputs and outputs[0] in values:\n                continue\n",
        breaks="again",
    ),
    Mutant("takes_anything", "looks at no type", old=UNKNOWN, new="        pass\n", breaks="unknown"),
    Mutant(
        "key_error",
        "raises KeyError",
        old='raise ValueError(f"{name} is',
        new='raise KeyError(f"{name} is',
        breaks="unknown",
    ),
    Mutant(
        "no_name",
        "says the type and not the name",
        old='f"{name} is a {kind}, which this framework cannot compute"',
        new='f"{kind} cannot be computed"',
        breaks="message",
    ),
    Mutant(
        "no_type",
        "says the name and not the type",
        old='f"{name} is a {kind}, which this framework cannot compute"',
        new='f"{name} is of a type that cannot be computed"',
        breaks="message",
    ),
    Mutant(
        "caught",
        "passes on what an operator reads where its part raises an error",
        old=f"                {COMPUTED}\n",
        new=f"                try:\n                    {COMPUTED}\n                except Exception:\n"
        "                    values[outputs[0]] = read[0]\n",
        breaks="parts",
    ),
    Mutant(
        "own_relu",
        "computes ReLU itself",
        old="return parts.relu(inputs[0])",
        new="return np.maximum(inputs[0], 0)",
        breaks="parts",
    ),
    Mutant(
        "own_flatten",
        "flattens by itself",
        old="return parts.flatten(inputs[0])",
        new="return inputs[0].reshape(len(inputs[0]), -1)",
        breaks="parts",
    ),
    Mutant(
        "exchanged",
        "calls relu for nn.Sigmoid",
        old="return parts.sigmoid(inputs[0])",
        new="return parts.relu(inputs[0])",
    ),
    Mutant(
        "stride_one",
        "forgets the stride",
        old=CONV,
        new='(1, 1), option("padding"), option("groups"))',
        breaks="options",
    ),
    Mutant(
        "stride_padding",
        "gives stride and padding in the wrong order",
        old=CONV,
        new='option("padding"), option("stride"), option("groups"))',
    ),
    Mutant(
        "no_padding",
        "forgets the padding of a convolution",
        old=CONV,
        new='option("stride"), (0, 0), option("groups"))',
    ),
    Mutant(
        "one_group",
        "forgets the groups",
        old=CONV,
        new='option("stride"), option("padding"), 1)',
        breaks="options",
    ),
    Mutant(
        "pool_stride",
        "moves the windows of a pooling by their size",
        old=POOL,
        new='option("kernel_size"), option("kernel_size"), option("padding"))',
        breaks="options",
    ),
    Mutant(
        "one_mean",
        "averages whole planes, whatever the size",
        old='option("output_size"))',
        new="(1, 1))",
        breaks="options",
    ),
    Mutant(
        "texts",
        "gives the texts of the options",
        old="return parts.parse_parameter(params[key])[1]",
        new="return params[key]",
        breaks="options",
    ),
    Mutant(
        "pairs",
        "gives (type, value) for the value",
        old="return parts.parse_parameter(params[key])[1]",
        new="return parts.parse_parameter(params[key])",
        breaks="options",
    ),
    Mutant(
        "evaluated",
        "evaluates the texts of the options as Python",
        old="return parts.parse_parameter(params[key])[1]",
        new="return eval(params[key])",
        breaks="options",
    ),
    Mutant(
        "first_of_pair",
        "takes one number for rows and columns",
        old="return parts.parse_parameter(params[key])[1]",
        new="value = parts.parse_parameter(params[key])[1]\n        return value if key == 'groups' else value[0]",
        breaks="options",
    ),
    Mutant(
        "unpadded_pool",
        "forgets the padding of a pooling",
        old=POOL,
        new='option("kernel_size"), option("stride"), (0, 0))',
        breaks="options",
    ),
    Mutant(
        "first_weights",
        "takes the first weights of the file",
        old=WEIGHTS,
        new="weight, bias = (\n"
        '        next((a for k, a in weights.items() if k.endswith(end)), None) for end in (".weight", ".bias")\n'
        "    )",
        breaks="weights",
    ),
    Mutant(
        "bias_expected",
        "expects a bias wherever there is a weight",
        old=WEIGHTS,
        new='weight = weights.get(f"{name}.weight")\n    bias = None if weight is None else weights[f"{name}.bias"]',
        breaks="bias",
    ),
    Mutant(
        "no_bias",
        "forgets the bias of a linear layer",
        old="return y if bias is None else y + bias",
        new="return y",
        breaks="linear",
    ),
    Mutant(
        "not_turned",
        "multiplies by weight, and by weight.T only where the shapes want it",
        old="y = inputs[0] @ weight.T",
        new="y = inputs[0] @ (weight if len(weight) == inputs[0].shape[1] else weight.T)",
        breaks="linear",
    ),
    Mutant(
        "rows_joined",
        "makes a row of each sample before it multiplies",
        old="y = inputs[0] @ weight.T",
        new="y = inputs[0].reshape(len(inputs[0]), -1) @ weight.T",
        breaks="linear",
    ),
    Mutant(
        "input_turned",
        "turns the input round in place of the weight",
        old="y = inputs[0] @ weight.T",
        new="y = (weight @ inputs[0].T).T",
        breaks="linear",
    ),
    Mutant(
        "operands_backwards",
        "gives the operands from right to left",
        old='parts.evaluate(params["expr"], inputs)',
        new='parts.evaluate(params["expr"], list(inputs)[::-1])',
        breaks="expression",
    ),
    Mutant(
        "operands_once",
        "gives an operand once that is read twice",
        old="read = [values[operand] for operand in inputs]",
        new="read = [values[operand] for operand in dict.fromkeys(inputs)]",
        breaks="expression",
    ),
    Mutant(
        "first_operand",
        "gives an expression its first input only",
        old='parts.evaluate(params["expr"], inputs)',
        new='parts.evaluate(params["expr"], inputs[:1])',
    ),
]
