"""Wrong answers that new students gave, and the likely cause that `check` names for them."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from classroom import register
from classroom.judge import Failure, SubmissionError, Test, run_tests
from classroom.judge.homework import Homework, homework_of, public_tests
from classroom.marked import without_marks

RESNET = register.ROOT / "homework" / "08_resnet"
YOLO = register.ROOT / "homework" / "09_yolov5"
LANGUAGE_MODEL = register.ROOT / "homework" / "13_language_model"
WEIGHTS = 'weight, bias = weights.get(f"{name}.weight"), weights.get(f"{name}.bias")'
LINEAR = "        y = inputs[0] @ weight.T\n        return y if bias is None else y + bias\n"
SPANS = "[slice(i * length // count, -(-(i + 1) * length // count)) for i in range(count)]"
SIDES = "resize * height // shorter, resize * width // shorter"
CORNER = "round((rows - crop) / 2), round((cols - crop) / 2)"
RELU = '    if kind == "nn.ReLU":'
POOL = 'option("kernel_size"), option("stride"), option("padding")'
EXPRESSION = 'parts.evaluate(params["expr"], inputs)'
VALUE = "return parts.parse_parameter(params[key])[1]"
PUSHED = "stack.append(plain(function.compute(*reversed(values))))"
EMPTY = "    y = np.empty((*x.shape[:2], *size), x.dtype)\n"
POOLED = f"""
{EMPTY}    for i, rows in enumerate(spans(x.shape[2], size[0])):
        for j, cols in enumerate(spans(x.shape[3], size[1])):
            y[:, :, i, j] = x[:, :, rows, cols].mean(axis=(2, 3))
    return y
"""
MEANS_IN_LISTS = """columns = spans(x.shape[3], size[1])
    means = [[x[:, :, a, b].mean(axis=(2, 3)) for b in columns] for a in spans(x.shape[2], size[0])]
    return np.array(means)
"""
WALK = """            read = [values[operand] for operand in inputs]
            if kind == "pnnx.Input":
                values[outputs[0]] = x
            elif kind == "pnnx.Output":
                result = read[0]
            else:
                values[outputs[0]] = compute(parts, operator, read, weights)
        return result
"""
CHAIN = """            if not kind.startswith(("pnnx.Input", "pnnx.Output")):
                x = compute(parts, operator, {}, weights)
        return x
"""
CASES = {
    "x for every operator, the output too": (
        "one_relu",
        {"[values[operand] for operand in inputs]": "[x for _ in inputs]"},
        "x itself was returned",
    ),
    "operands as numbers": (
        "one_relu",
        {"read = [values[operand] for": "read = [values[str(int(operand))] for"},
        "operands are names",
    ),
    "numbers of writers": (
        "one_relu",
        {"writers = {operand: name": "writers = {int(operand): name"},
        "operands are names",
    ),
    "an order for one call": (
        "one_input_after_another",
        {
            "[by_name[name] for name in parts.topological_order(successors)]": "iter([by_name[name] for name in "
            "parts.topological_order(successors)])"
        },
        "A later call computed nothing",
    ),
    "an order for one call, and None": (
        "one_input_after_another",
        {
            "[by_name[name] for name in parts.topological_order(successors)]": "(by_name[name] for name in "
            "parts.topological_order(successors))",
            "        values: dict[str, np.ndarray] = {}\n": "        values, result = {}, None\n",
        },
        "A later call computed nothing",
    ),
    "an unknown type left out": (
        "a_type_that_is_not_known",
        {
            "    operators = [parts.parse_operator(line) for line in text.splitlines()[2:] if line.strip()]\n": "    "
            "operators = [parts.parse_operator(line) for line in text.splitlines()[2:] if line.strip()]\n"
            "    operators = [operator for operator in operators if operator[0] in TYPES]\n"
        },
        "came up by accident",
    ),
    "an unknown type refused with KeyError": (
        "a_type_that_is_not_known",
        {'raise ValueError(f"{name} is': 'raise KeyError(f"{name} is'},
        "you refuse the right thing",
    ),
    "what the last operator reads": (
        "a_result_that_nobody_reads",
        {"        return result\n": "        return values[order[-1][2][0]]\n"},
        "The value computed last was returned",
    ),
    "an array for the list": (
        "one_relu",
        {"compute(parts, operator, read, weights)": "compute(parts, operator, read[0], weights)"},
        "hand it [array]",
    ),
    "operators for the dictionary": (
        "one_relu",
        {"parts.topological_order(successors)]": "parts.topological_order(operators)]"},
        "parts.topological_order takes a dictionary",
    ),
    "operators as keys": (
        "one_relu",
        {"by_name = {operator[1]: operator": "by_name = {operator: operator"},
        "was taken for a key",
    ),
    "an error caught": (
        "an_error_of_a_part",
        {
            "                values[outputs[0]] = compute(parts, operator, read, weights)\n": "                try:\n"
            "                    values[outputs[0]] = compute(parts, operator, read, weights)\n"
            "                except Exception:\n                    values[outputs[0]] = read[0]\n"
        },
        "an error of a part was caught",
    ),
    "parts as a dictionary": (
        "one_relu",
        {"return parts.relu(": 'return parts["relu"]('},
        "are attributes of parts",
    ),
    "operators kept from an earlier file": (
        "one_linear_layer",
        {
            "successors: dict[str, list[str]] = {name: [] for _, name, *_ in operators}\n": "successors = KEPT\n"
            "    successors.update({name: [] for _, name, *_ in operators})\n",
            "def framework(": 'KEPT = {"in": [], "relu": []}\n\n\ndef framework(',
        },
        "from an earlier file",
    ),
    "the text False as a condition": (
        "without_a_bias",
        {
            WEIGHTS: 'weight, bias = weights.get(f"{name}.weight"), None\n    if params.get("bias"):\n'
            '        bias = weights[f"{name}.bias"]'
        },
        "'False' is true",
    ),
    "a prefix for the type": (
        "a_type_that_is_not_known",
        {"if kind not in TYPES:": 'if not kind.startswith(("pnnx.", "nn.", "torch.", "F.")):'},
        "How a type begins says too little",
    ),
    "a ReLU passed on": (
        "one_relu",
        {"return parts.relu(inputs[0])": "return inputs[0]"},
        "parts.relu was never called",
    ),
    "x for every operator": (
        "one_linear_layer",
        {"[values[operand] for operand in inputs]": "[x for _ in inputs]"},
        "every operator was given x, the network's input",
    ),
    "x for every operator of the digits": (
        "the_network_that_reads_digits",
        {"[values[operand] for operand in inputs]": "[x for _ in inputs]"},
        "every operator was given x, the network's input",
    ),
    "one operator after the other": (
        "what_is_read_stays_as_it_is",
        {WALK: CHAIN.format("[x] * len(operator[2])")},
        "each operator was given what the operator before it computed",
    ),
    "one operator after the other, with one array": (
        "what_is_read_stays_as_it_is",
        {WALK: CHAIN.format("[x]")},
        "parts.evaluate was given 1 of the 2 operands",
    ),
    "the first input alone for compute": (
        "what_is_read_stays_as_it_is",
        {"[values[operand] for operand in inputs]": "[values[operand] for operand in inputs[:1]]"},
        "the others were lost in framework",
    ),
    "the first input alone for an expression": (
        "what_is_read_stays_as_it_is",
        {EXPRESSION: 'parts.evaluate(params["expr"], inputs[:1])'},
        "If compute hands all of `inputs` on",
    ),
    "an order that is not used": (
        "lines_in_any_order",
        {
            "    order = [by_name[name] for name in parts.topological_order(successors)]\n": (
                "    order = operators\n    parts.topological_order(successors)\n"
            )
        },
        "ran in the order of the file",
    ),
    "as many lines as the file counts": (
        "empty_lines",
        {"text.splitlines()[2:]": "text.splitlines()[2 : 2 + int(text.split()[1])]"},
        "only 2 of 3 operators were parsed",
    ),
    "one sample at a time": (
        "one_linear_layer",
        {"    return network\n": "    return lambda x: np.stack([network(one) for one in x])\n"},
        "was given one sample of x",
    ),
    "a batch for each sample": (
        "each_operator_once",
        {"    return network\n": "    return lambda x: np.concatenate([network(one[None]) for one in x])\n"},
        "was given one sample of x",
    ),
    "results kept by shape": (
        "one_input_after_another",
        {
            "    return network\n": "    known: dict = {}\n"
            "    return lambda x: known[x.shape] if x.shape in known else known.setdefault(x.shape, network(x))\n"
        },
        "also where its shape was seen before",
    ),
    "types that begin like others": (
        "a_type_that_is_not_known",
        {"if kind not in TYPES": "if not kind.startswith(TYPES)"},
        "compare whole types",
    ),
    "a linear layer that writes into its input": (
        "what_a_linear_layer_reads_stays_as_it_is",
        {LINEAR: "        return np.add(inputs[0] @ weight.T, bias, out=inputs[0])\n"},
        "nn.Linear wrote into the array that it read",
    ),
    "an expression that writes into its input": (
        "what_is_read_stays_as_it_is",
        {
            f"return {EXPRESSION}": "inputs[0][...] = " + EXPRESSION + "\n    return inputs[0]",
        },
        "An expression wrote into its first input",
    ),
    "a ReLU that writes into its input": (
        "what_is_read_stays_as_it_is",
        {"return parts.relu(inputs[0])": "inputs[0][...] = parts.relu(inputs[0])\n        return inputs[0]"},
        "An operator wrote into the array that it read",
    ),
    "a sigmoid passed on": (
        "what_is_read_stays_as_it_is",
        {"return parts.sigmoid(inputs[0])": "return inputs[0]"},
        "parts.sigmoid was never called",
    ),
    "a bias of the options": (
        "one_linear_layer",
        {LINEAR: '        return inputs[0] @ weight.T + params["bias"]\n'},
        "params['bias'] is a text",
    ),
    "a bias of the options for a convolution": (
        "convolution_and_pooling_with_options",
        {"(inputs[0], weight, bias, ": '(inputs[0], weight, params["bias"], '},
        "params['bias'] is a text",
    ),
    "a bias that stands upright": (
        "one_linear_layer",
        {LINEAR: "        return inputs[0] @ weight.T + bias[:, None]\n"},
        "bias[:, None] stands upright",
    ),
    "wider numbers": (
        "one_linear_layer",
        {"values[outputs[0]] = x\n": "values[outputs[0]] = x.astype(np.float64)\n"},
        "x and all weights are float32, and did not stay so",
    ),
    "None added as a bias": (
        "without_a_bias",
        {LINEAR: "        return inputs[0] @ weight.T + bias\n"},
        "with bias=False there is no bias",
    ),
    "None added in place": (
        "without_a_bias",
        {LINEAR: "        y = inputs[0] @ weight.T\n        y += bias\n        return y\n"},
        "with bias=False there is no bias",
    ),
    "a bias looked up that is not there": (
        "without_a_bias",
        {LINEAR: '        return inputs[0] @ weight.T + weights[f"{name}.bias"]\n'},
        "linear_3 has bias=False, so weights has no bias for it",
    ),
    "another key": (
        "one_linear_layer",
        {WEIGHTS: 'weight, bias = weights.get(f"{name}.weight"), None', LINEAR: '        return weights["fc"]\n'},
        "the keys are 'operator.attribute'",
    ),
    "weights of every type": (
        "one_relu",
        {WEIGHTS: 'weight, bias = weights[f"{name}.weight"], weights.get(f"{name}.bias")'},
        "relu is a nn.ReLU: only nn.Conv2d and nn.Linear have weights",
    ),
    "the first input alone": (
        "an_operand_that_comes_late",
        {"for operand in inputs:\n            successors": "for operand in inputs[:1]:\n            successors"},
        "go through all its inputs",
    ),
    "an expression taken out": (
        "one_input_after_another",
        {EXPRESSION: 'parts.evaluate(params.pop("expr"), inputs)'},
        "params.pop(...) takes it out",
    ),
    "options taken out": (
        "one_input_after_another",
        {VALUE: "return parts.parse_parameter(params.pop(key))[1]"},
        "params.pop(...) takes it out",
    ),
    "an expression read as an option": (
        "whatever_the_options_are",
        {EXPRESSION: 'parts.evaluate(option("expr"), inputs)'},
        "goes to parts.evaluate as it stands",
    ),
    "zeros for no bias": (
        "without_a_bias",
        {
            "return parts.conv2d(": "bias = np.zeros(len(weight), np.float32) if bias is None else bias\n"
            "        return parts.conv2d("
        },
        "takes None where there is no bias",
    ),
    "kernel and stride of a pool exchanged": (
        "convolution_and_pooling_with_options",
        {POOL: 'option("stride"), option("kernel_size"), option("padding")'},
        "parts.max_pool2d was called with kernel_size=(1, 2), stride=(2, 3)",
    ),
    "padding and stride of a pool exchanged": (
        "convolution_and_pooling_with_options",
        {POOL: 'option("kernel_size"), option("padding"), option("stride")'},
        "the line of the nn.MaxPool2d says stride=(1, 2), padding=(1, 0)",
    ),
    "texts for the options of a pool": (
        "convolution_and_pooling_with_options",
        {POOL: 'params["kernel_size"], params["stride"], params["padding"]'},
        "neither the text of the line nor (type, value)",
    ),
    "a dictionary of results": (
        "one_relu",
        {RELU: "    {1: parts.relu(inputs[0]), 2: parts.sigmoid(inputs[0]), 3: params['expr']}\n" + RELU},
        "A dictionary of results computes all eight types at once",
    ),
    "a dictionary of results that begins with a convolution": (
        "one_relu",
        {RELU: '    {1: parts.conv2d(inputs[0], weight, bias, option("stride"), 0, 1)}\n' + RELU},
        "A dictionary of results computes all eight types at once",
    ),
    "weights of weights": (
        "one_linear_layer",
        {LINEAR: '        return inputs[0] @ weights[name]["weight"].T\n'},
        "a text with a dot in it",
    ),
    "names unpacked as operators": (
        "one_relu",
        {"[by_name[name] for name in parts.topological_order(successors)]": "parts.topological_order(successors)"},
        "parts.topological_order gives names",
    ),
    "an attribute of a tuple": (
        "one_relu",
        {"kind, name, _, _, params, _ = operator": "kind = operator.type"},
        "an operator is a tuple of six values",
    ),
    "what pnnx.Output writes": (
        "one_relu",
        {"result = read[0]": "result = values[outputs[0]]"},
        "pnnx.Output writes nothing",
    ),
    "one list of successors for all": (
        "one_relu",
        {"{name: [] for _, name, *_ in operators}": "dict.fromkeys([one[1] for one in operators], [])"},
        "gives them ONE list",
    ),
    "a list for the successors": (
        "one_relu",
        {
            "by_name[name] for name in parts.topological_order(successors)": "by_name[name] for name in "
            "parts.topological_order(operators)"
        },
        "parts.topological_order takes a dictionary",
    ),
    "weight @ x.T": (
        "one_linear_layer",
        {LINEAR: "        return weight @ inputs[0].T + bias\n"},
        "lies on its side",
    ),
    "weight * x": (
        "one_linear_layer",
        {LINEAR: "        return inputs[0] * weight + bias\n"},
        "* multiplies number by number",
    ),
    "one operand for all": (
        "operands_of_an_expression",
        {EXPRESSION: 'parts.evaluate(params["expr"], inputs[0])'},
        "takes ALL inputs of the operator, in a list",
    ),
    "names of operands": (
        "one_relu",
        {"[values[operand] for operand in inputs]": "inputs"},
        "was given the name of an operand",
    ),
    "a generator of operands": (
        "one_relu",
        {"[values[operand] for operand in inputs]": "(values[operand] for operand in inputs)"},
        "`inputs` is a generator",
    ),
    "expressions passed on": (
        "operands_of_an_expression",
        {EXPRESSION: "inputs[0]"},
        "An expression passed its first input on",
    ),
    "a condition that is always true": (
        "one_linear_layer",
        {'if kind == "nn.ReLU":': 'if kind == "nn.ReLU" or "nn.ReLU6":'},
        "parts.relu was called, and there is no nn.ReLU in this network",
    ),
    "the order of the file": (
        "lines_in_any_order",
        {"parts.topological_order(successors)]": "successors]"},
        "parts.topological_order was never called",
    ),
    "an operand taken out": (
        "operands_of_an_expression",
        {"[values[operand] for operand in inputs]": "[values.pop(operand) for operand in inputs]"},
        "values.pop(operand) takes an array away",
    ),
    "writer and reader exchanged": (
        "one_relu",
        {"successors[writers[operand]].append(name)": "successors[name].append(writers[operand])"},
        "writer and reader are exchanged",
    ),
    "no entries for the successors": (
        "one_relu",
        {"successors: dict[str, list[str]] = {name: [] for _, name, *_ in operators}": "successors = {}"},
        "this operator has no entry in the dictionary",
    ),
    "all inputs for a part": (
        "one_relu",
        {"parts.relu(inputs[0])": "parts.relu(inputs)"},
        "a part takes one",
    ),
    "a return forgotten in compute": (
        "one_relu",
        {"        return parts.relu(inputs[0])\n": "        parts.relu(inputs[0])\n"},
        "does each if return something",
    ),
    "None as a weight": (
        "convolution_and_pooling_with_options",
        {"(inputs[0], weight, bias, ": "(inputs[0], None, bias, "},
        "a part got None",
    ),
    "one reader for each result": (
        "a_result_that_nobody_reads",
        {"successors[writers[operand]].append(name)": "successors[writers[operand]] = [name]"},
        "parts.topological_order was not told that pnnx_output_4 reads what sigmoid_1 writes",
    ),
    "the order of the operands": (
        "one_relu",
        {
            "successors[writers[operand]].append(name)": "pass",
            "parts.topological_order(successors)]": "map(writers.get, "
            "parts.topological_order({key: [] for key in writers}))]",
        },
        "parts.topological_order was given operands: 'a' is one",
    ),
    "an input too many": (
        "one_linear_layer",
        {"parts.flatten(inputs[0])": "parts.flatten(inputs[1])"},
        "`inputs` has as many arrays as the operator reads",
    ),
    "the counts as an operator": (
        "one_relu",
        {"text.splitlines()[2:]": "text.splitlines()[1:]"},
        "a line was parsed that describes no operator",
    ),
    "the first operand that each line writes": (
        "one_relu",
        {
            "{operand: name for _, name, _, outputs, _, _ in operators for operand in outputs}": "{outputs[0]: name "
            "for _, name, _, outputs, _, _ in operators}"
        },
        "pnnx.Output writes nothing",
    ),
    "outputs for outputs[0]": (
        "one_relu",
        {"values[outputs[0]] = compute": "values[outputs] = compute"},
        "`inputs` and `outputs` of an operator are lists",
    ),
    "outputs for each of them": (
        "one_relu",
        {
            "{operand: name for _, name, _, outputs, _, _ in operators for operand in outputs}": "{outputs: name "
            "for _, name, _, outputs, _, _ in operators}"
        },
        "`inputs` and `outputs` of an operator are lists",
    ),
    "operators for their names": (
        "one_relu",
        {
            "successors[writers[operand]].append(name)": "successors[writers[operand]].append("
            "next(one for one in operators if one[1] == name))"
        },
        "the lists of successors hold whole operators",
    ),
    "a type left out": (
        "convolution_and_pooling_with_options",
        {
            '    if kind == "nn.Conv2d":': '    if kind == "Conv2d":',
            "return parts.evaluate": "return None and parts.evaluate",
        },
        "compute gave nothing for nn.Conv2d",
    ),
    "an array for a key": (
        "one_relu",
        {"values[outputs[0]] = compute": "values[read[0]] = compute"},
        "an array was taken for a key",
    ),
    "a part without parts": (
        "one_relu",
        {"[parts.parse_operator(line) for": "[parse_operator(line) for"},
        "parts.parse_operator(...)",
    ),
    "a type misspelt": (
        "one_linear_layer",
        {'"torch.flatten":\n': '"nn.Flatten":\n', "return parts.evaluate": "return None and parts.evaluate"},
        "compute gave nothing for torch.flatten: has this type an `if`",
    ),
    "a part whose result is not returned": (
        "one_relu",
        {"return parts.relu(inputs[0])": "parts.relu(inputs[0])\n        return None"},
        "each part was called, and the network's result is None",
    ),
    "nothing for nn.Linear": (
        "one_linear_layer",
        {LINEAR: "        return None\n"},
        "each part was called, and the network's result is None",
    ),
    "x under a fixed name": (
        "one_relu",
        {"values[outputs[0]] = x": 'values["0"] = x'},
        "Is x there under the operand that pnnx.Input writes",
    ),
    "x in float64": (
        "convolution_and_pooling_with_options",
        {"values[outputs[0]] = x": "values[outputs[0]] = x.astype(float)"},
        "leave the types as they are, without astype",
    ),
    "an error of an expression caught": (
        "an_error_of_a_part",
        {
            f"    return {EXPRESSION}": f"    try:\n        return {EXPRESSION}\n    except ValueError:\n"
            "        return inputs[0]"
        },
        "an error of a part was caught",
    ),
    "the middle cut out first": (
        "the_shorter_side_counts",
        {
            SIDES: "crop, crop",
            CORNER: "0, 0",
            "resize_picture(image, rows, cols)": "resize_picture((lambda n, a, b: image[a : a + n, b : b + n])("
            "n := round(crop * shorter / resize), round((height - n) / 2), round((width - n) / 2)), rows, cols)",
        },
        "resize the whole picture first, then cut",
    ),
    "one side after the other": (
        "the_shorter_side_counts",
        {"resize_picture(image, rows, cols)": "resize_picture(resize_picture(image, rows, width), rows, cols)"},
        "one call takes both sides",
    ),
    "one mean of all colours": (
        "a_picture_of_the_right_size",
        {"- MEAN) / STD": "- MEAN.mean()) / STD.mean()"},
        "one number was taken for all colours",
    ),
    "an option of another name": (
        "convolution_and_pooling_with_options",
        {'option("groups")': 'option("group")'},
        "an option of that name is not in the operator's line",
    ),
    "no groups": (
        "convolution_and_pooling_with_options",
        {'option("groups")': "1"},
        "because this convolution has groups",
    ),
    "no stride": (
        "convolution_and_pooling_with_options",
        {'bias, option("stride")': "bias, (1, 1)"},
        "parts.conv2d was called with stride=(1, 1), and the line of the nn.Conv2d says stride=(2, 1)",
    ),
    "one number of a pair": (
        "convolution_and_pooling_with_options",
        {VALUE: "value = parts.parse_parameter(params[key])[1]\n        return value if key == 'groups' else value[0]"},
        "with stride=2, padding=1, and the line of the nn.Conv2d says stride=(2, 1), padding=(1, 2)",
    ),
    "no padding in the pool": (
        "convolution_and_pooling_with_options",
        {POOL: 'option("kernel_size"), option("stride"), (0, 0)'},
        "parts.max_pool2d was called with padding=(0, 0)",
    ),
    "weight and bias exchanged": (
        "convolution_and_pooling_with_options",
        {"(inputs[0], weight, bias, ": "(inputs[0], bias, weight, "},
        "conv2d takes the weight first, then the bias",
    ),
    "an option by another keyword": (
        "convolution_and_pooling_with_options",
        {'option("groups"))': 'group=option("groups"))'},
        "a part has no argument of that name",
    ),
    "options read for every type": (
        "one_relu",
        {
            RELU: f"    options: dict[str, str] = {{}}\n    options['stride']\n{RELU}",
        },
        "read the options of a type inside its if",
    ),
    "Python's eval": (
        "whatever_the_options_are",
        {VALUE: "return eval(params[key])"},
        "here parts.parse_parameter adds 10",
    ),
    "lines split by one's own code": (
        "whatever_the_lines_look_like",
        {"[parts.parse_operator(line) for": "[(line.split()[0], *parts.parse_operator(line)[1:]) for"},
        "the lines of this file are written backwards",
    ),
    "an order of one's own": (
        "whatever_the_order_is",
        {
            "parts.topological_order(successors)]": "sorted(parts.topological_order(successors), key=ORDER.index)]",
            "def framework(": "ORDER = 'pnnx_input_0 relu_1 sigmoid_2 pnnx_expr_3 pnnx_output_4'.split()\n\n\n"
            "def framework(",
        },
        "in no order of your own",
    ),
    "successors without the output": (
        "one_relu",
        {
            "successors: dict[str, list[str]] = {name: [] for _, name, *_ in operators}": "successors = {}",
            "successors[writers[operand]].append(name)": "successors.setdefault(writers[operand], []).append(name)",
        },
        "out has no entry in the dictionary of successors",
    ),
    "three lines left out": (
        "one_relu",
        {"text.splitlines()[2:]": "text.splitlines()[3:]"},
        "Are all lines read, from the third on",
    ),
    "operators under their types": (
        "one_relu",
        {"{operator[1]: operator for": "{operator[0]: operator for"},
        "each is kept under its name, not its type",
    ),
    "words for a line": (
        "one_relu",
        {"[parts.parse_operator(line) for": "[parts.parse_operator(line.split()) for"},
        "parts.parse_operator takes a line as it is",
    ),
    "reshape for flatten": (
        "whatever_the_parts_compute",
        {"parts.flatten(inputs[0])": "inputs[0].reshape(len(inputs[0]), -1)"},
        "parts.flatten was never called",
    ),
    "maximum for relu": (
        "each_operator_once",
        {"parts.relu(inputs[0])": "np.maximum(inputs[0], 0)"},
        "parts.relu was never called",
    ),
    "once for each reader": (
        "each_operator_once",
        {
            "                values[outputs[0]] = compute(": "                if kind == 'nn.ReLU':\n"
            "                    parts.sigmoid(x)\n                values[outputs[0]] = compute("
        },
        "parts.sigmoid was called 4 times for 1 operator: go through the order in a loop",
    ),
    "no look at the types": (
        "the_message_says_what_and_where",
        {
            'raise ValueError(f"{name} is a {kind}, which this framework cannot compute")\n': "pass\n",
        },
        "compare the type of every operator",
    ),
    "PARTS for TYPES": (
        "one_relu",
        {"if kind not in TYPES": "if kind not in PARTS"},
        "is the type compared with TYPES, or with PARTS?",
    ),
    "a list of the result": (
        "one_relu",
        {"        return result\n": "        return [result]\n"},
        "The network gives its result in a list",
    ),
    "a list of each result": (
        "one_input_after_another",
        {"        return result\n": "        return [result]\n"},
        "The network gives its result in a list",
    ),
    "the input computed": (
        "one_relu",
        {
            'if kind == "pnnx.Input":\n                values[outputs[0]] = x\n            elif': "if",
            RELU: f"    inputs[0]\n{RELU}",
        },
        "pnnx.Input reads none",
    ),
    "an array as a condition": (
        "one_linear_layer",
        {LINEAR: "        y = inputs[0] @ weight.T\n        return y + bias if bias else y\n"},
        "ask whether `bias is not None`",
    ),
    "a bias that is gone": (
        "one_input_after_another",
        {LINEAR: '        return inputs[0] @ weight.T + weights.pop(f"{name}.bias")\n'},
        "weights.pop(...) takes an array away",
    ),
    "a bias that is gone without an error": (
        "one_input_after_another",
        {WEIGHTS: 'weight, bias = weights.get(f"{name}.weight"), weights.pop(f"{name}.bias", None)'},
        "The first call is right and a later one is not",
    ),
    "a part without return": (
        "one_relu",
        {"return parts.relu(inputs[0])": "parts.relu(inputs[0])", EXPRESSION: "inputs[0] @ weight.T"},
        "no operator of this network has weights",
    ),
    "pnnx.Output computed": (
        "one_relu",
        {'elif kind == "pnnx.Output":': 'elif kind == "never":', EXPRESSION: "inputs[0] @ weight.T"},
        "is compute left out for pnnx.Input and pnnx.Output",
    ),
    "0 for no bias": (
        "without_a_bias",
        {WEIGHTS: 'weight, bias = weights.get(f"{name}.weight"), weights.get(f"{name}.bias", 0)'},
        "conv2d takes an array or None for the bias, and got 0",
    ),
    "+ for parts.evaluate": (
        "operands_of_an_expression",
        {EXPRESSION: "sum(inputs)"},
        "parts.evaluate was never called",
    ),
    "weights written into": (
        "one_linear_layer",
        {LINEAR: f"        weight *= 2\n{LINEAR}"},
        "make a new array",
    ),
    "a dictionary of operands": (
        "what_is_read_stays_as_it_is",
        {EXPRESSION: 'parts.evaluate(params["expr"], {f"@{i}": one for i, one in enumerate(inputs)})'},
        "takes the inputs in a list, and in no dictionary",
    ),
    "a dictionary of numbered operands": (
        "what_is_read_stays_as_it_is",
        {EXPRESSION: 'parts.evaluate(params["expr"], dict(enumerate(inputs)))'},
        "takes the inputs in a list, and in no dictionary",
    ),
    "a description for a weight": (
        "convolution_and_pooling_with_options",
        {
            "    kind, name, _, _, params, _ = operator\n": "    kind, name, _, _, params, attributes = operator\n",
            WEIGHTS: 'weight, bias = attributes.get("weight"), attributes.get("bias")',
        },
        "attributes holds descriptions",
    ),
    "the writer's type": (
        "one_relu",
        {"operand: name for _, name, _, outputs": "operand: kind for kind, name, _, outputs"},
        "'pnnx.Input' is an operator's type",
    ),
    "a type without a function": (
        "one_linear_layer",
        {"return parts.flatten(inputs[0])": 'return {"nn.ReLU": parts.relu}[kind](inputs[0])'},
        "nothing for the type torch.flatten",
    ),
    "pnnx.Output taken for an expression": (
        "one_relu",
        {'elif kind == "pnnx.Output":': 'elif kind == "never":'},
        "compute was called for pnnx.Output",
    ),
    "zeros of another type for no bias": (
        "without_a_bias",
        {
            "return parts.conv2d(inputs[0], weight, bias,": "bias = np.zeros(len(weight)) if bias is None else bias\n"
            "        return parts.conv2d(inputs[0], weight, bias,"
        },
        "takes None where there is no bias",
    ),
    "the bias after softmax": (
        "one_picture_and_two_classes",
        {
            "features @ weight.T + bias\n": "features @ weight.T\n",
            "    return powers / powers.sum(axis=1, keepdims=True)\n": "    return powers / powers.sum(axis=1, "
            "keepdims=True) + bias\n",
        },
        "the bias came after softmax",
    ),
    "the bias down the rows": (
        "one_picture_and_two_classes",
        {"features @ weight.T + bias\n": "features @ weight.T + bias[:, None]\n"},
        "add (K,) as it is",
    ),
    "one picture without its axis": (
        "one_picture_and_two_classes",
        {"return powers / powers.sum(axis=1, keepdims=True)": "return (powers / powers.sum(axis=1, keepdims=True))[0]"},
        "the axis of the batch is missing",
    ),
    "the channels averaged away": (
        "one_picture_and_two_classes",
        {"features = x.mean(axis=(2, 3))": "features = x.mean(axis=(1, 2, 3))"},
        "over axes 2 and 3 and no others",
    ),
    "sizes exchanged": (
        "five_numbers_to_three",
        {
            "spans(x.shape[2], size[0])": "spans(x.shape[2], size[1])",
            "spans(x.shape[3], size[1])": "spans(x.shape[3], size[0])",
        },
        "rows and columns are exchanged",
    ),
    "the largest number of a window": (
        "five_numbers_to_three",
        {"rows, cols].mean(axis=(2, 3))": "rows, cols].max(axis=(2, 3))"},
        "the largest numbers of the windows",
    ),
    "windows in front": (
        "five_numbers_to_three",
        {f"{POOLED.strip()}\n": MEANS_IN_LISTS},
        "the windows' axes stand in front",
    ),
    "one mean after the other": (
        "five_numbers_to_three",
        {"x[:, :, rows, cols].mean(axis=(2, 3))": "x[:, :, rows, cols].mean(axis=2).mean(axis=3)"},
        "axis=(2, 3) averages over both at once",
    ),
    "the longer side to the nearest": (
        "the_longer_side_is_rounded_down",
        {SIDES: "round(resize * height / shorter), round(resize * width / shorter)"},
        "the longer side was rounded to the nearest: it is",
    ),
    "the longer side to the nearest, the cut rounded down": (
        "the_longer_side_is_rounded_down",
        {
            SIDES: "round(resize * height / shorter), round(resize * width / shorter)",
            CORNER: "(rows - crop) // 2, (cols - crop) // 2",
        },
        "rounded to the nearest, and the beginning of the crop down",
    ),
    "a half rounded up": (
        "an_odd_rest_is_rounded_as_python_rounds",
        {CORNER: "(rows - crop + 1) // 2, (cols - crop + 1) // 2"},
        "the crop begins a pixel too far",
    ),
    "a result of two digits": (
        "a_picture_of_the_right_size",
        {"x.transpose(2, 0, 1)[None]": "x.transpose(2, 0, 1)[None].round(2)"},
        "the result was rounded",
    ),
    "a factor rounded to 0": (
        "the_shorter_side_counts",
        {SIDES: "resize // shorter * height, resize // shorter * width"},
        "a side became 0",
    ),
    "a step of its own": (
        "borders_that_are_whole_numbers",
        {SPANS: "[slice(int(i * (length / count)), int(np.ceil((i + 1) * (length / count)))) for i in range(count)]"},
        "H / h was rounded before i was multiplied with it",
    ),
    "a mean of all planes": (
        "one_mean_for_each_plane",
        {"x[:, :, rows, cols].mean(axis=(2, 3))": "x[:, :, rows, cols].mean()"},
        "all planes have one mean",
    ),
    "a mean of the batch": (
        "one_mean_for_each_plane",
        {"x[:, :, rows, cols].mean(axis=(2, 3))": "x[:, :, rows, cols].mean(axis=(0, 2, 3))"},
        "all pictures have one mean",
    ),
    "clipped scores": (
        "large_scores",
        {"scores - scores.max(axis=1, keepdims=True)": "np.clip(scores, -700, 700)"},
        "scores were clipped",
    ),
    "windows of H // h rows": (
        "five_numbers_to_three",
        {SPANS: "[slice(i * (length // count), (i + 1) * (length // count)) for i in range(count)]"},
        "H // h rounds too early",
    ),
    "windows that begin at ceil": (
        "five_numbers_to_three",
        {SPANS: SPANS.replace("i * length", "-(-i * length", 1).replace("count, ", "count), ", 1)},
        "a window begins at ceil",
    ),
    "one mean a picture": (
        "one_mean_for_each_plane",
        {"rows, cols].mean(axis=(2, 3))": "rows, cols].mean(axis=(1, 2, 3))"},
        "each picture has one mean",
    ),
    "only large pictures resized": (
        "the_shorter_side_counts",
        {
            "resize_picture(image, rows, cols)": "(resize_picture(image, rows, cols) if shorter > resize else image)",
        },
        "a small picture is resized, too",
    ),
    "one mean a plane": (
        "five_numbers_to_three",
        {POOLED: "\n    return x.mean(axis=(2, 3))\n"},
        "the axes of its windows are missing",
    ),
    "one window a plane": (
        "five_numbers_to_three",
        {POOLED: "\n    return x.mean(axis=(2, 3), keepdims=True)\n"},
        "each plane has one window, whatever size says",
    ),
    "equal blocks": (
        "five_numbers_to_three",
        {
            POOLED: "\n    (h, w), (H, W) = size, x.shape[2:]\n"
            "    return x.reshape(*x.shape[:2], h, H // h, w, W // w).mean(axis=(3, 5))\n"
        },
        "reshape cuts equal blocks",
    ),
    "running sums": (
        "a_large_number_in_another_window",
        {
            "x[:, :, rows, cols].mean(axis=(2, 3))": "(sums[:, :, rows.stop, cols.stop]"
            " - sums[:, :, rows.start, cols.stop]"
            " - sums[:, :, rows.stop, cols.start] + sums[:, :, rows.start, cols.start])"
            " / ((rows.stop - rows.start) * (cols.stop - cols.start))",
            EMPTY: f"{EMPTY}    sums = np.pad(x.cumsum(2).cumsum(3), ((0, 0), (0, 0), (1, 0), (1, 0)))\n",
        },
        "running sums were subtracted",
    ),
    "a square cut out first": (
        "the_shorter_side_counts",
        {
            "    shorter = min(height, width)\n": "    shorter = min(height, width)\n"
            "    top, left = round((height - shorter) / 2), round((width - shorter) / 2)\n"
            "    image = image[top : top + shorter, left : left + shorter]\n    height = width = shorter\n"
        },
        "a square was cut out before resizing",
    ),
    "a square resized to the crop": (
        "the_shorter_side_counts",
        {
            "    shorter = min(height, width)\n": "    shorter = min(height, width)\n"
            "    top, left = round((height - shorter) / 2), round((width - shorter) / 2)\n"
            "    image = resize_picture(image[top : top + shorter, left : left + shorter], crop, crop)\n"
            "    height = width = shorter = resize = crop\n"
        },
        "a square was cut out and resized",
    ),
    "as much cut off at both ends": (
        "an_odd_rest_is_rounded_as_python_rounds",
        {"[top : top + crop, left : left + crop]": "[top : rows - top, left : cols - left]"},
        "the cut ends at top + crop",
    ),
    "squeezed into the crop": (
        "the_shorter_side_counts",
        {SIDES: "crop, crop"},
        "the whole picture was squeezed into crop x crop",
    ),
    "the rest in the last window": (
        "five_numbers_to_three",
        {
            SPANS: "[slice(i * (length // count), length if i == count - 1 else (i + 1) * (length // count))"
            " for i in range(count)]"
        },
        "the last window takes what is left over",
    ),
    "a start from H // h": (
        "five_numbers_to_three",
        {"slice(i * length // count,": "slice(i * (length // count),"},
        "in the beginning H // h was rounded",
    ),
    "an end from a rounded length": (
        "rows_and_columns_have_their_own_sizes",
        {"-(-(i + 1) * length // count))": "(i + 1) * -(-length // count))"},
        "in the end -(-H // h) was rounded",
    ),
    "a minus for i alone": (
        "five_numbers_to_three",
        {"-(-(i + 1) * length // count))": "-(-i + 1) * length // count)"},
        "-i + 1 is 1 - i",
    ),
    "a window for each number": (
        "five_numbers_to_three",
        {"for i in range(count)]": "for i in range(length)]"},
        "there are more windows here than size says",
    ),
    "columns cut with i": (
        "five_numbers_to_three",
        {"rows, cols].mean": "rows, spans(x.shape[3], size[1])[i]].mean"},
        "the columns were cut with i",
    ),
    "rows cut with j": (
        "rows_and_columns_have_their_own_sizes",
        {
            POOLED.split("\n", 2)[2].rsplit("    return", 1)[0]: "    for i, j in np.ndindex(*size):\n"
            "        rows, cols = (slice(j * n // m, -(-(j + 1) * n // m)) for n, m in zip(x.shape[2:], size))\n"
            "        y[:, :, i, j] = x[:, :, rows, cols].mean(axis=(2, 3))\n"
        },
        "the rows were cut with j",
    ),
    "columns not cut": (
        "five_numbers_to_three",
        {"rows, cols].mean": "rows].mean"},
        "the windows have all columns",
    ),
    "rows not cut": (
        "five_numbers_to_three",
        {"rows, cols].mean": ":, cols].mean"},
        "the windows have all rows",
    ),
    "height and width exchanged": (
        "five_numbers_to_three",
        {
            "spans(x.shape[2], size[0])": "spans(x.shape[3], size[0])",
            "spans(x.shape[3], size[1])": "spans(x.shape[2], size[1])",
        },
        "height and width of x are exchanged",
    ),
    "sizes exchanged in the borders": (
        "five_numbers_to_three",
        {
            POOLED.split("\n", 2)[2].rsplit("    return", 1)[0]: "    for i, j in np.ndindex(*size):\n"
            "        rows, cols = (slice(k * n // m, -(-(k + 1) * n // m)) for k, n, m in zip((i, j), x.shape[2:], "
            "size[::-1]))\n"
            "        y[:, :, i, j] = x[:, :, rows, cols].mean(axis=(2, 3))\n"
        },
        "h and w are exchanged in the borders",
    ),
    "one number too far": (
        "five_numbers_to_three",
        {"-(-(i + 1) * length // count))": "-(-(i + 1) * length // count) + 1)"},
        "the windows go one number too far",
    ),
    "windows in whole numbers": (
        "five_numbers_to_three",
        {"np.empty((*x.shape[:2], *size), x.dtype)": "np.empty((*x.shape[:2], *size), int)"},
        "the array that you fill has whole numbers",
    ),
    "the first window alone": (
        "five_numbers_to_three",
        {
            "np.empty((*x.shape[:2], *size), x.dtype)": "np.zeros((*x.shape[:2], *size), x.dtype)",
            "    return y\n": "            return y\n",
        },
        "only the first windows have their means",
    ),
    "the first row of windows alone": (
        "five_numbers_to_three",
        {
            "np.empty((*x.shape[:2], *size), x.dtype)": "np.zeros((*x.shape[:2], *size), x.dtype)",
            "    return y\n": "        return y\n",
        },
        "only the first windows have their means",
    ),
    "the first picture alone": (
        "every_picture_by_itself",
        {
            "    return powers / powers.sum(axis=1, keepdims=True)\n": "    found = np.zeros_like(powers)\n"
            "    for i, row in enumerate(powers):\n        found[i] = row / row.sum()\n        return found\n"
        },
        "only the first pictures have their probabilities",
    ),
    "a row for each class": (
        "one_picture_and_two_classes",
        {"features @ weight.T + bias\n": "weight @ features.T + bias\n"},
        "weight @ means.T is (K, N)",
    ),
    "the classes first": (
        "one_picture_and_two_classes",
        {"return powers / powers.sum(axis=1, keepdims=True)": "return (powers / powers.sum(axis=1, keepdims=True)).T"},
        "the classes are the first axis",
    ),
    "a mean over the channels": (
        "one_picture_and_two_classes",
        {"x.mean(axis=(2, 3))": "x.mean(axis=1)"},
        "the mean ran over axis 1 alone",
    ),
    "a mean over the batch, too": (
        "one_picture_and_two_classes",
        {"x.mean(axis=(2, 3))": "x.mean(axis=(0, 2, 3))"},
        "the scores have one axis, and need two",
    ),
    "divided by 256": (
        "a_picture_of_the_right_size",
        {"cut.astype(np.float32) / 255": "cut.astype(np.float32) / 256"},
        "the pixels were divided by 256",
    ),
    "the largest of the batch": (
        "one_picture_and_two_classes",
        {"scores - scores.max(axis=1, keepdims=True)": "scores - scores.max(axis=0)"},
        "the maximum ran along the batch",
    ),
    "the largest of each plane": (
        "one_picture_and_two_classes",
        {"x.mean(axis=(2, 3))": "x.max(axis=(2, 3))"},
        "the largest number of each plane",
    ),
    "sums of the planes": (
        "one_picture_and_two_classes",
        {"x.mean(axis=(2, 3))": "x.sum(axis=(2, 3))"},
        "sums in place of means",
    ),
    "the mean subtracted": (
        "large_and_small_scores_together",
        {"scores - scores.max(axis=1, keepdims=True)": "scores - scores.mean(axis=1, keepdims=True)"},
        "the mean can lie thousands below",
    ),
    "no bias": (
        "one_picture_and_two_classes",
        {"features @ weight.T + bias": "features @ weight.T"},
        "the bias is missing",
    ),
    "a sigmoid for each class": (
        "one_picture_and_two_classes",
        {
            "    powers = np.exp(scores - scores.max(axis=1, keepdims=True))\n": "",
            "powers / powers.sum(axis=1, keepdims=True)": "1 / (1 + np.exp(-scores))",
        },
        "that is the sigmoid of each score",
    ),
    "shares of the scores": (
        "one_picture_and_two_classes",
        {"np.exp(scores - scores.max(axis=1, keepdims=True))": "scores"},
        "the scores themselves were divided by their sum",
    ),
    "softmax before the mean": (
        "one_picture_and_two_classes",
        {
            "    features = x.mean(axis=(2, 3))\n": "    features = x.transpose(0, 2, 3, 1)\n",
            "scores.max(axis=1, keepdims=True)": "scores.max(axis=3, keepdims=True)",
            "powers / powers.sum(axis=1, keepdims=True)": "(powers / powers.sum(axis=3, keepdims=True)).mean((1, 2))",
        },
        "softmax came at each pixel",
    ),
    "scores less the largest": (
        "one_picture_and_two_classes",
        {"return powers / powers.sum(axis=1, keepdims=True)": "return scores - scores.max(axis=1, keepdims=True)"},
        "these are the scores less the largest",
    ),
    "powers of e": (
        "one_picture_and_two_classes",
        {"return powers / powers.sum(axis=1, keepdims=True)": "return powers"},
        "these are the powers of e",
    ),
    "logarithms": (
        "one_picture_and_two_classes",
        {"return powers / powers.sum(axis=1, keepdims=True)": "return np.log(powers / powers.sum(1, keepdims=True))"},
        "these are the logarithms of the probabilities",
    ),
    "divided by the largest": (
        "one_picture_and_two_classes",
        {"scores - scores.max(axis=1, keepdims=True)": "scores / scores.max(axis=1, keepdims=True)"},
        "the scores were divided by the largest",
    ),
    "a mean over the columns alone": (
        "one_picture_and_two_classes",
        {"x.mean(axis=(2, 3))": "x.mean(axis=3)"},
        "the mean ran over axis 3 alone",
    ),
    "columns cut as rows are": (
        "five_numbers_to_three",
        {"enumerate(spans(x.shape[3], size[1]))": "enumerate([slice(j, j + 1) for j in range(size[1])])"},
        "j * W // w for columns",
    ),
    "blue first at the end": (
        "a_picture_of_the_right_size",
        {"x.transpose(2, 0, 1)[None]": "x.transpose(2, 0, 1)[None, ::-1]"},
        "channel 0 is red, so turn nothing round",
    ),
    "MEAN of bytes": (
        "a_picture_of_the_right_size",
        {"cut.astype(np.float32) / 255 - MEAN": "(cut.astype(np.float32) - MEAN) / 255"},
        "MEAN was subtracted from bytes",
    ),
    "a factor of whole numbers": (
        "the_shorter_side_counts",
        {SIDES: "-(-resize * height // shorter), max(resize, width // shorter * resize)"},
        "the longer one is resize * longer // shorter",
    ),
    "an equal crop refused": (
        "a_picture_of_the_right_size",
        {"if crop > resize:": "if crop >= resize:"},
        "a crop of 4 fits where resize is 4",
    ),
    "normalised before the resizing": (
        "a_picture_of_the_right_size",
        {
            "resize_picture(image, rows, cols)": "resize_picture((image / np.float32(255) - MEAN) / STD, rows, cols)",
            "(cut.astype(np.float32) / 255 - MEAN) / STD": "cut.astype(np.float32)",
        },
        "resize_picture rounds to bytes",
    ),
    "one start for rows and columns": (
        "the_shorter_side_counts",
        {CORNER: "round((rows - crop) / 2), round((rows - crop) / 2)"},
        "the first column comes from the width",
    ),
    "one start for columns and rows": (
        "the_shorter_side_counts",
        {CORNER: "round((cols - crop) / 2), round((cols - crop) / 2)"},
        "the first row comes from the height",
    ),
    "a start from resize": (
        "the_shorter_side_counts",
        {CORNER: "round((resize - crop) / 2), round((resize - crop) / 2)"},
        "the first column comes from the width",
    ),
}


DETECTOR = {
    "0 / 0": (
        "boxes_without_area",
        {
            "np.divide(common, together, out=np.zeros_like(common), where=together > 0)": "common / together",
            "overlap(boxes[best], boxes[left]) > threshold": "~(overlap(boxes[best], boxes[left]) <= threshold)",
        },
        "0 / 0 is nan",
    ),
    "places in the sorted boxes": (
        "two_boxes",
        {
            '    left = np.argsort(-scores, kind="stable")\n': '    order = np.argsort(-scores, kind="stable")\n'
            "    boxes, classes, left = boxes[order], classes[order], np.arange(len(order))\n"
        },
        "yours are places in the sorted boxes",
    ),
    "sorted places": ("two_boxes", {"    return stay\n": "    return sorted(stay)\n"}, "or were sorted themselves"),
    "the boxes themselves": ("two_boxes", {"    return stay\n": "    return boxes[stay]\n"}, "the boxes themselves"),
    "the best of a class alone": (
        "two_boxes",
        {" & (overlap(boxes[best], boxes[left]) > threshold)": ""},
        "and does only a box whose IoU is above the threshold go?",
    ),
    "middle and size for corners": (
        "two_boxes",
        {
            "    left = np.argsort(-scores": "    boxes = np.concatenate([boxes[:, :2] - boxes[:, 2:] / 2, "
            "boxes[:, :2] + boxes[:, 2:] / 2], 1)\n    left = np.argsort(-scores"
        },
        "Is it computed from corners",
    ),
    "the comparison turned round": (
        "two_boxes",
        {"boxes[left]) > threshold": "boxes[left]) <= threshold"},
        "were compared the wrong way round",
    ),
    "lengths without their sign": (
        "two_boxes",
        {"np.clip(high - low, 0, None)": "np.abs(high - low)"},
        "abs makes an overlap of it",
    ),
    "s not doubled": (
        "zeros_are_the_anchors",
        {"(2 * y[..., :2] - 0.5 + cell)": "(y[..., :2] - 0.5 + cell)"},
        "s is doubled first",
    ),
    "s not doubled, where s is not 0.5": (
        "one_anchor",
        {"(2 * y[..., :2] - 0.5 + cell)": "(y[..., :2] - 0.5 + cell)"},
        "s is not doubled",
    ),
    "half a pixel": (
        "zeros_are_the_anchors",
        {"(2 * y[..., :2] - 0.5 + cell) * stride": "(2 * y[..., :2] + cell) * stride - 0.5"},
        "the 0.5 is half a cell",
    ),
    "height and width of the head": (
        "zeros_are_the_anchors",
        {"_, height, width = raw.shape": "_, width, height = raw.shape"},
        "height and width of the head are exchanged",
    ),
    "height and width exchanged": (
        "a_picture_that_is_as_wide_as_the_canvas",
        {
            "    scale = min(height / image.shape[0], width / image.shape[1])\n": "    cols, rows = image.shape[:2]\n"
            "    scale = min(height / rows, width / cols)\n",
            "for size in image.shape[:2])": "for size in (rows, cols))",
        },
        "image.shape is (H, W, 3)",
    ),
    "the scale worked out anew": (
        "not_enlarged",
        {" / scale\n": " / min(640 / height, 640 / width)\n"},
        "the scale was worked out anew",
    ),
    "scale and place worked out anew": (
        "not_enlarged",
        {
            "    moved = ": "    scale = min(640 / height, 640 / width)\n"
            "    left, top = (640 - width * scale) / 2, (640 - height * scale) / 2\n    moved = "
        },
        "scale and place were worked out anew",
    ),
    "one box without its axis": (
        "no_box_and_boxes_in_the_bars",
        {
            "    return np.clip(moved, 0, [width, height, width, height]).astype(np.float32)": "    return np.squeeze("
            "np.clip(moved, 0, [width, height, width, height]).astype(np.float32))"
        },
        "a single box lost its axis",
    ),
    "width before height": (
        "a_picture_that_is_as_wide_as_the_canvas",
        {"resize_picture(image, inner_height, inner_width)": "resize_picture(image, inner_width, inner_height)"},
        "resize_picture takes the height first",
    ),
    "w rows": (
        "zeros_are_the_anchors",
        {
            "    row, column = np.indices((height, width), np.float32)\n": "",
            "    cell = np.stack([column, row], -1)\n": "",
            "    centre = (2 * y[..., :2] - 0.5 + cell) * stride\n": "    centre = 2 * y[..., :2] - 0.5\n"
            "    centre[..., 0] += np.arange(width)\n"
            "    centre[..., 1] += np.arange(width)[:, None]\n"
            "    centre *= stride\n",
        },
        "there are h rows and w columns",
    ),
    "the cell outside of the brackets": (
        "zeros_are_the_anchors",
        {"(2 * y[..., :2] - 0.5 + cell) * stride": "(2 * y[..., :2] - 0.5) * stride + cell"},
        "the cell was not multiplied by the stride",
    ),
    "a scale of 1 at most": (
        "a_picture_that_is_as_wide_as_the_canvas",
        {"scale = min(height": "scale = min(1, height"},
        "a 1 in min(1, ...), or //,",
    ),
    "the larger scale": (
        "a_picture_that_is_as_wide_as_the_canvas",
        {"scale = min(height": "scale = max(height"},
        "the SMALLER of height / H and width / W",
    ),
    "bars halved before the rounding": (
        "the_new_size_is_rounded",
        {
            "(height - inner_height) // 2, (width - inner_width) // 2": "int((height - image.shape[0] * scale) / 2), "
            "int((width - image.shape[1] * scale) / 2)"
        },
        "halved before the new size was rounded",
    ),
    "centres without sigmoid": (
        "zeros_are_the_anchors",
        {"centre = (2 * y[": "x = raw.reshape(kinds, -1, height, width).transpose(0, 2, 3, 1)\n    centre = (2 * x["},
        "the sigmoid is missing in x and y",
    ),
    "extents without sigmoid": (
        "zeros_are_the_anchors",
        {"extent = (2 * y[": "x = raw.reshape(kinds, -1, height, width).transpose(0, 2, 3, 1)\n    extent = (2 * x["},
        "the sigmoid is missing in w and h",
    ),
    "scores of the classes without sigmoid": (
        "zeros_are_the_anchors",
        {"y[..., 4:]], -1)": "y[..., 4:5], raw.reshape(kinds, -1, height, width).transpose(0, 2, 3, 1)[..., 5:]], -1)"},
        "the sigmoid is missing in the K scores",
    ),
    "scores through the sigmoid once more": (
        "zeros_are_the_anchors",
        {"y[..., 4:]], -1)": "sigmoid(y[..., 4:])], -1)"},
        "through the sigmoid twice",
    ),
    "no objectness": (
        "zeros_are_the_anchors",
        {"y[..., 4:]], -1)": "y[..., 5:]], -1)"},
        "the objectness is missing",
    ),
    "the boxes that go": (
        "two_boxes",
        {"    return stay\n": "    return [i for i in range(len(scores)) if i not in stay]\n"},
        "in place of those that stay",
    ),
    "the worst first": (
        "two_boxes",
        {"np.argsort(-scores": "np.argsort(scores"},
        "argsort sorts upwards",
    ),
    "True or False for each box": (
        "two_boxes",
        {"    return stay\n": "    return [i in stay for i in range(len(scores))]\n"},
        "that is True or False for each box",
    ),
    "always 0.45": (
        "a_crowd",
        {"> threshold": "> 0.45"},
        "0.45 takes the place of `threshold`",
    ),
    "width and height in place of a corner": (
        "twice_as_large",
        {
            "return np.clip(moved, 0, [width, height, width, height]).astype(np.float32)": "moved = np.clip(moved, 0, "
            "[width, height, width, height]).astype(np.float32)\n"
            "    return np.concatenate([moved[:, :2], moved[:, 2:] - moved[:, :2]], axis=1)"
        },
        "that is x, y, width, height",
    ),
    "to the right and below only": (
        "two_boxes",
        {
            "low, high = np.maximum(box[:2], others[:, :2]), np.minimum(box[2:], others[:, 2:])": "low, high = "
            "others[:, :2], box[2:]"
        },
        "whichever box they come from",
    ),
    "from the other's corner": (
        "two_boxes",
        {"np.maximum(box[:2], others[:, :2])": "others[:, :2]"},
        "whichever box they come from",
    ),
    "only boxes of the class stay": (
        "classes_do_not_compete",
        {
            "(classes[left] == classes[best]) & (overlap(boxes[best], boxes[left]) > threshold)": "(classes[left] "
            "!= classes[best]) | (overlap(boxes[best], boxes[left]) > threshold)"
        },
        "one stays if its class differs OR",
    ),
    "clipped before the division": (
        "twice_as_large",
        {
            "(boxes - np.array([left, top, left, top])) / scale": "boxes - np.array([left, top, left, top])",
            "return np.clip(moved, 0, [width, height, width, height]).astype(np.float32)": "return (np.clip("
            "moved, 0, [width, height, width, height]) / scale).astype(np.float32)",
        },
        "it clips before it divides",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", DETECTOR)
def test_the_likely_cause_for_a_detector_is_the_true_one(tmp_path: Path, case: str) -> None:
    name, changes, cause = DETECTOR[case]
    assert cause in cause_told(YOLO, name, changes, tmp_path / "hw09_yolov5.py")


AXBY = "    return w @ x + b.reshape(len(w), -1)\n"
EXP = "    return np.exp(-as_float(x))\n"
AXPY = "    return a * x + y\n"
POWERS = "    powers = np.exp(z - z.max(axis=-1, keepdims=True))\n"
SHARES = "    return powers / powers.sum(axis=-1, keepdims=True)\n"
FIRST = {
    "a bias in float32": (
        "the_lessons_numbers_come_out",
        {AXBY: "    return w @ x + b.reshape(len(w), -1).astype(np.float32)\n"},
        "int64 with float32 is float64, too",
    ),
    "a sum in place": (
        "numpy_chooses_the_type_of_the_sum",
        {AXBY: "    y = w @ x\n    y += b.reshape(len(w), -1)\n    return y\n"},
        "make a new one",
    ),
    "inputs of int8": (
        "each_of_the_five_gives_itself_away",
        {
            "    w = np.array([[1, -2], [20, 5]])\n    x = np.array([[7, 20], [2, 9]])\n"
            "    b = np.array([[1, 2], [3, 5]])\n": "    w, x, b = np.int8([[[-10, 2], [3, -10]], [[0, 1], [5, 18]], "
            "[[7, -1], [4, 9]]])\n"
        },
        "leave the dtype out",
    ),
    "e with six digits": (
        "e_to_minus_one_is_0_3679",
        {EXP: "    return 2.71828 ** -as_float(x)\n"},
        "or e was",
    ),
    "five hundred terms of the series": (
        "far_from_zero_the_digits_count",
        {
            EXP: "    x, term, total = -as_float(x), 1.0, 1.0\n    for n in range(1, 501):\n"
            "        term = term * x / n\n        total = total + term\n    return total\n"
        },
        "their rounding is larger than the answer",
    ),
    "twelve decimals": (
        "far_from_zero_the_digits_count",
        {EXP: "    return np.exp(-as_float(x)).round(12)\n"},
        "the result was rounded",
    ),
    "the power forgotten": ("e_to_minus_one_is_0_3679", {EXP: "    return -as_float(x)\n"}, "this is -x"),
    "a choice without brackets": (
        "the_lessons_numbers_come_out",
        {AXBY: "    return w @ x + b[:, None] if b.ndim == 1 else b\n"},
        "this is b alone",
    ),
    "a choice without brackets, the other way round": (
        "a_bias_of_one_axis_goes_to_the_rows",
        {AXBY: "    return w @ x + b if b.ndim == 2 else b[:, None]\n"},
        "this is the column of b alone",
    ),
    "a bias told by its size": (
        "a_bias_of_one_axis_goes_to_the_rows",
        {AXBY: "    y = w @ x\n    return y + (b if b.size == y.size else b[:, None])\n"},
        "b.ndim tells",
    ),
    "the method exp": (
        "e_to_minus_one_is_0_3679",
        {EXP: "    return (-as_float(x)).exp()\n"},
        "an array has no method exp",
    ),
    "the method exp in softmax": (
        "equal_scores_share_evenly",
        {POWERS: "    powers = (z - z.max(axis=-1, keepdims=True)).exp()\n"},
        "an array has no method exp",
    ),
    "the largest of the sizes": (
        "large_scores_do_not_overflow",
        {POWERS: "    powers = np.exp(z - np.abs(z).max(axis=-1, keepdims=True))\n"},
        "not that of np.abs(z)",
    ),
    "a new axis in the second place": (
        "rows_run_along_the_last_axis",
        {POWERS: "    powers = np.exp(z - z.max(axis=-1)[:, None])\n"},
        "no index such as [:, None]",
    ),
    "thousands in float32": (
        "three_rows_far_apart",
        {"    z = as_float(z)\n": "    z = z.astype(np.float32)\n"},
        "float64 scores became float32",
    ),
    "a tiny number on every power": (
        "a_score_far_above_its_row",
        {POWERS: f"{POWERS[:-1]} + 1e-9\n"},
        "add nothing to the powers",
    ),
    "the scores over the sum of the powers": (
        "equal_scores_share_evenly",
        {SHARES: "    return z / powers.sum(axis=-1, keepdims=True)\n"},
        "z itself was divided",
    ),
    "a bias of three axes": (
        "the_shapes_need_not_be_square",
        {AXBY: "    return w @ x + (b[:, None] if b.shape[0] != x.shape[1] else b)\n"},
        "makes three axes",
    ),
    "a bias reshaped to the result": (
        "a_bias_of_one_axis_goes_to_the_rows",
        {AXBY: "    return w @ x + b.reshape(len(w), x.shape[1])\n"},
        "too few for (m, n)",
    ),
    "two arrays": (
        "they_are_small_square_arrays",
        {"    return w, x, b\n": "    return w, x\n"},
        "end with return w, x, b",
    ),
    "an x that hides what is transposed": (
        "each_of_the_five_gives_itself_away",
        {
            "    w = np.array([[1, -2], [20, 5]])\n    x = np.array([[7, 20], [2, 9]])\n"
            "    b = np.array([[1, 2], [3, 5]])\n": "    w = np.array([[1, 12, 1], [-8, 5, 10], [5, 2, 9]])\n"
            "    x, b = np.array([[4, 8, 4], [2, 4, 2], [10, 20, 10]]), np.array([[7, -1, 1], [4, 9, 2], [1, 5, 3]])\n"
        },
        "your x hides it",
    ),
    "x added in the place of y": (
        "three_times_x_plus_four",
        {AXPY: "    return a * x + x\n"},
        "this is a * x + x",
    ),
    "integers through as_float": (
        "numpy_chooses_the_type",
        {AXPY: "    return a * as_float(x) + y\n"},
        "as_float(x)",
    ),
    "rounded shares": ("equal_scores_share_evenly", {SHARES: f"{SHARES[:-1]}.round(4)\n"}, "rounded to 4 digits"),
    "a loop over z": (
        "rows_run_along_the_last_axis",
        {
            POWERS: "    powers = np.array([np.exp(r - r.max(axis=-1, keepdims=True)) for r in z])\n",
            SHARES: "    return np.array([p / p.sum(axis=-1, keepdims=True) for p in powers])\n",
        },
        "each number became a row of its own",
    ),
    "two nested loops": (
        "e_to_minus_one_is_0_3679",
        {
            EXP: "    y = np.empty(x.shape)\n    for i in range(x.shape[0]):\n        for j in range(x.shape[1]):\n"
            "            y[i, j] = np.exp(-x[i, j])\n    return y\n"
        },
        "x may have any number of axes",
    ),
    "a added and x and y multiplied": (
        "three_times_x_plus_four",
        {AXPY: "    return a + x * y\n"},
        "this is a + x * y",
    ),
    "a cut": (
        "numpy_chooses_the_type",
        {AXPY: "    return np.array(a, dtype=x.dtype) * x + y\n"},
        "a or the sum was cut to int64",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", FIRST)
def test_the_likely_cause_of_a_wrong_first_function_is_the_true_one(tmp_path: Path, case: str) -> None:
    name, changes, cause = FIRST[case]
    assert cause in cause_told(register.ROOT / "homework" / "01_first_tests", name, changes, tmp_path / "hw01_numpy.py")


LARGEST = "scores.max(axis=3, keepdims=True)"
ONE_LARGEST = "one largest score is subtracted for several queries, as max() does"
AHEAD = "np.arange(end) > np.arange(count, end)[:, None]"
HIDDEN = "scores = np.where(ahead, -np.inf, scores)"
REACHED = "np.searchsorted(np.cumsum(probabilities[order], dtype=np.float64), p) + 1"
ATTENTION = {
    "one largest of all": ("large_scores_do_not_overflow", {LARGEST: "scores.max()"}, ONE_LARGEST),
    "one largest of each head": (
        "large_scores_do_not_overflow",
        {LARGEST: "scores.max(axis=(2, 3), keepdims=True)"},
        ONE_LARGEST,
    ),
    "one largest of all heads": (
        "large_scores_do_not_overflow",
        {LARGEST: "scores.max(axis=(1, 3), keepdims=True)"},
        ONE_LARGEST,
    ),
    "no largest": (
        "large_scores_do_not_overflow",
        {f" - {LARGEST}": ""},
        "subtract each query's largest VISIBLE score",
    ),
    "upside down": (
        "the_three_tokens_of_the_lesson",
        {"np.arange(end) > np.arange(count": "np.arange(end) < np.arange(count"},
        "the mask is upside down",
    ),
    "the whole cache, nothing masked": (
        "the_three_tokens_of_the_lesson",
        {
            "keys[:, :, :end].swapaxes": "keys.swapaxes",
            "    scores = np.where(ahead, -np.inf, scores)\n": "",
            f" - {LARGEST}": "",
            "values[:, :, :end]\n": "values\n",
        },
        "nothing is masked, and places that are not in use have a weight",
    ),
    "scores before the keys are written": (
        "the_three_tokens_of_the_lesson",
        {
            "    keys[:, :, count:end] = k\n": "",
            "    ahead = np.arange(end)": "    keys[:, :, count:end] = k\n    ahead = np.arange(end)",
        },
        "the scores were computed before k was written",
    ),
    "an axis too few": (
        "the_three_tokens_of_the_lesson",
        {"    keys[:, :, count:end] = k\n": "    keys[:, count:end] = k\n"},
        "places lie along axis 2",
    ),
    "the mask of the lesson": (
        "earlier_tokens_are_seen_and_later_ones_are_not",
        {AHEAD: "~np.tri(tokens, dtype=bool)"},
        "the mask is square",
    ),
    "the mask of the lesson, as an index": (
        "earlier_tokens_are_seen_and_later_ones_are_not",
        {AHEAD: "~np.tri(tokens, dtype=bool)", HIDDEN: "scores[..., ahead] = -np.inf"},
        "the mask is square",
    ),
    "a mask of all places, added": (
        "earlier_tokens_are_seen_and_later_ones_are_not",
        {AHEAD: "np.triu(np.full((end, end), -np.inf), 1)", HIDDEN: "scores = scores + ahead"},
        "a row for every place",
    ),
    "a mask of the whole cache": (
        "earlier_tokens_are_seen_and_later_ones_are_not",
        {AHEAD: "~np.tri(tokens, keys.shape[2], count, dtype=bool)"},
        "the mask has a column for every place of the cache",
    ),
    "scores number by number": (
        "the_three_tokens_of_the_lesson",
        {"q @ keys": "q * keys"},
        "* multiplies number by number",
    ),
    "values number by number": (
        "the_three_tokens_of_the_lesson",
        {"weights @ values": "weights * values"},
        "* multiplies number by number",
    ),
    "a mask of two axes for four": (
        "the_three_tokens_of_the_lesson",
        {HIDDEN: "scores[ahead] = -np.inf"},
        "they are the last two of the scores",
    ),
    "infinity times a mask": (
        "the_three_tokens_of_the_lesson",
        {HIDDEN: "scores = scores - ahead * np.inf"},
        "0 * infinity is nan",
    ),
    "a mask of one row": (
        "the_three_tokens_of_the_lesson",
        {"np.arange(count, end)[:, None]": "count"},
        "as far as the first of them",
    ),
    "a sum without its axis": (
        "the_three_tokens_of_the_lesson",
        {"powers.sum(axis=3, keepdims=True)": "powers.sum(axis=3)"},
        "sum without keepdims=True",
    ),
    "a largest score without its axis": (
        "the_three_tokens_of_the_lesson",
        {LARGEST: "scores.max(axis=3)"},
        "max without keepdims=True",
    ),
    "a largest score and a sum without their axis": (
        "the_three_tokens_of_the_lesson",
        {LARGEST: "scores.max(axis=3)", "powers.sum(axis=3, keepdims=True)": "powers.sum(axis=3)"},
        "max and sum without keepdims=True",
    ),
    "a sum without its axis, after earlier tokens": (
        "earlier_tokens_are_seen_and_later_ones_are_not",
        {"powers.sum(axis=3, keepdims=True)": "powers.sum(axis=3)"},
        "keepdims=True keeps the axis",
    ),
    "one token written": (
        "the_three_tokens_of_the_lesson",
        {
            "keys[:, :, count:end] = k": "keys[:, :, count] = k[:, :, 0]",
            "values[:, :, count:end] = v": "values[:, :, count] = v[:, :, 0]",
        },
        "only the first new token is written",
    ),
    "rubbish read, and nan made 0": (
        "rubbish_behind_the_text",
        {
            "keys[:, :, :end].swapaxes": "keys.swapaxes",
            AHEAD: "np.arange(keys.shape[2]) > np.arange(count, end)[:, None]",
            "weights @ values[:, :, :end]": "np.nan_to_num(weights @ values)",
        },
        "a weight of 0 is not enough",
    ),
    "p as a limit for each token": (
        "three_tokens_reach_p",
        {
            "    kept[order[:count]] = probabilities[order[:count]]\n": "    sure = probabilities >= p\n"
            "    kept[sure] = probabilities[sure] / probabilities[sure].sum()\n",
            "return kept / kept.sum()": "return kept",
        },
        "it is their SUM that counts",
    ),
    "equals above a threshold": (
        "three_tokens_reach_p",
        {
            "    kept = np.zeros_like(probabilities)\n": "",
            "    kept[order[:count]] = probabilities[order[:count]]\n": "    limit = probabilities[order[:count]][-1]\n"
            "    kept = np.where(probabilities >= limit, probabilities, 0)\n",
        },
        "keep the tokens' numbers",
    ),
    "a number for infinity": (
        "large_scores_do_not_overflow",
        {HIDDEN: "scores = np.where(ahead, np.float32(-100), scores)"},
        "a number such as 0 or -100",
    ),
    "a mask of numbers, added": (
        "earlier_tokens_are_seen_and_later_ones_are_not",
        {HIDDEN: "scores = scores + np.where(ahead, -np.inf, 0)"},
        "and so is np.where(mask, 0, -np.inf)",
    ),
    "a share of the tokens": (
        "three_tokens_reach_p",
        {REACHED: "max(1, int(np.ceil(p * len(order))))"},
        "that share of the TOKENS was kept",
    ),
    "one token more": ("three_tokens_reach_p", {REACHED: f"{REACHED} + 1"}, "one token too many"),
    "one token more where the sum is p": (
        "sums_that_are_p_exactly",
        {REACHED: "np.searchsorted(np.cumsum(probabilities[order]), p, side='right') + 1"},
        "one token too many",
    ),
    "v alone not written": (
        "earlier_tokens_are_seen_and_later_ones_are_not",
        {"    values[:, :, count:end] = v\n": ""},
        "write v, too",
    ),
    "rounded sums": (
        "sums_that_are_p_exactly",
        {REACHED: "np.searchsorted(np.round(np.cumsum(probabilities[order]), 6), p) + 1"},
        "the sums were rounded",
    ),
    "nearly 1 for 1": (
        "a_p_that_is_nearly_one",
        {"    if p == 1:\n": "    if p > 0.99999:\n"},
        "p just below 1 was taken for 1",
    ),
    "numpy's square root": (
        "earlier_tokens_are_seen_and_later_ones_are_not",
        {"math.sqrt(width)": "np.sqrt(width)"},
        "np.sqrt(D) and np.tri are float64",
    ),
}


PREPARED = {
    "row and column exchanged": (
        "the_shorter_side_counts",
        {"top, left = round": "left, top = round"},
        "the first row and the first column are exchanged",
    ),
    "row and column exchanged, below the edge": (
        "the_longer_side_is_rounded_down",
        {"top, left = round": "left, top = round"},
        "the first row comes from the height",
    ),
    "a side that is no whole number": (
        "the_longer_side_is_rounded_down",
        {SIDES: "resize * height / shorter, resize * width / shorter"},
        "the longer side is no whole number",
    ),
    "a side that is no whole number, and the size of what comes of it": (
        "the_longer_side_is_rounded_down",
        {
            f"rows, cols = {SIDES}": "small = resize_picture(image, resize * height / shorter, "
            "resize * width / shorter)\n    rows, cols = small.shape[:2]",
            "resize_picture(image, rows, cols)[": "small[",
        },
        "made it a pixel larger",
    ),
    "a beginning that is no whole number": (
        "a_picture_of_the_right_size",
        {CORNER: "(rows - crop) / 2, (cols - crop) / 2"},
        "the cut begins or ends at no whole number",
    ),
    "an end of -0": (
        "a_picture_of_the_right_size",
        {"[top : top + crop, left : left + crop]": "[top:-top, left:-left]"},
        "nothing is left of the picture",
    ),
    "an end of -0 in one direction": (
        "a_crop_that_does_not_fit",
        {"[top : top + crop, left : left + crop]": "[top:-top, left:-left]"},
        "leaves nothing where it is 0",
    ),
}
HEADS = {
    "the likeliest class": (
        "one_picture_and_two_classes",
        {"return powers / powers.sum(axis=1, keepdims=True)": "return powers.argmax(axis=1)"},
        "that is the number of the likeliest class",
    ),
    "the smallest subtracted": (
        "large_and_small_scores_together",
        {"scores.max(axis=1, keepdims=True)": "scores.min(axis=1, keepdims=True)"},
        "the smallest score was subtracted",
    ),
    "softmax before the linear layer": (
        "one_picture_and_two_classes",
        {
            "features @ weight.T + bias": "features",
            "return powers / powers.sum(axis=1, keepdims=True)": "return powers / powers.sum(axis=1, keepdims=True) "
            "@ weight.T + bias",
        },
        "softmax came before the linear layer",
    ),
    "two means, one after the other": (
        "five_numbers_to_three",
        {".mean(axis=(2, 3))\n    return y": ".mean(2).mean(1)\n    return y"},
        "of a window its columns are left",
    ),
    "the lesson's borders": (
        "five_numbers_to_three",
        {"for i, rows in enumerate(spans(x.shape[2]": "for i, rows in enumerate(borders(x.shape[2]"},
        "borders is in the lesson's notebook",
    ),
    "one size and one step": (
        "five_numbers_to_three",
        {
            SPANS: "[slice(i * (length // count), i * (length // count) + length - (count - 1) * (length // count)) "
            "for i in range(count)]"
        },
        "which rows does it touch?",
    ),
}
LINEAR_LAYERS = {
    "planes not flattened": (
        "one_linear_layer",
        {"parts.flatten(inputs[0])": "inputs[0]"},
        "parts.flatten was never called, so nn.Linear reads planes",
    ),
    "successors of an operand": (
        "one_relu",
        {"successors[writers[operand]]": "successors[operand]"},
        "If its lists are successors: who writes this operand?",
    ),
    "a row of each sample": (
        "a_linear_layer_over_rows",
        {"y = inputs[0] @ weight.T": "y = inputs[0].reshape(len(inputs[0]), -1) @ weight.T"},
        "multiplies along the last one",
    ),
    "the input turned round": (
        "a_linear_layer_over_rows",
        {"y = inputs[0] @ weight.T": "y = (weight @ inputs[0].T).T"},
        "with weight turned round and not x",
    ),
}
CASES |= PREPARED | HEADS | LINEAR_LAYERS


@cache
def solution(folder: Path) -> str:
    """The worked solution of a homework, without the marks of its answers."""
    return without_marks((folder / "judge" / "solution.py").read_text(encoding="utf-8"))


@cache
def public_tests_of(folder: Path) -> list[Test]:
    """The public tests of a homework."""
    return public_tests(folder)


@cache
def homework_number(number: int) -> Homework:
    """The homework of that lesson."""
    homework = homework_of(register.load().lesson(number))
    assert homework is not None
    return homework


def cause_told(folder: Path, name: str, changes: dict[str, str], file: Path) -> str:
    """The likely cause that a test names for the solution of a homework with these changes."""
    text = solution(folder)
    for old, new in changes.items():
        assert text.count(old) == 1
        text = text.replace(old, new)
    file.write_text(text, encoding="utf-8")
    (test,) = (one for one in public_tests_of(folder) if one.name == name)
    (outcome,) = run_tests(file, [test], seed=0)
    assert isinstance(outcome.error, (Failure, SubmissionError))
    return str(outcome.error.cause)


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_the_likely_cause_is_the_true_one(tmp_path: Path, case: str) -> None:
    name, changes, cause = CASES[case]
    assert cause in cause_told(RESNET, name, changes, tmp_path / "hw08_resnet.py")


OPERANDS = "tokens[4:start], tokens[start:end], params"
BETWEEN = '[one for one in tokens[4:] if "=" not in one]'
PERCENT = '    if "%" in text:\n'
BOOLS = '    if text in ("True", "False"):\n'
READER_AND_ORDER = {
    "marked tokens thrown out first": (
        "03_pnnx",
        "an_operand_may_contain_equals",
        {"    tokens = line.split()\n": '    tokens = [one for one in line.split() if one[0] not in "#$"]\n'},
        "An operand was skipped for its first character",
    ),
    "a key with its =": (
        "03_pnnx",
        "options_are_raw_text",
        {"            params[key] = value\n": '            params[key + "="] = value\n'},
        "The key goes without its =",
    ),
    "operands without =": (
        "03_pnnx",
        "an_operand_may_contain_equals",
        {
            "    return operator_type, name,": '    plain = [one for one in tokens[4:] if "=" not in one]\n'
            "    return operator_type, name,",
            OPERANDS: "plain[: start - 4], plain[start - 4 :], params",
            "tokens[end:]": '[one for one in tokens[4:] if "=" in one]',
        },
        "The counts alone decide what is an operand, not the =",
    ),
    "operands up to the first =": (
        "03_pnnx",
        "an_operand_may_contain_equals",
        {
            "    end = start + int(tokens[3])\n": '    found = (i for i, one in enumerate(tokens) if "=" in one)\n'
            "    end = next(found, len(tokens))\n"
        },
        "The fourth token alone tells how many outputs",
    ),
    "options wherever an = is": (
        "03_pnnx",
        "an_operand_may_contain_equals",
        {"tokens[end:]": '[one for one in tokens[4:] if "=" in one]'},
        "An operand is no option, even with an =",
    ),
    "inputs and outputs exchanged": (
        "03_pnnx",
        "the_line_of_the_lesson",
        {OPERANDS: "tokens[start:end], tokens[4:start], params"},
        "Either inputs and outputs are exchanged",
    ),
    "inputs sorted": (
        "03_pnnx",
        "operands_stay_as_they_are",
        {OPERANDS: "sorted(tokens[4:start]), tokens[start:end], params"},
        "do not sort them",
    ),
    "keys without their _": (
        "03_pnnx",
        "options_are_raw_text",
        {"params[key] = value": 'params[key.strip("_")] = value'},
        "A key keeps its _",
    ),
    "floats only where all are floats": (
        "03_pnnx",
        "lists_of_several_kinds",
        {
            "        return LIST_OF[kind], [": "        if {*map(kind_of, elements)} == {INT, FLOAT}:\n"
            "            return INTS, [READ[kind_of(one)](one) for one in elements]\n"
            "        return LIST_OF[kind], ["
        },
        "One float is enough",
    ),
    "the first number decides": (
        "03_pnnx",
        "lists_of_several_kinds",
        {
            "        return LIST_OF[kind], [": "        if {*map(kind_of, elements)} == {INT, FLOAT}:\n"
            "            return LIST_OF[kind_of(elements[0])], [READ[kind_of(one)](one) for one in elements]\n"
            "        return LIST_OF[kind], ["
        },
        "The first element alone decides",
    ),
    "the last number decides": (
        "03_pnnx",
        "lists_of_several_kinds",
        {
            "        return LIST_OF[kind], [": "        kind = kind if kind == STRING else kind_of(elements[-1])\n"
            "        if kind == INT:\n"
            "            return INTS, [int(float(one)) for one in elements]\n"
            "        return LIST_OF[kind], ["
        },
        "The last element alone decides",
    ),
    "an empty list for null": (
        "03_pnnx",
        "lists_of_one_kind",
        {"        return NULL, None\n": '        return NULL, None if text == "None" else []\n'},
        "The value of null is None",
    ),
    "1 for True": (
        "03_pnnx",
        "single_values",
        {'return BOOL, text == "True"': 'return BOOL, int(text == "True")'},
        "and not the number 1 or 0",
    ),
    "the last operand as the output": (
        "03_pnnx",
        "counts_decide",
        {OPERANDS: f"{BETWEEN}[:-1], {BETWEEN}[-1:], params"},
        "Either the last operand was taken as the output",
    ),
    "a tuple of inputs": (
        "03_pnnx",
        "the_line_of_the_lesson",
        {OPERANDS: "tuple(tokens[4:start]), tokens[start:end], params"},
        "The inputs are a list, not a tuple",
    ),
    "a tuple of outputs": (
        "03_pnnx",
        "the_line_of_the_lesson",
        {OPERANDS: "tokens[4:start], tuple(tokens[start:end]), params"},
        "The outputs are a list, not a tuple",
    ),
    "the value before the type": (
        "03_pnnx",
        "single_values",
        {"    return kind, READ[kind](text)\n": "    return READ[kind](text), kind\n"},
        "The two parts are swapped",
    ),
    "an int beside a float as strs": (
        "03_pnnx",
        "lists_of_several_kinds",
        {
            "kind = max(kind_of(element) for element in elements)": "kinds = {*map(kind_of, elements)}\n"
            "        kind = kinds.pop() if len(kinds) == 1 else STRING"
        },
        "An int beside a float becomes a float",
    ),
    "minus taken for a number": (
        "03_pnnx",
        "a_number_begins_with_a_digit",
        {'text.removeprefix("-").startswith(DIGITS)': 'text.startswith(("-", *DIGITS))'},
        "int() cannot read this text: what begins neither with a digit",
    ),
    "a mark at the end of a value": (
        "03_pnnx",
        "shapes_and_slots_are_skipped",
        {'key.startswith(("#", "$"))': '("#" in token or "$" in token)'},
        "sep=# and price=a$ are options",
    ),
    "attributes that replace options": (
        "03_pnnx",
        "the_line_of_the_lesson",
        {
            '        elif not key.startswith(("#", "$")):\n': '        if not key.startswith(("#", "$")):\n',
            "            params[key] = value\n": '            params[key.lstrip("@")] = value\n',
        },
        "there it replaces an option of the same name",
    ),
    "one input": (
        "03_pnnx",
        "counts_decide",
        {OPERANDS: "tokens[4:5] if start > 4 else [], tokens[start:end], params"},
        "Only the first input was taken",
    ),
    "the fifth token as the input": (
        "03_pnnx",
        "counts_decide",
        {OPERANDS: "tokens[4:5], tokens[start:end], params"},
        "One input was taken, the fifth token",
    ),
    "shapes without element types": (
        "03_pnnx",
        "weights_lose_their_mark",
        {"attributes[key[1:]] = value": 'attributes[key[1:]] = value[: value.index(")") + 1]'},
        "the element type behind the bracket",
    ),
    "options without their brackets": (
        "03_pnnx",
        "options_are_raw_text",
        {"            params[key] = value\n": '            params[key] = value.strip("()")\n'},
        "brackets belong to them",
    ),
    "an attribute's shape as a tuple": (
        "03_pnnx",
        "weights_lose_their_mark",
        {"attributes[key[1:]] = value": 'attributes[key[1:]] = tuple(value[1:].split(")")[0].split(","))'},
        "An attribute's value stays raw text here",
    ),
    "dictionaries kept from call to call": (
        "03_pnnx",
        "options_are_raw_text",
        {"    params: dict[str, str] = {}\n": '    params = parse_operator.__dict__.setdefault("kept", {})\n'},
        "begin each call with new dictionaries",
    ),
    "operands at fixed places": (
        "03_pnnx",
        "counts_decide",
        {OPERANDS: "tokens[4:5], tokens[5:6], params"},
        "Either the operands were taken at fixed places",
    ),
    "options after the sixth token": (
        "03_pnnx",
        "counts_decide",
        {"tokens[end:]": "tokens[6:]"},
        "The options begin after the last operand",
    ),
    "operands from the sixth token on": (
        "03_pnnx",
        "the_line_of_the_lesson",
        {OPERANDS: "tokens[5 : start + 1], tokens[start:end], params"},
        "The operands begin with the fifth token",
    ),
    "shapes that are read": (
        "03_pnnx",
        "the_line_of_the_lesson",
        {
            "            attributes[key[1:]] = value\n": '            sizes, _, dtype = value[1:].partition(")")\n'
            '            attributes[key[1:]] = tuple(map(int, sizes.split(","))), dtype\n'
        },
        "An attribute's value stays raw text",
    ),
    "one dictionary for two": (
        "03_pnnx",
        "the_line_of_the_lesson",
        {"    attributes: dict[str, str] = {}\n": "    attributes = params\n"},
        "params and attributes are one dictionary",
    ),
    "None for an empty value": (
        "03_pnnx",
        "a_value_may_contain_equals",
        {"            params[key] = value\n": "            params[key] = value or None\n"},
        "has the empty str as its value, not None",
    ),
    "the kind of the first element": (
        "03_pnnx",
        "lists_of_several_kinds",
        {"max(kind_of(element) for element in elements)": "kind_of(elements[0])"},
        "find the kind of all elements first",
    ),
    "the kind of the first element, and an empty one": (
        "03_pnnx",
        "nothing_is_dropped",
        {"max(kind_of(element) for element in elements)": "kind_of(elements[0])"},
        "find one kind that fits all elements first",
    ),
    "the empty text in a text of brackets": (
        "03_pnnx",
        "a_number_begins_with_a_digit",
        {'text[:1] in ("(", "[")': 'text[:1] in "(["'},
        "'' is in every text",
    ),
    "types of lists exchanged": (
        "03_pnnx",
        "lists_of_one_kind",
        {"LIST_OF[kind], [": "{2: 5, 3: 7, 4: 6}[kind], ["},
        "they are exchanged",
    ),
    "bools in a list": (
        "03_pnnx",
        "words_in_a_list_are_strs",
        {"max(kind_of(element)": "max(max(parse_parameter(element)[0], INT)"},
        "In a list True, False and None are words",
    ),
    "an or between texts, in the rule null": (
        "03_pnnx",
        "single_values",
        {'if text in ("None", "()", "[]"):': 'if text == "None" or "()" or "[]":'},
        "`text == 'None' or '()'` holds for every text",
    ),
    "an or between texts, in the rule bool": (
        "03_pnnx",
        "single_values",
        {'if text in ("True", "False"):': 'if text == "True" or "False":'},
        "`text == 'True' or 'False'` holds for every text",
    ),
    "longer words as bools": (
        "03_pnnx",
        "small_letters_are_words",
        {'if text in ("True", "False"):': 'if text.startswith(("True", "False")):'},
        "Only the words True and False alone are bools",
    ),
    "longer words as true": (
        "03_pnnx",
        "small_letters_are_words",
        {
            'if text in ("True", "False"):': 'if text.startswith(("True", "False")):',
            'text == "True"': 'text.startswith("True")',
        },
        "Only the words True and False alone are bools",
    ),
    "longer words as null": (
        "03_pnnx",
        "small_letters_are_words",
        {'if text in ("None", "()", "[]"):': 'if text in ("()", "[]") or text.startswith("None"):'},
        "Only the word None alone is null",
    ),
    "the empty text as null": (
        "03_pnnx",
        "a_number_begins_with_a_digit",
        {'if text in ("None", "()", "[]"):': 'if text in "None()[]":'},
        "The empty text is a str",
    ),
    "numbers among strs": (
        "03_pnnx",
        "nothing_is_dropped",
        {"READ[kind](element) for": "READ[kind_of(element)](element) for"},
        "One str makes all elements strs",
    ),
    "isdigit for each element": (
        "03_pnnx",
        "lists_of_one_kind",
        {"max(kind_of(element) for element": "max(INT if element.isdigit() else STRING for element"},
        "No element is a str",
    ),
    "a number for a list of one": (
        "03_pnnx",
        "lists_of_one_kind",
        {
            "        return LIST_OF[kind], [": "        if len(elements) == 1:\n"
            "            return LIST_OF[kind], READ[kind](text[1:-1])\n"
            "        return LIST_OF[kind], ["
        },
        "One element stands in a list, too",
    ),
    "Python's own reader": (
        "03_pnnx",
        "lists_of_one_kind",
        {"[READ[kind](element) for element in elements]": 'list(__import__("ast").literal_eval(text))'},
        "eval and ast.literal_eval read Python",
    ),
    "elements by float": (
        "03_pnnx",
        "elements_are_told_apart_as_single_values_are",
        {
            "        return LIST_OF[kind], [": '        if "inf" in elements:\n'
            "            return FLOATS, [float(element) for element in elements]\n"
            "        return LIST_OF[kind], ["
        },
        "for PNNX they are strs in a list, too",
    ),
    "a list of floats by the point alone": (
        "03_pnnx",
        "elements_are_told_apart_as_single_values_are",
        {"max(kind_of(element) for element": 'max(INT if "e-" in element else kind_of(element) for element'},
        "with . or e in it, a number is a float, in a list, too",
    ),
    "numbers as options": (
        "03_pnnx",
        "the_line_of_the_lesson",
        {"            params[key] = value\n": "            params[key] = int(value) if value.isdigit() else value\n"},
        "An option's value stays raw text",
    ),
    "operands among the options": (
        "03_pnnx",
        "the_line_of_the_lesson",
        {"tokens[end:]": "tokens[4:]"},
        "The operands are among the options",
    ),
    "outputs among the options": (
        "03_pnnx",
        "the_line_of_the_lesson",
        {"tokens[end:]": "tokens[start:]"},
        "The outputs are among the options",
    ),
    "a return within the loop over the options": (
        "03_pnnx",
        "the_line_of_the_lesson",
        {"            params[key] = value\n    return": "            params[key] = value\n        return"},
        "The loop ends in its first round",
    ),
    "operands at two places that may not be there": (
        "03_pnnx",
        "counts_decide",
        {OPERANDS: "[tokens[4]], [tokens[5]], params"},
        "an operator may read or write nothing",
    ),
    "an empty element left out of a list of strs": (
        "03_pnnx",
        "nothing_is_dropped",
        {"[READ[kind](element) for element in elements]": "[READ[kind](one) for one in elements if one]"},
        "The empty element is missing",
    ),
    "an int read by float": (
        "03_pnnx",
        "single_values",
        {"INT: int,": "INT: float,"},
        "float() made a float of the value",
    ),
    "marks stripped at both ends": (
        "03_pnnx",
        "weights_lose_their_mark",
        {"attributes[key[1:]] = value": 'attributes[key.strip("@")] = value'},
        "An attribute's key loses one @",
    ),
    "a second character that is not there": (
        "03_pnnx",
        "a_number_begins_with_a_digit",
        {
            'not text.removeprefix("-").startswith(DIGITS)': "not (text[:1].isdigit() "
            'or text[:1] == "-" and text[1].isdigit())'
        },
        "'-', which has no second character",
    ),
    "the first character of nothing": (
        "03_pnnx",
        "a_number_begins_with_a_digit",
        {'text[:1] in ("(", "[")': 'text[0] in ("(", "[")'},
        "text[0] fails where the text is empty",
    ),
    "the first character of an empty element": (
        "03_pnnx",
        "nothing_is_dropped",
        {"max(kind_of(element) for element": "max(element[0] and kind_of(element) for element"},
        "An element may be empty",
    ),
    "an e in the text of a list of words": (
        "03_pnnx",
        "words_in_a_list_are_strs",
        {"max(kind_of(element) for": 'FLOAT if "." in text or "e" in text else max(kind_of(element) for'},
        "The e in a word such as True makes no float",
    ),
    "a point before the first digit": (
        "03_pnnx",
        "a_number_begins_with_a_digit",
        {'text.removeprefix("-")': 'text.removeprefix("-").removeprefix(".")'},
        "ast.literal_eval, reads .5",
    ),
    "a number with a plus": (
        "03_pnnx",
        "a_number_begins_with_a_digit",
        {'text.removeprefix("-")': 'text.removeprefix("-").removeprefix("+")'},
        "Python reads +1 as a number",
    ),
    "the first digit of each count": (
        "03_pnnx",
        "counts_decide",
        {"int(tokens[2])": "int(tokens[2][0])", "int(tokens[3])": "int(tokens[3][0])"},
        "Only the first digit of each count",
    ),
    "an @ inside a key": (
        "03_pnnx",
        "shapes_and_slots_are_skipped",
        {'if key.startswith("@")': 'if "@" in key'},
        "with an @ inside its key",
    ),
    "a # or a $ inside a key": (
        "03_pnnx",
        "shapes_and_slots_are_skipped",
        {'key.startswith(("#", "$"))': '("#" in key or "$" in key)'},
        "a#b=1 and c$d=2 are options",
    ),
    "dictionaries left empty": (
        "03_pnnx",
        "the_line_of_the_lesson",
        {"tokens[end:]": "[]"},
        "Both dictionaries came back empty",
    ),
    "no attributes": (
        "03_pnnx",
        "the_line_of_the_lesson",
        {"attributes[key[1:]] = value": "pass"},
        "The attributes are missing",
    ),
    "no options": (
        "03_pnnx",
        "the_line_of_the_lesson",
        {"params[key] = value": "pass"},
        "The options are missing",
    ),
    "None for empty dictionaries": (
        "03_pnnx",
        "counts_decide",
        {"tokens[start:end], params, attributes\n": "tokens[start:end], params or None, attributes or None\n"},
        "no options or no attributes",
    ),
    "None for no attributes": (
        "03_pnnx",
        "counts_decide",
        {"tokens[start:end], params, attributes\n": "tokens[start:end], params, attributes or None\n"},
        "no attributes, the sixth part",
    ),
    "None for no options": (
        "03_pnnx",
        "counts_decide",
        {"tokens[start:end], params, attributes\n": "tokens[start:end], params or None, attributes\n"},
        "no options, the fifth part",
    ),
    "None for no operands": (
        "03_pnnx",
        "counts_decide",
        {"tokens[4:start], tokens[start:end], params": "tokens[4:start] or None, tokens[start:end] or None, params"},
        "Where a count is 0 the part is an empty list",
    ),
    "all marks before a key": (
        "03_pnnx",
        "weights_lose_their_mark",
        {"attributes[key[1:]] = value": 'attributes[key.lstrip("@")] = value'},
        "An attribute's key loses only its first character",
    ),
    "# and $ among the attributes": (
        "03_pnnx",
        "shapes_and_slots_are_skipped",
        {'if key.startswith("@")': 'if key.startswith(("@", "#", "$"))'},
        "begin with # or $ are no attributes",
    ),
    "# among the attributes": (
        "03_pnnx",
        "shapes_and_slots_are_skipped",
        {'if key.startswith("@")': 'if key.startswith(("@", "#"))'},
        "begin with # are no attributes",
    ),
    "$ among the attributes": (
        "03_pnnx",
        "shapes_and_slots_are_skipped",
        {'if key.startswith("@")': 'if key.startswith(("@", "$"))'},
        "begin with $ are no attributes",
    ),
    "options whose key begins with a letter": (
        "03_pnnx",
        "options_are_raw_text",
        {'elif not key.startswith(("#", "$"))': "elif key[0].isalpha()"},
        "as _eps and 0 do",
    ),
    "outputs to the end of the line": (
        "03_pnnx",
        "the_line_of_the_lesson",
        {"tokens[start:end], params": "tokens[start:], params"},
        "The outputs go on to the end of the line",
    ),
    "an output without its list": (
        "03_pnnx",
        "the_line_of_the_lesson",
        {"tokens[start:end], params": "tokens[start], params"},
        "One output is a list, too",
    ),
    "operands without their lists": (
        "03_pnnx",
        "the_line_of_the_lesson",
        {OPERANDS: "tokens[4], tokens[start], params"},
        "One operand is a list, too",
    ),
    "every list of numbers as floats": (
        "03_pnnx",
        "lists_of_one_kind",
        {"        return LIST_OF[kind], [": "        kind = max(kind, FLOAT)\n        return LIST_OF[kind], ["},
        "Ints become floats only beside a float",
    ),
    "keys in small letters": (
        "03_pnnx",
        "options_are_raw_text",
        {"params[key] = value": "params[key.lower()] = value"},
        "A key keeps its capital letters",
    ),
    "a second character of an element that is not there": (
        "03_pnnx",
        "elements_are_told_apart_as_single_values_are",
        {"max(kind_of(element) for element": 'max((element == "-" and element[1]) or kind_of(element) for element'},
        "or an element, is too short",
    ),
    "a call of parse_parameter, which is not written yet": (
        "03_pnnx",
        "options_are_raw_text",
        {
            '    if "%" in text:\n': '    raise NotImplementedError("parse_parameter: TODO")\n    if "%" in text:\n',
            "            params[key] = value\n": "            params[key] = parse_parameter(value)\n",
        },
        "Values stay raw text here",
    ),
    "int first, on None": (
        "03_pnnx",
        "single_values",
        {PERCENT: "    return INT, int(text)\n" + PERCENT},
        "int() cannot read this text: None is null, and the rule null comes before the numbers",
    ),
    "float first, on None": (
        "03_pnnx",
        "single_values",
        {PERCENT: "    return FLOAT, float(text)\n" + PERCENT},
        "float() cannot read this text: None is null, and the rule null comes before the numbers",
    ),
    "int first, on True": (
        "03_pnnx",
        "single_values",
        {BOOLS: "    if text[0] not in '([':\n        return INT, int(text)\n" + BOOLS},
        "int() cannot read this text: True is a bool, and the rule bool comes before the numbers",
    ),
    "float first, on True": (
        "03_pnnx",
        "single_values",
        {BOOLS: "    if text[0] not in '([':\n        return FLOAT, float(text)\n" + BOOLS},
        "float() cannot read this text: True is a bool, and the rule bool comes before the numbers",
    ),
    "elements of an empty list": (
        "03_pnnx",
        "lists_of_one_kind",
        {PERCENT: "    if text == '()':\n        return INTS, [int(one) for one in text[1:-1].split(',')]\n" + PERCENT},
        "() is null, and the rule null comes before list",
    ),
    "int for a number with an e": (
        "03_pnnx",
        "single_values",
        {'FLOAT if "." in text or "e" in text else INT': 'FLOAT if "." in text else INT'},
        "int() cannot read this text: with . or e in it",
    ),
    "no return for None": (
        "03_pnnx",
        "single_values",
        {"        return NULL, None\n": "        return None\n"},
        "None came back: is there a return on every way",
    ),
    "no return at all": (
        "03_pnnx",
        "single_values",
        {PERCENT: "    return None\n" + PERCENT},
        "None came back: is there a return on every way",
    ),
    "kinds as words": (
        "03_pnnx",
        "single_values",
        {"        return NULL, None\n": "        return 'null', None\n"},
        "The type is a number from 0 to 7",
    ),
    "numpy's float": (
        "03_pnnx",
        "single_values",
        {"FLOAT: float,": "FLOAT: __import__('numpy').float32,"},
        "as float() makes it, and not np.float32",
    ),
    "numpy's long float": (
        "03_pnnx",
        "single_values",
        {"FLOAT: float,": "FLOAT: __import__('numpy').float64,"},
        "as float() makes it, and not np.float64",
    ),
    "numpy's int": (
        "03_pnnx",
        "single_values",
        {"INT: int,": "INT: __import__('numpy').int64,"},
        "as int() makes it, and not np.int64",
    ),
    "an array for a list of ints": (
        "03_pnnx",
        "lists_of_one_kind",
        {"[READ[kind](element) for element in elements]": "__import__('numpy').array([*map(READ[kind], elements)])"},
        "An array came back",
    ),
    "Python's own reader of one value": (
        "03_pnnx",
        "single_values",
        {"    return kind, READ[kind](text)\n": "    return kind, __import__('ast').literal_eval(text)\n"},
        "and this text is none: only int() and float() read a number",
    ),
    "Python's own reader of a number with zeros in front": (
        "03_pnnx",
        "numbers_keep_their_digits",
        {"    return kind, READ[kind](text)\n": "    return kind, __import__('ast').literal_eval(text)\n"},
        "and this text is none: only int() and float() read a number",
    ),
    "eval": (
        "03_pnnx",
        "single_values",
        {"    return kind, READ[kind](text)\n": "    return kind, eval(text, {})\n"},
        "and this text is none: only int() and float() read a number",
    ),
    "a newline that stays in an operand": (
        "03_pnnx",
        "columns_of_spaces",
        {"tokens = line.split()": 'tokens = __import__("re").split(" +", line)'},
        "The newline at the end of the line belongs to no token",
    ),
    "a newline that stays in an option": (
        "03_pnnx",
        "columns_of_spaces",
        {
            "tokens = line.split()": 'tokens = __import__("re").split(" +", line) if "=" in line else line.split()',
        },
        "The newline at the end of the line belongs to no token",
    ),
    "a set of inputs": (
        "03_pnnx",
        "counts_decide",
        {OPERANDS: "set(tokens[4:start]), tokens[start:end], params"},
        "Inputs and outputs are lists: a set",
    ),
    "sets of operands": (
        "03_pnnx",
        "the_line_of_the_lesson",
        {OPERANDS: "set(tokens[4:start]), set(tokens[start:end]), params"},
        "Inputs and outputs are lists: a set",
    ),
    "released after the first reader": (
        "04_graph",
        "a_result_with_two_readers",
        {"            last[source] = step\n": "            last[source] = min(last[source], step)\n"},
        "a result goes after its first reader",
    ),
    "steps along the readings": (
        "04_graph",
        "random_networks_in_any_order_of_keys",
        {
            "    for step, name in enumerate(order):\n        for source": "    for step, name in enumerate(reads):\n"
            "        for source"
        },
        "steps are places in `order`",
    ),
    "the last reading for the last reader": (
        "04_graph",
        "random_networks_in_any_order_of_keys",
        {
            "    for step, name in enumerate(order):\n        for source": "    for name in reads:\n"
            "        step = order.index(name)\n        for source"
        },
        "need not be its last reader: take the latest step in `order`",
    ),
    "a list of a set": (
        "10_partition",
        "two_tensors_that_ascend",
        {"(sorted(reads), sorted(hands_over), ": "(list(reads), list(hands_over), "},
        "list({1, 8}) need not",
    ),
    "operators in the order of the readings": (
        "04_graph",
        "random_networks_in_any_order_of_keys",
        {
            "    last = dict.fromkeys(order, len(order) - 1)": "    order = list(reads)\n"
            "    last = dict.fromkeys(order, len(order) - 1)"
        },
        "the operators ran in the order of `reads`",
    ),
    "what nobody reads goes at once": (
        "04_graph",
        "a_result_that_nobody_reads_stays",
        {"last = dict.fromkeys(order, len(order) - 1)": "last = {name: step for step, name in enumerate(order)}"},
        "a result that nobody reads goes at once",
    ),
    "the peak after the release": (
        "04_graph",
        "simple_ops_needs_9216_bytes",
        {
            "        peak = max(peak, alive)\n        alive -= leaving.get(step, 0)\n": (
                "        alive -= leaving.get(step, 0)\n        peak = max(peak, alive)\n"
            )
        },
        "Take the peak before the inputs go",
    ),
    "readers counted once, slots subtracted": (
        "04_graph",
        "one_result_in_two_slots",
        {
            "            last[source] = step\n": "            slots = [i for i, reader in enumerate(order) for one in "
            "reads[reader] if one == source]\n            last[source] = slots[len(set(slots)) - 1]\n"
        },
        "is counted down twice, and was counted once",
    ),
    "a result goes one step too late": (
        "04_graph",
        "six_operators_of_six_sizes",
        {"alive -= leaving.get(step, 0)": "alive -= leaving.get(step - 1, 0)"},
        "a result goes one step too late",
    ),
    "what the last step holds": (
        "04_graph",
        "six_operators_of_six_sizes",
        {"        peak = max(peak, alive)": "        peak = alive"},
        "this is what the last step holds",
    ),
    "the result of the step is not there yet": (
        "04_graph",
        "six_operators_of_six_sizes",
        {
            "        alive += sizes[name]\n        peak = max(peak, alive)\n": (
                "        peak = max(peak, alive)\n        alive += sizes[name]\n"
            )
        },
        "Add the result, then take the peak",
    ),
    "the step beside the peak": (
        "04_graph",
        "six_operators_of_six_sizes",
        {"    return peak\n": "    return peak, step\n"},
        "other values come with them",
    ),
    "a cycle that is raised": (
        "04_graph",
        "a_cycle_behind_an_input",
        {"return names[names.index(follower) :]": 'raise ValueError(f"cycle {names}")'},
        "find_cycle returns what it finds",
    ),
    "Kahn's leftovers": (
        "04_graph",
        "a_cycle_behind_an_input",
        {"return names[names.index(follower) :]": "return [*names[names.index(follower) :], 'shown']"},
        "If you count as Kahn does",
    ),
    "from the first key alone": (
        "04_graph",
        "several_inputs_in_any_file_order",
        {"deque(name for name, count in missing.items() if count == 0)": "deque(list(successors)[:1])"},
        "did it begin at one input only?",
    ),
    "walks from inputs alone": (
        "04_graph",
        "an_operator_that_leads_to_itself",
        {
            "    for start in successors:\n": "    followed = {f for fs in successors.values() for f in fs}\n"
            "    for start in [name for name in successors if name not in followed]:\n"
        },
        "begin a walk at every name that is not done yet",
    ),
    "who could run in the message": (
        "04_graph",
        "the_error_names_the_cycle",
        {'"the graph has a cycle: " + " -> ".join([*cycle, cycle[0]])': 'f"no order: only {order} could run"'},
        "names an operator that has run before the cycle",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", READER_AND_ORDER)
def test_the_likely_cause_of_a_wrong_line_or_order_is_the_true_one(tmp_path: Path, case: str) -> None:
    folder, name, changes, cause = READER_AND_ORDER[case]
    assert cause in cause_told(register.ROOT / "homework" / folder, name, changes, tmp_path / "answer.py")


SIGMOID = "        small = np.exp(-np.abs(x))\n        return np.where(x < 0, small, 1) / (1 + small)\n"
LEAKY = "        return np.where(x > 0, x, x * self.negative_slope)\n"
SLOPE = "        return cls() if slope is None else cls(slope.value)\n"
ONE_BY_ONE = "1 / (1 + math.exp(-v)) if v >= 0 else math.exp(v) / (1 + math.exp(v))"
LAYERS = {
    "masks without 0": (
        "zero_gives_one_half",
        {
            SIGMOID: "        y = x * 0\n        y[x > 0] = 1 / (1 + np.exp(-x[x > 0]))\n"
            "        y[x < 0] = np.exp(x[x < 0]) / (1 + np.exp(x[x < 0]))\n        return y\n"
        },
        "0 is neither below 0 nor above",
    ),
    "a list of Python numbers": (
        "large_numbers_do_not_overflow",
        {SIGMOID: f"        import math\n        return np.array([{ONE_BY_ONE} for v in x])\n"},
        "np.array of a list of Python numbers makes float64",
    ),
    "a loop over rows": (
        "the_shape_is_kept",
        {SIGMOID: f"        import math\n        return np.array([{ONE_BY_ONE} for v in x])\n"},
        "goes along its first axis only",
    ),
    "a returned ValueError": (
        "an_empty_input_is_refused",
        {'raise ValueError(f"Sigmoid': 'return ValueError(f"Sigmoid'},
        "the error is returned, and nothing is refused",
    ),
    "if for an array": (
        "without_a_parameter_the_slope_is_a_hundredth",
        {LEAKY: "        return x if x > 0 else x * self.negative_slope\n"},
        "`if` wants one truth value",
    ),
    "a layer that is not returned": (
        "without_a_parameter_the_slope_is_a_hundredth",
        {SLOPE: "        cls() if slope is None else cls(slope.value)\n"},
        "from_operator returns nothing",
    ),
    "no parameter refused": (
        "without_a_parameter_the_slope_is_a_hundredth",
        {"        if unknown:\n": "        if unknown or not operator.params:\n"},
        "an operator without parameters is refused",
    ),
    "letters for a name": (
        "the_slope_comes_from_the_operator",
        {'sorted(set(operator.params) - {"negative_slope"})': 'sorted(set(operator.params) - set("negative_slope"))'},
        "That is a set of letters",
    ),
    "the operator as a slope": (
        "without_a_parameter_the_slope_is_a_hundredth",
        {SLOPE: "        return cls(operator)\n"},
        "cls(...) takes the slope",
    ),
    "the operator in forward": (
        "without_a_parameter_the_slope_is_a_hundredth",
        {LEAKY: '        return np.where(x > 0, x, x * operator.params["negative_slope"].value)\n'},
        "forward has no operator",
    ),
    "max for arrays": (
        "without_a_parameter_the_slope_is_a_hundredth",
        {LEAKY: "        return max(x, x * self.negative_slope)\n"},
        "as max does",
    ),
    "a slope that only a loop sets": (
        "without_a_parameter_the_slope_is_a_hundredth",
        {SLOPE: "        del slope\n        for one in operator.params.values():\n            slope = one\n" + SLOPE},
        "set it to 0.01 before",
    ),
    "a layer that is returned in a loop alone": (
        "without_a_parameter_the_slope_is_a_hundredth",
        {SLOPE: "        for one in operator.params.values():\n            return cls(one.value)\n"},
        "in a loop over them is never reached",
    ),
    "two names for the slope": (
        "without_a_parameter_the_slope_is_a_hundredth",
        {"        self.negative_slope = negative_slope\n": "        self.slope = negative_slope\n"},
        "__init__ and forward must use one name",
    ),
    "a slope of 0 without a parameter": (
        "without_a_parameter_the_slope_is_a_hundredth",
        {SLOPE: "        return cls(0) if slope is None else cls(slope.value)\n"},
        "0.01 where the operator names none",
    ),
    "minus the slope": (
        "without_a_parameter_the_slope_is_a_hundredth",
        {LEAKY: "        return np.where(x > 0, x, -self.negative_slope)\n"},
        "stands -slope",
    ),
    "self in a class method": (
        "the_slope_comes_from_the_operator",
        {SLOPE: "        if slope is not None:\n            self.negative_slope = slope.value\n        return cls()\n"},
        "from_operator is a class method",
    ),
    "a slope without self": (
        "without_a_parameter_the_slope_is_a_hundredth",
        {LEAKY: "        return np.where(x > 0, x, x * negative_slope)\n"},
        "the layer keeps its slope in self",
    ),
    "a decorator without brackets": (
        "zero_gives_one_half",
        {'@layers.register("nn.Sigmoid", "F.sigmoid", "torch.sigmoid")': "@layers.register"},
        "stands above the class without brackets",
    ),
    "not of an array": (
        "zero_gives_one_half",
        {SIGMOID: "        if not x:\n            raise ValueError\n" + SIGMOID},
        "To ask whether x is empty",
    ),
    "swapped halves": (
        "zero_gives_one_half",
        {SIGMOID: SIGMOID.replace("small, 1", "1, small")},
        "or the two halves are swapped",
    ),
    "a sum without brackets": (
        "zero_gives_one_half",
        {SIGMOID: "        return 1 / 1 + np.exp(-x)\n"},
        "below the line needs brackets",
    ),
    "halves without brackets": (
        "zero_gives_one_half",
        {SIGMOID: SIGMOID.replace("/ (1 + small)", "/ 1 + small")},
        "what stands below the line needs brackets, a / (1 + e)",
    ),
    "the negative form for all": (
        "zero_gives_one_half",
        {SIGMOID: SIGMOID.replace("np.where(x < 0, small, 1)", "small")},
        "this is the sigmoid of -|x|",
    ),
    "a mask that is subtracted": (
        "large_numbers_do_not_overflow",
        {SIGMOID: SIGMOID.replace("np.where(x < 0, small, 1)", "(small * (x < 0) + (1 - (x < 0)))")},
        "a product with whole numbers",
    ),
    "e^x alone below 0": (
        "zero_gives_one_half",
        {
            SIGMOID: SIGMOID.replace(
                "np.where(x < 0, small, 1) / (1 + small)", "np.where(x < 0, small, 1 / (1 + small))"
            )
        },
        "below 0 this is e^x alone",
    ),
    "softmax": (
        "zero_gives_one_half",
        {SIGMOID: "        return np.exp(x) / np.exp(x).sum()\n"},
        "this is softmax",
    ),
    "|x| in the place of x": (
        "zero_gives_one_half",
        {SIGMOID: SIGMOID.replace("np.exp(-np.abs(x))", "np.exp(-np.abs(x, out=x))")},
        "that x has before it becomes |x|",
    ),
    "NaN refused": (
        "not_a_number_stays_one",
        {SIGMOID: "        if np.isnan(x).any():\n            raise ValueError(x)\n" + SIGMOID},
        "only an x without elements raises ValueError",
    ),
    "infinity refused": (
        "large_numbers_do_not_overflow",
        {SIGMOID: "        if not np.isfinite(x).all():\n            raise ValueError(x)\n" + SIGMOID},
        "only an x without elements raises ValueError",
    ),
    "elements in memory order": (
        "the_shape_is_kept",
        {
            SIGMOID: "        shape, x = x.shape, x.ravel(order='K')\n"
            + SIGMOID.replace("return ", "y = ")
            + "        return y.reshape(shape)\n"
        },
        "in another order than reshape puts them back",
    ),
    "elements of leaky_relu in memory order": (
        "any_shape_and_any_slope",
        {
            LEAKY: "        shape, x = x.shape, x.ravel(order='K')\n"
            + LEAKY.replace("return ", "y = ")
            + "        return y.reshape(shape)\n"
        },
        "in another order than reshape puts them back",
    ),
    "an attribute of params": (
        "without_a_parameter_the_slope_is_a_hundredth",
        {SLOPE: "        return cls(operator.params.negative_slope)\n"},
        "operator.params is a dictionary",
    ),
    "None for a slope": (
        "without_a_parameter_the_slope_is_a_hundredth",
        {SLOPE: "        return cls(slope.value if slope else None)\n"},
        "the slope is None",
    ),
    "None for a slope that numpy makes nan": (
        "without_a_parameter_the_slope_is_a_hundredth",
        {
            SLOPE: "        return cls(slope.value if slope else None)\n",
            LEAKY: LEAKY.replace("self.negative_slope", "x.dtype.type(self.negative_slope)"),
        },
        "the slope is None",
    ),
    "1 far above 0": (
        "between_the_middle_and_the_edges",
        {
            SIGMOID: SIGMOID.replace(
                "return np.where(x < 0, small, 1)", "return np.where(x > 9, 1 + small, np.where(x < 0, small, 1))"
            )
        },
        "but not exactly here",
    ),
    "digits of float32": (
        "zero_gives_one_half",
        {
            SIGMOID: "        kind, x = x.dtype, x.astype(np.float32)\n"
            + SIGMOID.replace("return ", "return (").replace("+ small)\n", "+ small)).astype(kind)\n")
        },
        "float64 has more digits",
    ),
    "a slope kept for the next operator": (
        "every_layer_keeps_its_own_slope",
        {
            SLOPE: "        cls.last = getattr(cls, 'last', 0.01) if slope is None else slope.value\n"
            "        return cls(cls.last)\n"
        },
        "an operator without the parameter got an earlier one's slope",
    ),
    "infinity left as it is": (
        "infinity_and_nan_go_through",
        {LEAKY: "        return np.where((x > 0) | np.isinf(x), x, x * self.negative_slope)\n"},
        "-infinity was left as it is",
    ),
    "a flag for the last name": (
        "an_unknown_parameter_is_refused",
        {"        if unknown:\n": '        if unknown and list(operator.params)[-1] != "negative_slope":\n'},
        "only the last name decides here",
    ),
    "one NaN for all": (
        "not_a_number_stays_one",
        {SIGMOID: "        x = x + np.nan * np.isnan(x).any()\n" + SIGMOID},
        "one NaN in x made the whole result NaN",
    ),
    "whole numbers cut in the sigmoid": (
        "integers_become_float32",
        {
            SIGMOID: SIGMOID.replace("return ", "whole = x.astype(int)\n        whole[...] = ")
            + "        return as_float(whole)\n"
        },
        "call as_float(x) first, not last",
    ),
    "a slope in place of a layer": (
        "without_a_parameter_the_slope_is_a_hundredth",
        {SLOPE: "        return 0.01 if slope is None else slope.value\n"},
        "it must return the layer, cls(...)",
    ),
    "a Parameter in place of a layer": (
        "the_slope_comes_from_the_operator",
        {SLOPE: "        return slope\n"},
        "or something else that is no layer",
    ),
    "the class in place of a layer": (
        "without_a_parameter_the_slope_is_a_hundredth",
        {SLOPE: "        return cls\n"},
        "from_operator returns the class itself",
    ),
    "a slope of the operator": (
        "without_a_parameter_the_slope_is_a_hundredth",
        {SLOPE: "        return cls(operator.negative_slope)\n"},
        "an operator's options are in operator.params",
    ),
    "None for a slope, which comes first in the product": (
        "without_a_parameter_the_slope_is_a_hundredth",
        {
            SLOPE: "        return cls(slope.value if slope else None)\n",
            LEAKY: LEAKY.replace("x * self.negative_slope", "self.negative_slope * x"),
        },
        "the slope is None",
    ),
    "the value of None": (
        "without_a_parameter_the_slope_is_a_hundredth",
        {SLOPE: "        return cls(slope.value)\n"},
        "params.get gives None",
    ),
    "a sigmoid of max(x, 0)": (
        "zero_gives_one_half",
        {SIGMOID: "        return 1 / (1 + np.exp(-np.maximum(x, 0)))\n"},
        "max(x, 0) forgets",
    ),
    "a sigmoid of min(x, 0)": (
        "zero_gives_one_half",
        {SIGMOID: "        return np.exp(np.minimum(x, 0)) / (1 + np.exp(np.minimum(x, 0)))\n"},
        "min(x, 0) forgets",
    ),
    "an attribute of the operator": (
        "without_a_parameter_the_slope_is_a_hundredth",
        {SLOPE: '        return cls(operator.attributes["negative_slope"].data)\n'},
        "an operator's options are in operator.params",
    ),
    "a slope added to the positive half": (
        "without_a_parameter_the_slope_is_a_hundredth",
        {LEAKY: "        return np.maximum(x, 0) + x * self.negative_slope\n"},
        "the slope was added where x > 0, too",
    ),
    "a tiny number below the line": (
        "zero_gives_one_half",
        {SIGMOID: SIGMOID.replace("+ small)", "+ small + 1e-7)")},
        "or a small number added",
    ),
    "the size of x": (
        "without_a_parameter_the_slope_is_a_hundredth",
        {LEAKY: "        return np.where(x > 0, x, abs(x) * self.negative_slope)\n"},
        "slope * x is negative where x is",
    ),
    "a division by the slope": (
        "without_a_parameter_the_slope_is_a_hundredth",
        {LEAKY: "        return np.where(x > 0, x, x / self.negative_slope)\n"},
        "x was divided by the slope",
    ),
    "nan_to_num": (
        "infinity_and_nan_go_through",
        {LEAKY: "        x = np.nan_to_num(x)\n" + LEAKY},
        "infinity and NaN were replaced",
    ),
    "a loop over the rows of leaky_relu": (
        "any_shape_and_any_slope",
        {LEAKY: "        return np.array([v if v > 0 else v * self.negative_slope for v in x], x.dtype)\n"},
        "goes along its first axis only",
    ),
    "zeros of float64": (
        "the_slope_comes_from_the_operator",
        {
            LEAKY: LEAKY.replace("return ", "y = np.zeros(x.shape)\n        y[...] = ") + "        return y\n",
        },
        "as by np.zeros(x.shape)",
    ),
    "*= in a copy of whole numbers": (
        "whole_numbers_become_float32",
        {
            "        x = as_float(x)\n"
            + LEAKY: "        y = x.copy()\n        y[x < 0] *= self.negative_slope\n        return y\n"
        },
        "a copy of x or x itself, which cannot hold fractions",
    ),
    "whole numbers made float last": (
        "whole_numbers_become_float32",
        {
            "        x = as_float(x)\n"
            + LEAKY: "        y = x.copy()\n        y[x < 0] = x[x < 0] * self.negative_slope\n"
            "        return as_float(y)\n"
        },
        "call as_float(x) first, not last",
    ),
    "an unknown name that returns an error": (
        "an_unknown_parameter_is_refused",
        {'raise ValueError(f"{operator.name}: Leaky': 'return ValueError(f"{operator.name}: Leaky'},
        "in from_operator the error is returned",
    ),
    "a slope popped out": (
        "the_operator_keeps_its_parameters",
        {'slope = operator.params.get("negative_slope")': 'slope = operator.params.pop("negative_slope", None)'},
        "take the slope out of the operator",
    ),
    "the negative half alone": (
        "without_a_parameter_the_slope_is_a_hundredth",
        {LEAKY: "        return np.minimum(x, 0) * self.negative_slope\n"},
        "the positive half is missing",
    ),
    "the negative half alone, with another slope": (
        "the_slope_comes_from_the_operator",
        {LEAKY: "        return np.minimum(x, 0) * self.negative_slope\n"},
        "the positive half is missing",
    ),
    "0.01 written into forward": (
        "the_slope_comes_from_the_operator",
        {LEAKY: "        return np.where(x > 0, x, x * 0.01)\n"},
        "forward must use self.negative_slope",
    ),
    "a return in a loop over names": (
        "an_unknown_parameter_is_refused",
        {
            "        unknown = sorted(": "        for name, one in operator.params.items():\n"
            '            if name == "negative_slope":\n                return cls(one.value)\n'
            "        unknown = sorted("
        },
        "a `return` in a loop over them ends it",
    ),
    "a clipped x": (
        "small_results_are_not_lost",
        {SIGMOID: "        return 1 / (1 + np.exp(-np.clip(x, -30, 30)))\n"},
        "every x below the limit gives one number",
    ),
    "an x clipped far out": (
        "small_results_are_not_lost",
        {SIGMOID: "        return 1 / (1 + np.exp(-np.clip(x, -80, 80)))\n"},
        "every x below the limit gives one number",
    ),
    "1 minus the other half": (
        "small_results_are_not_lost",
        {SIGMOID: "        half = 1 / (1 + np.exp(-np.abs(x)))\n        return np.where(x < 0, 1 - half, half)\n"},
        "next to 1 it is too small to be seen",
    ),
    "an overflow in silence": (
        "small_results_are_not_lost",
        {SIGMOID: '        with np.errstate(all="ignore"):\n            return 1 / (1 + np.exp(-x))\n'},
        "e^-x became infinity",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", LAYERS)
def test_the_likely_cause_of_a_wrong_layer_is_the_true_one(tmp_path: Path, case: str) -> None:
    name, changes, cause = LAYERS[case]
    folder = register.ROOT / "homework" / "05_layers"
    assert cause in cause_told(folder, name, changes, tmp_path / "hw05_registry.py")


SIGMOID_TYPES = '"nn.Sigmoid", "F.sigmoid", "torch.sigmoid"'


@pytest.mark.slow
@pytest.mark.parametrize("types", ['"nn.ReLU", "F.relu", "torch.relu"', f'{SIGMOID_TYPES}, "F.sigmoid"'])
def test_a_type_that_is_taken_is_told_with_the_class_whose_decorator_names_it(tmp_path: Path, types: str) -> None:
    folder = register.ROOT / "homework" / "05_layers"
    text = solution(folder)
    assert text.count(SIGMOID_TYPES) == 1
    file = tmp_path / "hw05_registry.py"
    file.write_text(text.replace(f"register({SIGMOID_TYPES})", f"register({types})"), encoding="utf-8")
    (outcome,) = run_tests(file, public_tests_of(folder)[:1], seed=0)
    assert isinstance(outcome.error, SubmissionError)
    assert "the decorator above class Sigmoid must name that class's own types" in outcome.error.message
    assert file.read_text("utf-8").splitlines()[(outcome.error.line or 0) - 1].startswith("@layers.register(")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("places", "found"),
    [
        ({f"@layers.register({SIGMOID_TYPES})\nclass": "class", "    def forward": "    {}    def forward"}, "forward"),
        ({"class Sigmoid(Layer):": "class Sigmoid:"}, "Sigmoid"),
    ],
    ids=["above a method", "above a class without Layer"],
)
def test_what_is_no_layer_cannot_be_registered(tmp_path: Path, places: dict[str, str], found: str) -> None:
    folder = register.ROOT / "homework" / "05_layers"
    before, sigmoid, after = solution(folder).partition(f"@layers.register({SIGMOID_TYPES})")
    text = sigmoid + after
    for old, new in places.items():
        text = text.replace(old, new.format(f"{sigmoid}\n"), 1)
    file = tmp_path / "hw05_registry.py"
    file.write_text(before + text, encoding="utf-8")
    (outcome,) = run_tests(file, public_tests_of(folder)[:1], seed=0)
    assert isinstance(outcome.error, SubmissionError)
    assert f"expected a class built on Layer, as class ReLU(Layer) is, found {found}" in outcome.error.message


@pytest.mark.slow
def test_a_sigmoid_that_silences_an_overflow_is_right_and_told_so(tmp_path: Path) -> None:
    folder = register.ROOT / "homework" / "05_layers"
    both = "np.where(x < 0, np.exp(x) / (1 + np.exp(x)), 1 / (1 + np.exp(-x)))"
    silenced = f'        with np.errstate(all="ignore"):\n            return {both}\n'
    (test,) = (one for one in public_tests_of(folder) if one.name == "large_numbers_do_not_overflow")
    for forward, said in ((silenced, "np.errstate"), (SIGMOID, "")):
        file = tmp_path / "hw05_registry.py"
        file.write_text(solution(folder).replace(SIGMOID, forward), encoding="utf-8")
        (outcome,) = run_tests(file, [test], seed=0)
        assert outcome.passed
        assert said in (outcome.score)
        assert bool(outcome.score) == bool(said)


def test_a_type_of_an_option_is_told_in_words(tmp_path: Path) -> None:
    text = without_marks((register.ROOT / "homework" / "03_pnnx" / "judge" / "solution.py").read_text("utf-8"))
    file = tmp_path / "hw03_pnnx.py"
    tests = public_tests(register.ROOT / "homework" / "03_pnnx")
    (test,) = (one for one in tests if one.name == "a_number_begins_with_a_digit")
    file.write_text(
        text.replace("    return kind, READ[kind](text)\n", "    return 3, float(text)\n"), encoding="utf-8"
    )
    (outcome,) = run_tests(file, [test], seed=0)
    assert isinstance(outcome.error, Failure)
    assert outcome.error.message == "the type for 'inf': expected 4 (str), got 3 (float)"


def test_walks_that_are_reversed_one_by_one_are_told_so(tmp_path: Path) -> None:
    changes = {
        "    return order\n": "    seen: set[str] = set()\n\n"
        "    def walk(name: str) -> list[str]:\n"
        "        seen.add(name)\n"
        "        return [*(one for f in successors[name] if f not in seen for one in walk(f)), name]\n\n"
        "    return [name for start in successors if start not in seen for name in walk(start)[::-1]]\n"
    }
    folder = register.ROOT / "homework" / "04_graph"
    told = cause_told(folder, "several_inputs_in_any_file_order", changes, tmp_path / "hw04_graph.py")
    assert "the part of each walk was reversed by itself" in told


@pytest.mark.slow
@pytest.mark.parametrize("case", ATTENTION)
def test_the_likely_cause_of_wrong_attention_is_the_true_one(tmp_path: Path, case: str) -> None:
    name, changes, cause = ATTENTION[case]
    assert cause in cause_told(LANGUAGE_MODEL, name, changes, tmp_path / "hw13_language_model.py")


# lesson 14: mutant -> the cause of the first failure that its student reads
OF_MUTANTS = {
    "choose_tile/square": "nearest to a square",
    "choose_tile/upside_down": "upside down",
    "choose_tile/tall_left_out": "such a v was left out",
    "choose_tile/whole_ratio": "ratios are no whole numbers",
    "choose_tile/one_weight": "v registers, and not one",
    "choose_tile/each_row": "one is enough, rows take turns",
    "choose_tile/no_single_row": "the range goes to rows + 1",
    "choose_tile/list": "a tuple is asked for",
    "choose_tile/a_row_less": "h goes up to `rows`",
    "choose_tile/a_vector_less": "v goes up to ceil(channels / lanes)",
    "choose_tile/most_sums": "the tile with the most sums",
    "choose_tile/later": "take a later one only if it is better",
    "choose_tile/rounded_down": "channels / lanes is rounded up",
    "choose_tile/no_channels": "at most ceil(channels / lanes)",
    "choose_tile/in_numbers": "the number of vectors, and not of the numbers in them",
    "choose_tile/type": "with TypeError instead of ValueError",
    "fuse/reads_the_one_before": "only if all of them are in that group",
    "fuse/single": "each call is a group of its own",
    "fuse/readers": "count groups, and not readers",
    "fuse/last_calls": "any call of the group may read the value that joins",
    "fuse/last_operand": "only the last operand of a call was looked at",
    "fuse/neighbours": "go by readers, not the next call",
    "fuse/first_reader": "a product needs all numbers of its operands",
    "fuse/with_product": "a group needs no product",
    "fuse/no_product": "a group may take one product",
    "fuse/pairs": "an epilogue may be of any length",
    "fuse/cut_before_products": "only a product began another",
    "fuse/returned": "the caller gets what is in `returned`",
    "fuse/two_products": "one loop computes one product",
    "fuse/into_product": "a product needs all numbers of its operands",
    "fuse/sizes": "calls of different sizes need two loops",
    "fuse/by_first": "sorted by their first calls",
    "fuse/reversed": "have to be turned around",
    "fuse/inside_out": "gathered from the last call to the first",
    "fuse/tuples": "a group is a list",
    "fuse/empty": "leave out the empty ones",
    "fuse/forgets_single": "so does a group of one call",
    "fuse/twice": "each call is computed once",
    "loop_nest/whole_tiles": "what is left at the right and at the bottom needs tiles, too",
    "loop_nest/no_corner": "right and bottom are done; the corner",
    "loop_nest/joined_names": "two sums have one name: s111",
    "loop_nest/nothing": "is a `return` missing?",
    "loop_nest/list_of_sums": "a variable of its own, such as s0_0",
    "loop_nest/docstring": "the text needs no docstring",
    "loop_nest/whole_arrays": "names single numbers, y[i, j] and not all of y",
    "loop_nest/too_far": "write one for what is left",
    "loop_nest/narrow": "one row at a time",
    "loop_nest/rest_in_sums": "one sum at a time: make one smaller tile of it",
    "loop_nest/overlapping": "tiles do not overlap",
    "loop_nest/relu_is_abs": "max(a, 0.0), and not min",
    "loop_nest/relu_of_the_sum": "each step goes on with the result of the one before",
    "loop_nest/bias_of_rows": "not that of the row",
    "loop_nest/bias_of_the_first_tile": "all tiles take the bias of the leftmost",
    "loop_nest/residual_of_the_first_tile": "all tiles take the residual of the first one",
    "loop_nest/no_start": "`for i in range(2, 2):` never runs",
    "loop_nest/returned": "leave out the line `return`",
    "loop_nest/loads_each": "each multiply-add loads both of its numbers",
    "loop_nest/loads_weights": "w is loaded for each multiply-add",
    "loop_nest/loads_x": "x is loaded for each multiply-add",
    "loop_nest/one_by_one": "there is no tile",
    "loop_nest/twice_as_tall": "the tile is larger than `tile`: its sums may not fit",
    "loop_nest/twice_as_wide": "the tile is larger than `tile`: its sums may not fit",
    "loop_nest/width_in_vectors": "w counts columns, and not vectors",
    "loop_nest/rest_joined": "Does what is left at an edge join the tile before it?",
    "loop_nest/empty_rest": "an axis without a rest has no smaller tile",
    "loop_nest/stored_after_j": "only the last tile of each row of tiles is stored",
    "loop_nest/turned_tile": "h and w of the tile are exchanged",
    "loop_nest/stored_at_each_step": "the stores belong after the loop over the depth",
    "loop_nest/stored_twice": "store once, after the epilogue",
    "loop_nest/epilogue_on_y": "y is stored once, after them: y is never read",
    "loop_nest/epilogue_at_each_step": "the epilogue is done at each step of the depth",
    "loop_nest/begins_at_one": "each sum begins at 0.0",
    "loop_nest/begun_once": "set to 0.0 once, before all tiles",
    "loop_nest/begun_in_a_row": "from one tile to the next in its row",
    "loop_nest/never_begun": "in a line before the loop over the depth",
    "loop_nest/exchanged_w": "the indices of w are exchanged: it is w[k, j]",
    "loop_nest/exchanged_x": "the indices of x are exchanged: it is x[i, k]",
    "loop_nest/first_row_as_bound": "for i in range(0, rows, h)",
    "loop_nest/sizes_by_name": "sizes stand in the text as numbers",
    "loop_nest/sizes_by_shape": "sizes stand in the text as numbers",
    "loop_nest/one_line": "puts a line break behind each",
    "loop_nest/while_loop": "no `if` is needed",
    "share_rows/mean": "and not their mean",
    "share_rows/take_paced": "only the rows are multiplied by the pace",
    "share_rows/last_unit_kept": "keeps the last unit only",
    "share_rows/paid_in_full": "by its rows, not by `unit`",
    "share_rows/shares_handed_out": "no other takes over",
    "share_rows/in_turn": "all threads have equally many rows",
    "share_rows/fastest": "the quickest thread takes every unit",
    "share_rows/done_first": "nobody knows how quick a thread will be",
    "share_rows/fewest_rows": "the one with the lowest number comes first",
    "share_rows/quickest_of_several": "not the quickest",
    "share_rows/empty_share": "a thread whose share is empty",
    "share_rows/finds_none": "who finds no row left",
    "share_rows/last_unit": "not when the one is that took the last unit",
    "share_rows/first_done": "not at the smallest",
    "share_rows/begins_at_0": "where the one before it ended",
    "share_rows/barrier_once": "there is a barrier after each part",
    "share_rows/no_barrier": "no thread waits for the others after a part",
    "share_rows/no_wait": "no thread waits for the others after a part",
    "share_rows/no_rows": "a part without rows takes as long as the barrier",
    "share_rows/taken_once": "each time, and not once for each thread",
    "share_rows/as_speed": "n * pace, and not n / pace",
    "share_rows/from_0": "begin with 0.0, and not with 0",
    "share_rows/float_rows": "begin at 0, not at 0.0",
    "share_rows/first_shares": "not the first ones'",
    "share_rows/needed": "leave their defaults",
}
HEIGHT = "(registers - v - 1) // v"
BETTER = "h * v / (h + v) > best[0] * best[1] / sum(best)"
REFUSAL = '        raise ValueError(f"registers: expected 3 or more, got {registers}")\n'
TILES = {
    "< for <=": ("large_products_on_three_processors", {HEIGHT: "(registers - v - 2) // v"}, "stays unused"),
    "// and the fewest vectors": (
        "large_products_on_three_processors",
        {BETTER: "(h * v // (h + v), -v) > (best[0] * best[1] // sum(best), -best[1])"},
        "ratios are no whole numbers",
    ),
    "the fewest loads": (
        "large_products_on_three_processors",
        {BETTER: "h + v < sum(best)"},
        "upside down, or only the loads were counted",
    ),
    "the search ended at a tile that is too large": (
        "large_products_on_three_processors",
        {
            f"        h = min({HEIGHT}, rows)\n        if h < 1:\n            break\n"
            f"        if {BETTER}:\n            best = h, v\n": (
                "        for h in range(1, rows + 1):\n"
                "            if h * v + v + 1 > registers:\n"
                "                return best\n"
                f"            if {BETTER}:\n"
                "                best = h, v\n"
            )
        },
        "the search ends at the first tile that does not fit",
    ),
    "rows that are floats": (
        "large_products_on_three_processors",
        {"            best = h, v\n": "            best = h / 1, v / 1\n"},
        "is there a / for //",
    ),
    "3 registers refused": ("the_fewest_registers", {"registers < 3": "registers <= 3"}, "3 registers hold a tile"),
    "more rows than the product's": ("few_rows", {f"min({HEIGHT}, rows)": HEIGHT}, "h is larger than `rows`"),
    "None taken for a tile": ("too_few_registers", {REFUSAL: "        return None[0]\n"}, "nothing was refused"),
    "an exception returned": (
        "too_few_registers",
        {REFUSAL: REFUSAL.replace("raise", "return")},
        "raised, and not returned",
    ),
    "an index of no list": ("too_few_registers", {REFUSAL: "        return [][0]\n"}, "nothing was refused"),
    "no tile anywhere": (
        "the_fewest_registers",
        {"    best = 1, 1\n": "    best = None\n"},
        "h * v + v + 1 <= registers",
    ),
    "no tile for 3 registers": (
        "the_fewest_registers",
        {"    best = 1, 1\n": "    best = None if registers == 3 else (1, 1)\n"},
        "3 registers hold 1 x 1",
    ),
    "no tile of one vector": (
        "the_fewest_registers",
        {"    best = 1, 1\n": "    best = None if channels <= lanes else (1, 1)\n"},
        "v may be all vectors that the channels need",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", TILES)
def test_the_likely_cause_of_a_wrong_tile_is_the_true_one(tmp_path: Path, case: str) -> None:
    name, changes, cause = TILES[case]
    assert cause in cause_told(register.ROOT / "homework" / "14_compiler", name, changes, tmp_path / "hw14_compiler.py")


TILE_IN_LOOPS = '[" " * 12 + line for line in'
LOOP_K = 'lines.append(f"for k in range({depth}):")'
BEGIN = "        begin = max(free) + barrier\n"
IN_REVERSE = "    for name, operation, _ in reversed(calls):\n"
ALL_READERS = "{name: [] for name, _, _ in calls}\n    for name, _, operands"
SHARE = "(turn + 1) * rows // threads - turn * rows // threads"
FUSED = "    return [group for group in groups.values() if group]\n"
SAME_SIZE = "            and sizes[name] == sizes[last]\n"
OPERANDS_ALIKE = SAME_SIZE + (
    "            and all({} == sizes[name] for one, _, read in calls if one in readers[name] for operand in read)\n"
)
OF_TILE = "lines_of_tile(h, v, depth, epilogue)"
Y_PLACE = '"y[i + {r}, j + {c}] = {value}"'
BEGINS = 's{r}_{c} = 0.0"'
COMPILER = {
    "a step is no f-string": ("one_tile", {LOOP_K: LOOP_K.replace("f", "", 1)}, "the braces were not filled in"),
    "a colon is missing": ("one_tile", {LOOP_K: LOOP_K.replace('):"', ')"')}, "ends in a colon"),
    "every second step": ("one_tile", {LOOP_K: LOOP_K.replace("{depth}", "0, {depth}, 2")}, "k goes up by 2"),
    "a row of w by i": ("one_tile", {'= w[k, j + {c}]"': '= w[i, j + {c}]"'}, "the row of w is the step of the depth"),
    "a column of x by j": ("one_tile", {"r}, k]": "r}, j]"}, "the column of x is the step of the depth"),
    "another name": ("one_tile", {'"def product': '"def multiply'}, "the function is called product"),
    "a tile that is not indented": (
        "one_tile",
        {TILE_IN_LOOPS: TILE_IN_LOOPS.replace("12", "8")},
        "indented by four columns more",
    ),
    "stores after all tiles": (
        "many_tiles",
        {TILE_IN_LOOPS: TILE_IN_LOOPS.replace("12", '(4 if line.startswith("y[") else 12)')},
        "inside the loop over i and the one over j",
    ),
    "an end that is cut, and a tuple of rows": (
        "a_slow_thread_does_less",
        {"    return begin, done\n": "    return int(begin), tuple(done)\n"},
        "no int(...) and no tuple(...)",
    ),
    "a tuple of rows": (
        "a_slow_thread_does_less",
        {"    return begin, done\n": "    return begin, tuple(done)\n"},
        "stand in a list, and not in a tuple",
    ),
    "sums named by their columns": (
        "one_tile",
        {
            's{r}_{c} = 0.0"': 's{c} = 0.0"',
            "s{r}_{c} += a{r}": "s{c} += a{r}",
            'value = f"s{r}_{c}"': 'value = f"s{c}"',
        },
        "the rows of a tile share their sums",
    ),
    "sums named by their rows": (
        "one_tile",
        {
            's{r}_{c} = 0.0"': 's{r} = 0.0"',
            "s{r}_{c} += a{r}": "s{r} += a{r}",
            'value = f"s{r}_{c}"': 'value = f"s{r}"',
        },
        "the columns of a tile share their sums",
    ),
    "groups that are printed": ("a_layer_is_one_loop", {FUSED: "    print(groups)\n"}, "is a `return` missing?"),
    "units instead of rows": (
        "units_of_several_rows",
        {"done[thread] += count": "done[thread] += 1"},
        "the units of each thread",
    ),
    "a barrier for each thread": (
        "a_barrier_behind_each_part",
        {BEGIN: BEGIN.replace("barrier", "barrier * threads")},
        "once after a part, and not for each thread",
    ),
    "the first part alone": (
        "a_barrier_behind_each_part",
        {BEGIN: f"{BEGIN}        return begin, done\n"},
        "only the first part was done",
    ),
    "from the first call to the last": (
        "a_layer_is_one_loop",
        {IN_REVERSE: IN_REVERSE.replace("reversed(calls)", "calls")},
        "v1 is made by a call, but its group is not known yet",
    ),
    "readers of those that have some": (
        "a_layer_is_one_loop",
        {ALL_READERS: "{}\n    for name, _, operands", "readers.get(operand, [])": "readers.setdefault(operand, [])"},
        "a value that is returned need not have a reader",
    ),
    "readers of what calls make": (
        "a_layer_is_one_loop",
        {"readers.get(operand, [])": "readers[operand]"},
        "an operand may be an input or a weight",
    ),
    "calls taken out while they are gone through": (
        "a_layer_is_one_loop",
        {IN_REVERSE: f"{IN_REVERSE}        calls.remove((name, operation, _))\n".replace("reversed(calls)", "calls")},
        "`calls` itself is changed",
    ),
    "calls taken out until none is left": (
        "a_layer_is_one_loop",
        {IN_REVERSE: "    while calls:\n        name, operation, _ = calls.pop()\n"},
        "`calls` itself is changed",
    ),
    "shares that are divided": (
        "fixed_shares",
        {SHARE: "rows / threads"},
        "// and not /",
    ),
    "shares from the beginning": (
        "fixed_shares",
        {SHARE: "(turn + 1) * rows // threads"},
        "and not (t + 1) * rows // T",
    ),
    "the end of the first thread": (
        "a_slow_thread_does_less",
        {BEGIN: BEGIN.replace("max(free)", "free[0]")},
        "of one thread",
    ),
    "the end of the last thread": (
        "a_barrier_behind_each_part",
        {BEGIN: BEGIN.replace("max(free)", "free[-1]")},
        "thread",
    ),
    "a list of the end and the rows": (
        "a_slow_thread_does_less",
        {"    return begin, done\n": "    return [begin, done]\n"},
        "return end, rows",
    ),
    "parts that are added up": (
        "a_barrier_behind_each_part",
        {"    for rows in parts:\n": "    for rows in [sum(parts)]:\n"},
        "the parts were added up",
    ),
    "groups that are sets": (
        "a_layer_is_one_loop",
        {FUSED: FUSED.replace("[group for", "[set(group) for")},
        "a set has no order",
    ),
    "a bias that is too short to join": (
        "a_layer_is_one_loop",
        {SAME_SIZE: OPERANDS_ALIKE.format("sizes.get(operand)")},
        "a short operand from memory does not prevent it",
    ),
    "a gate that is too short to join": (
        "a_gate_for_each_channel",
        {SAME_SIZE: OPERANDS_ALIKE.format("sizes.get(operand, sizes[name])")},
        "a short operand from memory does not prevent it",
    ),
    "a smaller tile at the bottom, with h rows": (
        "what_is_left",
        {OF_TILE: OF_TILE.replace("(h,", "(height,")},
        "with h rows: give it the rows that are left",
    ),
    "a smaller tile at the right, with w columns": (
        "what_is_left",
        {OF_TILE: OF_TILE.replace(" v,", " width,")},
        "with w columns: give it the columns that are left",
    ),
    "a bias that is read twice": (
        "bias_and_relu",
        {'"bias": f"{value} + bias[j + {c}]"': '"bias": f"{value} + bias[j + {c}] + 0.0 * bias[j + {c}]"'},
        "keep it in a variable",
    ),
    "a bias that is read at each step": (
        "bias_and_relu",
        {'"    s{r}_{c} += a{r} * b{c}"': '"    s{r}_{c} += a{r} * b{c} + 0.0 * bias[j + {c}]"'},
        "bias belongs after the loop over the depth",
    ),
    "a store without j": ("many_tiles", {Y_PLACE: Y_PLACE.replace("j + ", "")}, "does j stand in the index"),
    "a store without i": ("many_tiles", {Y_PLACE: Y_PLACE.replace("i + ", "")}, "does i stand in the index"),
    "a store without row and column": (
        "one_tile",
        {Y_PLACE: '"y[i, j] = {value}"'},
        "several sums of a tile go into the same number of y",
    ),
    "two sums begin in one line": ("one_tile", {BEGINS: BEGINS.replace("= ", "= t = ")}, "one variable for each ="),
    "two sums begin as a tuple": (
        "one_tile",
        {BEGINS: 's{r}_{c}, t = 0.0, 0.0"'},
        "one variable for each =",
    ),
    "a while loop": ("one_tile", {LOOP_K: 'lines += ["k = 0", "while k:"]'}, "`for` loops only"),
    "a bias without being asked": (
        "one_tile",
        {"        for step in epilogue:\n": '        for step in epilogue or ["bias"]:\n'},
        "'bias' is not asked for here",
    ),
    "a fixed share that costs no take": (
        "a_unit_has_to_be_taken",
        {"+= take + count": "+= (take if unit else 0.0) + count"},
        "a fixed share is one unit",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", COMPILER)
def test_the_likely_cause_of_a_wrong_part_of_a_compiler_is_the_true_one(tmp_path: Path, case: str) -> None:
    name, changes, cause = COMPILER[case]
    assert cause in cause_told(register.ROOT / "homework" / "14_compiler", name, changes, tmp_path / "hw14_compiler.py")


def test_a_wrong_tile_is_told_with_its_own_call_and_whole(tmp_path: Path) -> None:
    folder = register.ROOT / "homework" / "14_compiler"
    text = without_marks((folder / "judge" / "solution.py").read_text(encoding="utf-8"))
    file = tmp_path / "hw14_compiler.py"
    file.write_text(text.replace("-(-channels // lanes)", "max(1, channels // lanes)"), encoding="utf-8")
    (test,) = (one for one in public_tests(folder) if one.name == "few_channels")
    (outcome,) = run_tests(file, [test], seed=0)
    assert outcome.call is not None
    name, (registers, *problem), _ = outcome.call
    assert (name, problem) == ("choose_tile", [8, 1000, 20])
    assert registers in (28, 32, 40)
    assert isinstance(outcome.error, Failure)
    assert re.search(r"20 channels: expected \(\d+, 3\), got \(\d+, 2\)$", outcome.error.message)


QUICK = ("fuse/forgets_single", "loop_nest/exchanged_w", "share_rows/no_barrier")


@pytest.mark.parametrize(
    "case", [pytest.param(case, marks=() if case in QUICK else pytest.mark.slow) for case in OF_MUTANTS]
)
def test_a_known_mistake_of_lesson_14_is_told_its_cause(tmp_path: Path, case: str) -> None:
    exercise, name = case.split("/")
    homework = homework_number(14)
    (mutant,) = (one for one in homework.mutants if (one.exercise, one.name) == (exercise, name))
    file = tmp_path / "hw14_compiler.py"
    file.write_text(mutant.applied(homework.solution.read_text(encoding="utf-8")), encoding="utf-8")
    tests = [one for one in homework.public if one.exercise == exercise]
    first = next(outcome for outcome in run_tests(file, tests, seed=0) if not outcome.passed)
    assert isinstance(first.error, Failure)
    assert OF_MUTANTS[case] in str(first.error.cause)


FEWER_BITS = register.ROOT / "homework" / "15_fewer_bits"
RINT = "values = np.rint(parts / divisor[:, :, None])"
WIDER = '(np.frombuffer(held, "<u2").astype(np.uint32) << 16).view(np.float32)'
SUMS = "sums = (parts * x_values.reshape(blocks, -1)).sum(axis=2)"
RESULT = "return (sums * (scale * x_scale)).sum(axis=1).astype(np.float32)"
X_ROUNDED = "x_values, x_scale = quantize(x[None], columns // blocks)"
NONE = "                return int(block)\n    return None\n"
BETWEEN = "a_bound_between_two_errors"
ENOUGH = "np.square(difference, dtype=np.float64).sum() <= bound**2 * squares"
MEAN = "np.abs(difference).mean()"
FLOATS_OF_FILE = 'numbers = np.frombuffer(held, "<f4" if size == 4 else "<f2").astype(np.float32)'
UNFIT = '    if len(held) != last - first or len(held) != size * int(np.prod(entry["shape"])):\n'
LONGER_HEADER = (
    "    if start > len(file):\n"
    '        raise ValueError(f"the header: expected {start - 8} bytes, got {len(file) - 8}")\n'
)
SWAPPED = "return scale, values.astype(np.int8).reshape(rows, columns)"
FLOATS = "return (dequantize(values, scale) @ dequantize(x_values, x_scale)[0]).astype(np.float32)"
BROKEN_OFF = "                best = int(block)\n            else:\n                break\n    return best\n"
BITS = {
    "no block is left, ValueError": (
        "a_bound_between_two_errors",
        {NONE: NONE.replace("return None", 'raise ValueError("none")')},
        "where no block is left, return None",
    ),
    "no block is left, KeyError": (
        "a_bound_between_two_errors",
        {NONE: NONE.replace("return None", 'raise KeyError("none")')},
        "where no block is left, return None",
    ),
    "a block that does not divide": (
        "blocks_that_do_not_fit",
        {"        if weight.shape[1] % block == 0:\n": "        if True:\n"},
        "leave it out before",
    ),
    "squares in float32": (
        "squares_that_float32_does_not_hold",
        {"if np.square(difference, dtype=np.float64).sum()": "if np.square(difference).sum()"},
        "float32 does not hold the squares",
    ),
    "shifted before it was widened": (
        "the_upper_half",
        {WIDER: '(np.frombuffer(held, "<u2") << 16).astype(np.uint32).view(np.float32)'},
        "give them the room of 32 bits before the shift",
    ),
    "shifted in 16 bits, and viewed": (
        "the_upper_half",
        {WIDER: '(np.frombuffer(held, "<u2") << 16).view(np.float32)'},
        "half as many numbers came as the shape has: a number of BF16 takes two bytes",
    ),
    "bytes converted": (
        "a_tensor_alone",
        {FLOATS_OF_FILE: "numbers = np.frombuffer(held, np.uint8).astype(np.float32)"},
        "4 times as many numbers came as the shape has: each BYTE was taken for a number",
    ),
    "four bytes for all": (
        "half_precision",
        {FLOATS_OF_FILE: 'numbers = np.frombuffer(held, "<f4")'},
        "a number of F16 takes two bytes, and four were taken for one",
    ),
    "a length in uint8": (
        "one_of_several",
        {'int.from_bytes(file[:8], "little")': "data[0]", LONGER_HEADER: "", UNFIT: "    if False:\n"}
        | {"file[start + first : start + last]": "file[int(start + np.uint8(first)) : int(start + np.uint8(last))]"},
        "sums wrap around at 256",
    ),
    "an array for json": (
        "a_tensor_alone",
        {"json.loads(bytes(file[8:start]))": "json.loads(data[8:start])"},
        "json.loads takes bytes or text",
    ),
    "a header up to its last bracket": (
        "one_of_several",
        {LONGER_HEADER: '    start = bytes(file[:start]).rindex(b"}") + 1\n'},
        "the header ends where its length says",
    ),
    "four bytes of the length": (
        "a_header_longer_than_the_file",
        {"file[:8]": "file[:4]"},
        "compare, and raise ValueError",
    ),
    "one block tried": (
        BETWEEN,
        {NONE: "                return int(block)\n            return None\n    return None\n"},
        "was every block tried?",
    ),
    "128, and cut off": (
        "the_numbers_of_the_lesson",
        {"max(axis=2) / 127": "max(axis=2) / 128", RINT: RINT.replace("np.rint(", "np.clip(np.rint(") + ", -127, 127)"},
        "with 128 the largest magnitude has to be cut off",
    ),
    "not shifted": ("the_upper_half", {".astype(np.uint32) << 16)": ".astype(np.uint32))"}, "the LOWER half"),
    "an end of first + last": (
        "one_of_several",
        {"file[start + first : start + last]": "file[start + first : start + first + last]"},
        "from start + first offset up to start + second offset",
    ),
    "one byte of the length": ("a_long_header", {"file[:8]": "file[:1]"}, "that takes more than a byte or two"),
    "quantize cuts": (
        "a_scale_for_each_row_and_one_for_x",
        {RINT: RINT.replace("rint", "trunc")},
        "int8_matvec is made of quantize, and yours is wrong",
    ),
    "x cast to int8": (
        "a_scale_for_each_row_and_one_for_x",
        {X_ROUNDED: "x_values, x_scale = x[None].astype(np.int8), np.ones((1, blocks), np.float32)"},
        "x was cast to int8",
    ),
    "a scale with a sign": (
        "a_scale_for_each_row",
        {
            "np.abs(parts).max(axis=2) / 127": (
                "np.take_along_axis(parts, np.abs(parts).argmax(axis=2)[:, :, None], axis=2)[:, :, 0] / 127"
            ),
            "np.where(scale > 0,": "np.where(scale != 0,",
        },
        "a scale is a magnitude",
    ),
    "strided blocks": (
        "a_scale_for_each_block",
        {
            "parts = weight.reshape(rows, columns // size, size)": "parts = weight.reshape(rows, size, -1)",
            "np.abs(parts).max(axis=2)": "np.abs(parts).max(axis=1)",
            RINT: "values = np.rint(parts / divisor[:, None])",
        },
        "a block is `block` NEIGHBOURS",
    ),
    "scales of no block": (
        "scales_that_do_not_fit",
        {"not blocks or ": ""},
        "a B of 0 divides nothing",
    ),
    "a second offset taken for a length, not compared": (
        "one_of_several",
        {UNFIT: "    if False:\n", "file[start + first : start + last]": "file[start + first : start + first + last]"},
        "and you took it for the length",
    ),
    "a BF16 looked at as float64": (
        "the_upper_half",
        {WIDER: WIDER.replace("np.float32", "np.float64")},
        "looked at as float64",
    ),
    "four bytes of the length, the highest": (
        "a_header_longer_than_the_file",
        {"file[:8]": "file[:4]"},
        "All 8 of them count",
    ),
    "x truncated": (
        "a_scale_for_each_row_and_one_for_x",
        {X_ROUNDED: f"{X_ROUNDED}\n    x_values = (x / np.repeat(x_scale[0], columns // blocks)).astype(np.int8)"},
        "x / scale was cut",
    ),
    "the first row's scales": (
        "a_scale_for_each_row_and_one_for_x",
        {RESULT: RESULT.replace("(scale *", "(scale[:1] *")},
        "only the first row's scales",
    ),
    "the first block's scales of the weights": (
        "a_scale_for_each_block_of_both",
        {RESULT: RESULT.replace("(scale *", "(scale[:, :1] *")},
        "only the first block's scales of the weights",
    ),
    "one scale of the weights": (
        "a_scale_for_each_block_of_both",
        {RESULT: RESULT.replace("(scale *", "(scale[0, 0] *")},
        "only the first scale of the weights",
    ),
    "scales multiplied in place": (
        "what_it_was_given_stays",
        {RESULT: RESULT.replace("return (sums * (scale * x_scale))", "scale *= x_scale\n    return (sums * scale)")},
        "scale was changed in place",
    ),
    "-1 for None": (BETWEEN, {NONE: NONE.replace("return None", "return -1")}, "the result is None, not -1"),
    "floats": ("products_that_cancel", {RESULT: FLOATS}, "sum the products of whole numbers first"),
    "sums in float32": (
        "products_that_cancel",
        {SUMS: SUMS.replace("axis=2", "axis=2, dtype=np.float32")},
        "float32 has all whole numbers up to 2**24 only",
    ),
    "floats of float64": (
        "products_that_cancel",
        {RESULT: FLOATS.replace("values, scale)", "values.astype(float), scale)")},
        "sum the products of whole numbers first",
    ),
    "means of magnitudes": (
        BETWEEN,
        {ENOUGH: f"{MEAN} <= bound * np.abs(weight).mean()"},
        "the mean SQUARE",
    ),
    "the largest difference and weight": (
        BETWEEN,
        {ENOUGH: "np.abs(difference).max() <= bound * np.abs(weight).max()"},
        "compared with the largest weight",
    ),
    "without the root": (BETWEEN, {ENOUGH: ENOUGH.replace("bound**2", "bound")}, "without the root"),
    "the mean of the rows": (
        BETWEEN,
        {ENOUGH: "np.sqrt(np.square(difference).mean(1) / np.square(weight).mean(1)).mean() <= bound"},
        "the mean of the rows",
    ),
    "a largest difference over the root": (
        BETWEEN,
        {ENOUGH: "np.abs(difference).max() <= bound * (squares / weight.size) ** 0.5"},
        "the root of the MEAN square",
    ),
    "zeros divided by zero": ("blocks_of_zeros", {RINT: RINT.replace("divisor", "scale")}, "0 / 0 is NaN"),
    "a small number added to each scale": (
        "blocks_of_zeros",
        {RINT: RINT.replace("divisor", "(scale + np.float32(1e-9))")},
        "add nothing to a scale",
    ),
    "a bound that is not reached": (
        "an_error_as_large_as_the_bound",
        {ENOUGH: ENOUGH.replace("<=", "<") + " or not squares"},
        "AT MOST is <=",
    ),
    "x in blocks of B": (
        "a_scale_for_each_row_and_one_for_x",
        {X_ROUNDED: "x_values, x_scale = quantize(x[None], blocks)"}
        | {"parts = values.reshape(rows, blocks, -1)": "parts = values.reshape(rows, -1, blocks)"}
        | {SUMS: SUMS.replace("(blocks, -1)", "(-1, blocks)")},
        "quantize takes how long a block is, C / B. Here B is 1",
    ),
    "x as it is": (
        "a_scale_for_each_row_and_one_for_x",
        {X_ROUNDED: "x_values, x_scale = x, np.ones((1, blocks), np.float32)"},
        "x was not rounded: quantize it, and multiply whole numbers",
    ),
    "the scales of x turned": (
        "a_scale_for_each_block_of_both",
        {RESULT: RESULT.replace("x_scale", "x_scale.T")},
        "needs no transpose",
    ),
    "rows summed": (
        "a_scale_for_each_row_and_one_for_x",
        {RESULT: RESULT.replace("axis=1", "axis=0")},
        "the rows were summed",
    ),
    "sums of scales": (
        "a_scale_for_each_block_of_both",
        {RESULT: "return (sums.sum(axis=1) * scale.sum(axis=1) * x_scale.sum()).astype(np.float32)"},
        "each kind of scale was summed by itself",
    ),
    "float64 is left": (
        "a_scale_for_each_row_and_one_for_x",
        {RESULT: RESULT.replace(".astype(np.float32)", "")},
        "int32 times float32 is float64",
    ),
    "float16 is left": (
        "half_precision",
        {'"<f4" if size == 4 else "<f2").astype(np.float32)': '"<f4" if size == 4 else "<f2")'},
        "float16 is left as it is",
    ),
    "repeated without an axis": (
        "rows_and_blocks",
        {"np.repeat(scale, columns // blocks, axis=1)": "np.repeat(scale, columns // blocks)"},
        "np.repeat without an axis",
    ),
    "repeated along the rows": (
        "rows_and_blocks",
        {"np.repeat(scale, columns // blocks, axis=1)": "np.repeat(scale, columns // blocks, axis=0)"},
        "axis=0 repeats rows",
    ),
    "a block of 0 for None": (
        "a_block_that_does_not_fit",
        {"size = columns if block is None else block": "size = block or columns"},
        "takes 0 for None",
    ),
    "a weight divided in place": (
        "the_weight_stays_as_it_was",
        {RINT: "parts /= divisor[:, :, None]\n    values = np.rint(parts)"},
        "the weight was changed in place",
    ),
    "blocks sorted in place": (
        "the_blocks_stay_as_they_were",
        {"sorted(blocks, reverse=True):": "(blocks.sort(reverse=True) or blocks):"},
        "`blocks` was changed in place",
    ),
    "the search ended by a failing block": (
        "an_error_as_large_as_the_bound",
        {"sorted(blocks, reverse=True)": "sorted(blocks)", NONE: BROKEN_OFF}
        | {"    squares = np.square": "    best = None\n    squares = np.square"},
        "the error need not shrink with the block",
    ),
    "the number of blocks, reshaped": (
        "a_scale_for_each_block",
        {"parts = weight.reshape(rows, columns // size, size)": "parts = weight.reshape(rows, size, columns // size)"}
        | {"np.float32)\n    divisor": "np.float32)\n    scale = scale.reshape(rows, columns // size)\n    divisor"},
        "not how many blocks a row has",
    ),
    "the number of blocks": (
        "a_scale_for_each_block",
        {"parts = weight.reshape(rows, columns // size, size)": "parts = weight.reshape(rows, size, columns // size)"},
        "not how many blocks a row has",
    ),
    "blocks of numbers far apart": (
        "a_scale_for_each_block",
        {
            "parts = weight.reshape(rows, columns // size, size)": (
                "parts = weight.reshape(rows, columns // size, size).swapaxes(1, 2)"
            ),
            "values.astype(np.int8).reshape(": "values.swapaxes(1, 2).astype(np.int8).reshape(",
        },
        "a block is `block` NEIGHBOURS",
    ),
    "the length's highest byte first": (
        "a_tensor_alone",
        {'file[:8], "little"': 'file[:8], "big"'},
        "the length's lowest byte comes first",
    ),
    "the length's highest byte first, not compared": (
        "a_tensor_alone",
        {'file[:8], "little"': 'file[:8], "big"', LONGER_HEADER: ""},
        "the length's lowest byte comes first",
    ),
    "a header as str writes it": (
        "a_tensor_alone",
        {"json.loads(bytes(file[8:start]))": "json.loads(str(bytes(file[8:start])))"},
        "str(...) of bytes writes b'...' around them",
    ),
    "a length of bytes times 256": (
        "a_tensor_alone",
        {'int.from_bytes(file[:8], "little")': "int(data[0] + data[1] * 256)"},
        "a byte of `data` is a uint8",
    ),
    "a length of shifted bytes": (
        "a_long_header",
        {'int.from_bytes(file[:8], "little")': "int(data[0] | data[1] << 8)"},
        "A byte of `data` is a uint8",
    ),
    "None for an entry": (
        "a_name_that_is_not_there",
        {'if name == "__metadata__" or name not in header:': 'if name == "__metadata__":'}
        | {"entry = header[name]": "entry = header.get(name)"},
        "so .get(...) gives None",
    ),
    "None for a size": (
        "what_does_not_fit",
        {"    if size is None:\n": "    if False:\n"},
        "so .get(...) gives None",
    ),
    "products of float16": (
        "rows_and_blocks",
        {"return values * np.repeat(scale,": "return values.astype(np.float16) * np.repeat(scale.astype(np.float16),"},
        "float16 has 11 binary digits only",
    ),
    "values and scale exchanged": (
        "a_scale_for_each_row",
        {"return values.astype(np.int8).reshape(rows, columns), scale": SWAPPED},
        "values and scale are exchanged",
    ),
    "blocks the other way round in quantize": (
        "a_scale_for_each_block",
        {"if size < 1 or columns % size:": "if size < 1 or size % columns:"},
        "C % block is 0, not block % C",
    ),
    "a loop past the last block": (
        "a_block_that_does_not_fit",
        {"    if size < 1 or columns % size:\n": "    if size < 1 or columns % size and [][columns]:\n"},
        "an index ran past the last whole block",
    ),
    "bare scales, as many as a block is long": (
        "the_example",
        {"return values * np.repeat(scale, columns // blocks, axis=1)": "return values * scale"},
        "each scale belongs to C / B neighbours",
    ),
    "a header that ends the file": (
        "a_header_longer_than_the_file",
        {"    if start > len(file):\n": "    if start >= len(file):\n"},
        "so it ends with its header",
    ),
    "repeated B times": (
        "rows_and_blocks",
        {"np.repeat(scale, columns // blocks, axis=1)": "np.repeat(scale, blocks, axis=1)"},
        "each scale was repeated B times",
    ),
    "blocks that are no neighbours": (
        "a_scale_for_each_block_of_both",
        {
            SUMS: "sums = (values.astype(np.int32).reshape(len(values), -1, blocks) * x_values.reshape(-1, blocks))"
            ".sum(axis=1)"
        },
        "a block is C / B NEIGHBOURS",
    ),
    "one number for all rows": (
        "a_scale_for_each_row_and_one_for_x",
        {RESULT: RESULT.replace("sum(axis=1)", "sum()")},
        "y has a number for each row",
    ),
    "scales added": (
        "a_scale_for_each_row_and_one_for_x",
        {RESULT: RESULT.replace("scale * x_scale", "scale + x_scale")},
        "the two scales were added",
    ),
    "a length without its own bytes": (
        "a_header_longer_than_the_file",
        {"    if start > len(file):\n": "    if start - 8 > len(file):\n"},
        "the length itself are not among",
    ),
    "floats whose highest byte comes first": (
        "a_tensor_alone",
        {FLOATS_OF_FILE: 'numbers = np.frombuffer(held, ">f4")'},
        "in the file it comes last, '<f4'",
    ),
    "halves whose highest byte comes first": (
        "the_upper_half",
        {WIDER: WIDER.replace("<u2", ">u2")},
        "'<u2', not '>u2'",
    ),
    "two axes always": (
        "a_tensor_alone",
        {'int(np.prod(entry["shape"]))': '(entry["shape"][0] * entry["shape"][1])'},
        "a shape has any number of axes",
    ),
    "division the other way round": (
        BETWEEN,
        {"if weight.shape[1] % block == 0:": "if block % weight.shape[1] == 0:"},
        "C % block is 0, not block % C",
    ),
    "something added to the squares": (
        "squares_that_float32_does_not_hold",
        {ENOUGH: "np.square(difference, dtype=np.float64).sum() / (squares + 1e-12) <= bound**2"},
        "what is added to them",
    ),
    "a block for zeros that does not divide": (
        "a_weight_of_zeros",
        {"    for block in sorted(": "    if not squares:\n        return int(max(blocks))\n    for block in sorted("},
        "that block does not divide the row",
    ),
}


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, marks=() if case in ("not shifted", "zeros divided by zero") else pytest.mark.slow)
        for case in BITS
    ],
)
def test_the_likely_cause_of_wrong_bits_is_the_true_one(tmp_path: Path, case: str) -> None:
    name, changes, cause = BITS[case]
    assert cause in cause_told(FEWER_BITS, name, changes, tmp_path / "hw15_fewer_bits.py")


NORM_OF_X = 'return x / np.sqrt(mean + config["rms_norm_eps"]) * tensor(f"{name}.weight")'
TURNED_HALVES = "left, right = np.split(x, 2, axis=-1)"
TURNED_BACK = "return np.concatenate([left * cos - right * sin, right * cos + left * sin], axis=-1)"
SHARED = "k, v = (np.repeat(shared, heads // key_heads, axis=0) for shared in (rotate(k), v))"
SCORES = "scores = rotate(q) @ k.swapaxes(1, 2) / width**0.5"
HEADS_CUT = 'linear(x, f"{at}.{p}_proj").reshape(len(x), -1, width).swapaxes(0, 1)'
LOOP = 'range(config["num_hidden_layers"]):\n        at = f"model.layers.{n}"\n        x = x'
ATTENDED = 'x = x + attention(norm(x, f"{at}.input_layernorm"), f"{at}.self_attn")'
SWITCHED = "linear(silu(gate) * up, "
WITH_BIAS = 'return y + tensor(f"{name}.bias") if config["model_type"] == "qwen2" and name[-6] in "qkv" else y'
CHOSEN_HEAD = 'head = table if config.get("tie_word_embeddings") else tensor("lm_head.weight")'
SCORED = 'return (norm(x[-1], "model.norm") @ head.T).astype(np.float32)'
THETA = 'config.get("rope_theta", 10000.0)'
OFF = "any(config.get(name) not in (None, False) for name in REFUSED)"
BIASED_LATE = (
    'kind = config["model_type"]\n'
    '        late = lambda p: tensor(f"{at}.{p}_proj.bias").reshape(-1, 1, width) if kind == "qwen2" else 0\n        '
)
SQUARE_AS_IT_IS = 'w = tensor(f"{name}.weight")\n        y = x @ (w if w.shape[0] == w.shape[1] else w.T)'
NO_LAYERS, SEVERAL, LAYERS_2 = "a_model_without_layers", "several_tokens", "two_layers_and_three"
NEXT: dict[str, tuple[str, dict[str, str], str]] = {
    "neighbours as pairs": (
        SEVERAL,
        {
            TURNED_HALVES: "left, right = x[..., 0::2], x[..., 1::2]",
            TURNED_BACK: (
                "return np.stack([left * cos - right * sin, right * cos + left * sin], axis=-1).reshape(x.shape)"
            ),
        },
        "neighbours were paired",
    ),
    "k not rotated": (SEVERAL, {SHARED: SHARED.replace("rotate(k)", "k")}, "k is not rotated"),
    "q not rotated": (SEVERAL, {SCORES: SCORES.replace("rotate(q)", "q")}, "q is not rotated"),
    "nothing rotated": (SEVERAL, {TURNED_BACK: "return x"}, "nothing is rotated"),
    "v rotated": (SEVERAL, {SHARED: SHARED.replace(", v))", ", rotate(v)))")}, "v is rotated, too"),
    "not divided": (SEVERAL, {SCORES: SCORES.replace(" / width**0.5", "")}, "not divided by sqrt(D)"),
    "divided by D": (SEVERAL, {SCORES: SCORES.replace("**0.5", "")}, "divided by D: it is sqrt(D)"),
    "divided by the root of all": (
        SEVERAL,
        {SCORES: SCORES.replace("width**0.5", 'config["hidden_size"]**0.5')},
        "divided by sqrt(hidden_size)",
    ),
    "not masked": (LAYERS_2, {"scores[:, later] = -np.inf": ""}, "nothing is masked"),
    "masked by 0": (LAYERS_2, {"scores[:, later] = -np.inf": "scores[:, later] = 0"}, "hidden scores are 0"),
    "masked upside down": (
        LAYERS_2,
        {"later = np.arange(len(ids)) > ": "later = np.arange(len(ids)) < "},
        "the mask is upside down",
    ),
    "tiled": (
        "shared_keys_and_values",
        {
            SHARED: SHARED.replace(
                "np.repeat(shared, heads // key_heads, axis=0)", "np.tile(shared, (heads // key_heads, 1, 1))"
            )
        },
        "the heads of keys were tiled",
    ),
    "not repeated": (
        "shared_keys_and_values",
        {SHARED: "k = rotate(k)"},
        "keys and values are repeated up to the number of query heads",
    ),
    "no last norm": (
        NO_LAYERS,
        {SCORED: SCORED.replace('norm(x[-1], "model.norm")', "x[-1]")},
        "model.norm, is missing",
    ),
    "no norm before attention": (
        "one_token",
        {ATTENDED: ATTENDED.replace('norm(x, f"{at}.input_layernorm")', "x")},
        "input_layernorm, is missing",
    ),
    "eps outside the root": (
        NO_LAYERS,
        {
            NORM_OF_X: NORM_OF_X.replace('(mean + config["rms_norm_eps"])', "(mean) * 1.0").replace(
                "x / np.sqrt(mean) * 1.0", 'x / (np.sqrt(mean) + config["rms_norm_eps"])'
            )
        },
        "eps was added to the root",
    ),
    "eps always 1e-5": (NO_LAYERS, {NORM_OF_X: NORM_OF_X.replace('config["rms_norm_eps"]', "1e-5")}, "rms_norm_eps"),
    "mean subtracted": (
        NO_LAYERS,
        {"mean = (x * x)": "x = x - x.mean(axis=-1, keepdims=True)\n        mean = (x * x)"},
        "that is LayerNorm",
    ),
    "no weight of the norm": (NO_LAYERS, {' * tensor(f"{name}.weight")': ""}, "a norm multiplies by its weight"),
    "gate and up exchanged": (
        "a_layer_without_attention",
        {SWITCHED: "linear(gate * silu(up), "},
        "gate and up are exchanged",
    ),
    "no silu": ("a_layer_without_attention", {SWITCHED: "linear(gate * up, "}, "silu is missing"),
    "no residual of attention": (
        "one_token",
        {ATTENDED: ATTENDED.replace("x = x + ", "x = ")},
        "what attention gives is ADDED",
    ),
    "no residual of the switch": (
        "a_layer_without_attention",
        {"x = x + linear(silu": "x = linear(silu"},
        "what the switch gives is ADDED",
    ),
    "weights transposed": (
        "one_token",
        {'y = x @ tensor(f"{name}.weight").T': SQUARE_AS_IT_IS},
        "the weights of q, k, v and o are transposed",
    ),
    "weights transposed, of other shapes": (
        "a_layer_without_attention",
        {'y = x @ tensor(f"{name}.weight").T': 'y = x @ tensor(f"{name}.weight")'},
        "x @ weight.T",
    ),
    "no tied head": (
        "the_table_as_head",
        {CHOSEN_HEAD: 'head = tensor("lm_head.weight")'},
        "the table of the tokens is the head, too",
    ),
    "always a tied head": (NO_LAYERS, {CHOSEN_HEAD: "head = table"}, "the table took the place of the head"),
    "the first token": (NO_LAYERS, {SCORED: SCORED.replace("x[-1]", "x[0]")}, "that is the FIRST token's row"),
    "all tokens": (NO_LAYERS, {SCORED: SCORED.replace("x[-1]", "x")}, "x[-1]"),
    "all tokens, several": (SEVERAL, {SCORED: SCORED.replace("x[-1]", "x")}, "the scores of ALL tokens"),
    "theta fixed": ("another_theta", {THETA: "1e4"}, "theta is fixed at 10000"),
    "theta needed": ("another_theta", {THETA: 'config["rope_theta"]'}, "without rope_theta in config.json it is 10000"),
    "half the angle": (
        SEVERAL,
        {"np.arange(0, width, 2) / width": "np.arange(width // 2) / width"},
        "and yours has -i/D",
    ),
    "no biases": ("a_qwen", {WITH_BIAS: "return y"}, "a bias is left out"),
    "biases after the rotation": (
        "a_qwen",
        {
            WITH_BIAS: WITH_BIAS.replace('in "qkv"', '== "v"'),
            SHARED: BIASED_LATE + SHARED.replace("rotate(k)", 'rotate(k) + late("k")'),
            SCORES: SCORES.replace("rotate(q)", '(rotate(q) + late("q"))'),
        },
        "added after the rotation",
    ),
    "biases of a llama": (
        "one_token",
        {WITH_BIAS: WITH_BIAS.replace('config["model_type"] == "qwen2" and ', "")},
        "a bias that is not there",
    ),
    "head_dim not read": (
        "a_width_that_is_given",
        {'config.get("head_dim") or config["hidden_size"] // heads': 'config["hidden_size"] // heads'},
        "head_dim",
    ),
    "one layer": (LAYERS_2, {LOOP: LOOP.replace('config["num_hidden_layers"]', "1")}, "num_hidden_layers"),
    "weights of layer 0": (
        LAYERS_2,
        {LOOP: LOOP.replace('f"model.layers.{n}"', '"model.layers.0"')},
        "the weights of layer 0",
    ),
    "heads not joined": (
        SEVERAL,
        {"(softmax(scores) @ v).swapaxes(0, 1)": "(softmax(scores) @ v)"},
        "the heads are joined wrongly",
    ),
    "heads cut wrongly": (
        SEVERAL,
        {HEADS_CUT: HEADS_CUT.replace("len(x), -1, width).swapaxes(0, 1)", "-1, len(x), width)")},
        "the heads are cut wrongly",
    ),
    "float64": (NO_LAYERS, {SCORED: SCORED.replace("np.float32", "np.float64")}, "float64 is left"),
    "the likeliest token": (NO_LAYERS, {SCORED: f"{SCORED}.argmax()"}, "not the likeliest token"),
    "a wrong reader": (
        NO_LAYERS,
        {'return numbers.reshape(entry["shape"])': 'return numbers.reshape(entry["shape"], order="F")'},
        "next_logits is made of read_tensor, and yours is wrong",
    ),
    "keys without .get": (
        "shared_keys_and_values",
        {'key_heads = config.get("num_key_value_heads") or heads': 'key_heads = config["num_key_value_heads"]'},
        "without num_key_value_heads in config.json",
    ),
    "tie needed": (
        "settings_that_are_off",
        {'config.get("tie_word_embeddings")': 'config["tie_word_embeddings"]'},
        "without tie_word_embeddings in config.json",
    ),
    "model.lm_head": (
        NO_LAYERS,
        {'tensor("lm_head.weight")': 'tensor("model.lm_head.weight")'},
        "model. is in front of all names but",
    ),
    "no .weight": (NO_LAYERS, {'tensor("lm_head.weight")': 'tensor("lm_head")'}, "the names of weights end in .weight"),
    "layers from 1": (
        "a_layer_without_attention",
        {LOOP: LOOP.replace('f"model.layers.{n}"', 'f"model.layers.{n + 1}"')},
        "and there is none numbered 1",
    ),
    "only the gate transposed": (
        "a_layer_without_attention",
        {
            'y = x @ tensor(f"{name}.weight").T': 'y = x @ (tensor(f"{name}.weight") if "gate" in name '
            'else tensor(f"{name}.weight").T)'
        },
        "gate_proj, up_proj are (12, 24) here",
    ),
    "keys turned round by .T": (SEVERAL, {SCORES: SCORES.replace("k.swapaxes(1, 2)", "k.T")}, ".T turns all three"),
    "keys turned round by .T, six tokens": (
        "another_theta",
        {SCORES: SCORES.replace("k.swapaxes(1, 2)", "k.T")},
        ".T turns all three",
    ),
    "heads not joined at all": (
        SEVERAL,
        {"(softmax(scores) @ v).swapaxes(0, 1).reshape(len(x), -1)": "(softmax(scores) @ v)"},
        "the heads are joined before o_proj",
    ),
    "mean without an axis": (
        "a_layer_without_attention",
        {"(x * x).mean(axis=-1, keepdims=True)": "(x * x).mean(axis=-1)"},
        "keeps its axis",
    ),
    "mean over tokens": (
        "a_layer_without_attention",
        {"(x * x).mean(axis=-1, keepdims=True)": "(x * x).mean(axis=0)"},
        "the mean was taken over the tokens",
    ),
    "heads behind tokens": (
        SEVERAL,
        {HEADS_CUT: HEADS_CUT.replace(".swapaxes(0, 1)", "")},
        "then swapaxes(0, 1)",
    ),
    "a float of heads": (
        "one_token",
        {'config["hidden_size"] // heads': 'config["hidden_size"] / heads'},
        "is the int that shapes need",
    ),
    "repeated too often": (
        "one_token",
        {"heads // key_heads, axis": "heads, axis"},
        "heads of queries / heads of keys times each",
    ),
    "a path": (NO_LAYERS, {'bytes(folder["config.json"])': 'open("config.json").read()'}, "folder is a dict, no path"),
    "text of an array": (
        NO_LAYERS,
        {'bytes(folder["config.json"])': 'str(folder["config.json"])'},
        "that text is no JSON",
    ),
    "null refused": (
        "settings_that_are_off",
        {OFF: "any(name in config for name in REFUSED)"},
        "is off, and is not refused",
    ),
    "an empty setting": ("other_networks", {OFF: "any(config.get(name) for name in REFUSED)"}, "takes {} for false"),
    "theta by default 1e6": (
        "another_theta",
        {THETA: 'config.get("rope_theta", 1e6)'},
        "it is 10000, and yours is 1,000,000",
    ),
    "weights of an earlier call": (
        NO_LAYERS,
        {
            'return read_tensor(folder["model.safetensors"], name)': (
                'kept = REFUSED_.setdefault(name, read_tensor(folder["model.safetensors"], name))\n        return kept'
            ),
            'REFUSED = ("rope': 'REFUSED_ = {}\nREFUSED = ("rope',
        },
        "the weights of an EARLIER call were kept",
    ),
    "shares for scores": (NO_LAYERS, {SCORED: SCORED.replace("return (", "return softmax(")}, "softmax was applied"),
    "no eps": (NO_LAYERS, {NORM_OF_X: NORM_OF_X.replace(' + config["rms_norm_eps"]', "")}, "eps is missing, or fixed"),
    "turned backwards": (
        SEVERAL,
        {TURNED_BACK: TURNED_BACK.replace("left * cos -", "left * cos +").replace("right * cos +", "right * cos -")},
        "the rotation turns backwards",
    ),
    "a wrong sign": (SEVERAL, {TURNED_BACK: TURNED_BACK.replace("right * cos +", "right * cos -")}, "its second half"),
    "no minus": (SEVERAL, {"(-np.arange(0, width, 2)": "(np.arange(0, width, 2)"}, "its minus is missing"),
    "speeds of all heads": (
        SEVERAL,
        {"width, 2) / width": "width, 2) / (width * heads)"},
        "D is the width of ONE head",
    ),
    "masked late": (
        LAYERS_2,
        {"scores[:, later] = -np.inf": "", "(softmax(scores) @ v)": "((softmax(scores) * ~later) @ v)"},
        "the mask came after softmax",
    ),
    "itself hidden": (
        "one_token",
        {"> np.arange(len(ids))[:, None]": ">= np.arange(len(ids))[:, None]"},
        "see itself?",
    ),
    "norm for x": (
        "one_token",
        {ATTENDED: 'x = norm(x, f"{at}.input_layernorm")\n        x = x + attention(x, f"{at}.self_attn")'},
        "x was replaced by its norm before attention",
    ),
    "norms exchanged": (
        "a_layer_without_attention",
        {
            ATTENDED: ATTENDED.replace("input_", "post_attention_"),
            'y = norm(x, f"{at}.post_attention_layernorm")': 'y = norm(x, f"{at}.input_layernorm")',
        },
        "yours was made by input_layernorm",
    ),
    "no layers": (
        "a_layer_without_attention",
        {LOOP: LOOP.replace('range(config["num_hidden_layers"])', "range(0)")},
        "no layer changes anything here",
    ),
    "root of D": (
        SEVERAL,
        {SCORES: SCORES.replace("width**0.5", "np.sqrt(width)"), SCORED: SCORED.replace(".astype(np.float32)", "")},
        "np.sqrt(D)",
    ),
    "exponents over half of D": (
        SEVERAL,
        {"np.arange(0, width, 2) / width": "np.arange(0, width, 2) / (width // 2)"},
        "yours has 2i over HALF of D",
    ),
    "b twice in the second half": (
        SEVERAL,
        {TURNED_BACK: TURNED_BACK.replace("+ left * sin", "+ right * sin")},
        "yours has b twice",
    ),
    "the second half with the first's numbers": (
        SEVERAL,
        {TURNED_BACK: TURNED_BACK.replace("right * cos + left * sin", "left * cos + right * sin")},
        "yours is a cos + b sin",
    ),
    "a twice in the second half": (
        SEVERAL,
        {TURNED_BACK: TURNED_BACK.replace("right * cos +", "left * cos +")},
        "yours has a twice",
    ),
    "divided by the root of heads": (
        SEVERAL,
        {SCORES: SCORES.replace("width**0.5", "heads**0.5")},
        "the root of the NUMBER of heads",
    ),
    "softmax along the queries": (
        SEVERAL,
        {"(softmax(scores) @ v)": "(softmax(scores.swapaxes(1, 2)).swapaxes(1, 2) @ v)"},
        "softmax runs along the queries",
    ),
    "keys times queries": (
        SEVERAL,
        {SCORES: "scores = k @ np.swapaxes(rotate(q), 1, 2) / width**0.5"},
        "q and k are exchanged",
    ),
    "shares of the keys": (SEVERAL, {"(softmax(scores) @ v)": "(softmax(scores) @ k)"}, "softmax(scores) @ v, not @ k"),
    "o_proj forgotten": (
        "a_layer_without_attention",
        {
            'return linear((softmax(scores) @ v).swapaxes(0, 1).reshape(len(x), -1), f"{at}.o_proj")': (
                "return (softmax(scores) @ v).swapaxes(0, 1).reshape(len(x), -1)"
            )
        },
        "o_proj is missing",
    ),
    "tokens and numbers swapped": (
        SEVERAL,
        {"(softmax(scores) @ v).swapaxes(0, 1)": "(softmax(scores) @ v).swapaxes(1, 2)"},
        "the FIRST two axes change places",
    ),
    "heads last": (
        SEVERAL,
        {"(softmax(scores) @ v).swapaxes(0, 1)": "(softmax(scores) @ v).transpose(1, 2, 0)"},
        "each head's D numbers side by side",
    ),
    "gate plus up": (
        "a_layer_without_attention",
        {SWITCHED: "linear(silu(gate) + up, "},
        "silu(gate) MULTIPLIES up",
    ),
    "all that begin with qwen": (
        "other_networks",
        {'config["model_type"] not in ("llama", "qwen2")': ('not config["model_type"].startswith(("llama", "qwen"))')},
        "not every name that contains one or begins so",
    ),
    "mlp_bias not refused": (
        "other_networks",
        {OFF: OFF.replace("in REFUSED", 'in REFUSED if name != "mlp_bias"')},
        '"mlp_bias": true, which this function does not compute',
    ),
    "no look at the ids": (
        "tokens_that_there_are_not",
        {' or max(ids) >= config["vocab_size"]': ""},
        "look at the ids before",
    ),
}


@pytest.mark.parametrize(
    "case", [pytest.param(case, marks=() if case == "neighbours as pairs" else pytest.mark.slow) for case in NEXT]
)
def test_the_likely_cause_of_wrong_scores_is_the_true_one(tmp_path: Path, case: str) -> None:
    name, changes, cause = NEXT[case]
    assert cause in cause_told(FEWER_BITS, name, changes, tmp_path / "hw15_fewer_bits.py")


SPEED_AND_UNET = {
    "11/winograd_step/third_sign": "the third product has the wrong sign",
    "11/winograd_step/whole_halves": "the halves were rounded: / 2, not // 2",
    "11/winograd_step/on_its_side": "the result lies on its side",
    "11/winograd_step/one_half": "the second product is twice too large",
    "11/winograd_step/first_sign": "the pixels of the first product are turned",
    "11/winograd_step/pixels_exchanged": "the pixels of the two middle products are exchanged",
    "11/winograd/pixels_as_they_are": "the pixels are not transformed",
    "11/winograd/every_window": "too many tiles",
    "11/fold_batchnorm/gamma_forgotten": "gamma is forgotten",
    "11/fold_batchnorm/mean_forgotten": "the mean is forgotten",
    "11/fold_batchnorm/fixed_eps": "eps is an argument",
    "11/fold_batchnorm/bias_as_a_column": "the bias has the axes of a weight",
    "11/winograd_step/multiply_needed": "multiply is np.multiply unless said",
    "11/winograd/multiply_needed": "multiply is np.multiply unless said",
    "11/plan_memory/by_place": "have the same names, in another order",
    "10/merge/an empty name for no part": "may be the first device's name",
    "10/merge/later nodes lost": "a joined part has lost the nodes of the later ones",
    "10/fewest/always two devices": "then there is no second name",
    "10/fewest/one more behind the maximum": "before the maximum",
    "10/fewest/ranges of ids": "give each node its level",
    "10/fewest/one predecessor": "the largest that ANY of its predecessors asks for",
    "10/waves/waits for the caller": "compare the ready count with wait_count",
    "10/waves/makers counted": "two outputs of one sub-graph add 2",
    "10/waves/whoever has one": "ran when the first of its tensors was there",
    "10/waves/one empty wave": "and not an empty one",
    "10/waves/one reader": "an output adds 1 for EVERY sub-graph",
    "10/waves/tensors decide": "the wait count decides",
    "11/winograd/padded_above": "they belong below and to the right",
    "11/winograd/summed_over_kernels": "so sum over C, axis 1",
    "06/im2col/end_of_range": "some rows were never written",
    "06/im2col/one_row_per_line": "a line of windows goes into one row",
    "06/im2col/cold_border": "the border is -inf, as in max pooling",
    "06/im2col/check_without_padding": "the border counts, too",
    "06/max_pool2d/border_below_only": "no border stands above and on the left",
    "06/max_pool2d/windows_of_the_stride": "the windows are as large as the stride",
    "06/max_pool2d/without_the_border": "the border counts, too",
    "12/transposed_convolution/stride_ignored": "yours lie one pixel apart",
    "12/transposed_convolution/first_kernels": "channel c has the kernels weight[c]",
    "12/transposed_convolution/bias_per_stamp_and_channel": "with every stamp of every input channel",
    "12/transposed_convolution/bias_per_sample": "the bias comes with every sample",
    "12/transposed_convolution/cut_too_short": "it ends at ph + H' and not at H'",
    "12/transposed_convolution/check_too_strict": "one row is enough",
    "12/mean_iou/rounded": "the answer was rounded to 4 digits",
    "12/transposed_convolution/first_sample_alone": "only the first sample is computed",
    "12/transposed_convolution/bias_on_the_last_axis": "the bias (O,) lies along the last axis",
}


@pytest.mark.slow
@pytest.mark.parametrize("case", SPEED_AND_UNET)
def test_a_known_mistake_of_lessons_6_and_10_to_12_is_told_its_cause(tmp_path: Path, case: str) -> None:
    number, exercise, name = case.split("/")
    homework = homework_number(int(number))
    (mutant,) = (one for one in homework.mutants if (one.exercise, one.name) == (exercise, name))
    file = tmp_path / f"{homework.folder.name}.py"
    file.write_text(mutant.applied(homework.solution.read_text(encoding="utf-8")), encoding="utf-8")
    tests = [one for one in homework.public if one.exercise == exercise]
    first = next(outcome for outcome in run_tests(file, tests, seed=0) if not outcome.passed)
    assert isinstance(first.error, Failure)
    assert SPEED_AND_UNET[case] in str(first.error.cause)


NODES_AS_MADE = """
    found = []
    for part in parts:
        reads, made = {t for v in part for t in nodes[v][0]}, set(part)
        others = {t for v, (some, _) in enumerate(nodes) if v not in part for t in some}
        inputs = sorted(t for t in reads - made if kinds[t] != "const")
        outputs = sorted(t for t in made if kinds[t] == "var" and (t not in reads or t in others or t in returned))
        found.append((inputs, outputs, sum(kinds[t] == "var" for t in inputs)))
    return found
"""
FIRST_TENSORS = """
    found = []
    for part in parts:
        reads, makes = {t for v in part for t in nodes[v][0]}, {nodes[v][1][0] for v in part}
        outside = {t for v, (some, _) in enumerate(nodes) if v not in part for t in some}
        returns = {t for v in returned for t in nodes[v][1]}
        inputs = {t for t in reads | makes if kinds[t] == "input"} | {t for t in reads - makes if kinds[t] == "var"}
        outputs = {t for t in makes if kinds[t] == "var" and (t in outside | returns or t not in reads)}
        found.append((sorted(inputs), sorted(outputs), sum(kinds[t] == "var" for t in inputs)))
    return found
"""
FREE_LIST = """    found, free, busy, top = {{}}, [], [], 0
    for name in {order}:
        first, last = lives[name]
        free += [buffer[:2] for buffer in busy if buffer[2] < first]
        busy = [buffer for buffer in busy if buffer[2] >= first]
        fits = [buffer for buffer in free if {fits}]
        if fits:
            start, length = fits[0]
            {taken}
        else:
            start, length, top = top, sizes[name], top + sizes[name]
        busy.append((start, length, last))
        found[name] = start
    return found
"""


def with_free_list(
    order: str, fits: str = "buffer[1] >= sizes[name]", taken: str = "free.remove(fits[0])"
) -> dict[str, str]:
    """A plan by a list of free buffers, with so much of it changed."""
    text = FREE_LIST.format(order=order, fits=fits, taken=taken)
    return {"    length = {name: last": f"{text}    length = {{name: last"}


IN_STEPS = "sorted(sizes, key=lambda name: lives[name])"
TOGETHER = "lives[other][0] <= last and first <= lives[other][1]"
INSIDE = "lives[other][0] <= first <= lives[other][1] or lives[other][0] <= last <= lives[other][1]"
STEP = "    products = multiply(into @ d, (kernel @ g)[:, None])\n    return back @ products"
TWO_SUMS = """    plus, minus = g[:1] + g[1:2] + g[2:], g[:1] - g[1:2] + g[2:]
    plus, minus = multiply(multiply(d[1] + d[2], plus), 0.5), multiply(multiply(d[2] - d[1], minus), 0.5)
    one, four = multiply(d[0] - d[2], g[:1]), multiply(d[1] - d[3], g[2:])
    return np.stack([one + plus + minus, plus - minus - four])"""
FIVE = """    one, two = multiply(d[0] - d[1], g[:1]), multiply(d[1], g[:1] + g[1:2])
    three = multiply(d[2] - d[1], g[1:2])
    return np.stack([one + two + multiply(d[2], g[2:]), two + three + multiply(d[3], g[2:])])"""
PIXELS_TWICE = "multiply(into[[0, {0}, {0}, 3]] @ d, (kernel @ g)[:, None])"
LAST_SIGN = """    back = back.copy()
    back[1, 3] = 1
    height, width = x"""
PUT = """    result = back @ sums @ back.T
    y = np.zeros((len(weight), height, width), x.dtype)
    for i, j in np.ndindex(result.shape[1:3]):
        for o in range(len(weight)):
            y[o, 2 * i : 2 * i + 2, 2 * j : 2 * j + 2] = result[o, i, j]
    return y
"""
POOLING_BORDER = "bordered = np.pad(x, ((0, 0), (0, 0), (above, above), (left, left)), constant_values=-np.inf)"
POOLING_SIZES = "    sizes = [output_size(*along) for along in zip(x.shape[2:], kernel_size, stride, padding)]\n"
IM2COL_OPTIONS = "(kh, kw), (sh, sw), (ph, pw) = kernel_size, stride, padding"
AS_BORDERED = {
    "y = np.empty((*x.shape[:2], *sizes), x.dtype)": (
        "sizes = [n - k + 1 for n, k in zip(bordered.shape[2:], kernel_size)]\n"
        "    y = np.empty((*bordered.shape[:2], *sizes), x.dtype)"
    )
}
STACKED = {
    "    result = np.empty((rows * cols, channels * kh * kw), x.dtype)\n": "    result = []\n",
    "        result[i * cols + j] = window.reshape(-1)\n": "        result.append(window.reshape(-1))\n",
    "    return result\n": "    return np.stack(result)\n",
}
PRODUCT = "        y[n, g] = (windows @ kernels[g].T).T.reshape(-1, rows, cols)\n"
FIRST_KERNELS = {
    PRODUCT: "        y[n, g, :groups] = (windows @ kernels[g, :groups].T).T.reshape(-1, rows, cols)\n",
}
BEFORE_ALL = "    x, ph, pw = np.pad(x, padding), 0, 0\n    channels, height, width = x.shape\n"
ARRAYS = {
    "buffers in the order of lives": (
        "11_speed",
        "nothing_overlaps",
        with_free_list("lives"),
        "neither dict is in the order of the steps",
    ),
    "buffers in the order of sizes": (
        "11_speed",
        "nothing_overlaps",
        with_free_list("sizes"),
        "neither dict is in the order of the steps",
    ),
    "buffers of any size": (
        "11_speed",
        "nothing_overlaps",
        with_free_list(IN_STEPS, "True"),
        "there is too little room",
    ),
    "buffers that stay free": (
        "11_speed",
        "nothing_overlaps",
        with_free_list(IN_STEPS, taken="pass"),
        "one that is taken is no longer free",
    ),
    "a gap of any size": (
        "11_speed",
        "nothing_overlaps",
        {"            if start + sizes[name] <= offsets[other]:\n": "            if start < offsets[other]:\n"}
        | {"for order in (by_size, by_area, by_length)]": f"for order in ({IN_STEPS},)]"},
        "there is too little room",
    ),
    "lives inside others": (
        "11_speed",
        "nothing_overlaps",
        {TOGETHER: INSIDE},
        "and so where one lives inside the other",
    ),
    "the size of the new value": (
        "11_speed",
        "nothing_overlaps",
        {"offsets[other] + sizes[other])": "offsets[other] + sizes[name])"},
        "its offset plus its OWN size",
    ),
    "halves through multiply": (
        "11_speed",
        "the_tiles_of_the_example",
        {STEP: TWO_SUMS},
        "4 of them are by 1/2",
    ),
    "five products": (
        "11_speed",
        "the_tiles_of_the_example",
        {STEP: FIVE},
        "five for each tile",
    ),
    "np.multiply": (
        "11_speed",
        "the_tiles_of_the_example",
        {"products = multiply(into @ d": "products = np.multiply(into @ d"},
        "np.multiply or einsum",
    ),
    "m4 forgotten": (
        "11_speed",
        "the_tiles_of_the_example",
        {STEP: STEP.replace("back @ products", "back[:, :3] @ products[:3]")},
        "the fourth product is missing in the second output",
    ),
    "two sums of pixels": (
        "11_speed",
        "the_tiles_of_the_example",
        {"multiply(into @ d, (kernel @ g)[:, None])": PIXELS_TWICE.format(1)},
        "one has another sum of d[1] and d[2], with a minus",
    ),
    "two differences of pixels": (
        "11_speed",
        "the_tiles_of_the_example",
        {"multiply(into @ d, (kernel @ g)[:, None])": PIXELS_TWICE.format(2)},
        "in one of them d[1] and d[2] are added",
    ),
    "a quarter": (
        "11_speed",
        "the_tiles_of_the_example",
        {"multiply(into @ d, (k": "multiply(np.array([1, 0.5, 0.5, 1])[:, None] * into @ d, (k"},
        "half as large as they should be",
    ),
    "the way back on the left alone": (
        "11_speed",
        "one_tile",
        {"back @ sums @ back.T": "back @ sums"},
        "the way back, A^T m A, is made on both sides",
    ),
    "the way back on the left alone, side by side": (
        "11_speed",
        "one_tile",
        {"back @ sums @ back.T": "back @ sums", "2 * down, 2 * across)": "2 * down, -1)"},
        "the way back is made on the left alone, and its result is cut",
    ),
    "the last sign of the way back": (
        "11_speed",
        "one_tile",
        {"    height, width = x": LAST_SIGN},
        "the last sign of A^T",
    ),
    "a last tile that is not cut": (
        "11_speed",
        "odd_sizes",
        {"    result = back @ sums @ back.T": f"{PUT}    result = back @ sums @ back.T"},
        "more than what is left of y",
    ),
    "no beta": (
        "11_speed",
        "one_weight",
        {"* factor + beta": "* factor"},
        "beta is forgotten",
    ),
    "a list of two": (
        "11_speed",
        "one_weight",
        {
            "return weight * factor[:, None, None, None], (before - mean) * factor + beta": (
                "return [weight * factor[:, None, None, None], (before - mean) * factor + beta]"
            )
        },
        "two results are a tuple",
    ),
    "the kernels' transform without its transpose": (
        "11_speed",
        "one_tile",
        {"kernel @ weight @ kernel.T": "kernel @ weight @ kernel"},
        "the transform of a kernel g is G g G^T",
    ),
    "the way back without its transpose": (
        "11_speed",
        "one_tile",
        {"back @ sums @ back.T": "back @ sums @ back"},
        "the way back for products m is A^T m A",
    ),
    "a sum over the kernels that cannot be reshaped": (
        "11_speed",
        "channels_and_kernels",
        {".sum(axis=1)  # (O": ".sum(axis=0)  # (O"},
        "so sum over C, axis 1",
    ),
    "a sum over the kernels, too": (
        "11_speed",
        "one_tile",
        {".sum(axis=1)  # (O": ".sum(axis=(0, 1))  # (O"},
        "sum over C alone, axis 1",
    ),
    "the pixels' matrix and its transpose exchanged": (
        "11_speed",
        "one_tile",
        {"into @ tiles @ into.T": "into.T @ tiles @ into"},
        "that with the first row 1, 0, -1, 0 stands on the left",
    ),
    "the third row turned": (
        "11_speed",
        "one_tile",
        {"    inner = into": "    into[2] *= -1\n    inner = into"},
        "the third row of the pixels' matrix has the wrong sign",
    ),
    "the tiles' axes in a wrong order": (
        "11_speed",
        "channels_and_kernels",
        {"result.transpose(0, 1, 3, 2, 4)": "result.transpose(0, 2, 3, 1, 4)"},
        "in the order across, row, down, column",
    ),
    "a sum without brackets": (
        "11_speed",
        "the_tiles_of_the_example",
        {"(kernel @ g)[:, None]": "np.array([g[0], (kernel @ g)[1], g[0] - g[1] + g[2] / 2, g[2]])[:, None]"},
        "in the third product only the last weight is halved",
    ),
    "two sums without brackets": (
        "11_speed",
        "the_tiles_of_the_example",
        {"(kernel @ g)[:, None]": "np.array([g[0], g[0] + g[1] + g[2] / 2, g[0] - g[1] + g[2] / 2, g[2]])[:, None]"},
        "in the two middle products only the last weight is halved",
    ),
    "an end that is a whole number": (
        "14_compiler",
        "a_barrier_behind_each_part",
        {"begin, done = 0.0,": "begin, done = 0,"},
        "begin with 0.0, and not with 0",
    ),
    "zeros on all sides": (
        "11_speed",
        "one_tile",
        {"((0, 0), (0, height % 2), (0, width % 2))": "((0, 0), (1, 1), (1, 1))"},
        "the image was padded on all sides",
    ),
    "a start that goes back": (
        "11_speed",
        "three_values_in_160_bytes",
        {"start = max(start, offsets[other] + sizes[other])": "start = offsets[other] + sizes[other]"},
        "on the way up past neighbours, none of them may lower the start",
    ),
    "a list of buffers": (
        "11_speed",
        "within_25_percent",
        {
            "            if start + sizes[name] <= offsets[other]:\n                break\n": "",
            "for order in (by_size, by_area, by_length)]": "for order in (by_size[::-1],)]",
        },
        "a small value blocks all of a large one",
    ),
    "only the value before is looked at": (
        "11_speed",
        "three_values_in_160_bytes",
        {"together = [other for other in offsets if": "together = [other for other in [*offsets][-1:] if"}
        | {"key=lambda name: -sizes[name])": "key=lambda name: lives[name])"}
        | {"for order in (by_size, by_area, by_length)]": "for order in (by_size,)]"}
        | {"            if start + sizes[name] <= offsets[other]:\n                break\n": ""},
        "and not only the last one",
    ),
    "neighbours in no order": (
        "11_speed",
        "nothing_overlaps",
        {"sorted(together, key=offsets.__getitem__)": "together"},
        "up past them, sorted by their offsets",
    ),
    "no gap is used": (
        "11_speed",
        "within_10_percent",
        {"            if start + sizes[name] <= offsets[other]:\n                break\n": ""},
        "would fit into a gap below its place",
    ),
    "a tile at every pixel": (
        "11_speed",
        "channels_and_kernels",
        {"[:, ::2, ::2]": ""},
        "there is a tile at every pixel",
    ),
    "a tile at every pixel that cannot be reshaped": (
        "11_speed",
        "channels_and_kernels",
        {"[:, ::2, ::2]": "", "2 * down, 2 * across)": "height, width)"},
        "there is a tile at every pixel",
    ),
    "a cut with its sides exchanged": (
        "11_speed",
        "channels_and_kernels",
        {"rows[:, :height, :width]": "rows[:, :width, :height]"},
        "the cut exchanges rows and columns",
    ),
    "a reshape with its sides exchanged": (
        "11_speed",
        "channels_and_kernels",
        {"2 * down, 2 * across)": "2 * across, 2 * down)"},
        "rows and columns were exchanged in the last reshape",
    ),
    "a mean over the channels": (
        "11_speed",
        "channels_and_kernels",
        {".sum(axis=1)  # (O": ".mean(axis=1)  # (O"},
        "the channels were averaged",
    ),
    "kernels without axes for the tiles": (
        "11_speed",
        "one_tile",
        {"kernels[:, :, None, None]": "kernels"},
        "Or do the kernels lack the two of length 1",
    ),
    "kernels without axes for the tiles, and tiles with one more": (
        "11_speed",
        "channels_and_kernels",
        {"multiply(inner, kernels[:, :, None, None])": "multiply(inner[None], kernels)"},
        "the transformed kernels need (O, C, 1, 1, 4, 4)",
    ),
    "only the first tile": (
        "11_speed",
        "the_tiles_of_the_example",
        {"return back @ products": "return (back @ products)[:, :1]"},
        "only the first tile is computed",
    ),
    "halves in a matrix of whole numbers": (
        "11_speed",
        "the_tiles_of_the_example",
        {
            "    products = multiply(into @ d, (kernel @ g)[:, None])": (
                "    products = multiply(into @ d, (kernel.astype(int) @ g)[:, None])"
            )
        },
        "cut the halves off",
    ),
    "the bias before the weight": (
        "11_speed",
        "one_weight",
        {
            "return weight * factor[:, None, None, None], (before - mean) * factor + beta": (
                "return (before - mean) * factor + beta, weight * factor[:, None, None, None]"
            )
        },
        "the weight comes first",
    ),
    "one gamma for all": (
        "11_speed",
        "every_channel_has_its_own",
        {"factor = gamma / np": "factor = gamma[0] / np"},
        "the gamma of the first",
    ),
    "all at offset 0": (
        "11_speed",
        "three_values_in_160_bytes",
        {"    return min(plans, key": "    return dict.fromkeys(sizes, 0)\n    return min(plans, key"},
        "every value has the offset 0",
    ),
    "lives that touch on one side": (
        "11_speed",
        "nothing_overlaps",
        {"lives[other][0] <= last and first <= lives[other][1]": "lives[other][0] < last and first <= lives[other][1]"},
        "lives that touch in one step were taken for apart",
    ),
    "starts only": (
        "11_speed",
        "nothing_overlaps",
        {
            "lives[other][0] <= last and first <= lives[other][1]": (
                "lives[other][0] <= first and first <= lives[other][1]"
            )
        },
        "all that have a place already",
    ),
    "one product of four outside": (
        "11_speed",
        "eight_times_the_product",
        {
            "multiply(into @ d, (kernel @ g)[:, None])\n    return back @ products": (
                "np.concatenate([multiply((into @ d)[:3], (kernel @ g)[:3, None]), [(into @ d)[3] * g[2]]])\n"
                "    return back @ products"
            )
        },
        "some products were not made by multiply",
    ),
    "a number of values that is wrong in the table": (
        "07_expression",
        "a_node_has_its_values_as_children",
        {'"neg": Function(1, np.negative)': '"neg": Function(2, np.negative)'},
        "neg of one value is refused, and other functions of one value are not",
    ),
    "a number of values that is wrong for a function met late": (
        "07_expression",
        "functions_of_two_values_compute",
        {'"pow": Function(2, np.power)': '"pow": Function(1, np.power)'},
        "pow of two values is refused, and other functions of two values are not",
    ),
    "a value of one token": (
        "07_expression",
        "a_node_has_its_values_as_children",
        {"child, at = read_value(tokens, at + 1, functions)": "child, at = Node(tokens[at + 1]), at + 2"},
        "read each value with read_value",
    ),
    "commas counted up to the first bracket": (
        "07_expression",
        "a_node_has_its_values_as_children",
        {
            "    arity = functions[token.text].arity\n    if len(children) != arity:\n": (
                "    arity = functions[token.text].arity\n"
                "    types = [one.type for one in tokens[tokens.index(token) :]]\n"
                "    if types[: types.index(TokenType.RIGHT_BRACKET)].count(TokenType.COMMA) + 1 != arity:\n"
            )
        },
        "with commas of its own",
    ),
    "a new stack for each result": (
        "07_expression",
        "functions_of_one_value_compute",
        {
            "            values = [stack.pop() for _ in range(function.arity)]": (
                "            values = stack[: -function.arity - 1 : -1]\n            stack = []"
            )
        },
        "what lies below them stays for the next one",
    ),
    "a result at the bottom": (
        "07_expression",
        "the_left_value_comes_first",
        {PUSHED: "stack.insert(0, plain(function.compute(*reversed(values))))"},
        "at the bottom of the stack: it belongs on top",
    ),
    "a result added to the list": (
        "07_expression",
        "functions_of_one_value_compute",
        {PUSHED: "stack = stack + plain(function.compute(*reversed(values)))"},
        "one value cannot be added to a list",
    ),
    "a result in a slice": (
        "07_expression",
        "functions_of_one_value_compute",
        {PUSHED: "stack[len(stack) :] = plain(function.compute(*reversed(values)))"},
        "a slice takes a list",
    ),
    "what append gives as the stack": (
        "07_expression",
        "functions_of_one_value_compute",
        {PUSHED: "stack = stack.append(plain(function.compute(*reversed(values))))"},
        "loses the stack",
    ),
    "a node as a key": (
        "07_expression",
        "functions_of_one_value_compute",
        {"function = functions[word]": "function = functions[node]"},
        "and not nodes",
    ),
    "children as values": (
        "07_expression",
        "functions_of_one_value_compute",
        {"compute(*reversed(values))": "compute(*node.children)"},
        "their values lie on the stack",
    ),
    "a tree that is not returned": (
        "07_expression",
        "a_node_has_its_values_as_children",
        {"    return Node(token, tuple(children)), at\n": "    Node(token, tuple(children))\n"},
        "without a return",
    ),
    "the function of the operands alone": (
        "07_expression",
        "the_language_can_be_extended",
        {"return evaluate(text, operands, {**table(), name: Function(arity, function)})": "return function(*operands)"},
        "evaluate(...) computes the whole text",
    ),
    "what update gives as the table": (
        "07_expression",
        "the_language_can_be_extended",
        {"{**table(), name: Function(arity, function)}": "table().update({name: Function(arity, function)})"},
        "update(...) gives None",
    ),
    "a value from the bottom": (
        "07_expression",
        "functions_of_one_value_compute",
        {
            "values = [stack.pop() for _ in range(function.arity)]": (
                "values = [stack.pop(0) for _ in range(function.arity)][::-1]"
            )
        },
        "sin was taken of the value at the bottom of the stack",
    ),
    "numbers as float32": (
        "07_expression",
        "functions_of_one_value_compute",
        {"return value.item() if isinstance": "return float(np.float32(value)) if isinstance"},
        "as float32 has it",
    ),
    "a name that is taken": (
        "07_expression",
        "the_language_can_be_extended",
        {
            "    return evaluate(text, operands, {**table(), name: Function(arity, function)})\n": (
                "    if name in table():\n"
                "        raise ExpressionError(name)\n"
                "    return evaluate(text, operands, {**table(), name: Function(arity, function)})\n"
            )
        },
        "a name that the table has already is refused",
    ),
    "one value without its brackets": (
        "07_expression",
        "brackets_of_pnnx_are_put_right",
        {"{word}({','.join(values)})": "{word}{values[0]}\" if len(values) == 1 else f\"{word}({','.join(values)})"},
        "not log1p@0",
    ),
    "values that are not counted": (
        "07_expression",
        "a_wrong_number_of_values_is_refused",
        {"    if len(children) != arity:\n": "    if False:\n"},
        "compare the number of children with the table",
    ),
    "an error that is returned": (
        "07_expression",
        "a_wrong_number_of_values_is_refused",
        {
            '        raise ExpressionError(f"at {token.start}: {token.text} takes': (
                '        return ExpressionError(f"at {token.start}: {token.text} takes'
            )
        },
        "`raise ExpressionError(...)`",
    ),
    "arctan of two values": (
        "07_expression",
        "functions_of_two_values_compute",
        {"np.arctan2": "np.arctan"},
        "takes the second for `out`: look at atan2",
    ),
    "np.max of a list": (
        "07_expression",
        "arrays_keep_shape_and_type",
        {"np.maximum": "lambda a, b: np.max([a, b])"},
        "makes one array of both values",
    ),
    "whatever has one element as a number": (
        "07_expression",
        "arrays_keep_shape_and_type",
        {
            PUSHED: (
                "value = function.compute(*reversed(values))\n"
                "            stack.append(value.item() if np.size(value) == 1 and hasattr(value, 'item') else value)"
            )
        },
        "an array of one element is no single number",
    ),
    "the last child alone": (
        "07_expression",
        "a_node_has_its_values_as_children",
        {"return Node(token, tuple(children)), at": "return Node(token, (child,)), at"},
        "only the last value became a child",
    ),
    "a name alone as a value": (
        "07_expression",
        "brackets_and_commas_have_their_places",
        {
            "    at = skip(tokens, at + 1, TokenType.LEFT_BRACKET)\n": (
                "    at += 1\n    if at == len(tokens) or tokens[at].type is not TokenType.LEFT_BRACKET:\n"
                "        return Node(token), at\n    at += 1\n"
            )
        },
        "a function's name alone was accepted as a value",
    ),
    "numbers in words": (
        "07_expression",
        "a_wrong_number_of_values_is_refused",
        {'{token.text} takes {arity} value(s), found {len(children)}")': '{token.text} takes one or two")'},
        "both numbers are due in digits",
    ),
    "one value too many, and no more counted": (
        "07_expression",
        "a_wrong_number_of_values_is_refused",
        {'value(s), found {len(children)}")': 'value(s), found {min(len(children), arity + 1)}")'},
        "it counts the values of this function, all of them",
    ),
    "a border that does not count": (
        "06_convolution",
        "shapes_that_do_not_fit_are_refused",
        {"x.shape[1] % groups or": "x.shape[1] % groups or kh > x.shape[2] or kw > x.shape[3] or"},
        "the border counts, too",
    ),
    "an opening bracket that may be missing": (
        "07_expression",
        "brackets_and_commas_have_their_places",
        {
            "    at = skip(tokens, at + 1, TokenType.LEFT_BRACKET)\n": (
                "    at += 1\n    at += at < len(tokens) and tokens[at].type is TokenType.LEFT_BRACKET\n"
            )
        },
        "a missing left bracket was accepted",
    ),
    "put back after a list of errors": (
        "07_expression",
        "the_table_stays_as_it_is",
        {
            "    return evaluate(text, operands, {**table(), name: Function(arity, function)})\n": (
                "    global table\n"
                "    old, functions = table, {**table(), name: Function(arity, function)}\n"
                "    table = lambda: functions\n"
                "    try:\n"
                "        value = evaluate(text, operands)\n"
                "    except (ValueError, TypeError, ArithmeticError):\n"
                "        table = old\n"
                "        raise\n"
                "    table = old\n"
                "    return value\n"
            )
        },
        "raised a KeyError, and the table was not put back",
    ),
    "a table of one's own": (
        "07_expression",
        "the_language_can_be_extended",
        {
            "    arity = functions[token.text].arity\n": "    arity = OWN[token.text]\n",
            "# --- step 2: tokens -> tree ---\n": "OWN = {name: entry.arity for name, entry in table().items()}\n",
        },
        "nor another one of your own",
    ),
    "a comma before the bracket": (
        "07_expression",
        "brackets_and_commas_have_their_places",
        {
            "            child, at = read_value(tokens, at + 1, functions)\n            children.append(child)\n": (
                "            if at + 1 < len(tokens) and tokens[at + 1].type is TokenType.RIGHT_BRACKET:\n"
                "                at += 1\n"
                "                break\n"
                "            child, at = read_value(tokens, at + 1, functions)\n"
                "            children.append(child)\n"
            )
        },
        "after a comma a value must follow",
    ),
    "the two values of the lesson's functions": (
        "07_expression",
        "a_node_has_its_values_as_children",
        {
            "    if at == len(tokens) or tokens[at].type is not TokenType.RIGHT_BRACKET:\n": "    if True:\n",
            "        while at < len(tokens) and tokens[at].type is TokenType.COMMA:\n"
            "            child, at = read_value(tokens, at + 1, functions)\n"
            "            children.append(child)\n": (
                "        at = skip(tokens, at, TokenType.COMMA)\n"
                "        child, at = read_value(tokens, at, functions)\n"
                "        children.append(child)\n"
            ),
        },
        "another value is read only if a comma follows",
    ),
    "one child, and no tuple": (
        "07_expression",
        "a_node_has_its_values_as_children",
        {"return Node(token, tuple(children)), at": "return Node(token, children[0]), at"},
        "children is a tuple",
    ),
    "functions without a number of values": (
        "07_expression",
        "a_node_has_its_values_as_children",
        {'"sin": Function(1, np.sin)': '"sin": np.sin'},
        "the entry is the function alone",
    ),
    "a number of values in the message that is a function": (
        "07_expression",
        "a_node_has_its_values_as_children",
        {'"sin": Function(1, np.sin)': '"sin": Function(np.sin, 1)'},
        "are exchanged",
    ),
    "as many values as a function": (
        "07_expression",
        "functions_of_one_value_compute",
        {
            "    arity = functions[token.text].arity\n": "    arity = len(children)\n",
            '"sin": Function(1, np.sin)': '"sin": Function(np.sin, 1)',
        },
        "are exchanged",
    ),
    "commas side by side": (
        "07_expression",
        "brackets_and_commas_have_their_places",
        {
            "            child, at = read_value(tokens, at + 1, functions)\n": (
                "            while at + 1 < len(tokens) and tokens[at + 1].type is TokenType.COMMA:\n"
                "                at += 1\n"
                "            child, at = read_value(tokens, at + 1, functions)\n"
            )
        },
        "two commas were accepted",
    ),
    "negative whatever came": (
        "07_expression",
        "functions_of_one_value_compute",
        {"np.negative": "lambda x: -np.abs(x)"},
        "and not -abs(x)",
    ),
    "two values for what is not known by name": (
        "07_expression",
        "the_language_can_be_extended",
        {
            "    arity = functions[token.text].arity\n": (
                '    arity = 1 if token.text in ("sin", "sqrt", "abs", "neg") else 2\n'
            )
        },
        "keep no list of names",
    ),
    "the new function alone": (
        "07_expression",
        "the_language_can_be_extended",
        {"{**table(), name: Function(arity, function)}": "{name: Function(arity, function)}"},
        "all others are missing",
    ),
    "the old max taken out of the table": (
        "07_expression",
        "the_table_stays_as_it_is",
        {
            "def table() -> Mapping[str, Any]:\n": (
                "import functools\n\n\n@functools.cache\ndef table() -> Mapping[str, Any]:\n"
            ),
            "    return evaluate(text, operands, {**table(), name: Function(arity, function)})\n": (
                "    table()[name] = Function(arity, function)\n"
                "    try:\n"
                "        return evaluate(text, operands)\n"
                "    finally:\n"
                "        del table()[name]\n"
            ),
        },
        "the old max is gone",
    ),
    "an array of a single number": (
        "07_expression",
        "functions_of_two_values_compute",
        {"np.maximum": "lambda a, b: np.where(a > b, a, b)"},
        "plain(...) leaves arrays as they are",
    ),
    "one entry the other way round": (
        "07_expression",
        "any_value_may_stand_inside",
        {'"add": Function(2, np.add)': '"add": Function(np.add, 2)'},
        "are exchanged",
    ),
    "a negative number as a product": (
        "07_expression",
        "numbers_give_numbers",
        {"np.negative": "lambda x: x * -1.0"},
        "-x keeps it whole",
    ),
    "two values turned round, and no more": (
        "07_expression",
        "the_language_can_be_extended",
        {"function.compute(*reversed(values))": "function.compute(*(values[::-1] if len(values) == 2 else values))"},
        "in the order in which they were popped",
    ),
    "numbers that stay numpy's": (
        "07_expression",
        "functions_of_one_value_compute",
        {"plain(function.compute(*reversed(values)))": "function.compute(*reversed(values))"},
        'plain(...) makes a Python number of it (section "The expressions of a real network")',
    ),
    "degrees": (
        "07_expression",
        "functions_of_one_value_compute",
        {'"sin": Function(1, np.sin)': '"sin": Function(1, lambda x: np.sin(np.radians(x)))'},
        "the angle is in radians",
    ),
    "every single number a float": (
        "07_expression",
        "numbers_give_numbers",
        {"return value.item() if isinstance(value, np.generic)": "return float(value) if np.ndim(value) == 0"},
        "plain(...) keeps a whole number whole",
    ),
    "np.fabs": (
        "07_expression",
        "numbers_give_numbers",
        {"np.abs": "np.fabs"},
        "np.abs keeps whole numbers",
    ),
    "one value for each new function": (
        "07_expression",
        "the_language_can_be_extended",
        {"{**table(), name: Function(arity, function)}": "{**table(), name: Function(1, function)}"},
        "as the argument `arity` says",
    ),
    "a root in place": (
        "07_expression",
        "operands_can_be_read_again",
        {"np.sqrt": "lambda x: np.sqrt(x, out=x if isinstance(x, np.ndarray) else None)"},
        "sqrt wrote its result into the operand",
    ),
    "a power in the place of its exponent": (
        "07_expression",
        "operands_can_be_read_again",
        {"np.power": "lambda x, y: np.power(x, y, out=y if isinstance(y, np.ndarray) else None)"},
        "pow wrote its result into the operand",
    ),
    "put back after ExpressionError only": (
        "07_expression",
        "the_table_stays_as_it_is",
        {
            "    return evaluate(text, operands, {**table(), name: Function(arity, function)})\n": (
                "    global table\n"
                "    old, functions = table, {**table(), name: Function(arity, function)}\n"
                "    table = lambda: functions\n"
                "    try:\n"
                "        value = evaluate(text, operands)\n"
                "    except ExpressionError:\n"
                "        table = old\n"
                "        raise\n"
                "    table = old\n"
                "    return value\n"
            )
        },
        "raised a ZeroDivisionError, and the table was not put back",
    ),
    "the old max after the new one": (
        "07_expression",
        "the_language_can_be_extended",
        {"{**table(), name: Function(arity, function)}": "{name: Function(arity, function), **table()}"},
        "of two entries with one name the later one stays",
    ),
    "the stack instead of its text": (
        "07_expression",
        "brackets_of_pnnx_are_put_right",
        {"    return stack[0]\n": "    return stack\n"},
        "that is the whole stack",
    ),
    "characters turned round": (
        "07_expression",
        "brackets_of_pnnx_are_put_right",
        {"reversed(WORD.findall(text))": "WORD.findall(text[::-1])"},
        "turn round the list of the words",
    ),
    "from left to right": (
        "07_expression",
        "brackets_of_pnnx_are_put_right",
        {"in reversed(WORD.findall(text))": "in WORD.findall(text)"},
        "begin at the last word",
    ),
    "from left to right, and popped without a look": (
        "07_expression",
        "brackets_of_pnnx_are_put_right",
        {
            "in reversed(WORD.findall(text))": "in WORD.findall(text)",
            "        if len(stack) < arity[word]:\n": "        if False:\n",
        },
        "begin at the last word",
    ),
    "brackets and commas as values": (
        "07_expression",
        "brackets_of_pnnx_are_put_right",
        {"        if word in SYMBOLS:\n": "        if False:\n"},
        "brackets and commas are among the words",
    ),
    "empty words between brackets and commas": (
        "07_expression",
        "brackets_of_pnnx_are_put_right",
        {"reversed(WORD.findall(text))": 'reversed(re.split("[(),]", text))'},
        "an empty word is on the stack",
    ),
    "an empty word after the last bracket": (
        "07_expression",
        "brackets_say_nothing",
        {"reversed(WORD.findall(text))": r'reversed(re.split(r"[(),\s]+", text))'},
        "an empty word is on the stack",
    ),
    "functions that the table knows": (
        "07_expression",
        "brackets_of_pnnx_are_put_right",
        {"        if word not in arity:\n": "        if word not in table():\n"},
        "log1p is a function, since it is in `arity`",
    ),
    "values that stay on the stack": (
        "07_expression",
        "brackets_of_pnnx_are_put_right",
        {"[stack.pop() for _ in range(arity[word])]": "stack[::-1][: arity[word]]"},
        "neg takes its one value off the stack",
    ),
    "two values at most": (
        "07_expression",
        "functions_of_three_and_four_values",
        {"for _ in range(arity[word])]": "for _ in range(min(2, arity[word]))]"},
        "pop as many as `arity` says",
    ),
    "a list turned round in place": (
        "07_expression",
        "the_left_value_comes_first",
        {
            "values = [stack.pop() for _ in range(function.arity)]": (
                "values = [stack.pop() for _ in range(function.arity)].reverse()"
            ),
            "*reversed(values)": "*values",
        },
        "reversed(values) and values[::-1]",
    ),
    "two numbers of a message exchanged": (
        "07_expression",
        "a_wrong_number_of_values_is_refused",
        {"takes {arity} value(s), found {len(children)}": "takes {len(children)} value(s), got {arity}"},
        "the two numbers are exchanged",
    ),
    "a place between the name and the numbers of a message": (
        "07_expression",
        "a_wrong_number_of_values_is_refused",
        {"at {token.start}: {token.text} takes": "{token.text} at {token.start} takes"},
        "comes before the name or after these two",
    ),
    "a node without its children": (
        "07_expression",
        "a_node_has_its_values_as_children",
        {"return Node(token, tuple(children)), at": "return Node(token), at"},
        "the node has no children",
    ),
    "children that are tokens": (
        "07_expression",
        "a_node_has_its_values_as_children",
        {
            "            children.append(child)\n    at": "            children.append(child.token)\n    at",
            "        children.append(child)\n        while": "        children.append(child.token)\n        while",
        },
        "child and not child.token",
    ),
    "a single value read": (
        "07_expression",
        "a_node_has_its_values_as_children",
        {"        while at < len(tokens) and tokens[at].type is TokenType.COMMA:\n": "        while False:\n"},
        "read another value as long as a comma follows",
    ),
    "a root of the absolute value": (
        "07_expression",
        "arrays_keep_shape_and_type",
        {"np.sqrt": "lambda x: np.sqrt(np.abs(x))"},
        "the root of a negative number is nan",
    ),
    "an exponent without its sign": (
        "07_expression",
        "functions_of_two_values_compute",
        {"np.power": "lambda x, y: np.power(x, abs(y))"},
        "an exponent may be negative",
    ),
    "words turned round in place": (
        "07_expression",
        "brackets_of_pnnx_are_put_right",
        {"in reversed(WORD.findall(text))": "in WORD.findall(text).reverse()"},
        "gives the words from the last to the first",
    ),
    "texts turned round in place": (
        "07_expression",
        "brackets_of_pnnx_are_put_right",
        {"','.join(values)": "','.join(values.reverse())"},
        "turn it round first, and join it then",
    ),
    "texts as Python writes a tuple": (
        "07_expression",
        "brackets_of_pnnx_are_put_right",
        {"f\"{word}({','.join(values)})\"": 'f"{word}{tuple(values)}"'},
        "that is how Python writes a tuple",
    ),
    "values other than operands left out": (
        "07_expression",
        "a_right_text_stays",
        {
            "            stack.append(word)\n            continue": (
                "            if word[0] == '@':\n                stack.append(word)\n            continue"
            ),
            "        if len(stack) < arity[word]:\n": "        if len(stack) < 0:\n",
        },
        "every word that is not in `arity` is a value",
    ),
    "a value left over": (
        "07_expression",
        "too_many_values_are_an_error",
        {"    if len(stack) != 1:\n": "    if not stack:\n"},
        "at the end the stack must hold exactly one",
    ),
    "an @ inside a word": (
        "07_expression",
        "a_right_text_stays",
        {"reversed(WORD.findall(text))": "reversed(text.translate(str.maketrans('(),', '   ')).split())"},
        "a word ends where an @ begins the next one",
    ),
    "a tensor that one other part reads": (
        "10_partition",
        "a_chain_in_three_parts",
        {"                    outputs[source].add(tensor)\n": ""} | {"tensor not in read_at_home or": "False or"},
        "a tensor that another part reads is missing",
    ),
    "no last part yet": (
        "10_partition",
        "the_parts_of_the_lesson",
        {"if merged and merged[-1][0] == device": "if merged[-1][0] == device"},
        "your own list is still empty",
    ),
    "a list that loses parts under the loop": (
        "10_partition",
        "the_parts_of_the_lesson",
        {
            "    merged: list[tuple[str, list[int]]] = []\n": (
                "    merged = list(parts)\n"
                "    for i in range(len(merged) - 1):\n"
                "        if merged[i][0] == merged[i + 1][0]:\n"
                "            del merged[i]\n"
                "    merged = []\n"
            ),
        },
        "the list became shorter than the loop thinks",
    ),
    "names compared as objects": (
        "10_partition",
        "the_parts_of_the_lesson",
        {"merged[-1][0] == device": "merged[-1][0] is device"},
        "are names compared with ==",
    ),
    "the old part stays": (
        "10_partition",
        "the_parts_of_the_lesson",
        {"            merged[-1][1].extend(nodes)\n": "            merged.append((device, merged[-1][1] + nodes))\n"},
        "still stands before the joined one",
    ),
    "parts of nodes by place": (
        "10_partition",
        "parts_in_any_order",
        {
            "{node: part for part, members in enumerate(parts) for node in members}": (
                "[part for part, members in enumerate(parts) for node in members]"
            )
        },
        "parts hold NUMBERS of nodes",
    ),
    "tensors taken for nodes": (
        "10_partition",
        "two_inputs_and_a_constant",
        {"source = part_of[maker[tensor]]": "source = part_of[tensor]"},
        "a tensor's number was used as its node's",
    ),
    "predecessors without their numbers": (
        "10_partition",
        "three_nodes",
        {"for node, device in enumerate(devices):": "for node, device in predecessors:"},
        "the node's number comes from enumerate",
    ),
    "a tuple changed": (
        "10_partition",
        "the_parts_of_the_lesson",
        {"merged[-1][1].extend(nodes)": "merged[-1][1] += nodes"},
        "a tuple never changes",
    ),
    "what extend returns": (
        "10_partition",
        "the_parts_of_the_lesson",
        {"merged[-1][1].extend(nodes)": "merged[-1] = (device, merged[-1][1].extend(nodes))"},
        "extend makes the list longer and returns None",
    ),
    "what extend returns, extended": (
        "10_partition",
        "three_and_more_neighbours",
        {"merged[-1][1].extend(nodes)": "merged[-1] = (device, merged[-1][1].extend(nodes))"},
        "extend makes the list longer and returns None",
    ),
    "a list in place of a tuple": (
        "10_partition",
        "a_chain_in_three_parts",
        {"        (sorted(reads), sorted(hands_over), ": "        list((sorted(reads), sorted(hands_over), "}
        | {"for tensor in reads))\n": "for tensor in reads)))\n"},
        "a list of tuples of three",
    ),
    "numbers of numpy in right lists": (
        "10_partition",
        "a_chain_in_three_parts",
        {
            "from __future__ import annotations\n": "from __future__ import annotations\n\nimport numpy as np\n",
            "(sorted(reads), sorted(hands_over), ": "(sorted(reads), [*np.unique([*hands_over])], ",
        },
        "None",
    ),
    "parts in the order of their first nodes": (
        "10_partition",
        "random_placements",
        {"for turn in sorted(members)]": "for turn in members]"},
        "sort them by their levels",
    ),
    "parts removed from under the loop": (
        "10_partition",
        "parts_without_nodes",
        {
            "        if not nodes:\n            continue\n        if merged": "        if merged",
            "    merged: list[tuple[str, list[int]]] = []\n": (
                "    for part in parts:\n        if not part[1]:\n            parts.remove(part)\n    merged = []\n"
            ),
        },
        "a list that shrinks under a loop",
    ),
    "nothing written down as a part": (
        "10_partition",
        "parts_without_nodes",
        {"    return merged\n": "    return merged or [(None, [])]\n"},
        "what was collected last is written down",
    ),
    "no parts, and nothing written down": (
        "10_partition",
        "no_parts",
        {"    return merged\n": '    return merged or [("", [])]\n'},
        'a part "" without nodes',
    ),
    "the first of the tensors that a node makes": (
        "10_partition",
        "what_nobody_reads",
        {"    part_of = {node: part for part, members in enumerate(parts) for node in members}\n": FIRST_TENSORS},
        "a node may make several tensors",
    ),
    "one set for all parts": (
        "10_partition",
        "a_chain_in_three_parts",
        {"inputs: list[set[int]] = [set() for _ in parts]": "inputs: list[set[int]] = [set()] * len(parts)"},
        "[set() for _ in parts] one for each part",
    ),
    "no tensor that nobody reads": (
        "10_partition",
        "what_nobody_reads",
        {"(tensor not in read_at_home or node in returned)": "node in returned"},
        "a tensor that nobody reads is missing",
    ),
    "no inputs of the network": (
        "10_partition",
        "an_input_that_two_parts_read",
        {'inputs[here].update(tensor for tensor in [*reads, *makes] if kinds[tensor] == "input")': "pass"},
        "tensors of kind 'input' are missing",
    ),
    "readers that stand before their maker": (
        "10_partition",
        "what_the_caller_gives",
        {"for reader in readers.get(tensor, []):": "for reader in [j for j in readers.get(tensor, []) if j > place]:"},
        "a reader may stand before its maker",
    ),
    "nodes taken for the tensors that a part makes": (
        "10_partition",
        "a_tensor_that_many_read",
        {"    part_of = {node: part for part, members in enumerate(parts) for node in members}\n": NODES_AS_MADE},
        "numbers of nodes were used as numbers of tensors",
    ),
    "a kind looked up by the node": (
        "10_partition",
        "constants_are_on_every_device",
        {'if kinds[tensor] == "var" and (': 'if kinds[node] == "var" and ('},
        "with a TENSOR's number",
    ),
    "nobody asked whether all have run": (
        "10_partition",
        "the_five_sub_graphs",
        {"    while waiting:\n": "    while True:\n"},
        "ask first whether any is left",
    ),
    "five waves, whatever comes": (
        "10_partition",
        "the_chain_of_the_lesson",
        {"    while waiting:\n": "    for _ in range(5):\n"},
        "ask first whether any is left",
    ),
    "waves counted for sub-graphs": (
        "10_partition",
        "the_five_sub_graphs",
        {"    while waiting:\n": "    while len(found) < len(subgraphs):\n"},
        "all had run when you raised",
    ),
    "waves counted at the end of the loop": (
        "10_partition",
        "the_five_sub_graphs",
        {
            "    while waiting:\n": "    while True:\n",
            "        found.append(wave)\n": (
                "        found.append(wave)\n        if len(found) == len(subgraphs):\n            return found\n"
            ),
        },
        "all had run when you raised",
    ),
    "more than it waits for": (
        "10_partition",
        "the_five_sub_graphs",
        {"ready[place] == subgraphs[place][2]": "ready[place] > subgraphs[place][2]"},
        "compare them with ==",
    ),
    "an empty wave at the end": (
        "10_partition",
        "the_five_sub_graphs",
        {"    return found\n": "    return [*found, []]\n"},
        "an empty wave is none",
    ),
    "wait counts counted down in their tuples": (
        "10_partition",
        "the_five_sub_graphs",
        {"ready[reader] += 1": "subgraphs[reader][2] -= 1"},
        "a tuple never changes",
    ),
    "a level at each step": (
        "10_partition",
        "parts_that_can_run",
        {"(level[u] + (devices[u] != device) for u": "(level[u] + 1 for u"},
        "the level grows at each step",
    ),
    "no level for a change of device": (
        "10_partition",
        "three_nodes",
        {"(level[u] + (devices[u] != device) for u": "(level[u] for u"},
        "two devices share a level",
    ),
    "tensors taken for sub-graphs": (
        "10_partition",
        "the_five_sub_graphs",
        {"for reader in readers.get(tensor, []):": "for reader in [tensor]:"},
        "a tensor's number is no place",
    ),
    "tensors taken for sub-graphs, within the list": (
        "10_partition",
        "the_five_sub_graphs",
        {"for reader in readers.get(tensor, []):": "for reader in [tensor][: tensor < len(ready)]:"},
        "a tensor's number is no place",
    ),
    "a part for each device": (
        "10_partition",
        "three_nodes",
        {
            "min((by_levels(predecessors, devices, start) for start in sorted(set(devices))), key=len, default=[])": (
                "[(one, [v for v, other in enumerate(devices) if other == one]) for one in dict.fromkeys(devices)]"
            )
        },
        "all nodes of a device stand in one part",
    ),
    "lives that touch": (
        "11_speed",
        "three_values_in_160_bytes",
        {"lives[other][0] <= last and first <= lives[other][1]": "lives[other][0] < last and first < lives[other][1]"},
        "are both alive at step",
    ),
    "pooling windows of as many columns as rows": (
        "06_convolution",
        "windows_have_two_sizes",
        {POOLING_SIZES: "    kernel_size = kernel_size[:1] * 2\n" + POOLING_SIZES},
        "kernel_size[0] is used in both directions",
    ),
    "pooling windows of as many rows as columns": (
        "06_convolution",
        "windows_have_two_sizes",
        {POOLING_SIZES: "    kernel_size = kernel_size[1:] * 2\n" + POOLING_SIZES},
        "kernel_size[1] is used in both directions",
    ),
    "pooling slices of as many columns as rows": (
        "06_convolution",
        "windows_have_two_sizes",
        {"start : start + kernel_size[1]]": "start : start + kernel_size[0]]"},
        "the slice has kernel_size[0] columns",
    ),
    "pooling slices of as many rows as columns": (
        "06_convolution",
        "windows_have_two_sizes",
        {"top : top + kernel_size[0],": "top : top + kernel_size[1],"},
        "the slice has kernel_size[1] rows",
    ),
    "a pooling stride of the rows for both": (
        "06_convolution",
        "strides_move_the_windows",
        {POOLING_SIZES: "    stride = stride[:1] * 2\n" + POOLING_SIZES},
        "stride[0] is used in both directions",
    ),
    "a pooling border of the rows for both": (
        "06_convolution",
        "the_border_has_two_widths",
        {POOLING_SIZES: "    padding = padding[:1] * 2\n" + POOLING_SIZES},
        "padding[0] is used in both directions",
    ),
    "pooling by reshape": (
        "06_convolution",
        "the_largest_number_of_each_window",
        {
            POOLING_SIZES: (
                "    (n, c, h, w), (kh, kw) = x.shape, kernel_size\n"
                "    return x.reshape(n, c, h // kh, kh, w // kw, kw).max(axis=(3, 5))\n" + POOLING_SIZES
            )
        },
        "only where they stand side by side",
    ),
    "rows of windows as wide as high": (
        "06_convolution",
        "kernels_have_two_sizes",
        {IM2COL_OPTIONS: IM2COL_OPTIONS.replace("kernel_size", "kernel_size[:1] * 2")},
        "kernel_size[0] is used in both directions",
    ),
    "a stride of the rows for both": (
        "06_convolution",
        "strides_have_two_directions",
        {IM2COL_OPTIONS: IM2COL_OPTIONS.replace("stride", "stride[:1] * 2")},
        "stride[0] is used in both directions",
    ),
    "a padding of the columns for both": (
        "06_convolution",
        "paddings_have_two_directions",
        {IM2COL_OPTIONS: IM2COL_OPTIONS.replace("padding", "padding[1:] * 2")},
        "padding[1] is used in both directions",
    ),
    "kernels taken to be square": (
        "06_convolution",
        "each_output_channel_has_its_kernel",
        {
            "    outputs, depth, kh, kw = weight.shape\n": "    outputs, depth, kh = weight.shape[:3]\n    kw = kh\n",
            "outputs // groups, depth * kh * kw)": "outputs // groups, -1)",
        },
        "here kernels have two rows and three columns",
    ),
    "kernels taken to be square, laid out flat": (
        "06_convolution",
        "each_output_channel_has_its_kernel",
        {"    outputs, depth, kh, kw = weight.shape\n": "    outputs, depth, kh = weight.shape[:3]\n    kw = kh\n"},
        "here kernels have two rows and three columns",
    ),
    "output channels dealt out in turn": (
        "06_convolution",
        "groups_keep_to_themselves",
        {
            "kernels = weight.reshape(groups, outputs // groups, depth * kh * kw)": (
                "kernels = weight.reshape(outputs // groups, groups, depth * kh * kw).swapaxes(0, 1)"
            ),
            "y = y.reshape(len(x)": "y = y.swapaxes(1, 2).reshape(len(x)",
        },
        "output channel o was computed in group o % groups",
    ),
    "a loop over all starts": (
        "06_convolution",
        "the_rows_of_the_lesson",
        {
            "for i, j in np.ndindex(rows, cols):\n        window = padded": (
                "for i, j in np.ndindex(height, width):\n        window = padded"
            )
        },
        "some windows stick out of the image",
    ),
    "rows of one channel": (
        "06_convolution",
        "channels_follow_one_another",
        {"channels * kh * kw), x.dtype": "kh * kw), x.dtype"},
        "those of all channels",
    ),
    "rows of float32": (
        "06_convolution",
        "the_element_type_is_kept",
        {"channels * kh * kw), x.dtype": "channels * kh * kw), np.float32"},
        "the rows are float32, whatever x is",
    ),
    "an image larger than its place in the border": (
        "06_convolution",
        "the_border_has_two_widths",
        {
            POOLING_BORDER: (
                "(height, width), sides = x.shape[2:], (x.shape[2] + 2 * above, x.shape[3] + 2 * left)\n"
                "    bordered = np.full((*x.shape[:2], *sides), -np.inf, x.dtype)\n"
                "    bordered[:, :, above:height, left:width] = x"
            )
        },
        "x does not fit into the place that it gets",
    ),
    "a border around samples and channels": (
        "06_convolution",
        "the_border_has_two_widths",
        {POOLING_BORDER: "bordered = np.pad(x, padding, constant_values=-np.inf)", **AS_BORDERED},
        "too: give a pair for each axis, (0, 0) for those",
    ),
    "a border of 0 around samples and channels": (
        "06_convolution",
        "the_border_has_two_widths",
        {POOLING_BORDER: "bordered = np.pad(x, padding)", **AS_BORDERED},
        "and it pads with 0",
    ),
    "two pairs for the four axes of a batch": (
        "06_convolution",
        "the_windows_of_the_lesson",
        {"((0, 0), (0, 0), (above, above), (left, left))": "((above, above), (left, left))"},
        "x has four: (0, 0) for samples and channels",
    ),
    "two pairs for the three axes of an image": (
        "06_convolution",
        "the_rows_of_the_lesson",
        {"((0, 0), (ph, ph), (pw, pw))": "((ph, ph), (pw, pw))"},
        "x has three: (0, 0) for the channels",
    ),
    "stacked windows that stick out": (
        "06_convolution",
        "the_rows_of_the_lesson",
        {
            "for i, j in np.ndindex(rows, cols):\n        window = padded": (
                "for i, j in np.ndindex(height, width):\n        window = padded"
            ),
            **STACKED,
        },
        "some windows stick out of the image",
    ),
    "stacked windows of a border on one side": (
        "06_convolution",
        "paddings_have_two_directions",
        {"((0, 0), (ph, ph), (pw, pw))": "((0, 0), (ph, 0), (pw, 0))", **STACKED},
        "the border stands on one side only",
    ),
    "windows of a padded image, counted with the padding": (
        "06_convolution",
        "paddings_have_two_directions",
        {
            "output_size(height, kh, sh, ph), output_size(width, kw, sw, pw)": (
                "output_size(height + 2 * ph, kh, sh, ph), output_size(width + 2 * pw, kw, sw, pw)"
            ),
            **STACKED,
            "    return result\n": "    return np.array(result)\n",
        },
        "give it the size of x, and not that of the padded image",
    ),
    "a border around the channels": (
        "06_convolution",
        "paddings_have_two_directions",
        {"padded = np.pad(x, ((0, 0), (ph, ph), (pw, pw)))": "padded = np.pad(x, padding)"},
        "the pixels of two channels, and x has one",
    ),
    "a border around the channels, with rows to match": (
        "06_convolution",
        "paddings_have_two_directions",
        {"    channels, height, width = x.shape\n": BEFORE_ALL},
        "np.pad(x, p) pads all axes alike, the channels too",
    ),
    "rows at i + j": (
        "06_convolution",
        "the_rows_of_the_lesson",
        {"result = np.empty(": "result = np.zeros(", "result[i * cols + j]": "result[i + j]"},
        "was written into row i + j",
    ),
    "a bias in the loop over the groups": (
        "06_convolution",
        "groups_keep_to_themselves",
        {
            "T.reshape(-1, rows, cols)\n": (
                "T.reshape(-1, rows, cols)\n"
                "        if bias is not None:\n"
                "            y[n] += bias.reshape(groups, -1, 1, 1)\n"
            ),
            "return y if bias is None else y + bias[:, None, None]": "return y",
        },
        "in the loop over the groups",
    ),
    "a bias in the loop over the samples": (
        "06_convolution",
        "everything_at_once",
        {
            "T.reshape(-1, rows, cols)\n": (
                "T.reshape(-1, rows, cols)\n"
                "        if bias is not None and g == groups - 1:\n"
                "            y += bias.reshape(groups, -1, 1, 1)\n"
            ),
            "return y if bias is None else y + bias[:, None, None]": "return y",
        },
        "in the loop over the samples",
    ),
    "results of the groups in turn": (
        "06_convolution",
        "groups_keep_to_themselves",
        {"y = y.reshape(len(x)": "y = y.swapaxes(1, 2).reshape(len(x)"},
        "the results of the groups alternate",
    ),
    "a padded image for im2col": (
        "06_convolution",
        "paddings_reach_im2col",
        {
            "im2col(x[n, g * depth : (g + 1) * depth]": (
                "im2col(np.pad(x[n, g * depth : (g + 1) * depth], [(0, 0), *zip(padding, padding)])"
            )
        },
        "im2col gave more rows than fit",
    ),
    "a padded image for all": (
        "06_convolution",
        "paddings_reach_im2col",
        {
            "    outputs, depth, kh, kw = weight.shape\n": (
                "    outputs, depth, kh, kw = weight.shape\n"
                "    x = np.pad(x, ((0, 0), (0, 0), *zip(padding, padding)))\n"
            )
        },
        "the padding was added twice",
    ),
    "as wide as high": (
        "06_convolution",
        "kernels_have_two_sizes",
        {"j * sw : j * sw + kw]": "j * sw : j * sw + kh]"},
        "a window has kh rows and kw columns",
    ),
    "a pooling slice that ends without the stride": (
        "06_convolution",
        "the_windows_of_the_lesson",
        {
            "top : top + kernel_size[0], start : start + kernel_size[1]": (
                "top : i + kernel_size[0], start : j + kernel_size[1]"
            )
        },
        "the stride is missing where a window begins or where it ends",
    ),
    "pooling rows that end without the stride": (
        "06_convolution",
        "the_windows_of_the_lesson",
        {"top : top + kernel_size[0],": "top : i + kernel_size[0],"},
        "the stride is missing where the rows",
    ),
    "pooling columns that begin without the stride": (
        "06_convolution",
        "the_windows_of_the_lesson",
        {"top, start = i * stride[0], j * stride[1]": "top, start = i * stride[0], j"},
        "the stride is missing where the columns",
    ),
    "pooling windows that begin without the stride": (
        "06_convolution",
        "the_windows_of_the_lesson",
        {"top, start = i * stride[0], j * stride[1]": "top, start = i, j"},
        "the stride is missing where a window begins or where it ends",
    ),
    "pooling into columns and rows": (
        "06_convolution",
        "the_largest_number_of_each_window",
        {"y[:, :, i, j] =": "y[:, :, j, i] ="},
        "rows and columns of the result are exchanged",
    ),
    "a padding for a pooling stride": (
        "06_convolution",
        "the_windows_of_the_lesson",
        {"zip(x.shape[2:], kernel_size, stride, padding)]": "zip(x.shape[2:], kernel_size, padding, stride)]"},
        "output_size takes the stride before the padding",
    ),
    "a pooling border of the least finite number": (
        "06_convolution",
        "the_border_never_wins",
        {POOLING_BORDER: POOLING_BORDER.replace("-np.inf", "np.finfo(x.dtype).min")},
        "a finite border beats smaller pixels",
    ),
    "a pooling border that is only counted": (
        "06_convolution",
        "the_border_has_two_widths",
        {POOLING_BORDER: "bordered = x"},
        "x needs its border",
    ),
    "rows that end without the stride": (
        "06_convolution",
        "strides_have_two_directions",
        {"i * sh : i * sh + kh": "i * sh : i + kh"},
        "with the stride at both ends",
    ),
    "columns that end without the stride": (
        "06_convolution",
        "a_last_window_that_sticks_out_is_left_out",
        {"j * sw : j * sw + kw": "j * sw : j + kw"},
        "or its slice ends without the stride",
    ),
    "no border, but counted": (
        "06_convolution",
        "paddings_have_two_directions",
        {"np.pad(x, ((0, 0), (ph, ph), (pw, pw)))": "x"},
        "the windows were taken from x without a border",
    ),
    "stacked windows without a border": (
        "06_convolution",
        "paddings_have_two_directions",
        {"np.pad(x, ((0, 0), (ph, ph), (pw, pw)))": "x", **STACKED},
        "the windows were taken from x without a border",
    ),
    "borders exchanged": (
        "06_convolution",
        "paddings_have_two_directions",
        {"((0, 0), (ph, ph), (pw, pw))": "((0, 0), (pw, pw), (ph, ph))"},
        "the border at the left and at the right is padding[1] wide",
    ),
    "the rows' border for both": (
        "06_convolution",
        "paddings_have_two_directions",
        {"((0, 0), (ph, ph), (pw, pw))": "((0, 0), (ph, ph), (ph, ph))"},
        "the border at the left and at the right is padding[1] wide",
    ),
    "a border above and below alone": (
        "06_convolution",
        "paddings_have_two_directions",
        {"((0, 0), (ph, ph), (pw, pw))": "((0, 0), (ph, ph), (0, 0))"},
        "there is no border left and right",
    ),
    "a border left and right alone": (
        "06_convolution",
        "paddings_have_two_directions",
        {"((0, 0), (ph, ph), (pw, pw))": "((0, 0), (0, 0), (pw, pw))"},
        "there is no border above and below",
    ),
    "a border before and behind by the other number": (
        "06_convolution",
        "paddings_have_two_directions",
        {"((0, 0), (ph, ph), (pw, pw))": "((0, 0), (ph, pw), (ph, pw))"},
        "how many come before and how many behind",
    ),
    "a border on one side": (
        "06_convolution",
        "paddings_have_two_directions",
        {"((0, 0), (ph, ph), (pw, pw))": "((0, 0), (ph, 0), (pw, 0))"},
        "the border stands on one side only",
    ),
    "a padding counted twice": (
        "06_convolution",
        "paddings_have_two_directions",
        {
            "output_size(height, kh, sh, ph), output_size(width, kw, sw, pw)": (
                "output_size(height + 2 * ph, kh, sh, ph), output_size(width + 2 * pw, kw, sw, pw)"
            )
        },
        "give it the size of x, and not that of the padded image",
    ),
    "lines of the channels in turn": (
        "06_convolution",
        "channels_follow_one_another",
        {"window.reshape(-1)": "window.swapaxes(0, 1).reshape(-1)"},
        "the channels alternate line by line",
    ),
    "rows counted by the width of the image": (
        "06_convolution",
        "the_rows_of_the_lesson",
        {"result[i * cols + j]": "result[i * width + j]"},
        "W' windows stand in a line",
    ),
    "rows at i + j, never cleared": (
        "06_convolution",
        "the_rows_of_the_lesson",
        {"result[i * cols + j]": "result[i + j]"},
        "was written into row i + j",
    ),
    "a count of rows that stands still": (
        "06_convolution",
        "the_rows_of_the_lesson",
        {"result[i * cols + j]": "result[0]"},
        "does the row count on",
    ),
    "a padding for a stride of im2col": (
        "06_convolution",
        "the_rows_of_the_lesson",
        {"output_size(height, kh, sh, ph)": "output_size(height, kh, ph, sh)"},
        "output_size takes the stride before the padding",
    ),
    "kernels of columns and rows for im2col": (
        "06_convolution",
        "each_output_channel_has_its_kernel",
        {"(kh, kw), stride, padding)\n        y[n, g]": "(kw, kh), stride, padding)\n        y[n, g]"},
        "here kernels have two rows and three columns",
    ),
    "one number of the stride for im2col": (
        "06_convolution",
        "the_numbers_of_the_lesson",
        {"(kh, kw), stride, padding)\n        y[n, g]": "(kh, kw), stride[0], padding)\n        y[n, g]"},
        "give im2col both numbers of each",
    ),
    "as many kernels as groups": (
        "06_convolution",
        "of_an_image_of_zeros_the_biases_are_left",
        FIRST_KERNELS,
        "only output channel 0 was written",
    ),
    "as many kernels as groups, in zeros": (
        "06_convolution",
        "each_output_channel_has_its_kernel",
        {
            "y = np.empty((len(x), groups, outputs // groups, rows, cols)": (
                "y = np.zeros((len(x), groups, outputs // groups, rows, cols)"
            ),
            **FIRST_KERNELS,
        },
        "only output channel 0 was written",
    ),
    "products of another shape than their place": (
        "06_convolution",
        "the_numbers_of_the_lesson",
        {PRODUCT: PRODUCT.replace(".reshape(-1, rows, cols)", "")},
        "then reshape it to (O, H', W')",
    ),
    "kernels times rows": (
        "06_convolution",
        "the_numbers_of_the_lesson",
        {PRODUCT: PRODUCT.replace("(windows @ kernels[g].T).T", "np.dot(kernels[g], windows)")},
        "im2col's rows are as long",
    ),
    "a product number by number": (
        "06_convolution",
        "of_an_image_of_zeros_the_biases_are_left",
        {PRODUCT: PRODUCT.replace("(windows @ kernels[g].T).T", "(windows * kernels[g]).sum(axis=1)")},
        "@ is the product of matrices",
    ),
    "groups in an axis of their own": (
        "06_convolution",
        "groups_keep_to_themselves",
        {"y = y.reshape(len(x), outputs, rows, cols)": "y = y[0]"},
        "each group has its result in an axis of its own",
    ),
    "all samples in the place of the first": (
        "06_convolution",
        "each_sample_has_its_result",
        {"        y[n, g] = ": "        y[0, g] = "},
        "sample n belongs into y[n]",
    ),
    "windows that are not flat": (
        "06_convolution",
        "the_rows_of_the_lesson",
        {"window.reshape(-1)": "window"},
        "lay it out flat",
    ),
    "windows that end one early": (
        "06_convolution",
        "the_rows_of_the_lesson",
        {"i * sh : i * sh + kh, j * sw : j * sw + kw": "i * sh : i * sh + kh - 1, j * sw : j * sw + kw - 1"},
        "a slice stops before its end",
    ),
    "starts without the last, never cleared": (
        "06_convolution",
        "the_rows_of_the_lesson",
        {"np.ndindex(rows, cols):\n        window": "np.ndindex(rows - 1, cols - 1):\n        window"},
        "only row 0 was written",
    ),
    "a stride in the loop too": (
        "06_convolution",
        "strides_have_two_directions",
        {
            "    for i, j in np.ndindex(rows, cols):\n        window = padded": (
                "    steps = [(i, j) for i in range(0, rows, sh) for j in range(0, cols, sw)]\n"
                "    for i, j in steps:\n        window = padded"
            )
        },
        "the stride was applied twice",
    ),
    "starts of the image without its border": (
        "06_convolution",
        "paddings_have_two_directions",
        {
            "    for i, j in np.ndindex(rows, cols):\n        window = padded": (
                "    for i, j in np.ndindex(height - kh + 1, width - kw + 1):\n        window = padded"
            )
        },
        "only the starts in x itself",
    ),
    "windows of exchanged slices": (
        "06_convolution",
        "the_rows_of_the_lesson",
        {"i * sh : i * sh + kh, j * sw : j * sw + kw": "j * sh : j * sh + kh, i * sw : i * sw + kw"},
        "i is the row and j the column",
    ),
    "pooling windows that end one early": (
        "06_convolution",
        "the_windows_of_the_lesson",
        {
            "top : top + kernel_size[0], start : start + kernel_size[1]": (
                "top : top + kernel_size[0] - 1, start : start + kernel_size[1] - 1"
            )
        },
        "a slice stops before its end",
    ),
    "pooling of a stride in the loop too": (
        "06_convolution",
        "the_windows_of_the_lesson",
        {
            "    for i, j in np.ndindex(*sizes):\n        top": (
                "    steps = [(i, j) for i in range(0, sizes[0], stride[0]) for j in range(0, sizes[1], stride[1])]\n"
                "    for i, j in steps:\n        top"
            )
        },
        "does it end early",
    ),
    "pooling of one row of windows": (
        "06_convolution",
        "the_windows_of_the_lesson",
        {"    for i, j in np.ndindex(*sizes):\n        top": "    for i, j in np.ndindex(1, sizes[1]):\n        top"},
        "only the first row of windows",
    ),
    "pooling of one channel": (
        "06_convolution",
        "every_plane_has_its_own_result",
        {"y[:, :, i, j] = bordered[:, :, top": "y[:, :1, i, j] = bordered[:, :1, top"},
        "only channel 0 was written",
    ),
    "pooling into a list of windows": (
        "06_convolution",
        "every_plane_has_its_own_result",
        {
            "    y = np.empty((*x.shape[:2], *sizes), x.dtype)\n": "    y = []\n",
            "y[:, :, i, j] = bordered": "window = bordered",
            "max(axis=(2, 3))\n    return y\n": (
                "max(axis=(2, 3))\n        y.append(window)\n    return np.array(y).reshape(*x.shape[:2], *sizes)\n"
            ),
        },
        "a list of windows has the axes",
    ),
    "maxima of float32": (
        "06_convolution",
        "float32_and_float64_stay",
        {"np.empty((*x.shape[:2], *sizes), x.dtype)": "np.empty((*x.shape[:2], *sizes), np.float32)"},
        "the maxima are float32, whatever x is",
    ),
    "a padding counted for one direction": (
        "06_convolution",
        "paddings_have_two_directions",
        {
            "rows, cols = output_size(height, kh, sh, ph), output_size(width, kw, sw, pw)": (
                "rows, cols = output_size(height, kh, sh, ph), output_size(width, kw, sw)"
            ),
            "for i, j in np.ndindex(rows, cols):\n        window = padded": (
                "for i, j in np.ndindex(rows, cols + 2 * pw):\n        window = padded"
            ),
        },
        "there are more windows than were counted",
    ),
    "operands from the fourth token": (
        "03_pnnx",
        "the_line_of_the_lesson",
        {"tokens[4:start], tokens[start:end], params": "tokens[3 : start - 1], tokens[start - 1 : end - 1], params"},
        "the operands were taken one token too early",
    ),
    "operands and options from the fourth token": (
        "03_pnnx",
        "the_line_of_the_lesson",
        {"start = 4 + int(tokens[2])": "start = 3 + int(tokens[2])", "tokens[4:start]": "tokens[3:start]"},
        "begin one token too early",
    ),
    "a flag as numpy's order": (
        "02_tensor",
        "one_to_24_row_by_row",
        {"    return x.reshape(-1)\n": "    return x.flatten(row_major)\n"},
        "take a letter as `order`",
    ),
    "channels transposed in place": (
        "02_tensor",
        "one_to_24_column_by_column",
        {"        x = x.swapaxes(1, 2)\n": "        for c in range(len(x)):\n            x[c] = x[c].T\n"},
        "give the transpose a name of its own",
    ),
    "x zeroed after flatten": (
        "02_tensor",
        "x_is_as_it_was_after_flatten",
        {"    return x.reshape(-1)\n": "    line = x.flatten()\n    x[...] = 0\n    return line\n"},
        "x was written into",
    ),
    "x flat after flatten": (
        "02_tensor",
        "x_is_as_it_was_after_flatten",
        {"    return x.reshape(-1)\n": "    line = x.flatten()\n    x.resize(x.size)\n    return line\n"},
        "x.reshape(...) leaves it as it was",
    ),
    "x zeroed after padding": (
        "02_tensor",
        "x_is_as_it_was_after_padding",
        {"    return padded\n": "    x[...] = 0\n    return padded\n"},
        "x was written into",
    ),
    "x rearranged by reshape": (
        "02_tensor",
        "x_is_as_it_was_after_reshape",
        {"    values = flatten(x, row_major)\n": "    values = flatten(x, row_major).copy()\n    x.flat = values\n"},
        "x was written into",
    ),
    "x zeroed by flatten, in reshape": (
        "02_tensor",
        "x_is_as_it_was_after_reshape",
        {"    return x.reshape(-1)\n": "    line = x.flatten()\n    x[...] = 0\n    return line\n"},
        "your flatten changes x",
    ),
    "pads of np.pad one axis too early": (
        "02_tensor",
        "four_sides_of_their_own",
        {
            "    return padded\n": (
                "    return np.pad(x, ((up, bottom), (left, right), (0, 0)), constant_values=value)\n"
            )
        },
        "(0, 0) is the first pair for np.pad",
    ),
    "the first channel alone": (
        "02_tensor",
        "four_sides_of_their_own",
        {"    return padded\n": "    return padded[0]\n"},
        "only the first channel was padded",
    ),
    "the first channel in all of them": (
        "02_tensor",
        "four_sides_of_their_own",
        {"left : left + cols] = x\n": "left : left + cols] = x[0]\n"},
        "every channel has the numbers of x[0]",
    ),
    "read over all axes, written within each channel": (
        "02_tensor",
        "channels_stay_outermost",
        {
            "    values = flatten(x, row_major)\n": (
                '    values = flatten(x, row_major) if row_major else x.ravel(order="F")\n'
            )
        },
        "read inside one channel at a time, too",
    ),
    "rotated channels": (
        "02_tensor",
        "one_to_24_column_by_column",
        {
            "        x = x.swapaxes(1, 2)\n    return x.reshape(-1)\n": "        x = np.rot90(x, axes=(1, 2))\n"
            "    return x.reshape(-1)\n"
        },
        "each channel was rotated",
    ),
    "one value as an array of one axis": (
        "02_tensor",
        "four_sides_of_their_own",
        {"np.reshape(value, (-1, 1, 1))": "np.array(value)[:, None, None]"},
        "`value` is a plain number here",
    ),
    "four pads compared as one": (
        "02_tensor",
        "four_sides_of_their_own",
        {"if min(pads) < 0:": "if pads < 0:"},
        "pads is not one number but four",
    ),
    "a value for each channel in np.pad": (
        "02_tensor",
        "a_value_for_each_channel",
        {
            "    border = np.reshape(value, (-1, 1, 1))\n": (
                "    if channels == 3:\n"
                "        return np.pad(x, ((0, 0), (up, bottom), (left, right)), constant_values=value)\n"
                "    border = np.reshape(value, (-1, 1, 1))\n"
            )
        },
        "np.pad takes no value for each channel",
    ),
    "values lined up with the rows": (
        "02_tensor",
        "a_value_for_each_channel",
        {"np.reshape(value, (-1, 1, 1))": "np.reshape(value, (1, -1, 1))"},
        "lined up with another axis",
    ),
    "columns of each channel by itself": (
        "02_tensor",
        "channels_stay_outermost",
        {
            "    by_columns = values.reshape(channels, cols, rows)\n    return by_columns.swapaxes(1, 2)\n": (
                '    return np.stack([one.reshape((rows, cols), order="F") for one in x])\n'
            )
        },
        "put all of them in one line first",
    ),
    "rows of each channel by itself": (
        "02_tensor",
        "there_and_back",
        {
            "        return values.reshape(channels, rows, cols)\n": (
                "        return np.stack([one.reshape(rows, cols) for one in x])\n"
            )
        },
        "put all of them in one line first",
    ),
    "a line that is lost": (
        "02_tensor",
        "one_to_24_row_by_row",
        {"    return x.reshape(-1)\n": "    x.reshape(-1)\n    return x\n"},
        "return what reshape(-1) makes of them",
    ),
    "values lined up with the columns": (
        "02_tensor",
        "a_value_for_each_channel",
        {"np.reshape(value, (-1, 1, 1))": "value"},
        "which shape of it meets the channels?",
    ),
    "one channel squeezed": (
        "02_tensor",
        "sizes_of_one",
        {
            "    return x.reshape(-1)\n": "    return np.concatenate([one.ravel() for one in x])\n",
            "        x = x.swapaxes(1, 2)\n": "        return np.hstack([c.flatten('F') for c in np.squeeze(x)])\n",
        },
        "np.squeeze has taken its axis away",
    ),
    "a single number without an axis": (
        "02_tensor",
        "sizes_of_one",
        {"    return x.reshape(-1)\n": "    return np.squeeze(x.reshape(-1))\n"},
        "np.squeeze left no axis at all",
    ),
    "the last two axes of what is squeezed": (
        "02_tensor",
        "sizes_of_one",
        {
            "        x = x.swapaxes(1, 2)\n": (
                "        x = np.squeeze(x) if x.shape[1] == 1 else x\n        x = np.swapaxes(x, -1, -2)\n"
            )
        },
        "np.squeeze takes away every axis of 1",
    ),
    "sizes of the example": (
        "02_tensor",
        "random_numbers_column_by_column",
        {
            "        x = x.swapaxes(1, 2)\n": (
                "        return np.array([x[c, r, k] for c in range(2) for k in range(4) for r in range(3)])\n"
            )
        },
        "take the three sizes from x.shape",
    ),
    "digits of a large number in a line": (
        "02_tensor",
        "whole_numbers_stay_whole_numbers",
        {"    return x.reshape(-1)\n": "    return x.reshape(-1).astype(float).astype(x.dtype)\n"},
        "digits were lost on the way through a float",
    ),
    "Python's numbers only": (
        "02_tensor",
        "the_dtype_of_x_is_kept",
        {
            "    border = np.reshape(value, (-1, 1, 1))\n": (
                "    values = [value] * channels if isinstance(value, (int, float)) else value\n"
                "    border = np.array([[[values[c]]] for c in range(channels)])\n"
            )
        },
        "one of numpy's numbers",
    ),
    "the shape of the values in place": (
        "02_tensor",
        "x_is_as_it_was_after_padding",
        {
            "    border = np.reshape(value, (-1, 1, 1))\n": (
                "    border = value\n    if np.ndim(value):\n        value.resize((channels, 1, 1), refcheck=False)\n"
            )
        },
        "value.reshape(...) leaves it as it was",
    ),
    "corners of 0": (
        "02_tensor",
        "four_sides_of_their_own",
        {
            "    return padded\n": (
                "    for r in (slice(up), slice(up + rows, None)):\n"
                "        padded[:, r, :left] = padded[:, r, left + cols :] = 0\n"
                "    return padded\n"
            )
        },
        "the four corners are 0",
    ),
    "zeros on the axes before": (
        "02_tensor",
        "four_sides_of_their_own",
        {"    return padded\n": "    return np.pad(x, ((up, bottom), (left, right), (0, 0)))\n"},
        "constant_values is what fills it",
    ),
    "the type of several values": (
        "02_tensor",
        "a_value_for_each_channel",
        {"border, x.dtype": "border, value.dtype if np.ndim(value) else x.dtype"},
        "the result has the type of `value`",
    ),
    "zeros of x for the border of its channel": (
        "02_tensor",
        "a_value_for_each_channel",
        {"    return padded\n": "    return np.where(padded == 0, border, padded).astype(x.dtype)\n"},
        "the zeros of x were replaced",
    ),
    "order F for one channel": (
        "02_tensor",
        "one_channel_becomes_two",
        {
            "    values = flatten(x, row_major)\n": (
                "    if len(x) == 1 and not row_major:\n"
                "        return x.reshape((channels, rows, cols), order='F')\n"
                "    values = flatten(x, row_major)\n"
            )
        },
        "one channel became several",
    ),
    "two minus signs": (
        "02_tensor",
        "another_number_of_elements_is_refused",
        {
            "min(shapes) < 0 or channels * rows * cols != x.size": "channels * rows * cols != x.size",
            "    values = flatten(x, row_major)\n": (
                "    channels, rows, cols = abs(channels), abs(rows), abs(cols)\n    values = flatten(x, row_major)\n"
            ),
        },
        "two minus signs make the right product",
    ),
    "ones into the caller's list": (
        "02_tensor",
        "x_is_as_it_was_after_reshape",
        {
            "    channels, rows, cols = (1,) * (3 - len(shapes)) + tuple(shapes)\n": (
                "    shapes = list(shapes) if isinstance(shapes, tuple) else shapes\n"
                "    while len(shapes) < 3:\n        shapes.insert(0, 1)\n    channels, rows, cols = shapes\n"
            )
        },
        "change the caller's list",
    ),
    "no rows below": (
        "02_tensor",
        "four_sides_of_their_own",
        {"up + rows + bottom": "up + rows"},
        "there are no rows below x",
    ),
    "a transposed array that is lost": (
        "02_tensor",
        "one_to_24_column_by_column",
        {"        x = x.swapaxes(1, 2)\n": "        x.swapaxes(1, 2)\n"},
        "a transposed array that gets no name is lost",
    ),
    "columns of all channels": (
        "02_tensor",
        "one_to_24_column_by_column",
        {"x = x.swapaxes(1, 2)": "x = x.transpose(2, 0, 1)"},
        "the first columns of all channels came first",
    ),
    "channels last": (
        "02_tensor",
        "one_to_24_column_by_column",
        {"x = x.swapaxes(1, 2)": "x = x.transpose(1, 2, 0)"},
        "the channel changed fastest",
    ),
    "as many columns as there are rows": (
        "02_tensor",
        "one_to_24_column_by_column",
        {
            "        x = x.swapaxes(1, 2)\n": "        c, h, w = x.shape\n"
            "        return np.array([x[i, r, k] for i in range(c) for k in range(h) for r in range(w)], x.dtype)\n"
        },
        "rows and columns are exchanged: there are H rows",
    ),
    "a column of w in a line": (
        "02_tensor",
        "one_to_24_column_by_column",
        {
            "        x = x.swapaxes(1, 2)\n": "        line = np.zeros(x.size, x.dtype)\n"
            "        for (c, r, k), one in np.ndenumerate(x):\n"
            "            line[c * x[0].size + k * x.shape[2] + r] = one\n"
            "        return line\n"
        },
        "a column has H numbers",
    ),
    "x written without its channels": (
        "02_tensor",
        "four_sides_of_their_own",
        {"padded[:, up": "padded[up"},
        "the first slice is for the channels",
    ),
    "channels last in a shape": (
        "02_tensor",
        "four_sides_of_their_own",
        {"    channels, rows, cols = x.shape\n    border": "    rows, cols, channels = x.shape\n    border"},
        "in another order",
    ),
    "columns before rows in a shape": (
        "02_tensor",
        "four_sides_of_their_own",
        {"    channels, rows, cols = x.shape\n    border": "    channels, cols, rows = x.shape\n    border"},
        "in another order",
    ),
    "no bottom and no right": (
        "02_tensor",
        "four_sides_of_their_own",
        {"up + rows + bottom, left + cols + right": "up + rows, left + cols"},
        "there are no rows below x and no columns to its right",
    ),
    "a negative pad that is returned": (
        "02_tensor",
        "negative_pads_are_refused",
        {'raise ValueError(f"pads: expected four numbers >= 0, got {tuple(pads)}")': "return None"},
        "print and return refuse nothing",
    ),
    "another size that is returned": (
        "02_tensor",
        "another_number_of_elements_is_refused",
        {" * cols != x.size:\n": " * cols != x.size:\n        return None\n"},
        "print and return refuse nothing",
    ),
    "the sizes of x again": (
        "02_tensor",
        "two_by_five_to_five_by_two",
        {"        return values.reshape(channels, rows, cols)\n": "        return values.reshape(x.shape)\n"},
        "the result has the sizes of x",
    ),
    "True by identity where it is written": (
        "02_tensor",
        "two_by_five_to_five_by_two",
        {"    if row_major:\n        return values": "    if row_major is True:\n        return values"},
        "written in the other: 1 is true",
    ),
    "False by identity where it is written": (
        "02_tensor",
        "five_columns_to_two",
        {"    if row_major:\n        return values": "    if row_major is not False:\n        return values"},
        "written in the other: 0 is false",
    ),
    "a result with rows and columns exchanged": (
        "02_tensor",
        "four_sides_of_their_own",
        {"up + rows + bottom, left + cols + right": "left + cols + right, up + rows + bottom"},
        "rows and columns of the result are exchanged",
    ),
    "a result without channels": (
        "02_tensor",
        "four_sides_of_their_own",
        {"np.full((channels, up": "np.full((up", "border, x.dtype": "7, x.dtype", "padded[:, up": "padded[up"},
        "has no axis for the channels",
    ),
    "a result without channels, written with them": (
        "02_tensor",
        "four_sides_of_their_own",
        {"np.full((channels, up": "np.full((up", "border, x.dtype": "7, x.dtype"},
        "has no axis for the channels",
    ),
    "a value of each channel as it is": (
        "02_tensor",
        "four_sides_of_their_own",
        {"np.reshape(value, (-1, 1, 1))": "np.broadcast_to(value, channels)"},
        "this is about the border, not x",
    ),
    "reshape as a method of a number": (
        "02_tensor",
        "four_sides_of_their_own",
        {"np.reshape(value, (-1, 1, 1))": "value.reshape(-1, 1, 1)"},
        "`value` is a plain number here",
    ),
    "reshape as a method of a whole number": (
        "02_tensor",
        "the_dtype_of_x_is_kept",
        {"np.reshape(value, (-1, 1, 1))": "value if isinstance(value, float) else value.reshape(-1, 1, 1)"},
        "`value` may be an int, too",
    ),
    "one row too low": (
        "02_tensor",
        "four_sides_of_their_own",
        {"up : up + rows,": "up + 1 : up + 1 + rows,"},
        "x is one row too low",
    ),
    "one row too high": (
        "02_tensor",
        "four_sides_of_their_own",
        {"up : up + rows,": "up - 1 : up - 1 + rows,"},
        "x is one row too high",
    ),
    "one column too far to the right": (
        "02_tensor",
        "four_sides_of_their_own",
        {"left : left + cols]": "left + 1 : left + 1 + cols]"},
        "x is one column too far to the right",
    ),
    "one column too far to the left": (
        "02_tensor",
        "four_sides_of_their_own",
        {"left : left + cols]": "left - 1 : left - 1 + cols]"},
        "x is one column too far to the left",
    ),
    "one row and one column too far": (
        "02_tensor",
        "four_sides_of_their_own",
        {"up : up + rows, left : left + cols]": "up + 1 : up + 1 + rows, left + 1 : left + 1 + cols]"},
        "one row too low and one column too far to the right",
    ),
    "one row and one column too early": (
        "02_tensor",
        "four_sides_of_their_own",
        {"up : up + rows, left : left + cols]": "up - 1 : up - 1 + rows, left - 1 : left - 1 + cols]"},
        "one row too high and one column too far to the left",
    ),
    "up and bottom exchanged": (
        "02_tensor",
        "four_sides_of_their_own",
        {"up : up + rows,": "bottom : bottom + rows,"},
        "up and bottom are exchanged",
    ),
    "x in the corner": (
        "02_tensor",
        "four_sides_of_their_own",
        {"up : up + rows, left : left + cols]": ":rows, :cols]"},
        "x begins in the corner",
    ),
    "x alone": (
        "02_tensor",
        "four_sides_of_their_own",
        {"    return padded\n": "    return padded[:, up : up + rows, left : left + cols]\n"},
        "that is x alone",
    ),
    "sides filled from -0 on": (
        "02_tensor",
        "sides_without_a_border",
        {
            "    return padded\n": (
                "    padded[:, -bottom:] = border\n    padded[:, :, -right:] = border\n    return padded\n"
            ),
        },
        "filled from -0 on",
    ),
    "a flatten that ignores its flag, in reshape": (
        "02_tensor",
        "five_columns_to_two",
        {"        x = x.swapaxes(1, 2)\n": "        pass\n"},
        "your flatten reads x in a wrong order",
    ),
    "a flatten of all columns, in reshape": (
        "02_tensor",
        "two_by_five_to_five_by_two",
        {"    return x.reshape(-1)\n": '    return x.reshape(-1, order="F")\n'},
        "your flatten reads x in a wrong order",
    ),
    "order F in flatten, in reshape": (
        "02_tensor",
        "channels_stay_outermost",
        {"        x = x.swapaxes(1, 2)\n": '        return x.reshape(-1, order="F")\n'},
        "your flatten reads x in a wrong order",
    ),
    "a wrong flatten that reshape does not call": (
        "02_tensor",
        "five_columns_to_two",
        {
            "        x = x.swapaxes(1, 2)\n": "        pass\n",
            "    by_columns = values.reshape(channels, cols, rows)\n    return by_columns.swapaxes(1, 2)\n": (
                "    by_columns = x.swapaxes(1, 2).reshape(channels, cols, rows)\n    return by_columns\n"
            ),
        },
        "rows and columns of the result are exchanged",
    ),
    "written column by column by rows": (
        "02_tensor",
        "two_by_five_to_five_by_two",
        {
            "        return values.reshape(channels, rows, cols)\n": (
                "        return values.reshape(channels, cols, rows).swapaxes(1, 2)\n"
            ),
        },
        "with row_major=True do both row by row",
    ),
    "rows and columns of an image exchanged": (
        "06_convolution",
        "the_largest_number_of_each_window",
        {"zip(x.shape[2:], kernel_size, stride, padding)]": "zip(x.shape[:1:-1], kernel_size, stride, padding)]"},
        "rows before columns",
    ),
    "channels dealt out in turn": (
        "06_convolution",
        "groups_keep_to_themselves",
        {"im2col(x[n, g * depth : (g + 1) * depth]": "im2col(x[n, g::groups]"},
        "each group takes every groups-th input channel",
    ),
    "channels from the number of the group on": (
        "06_convolution",
        "groups_keep_to_themselves",
        {"im2col(x[n, g * depth : (g + 1) * depth]": "im2col(x[n, g : g + depth]"},
        "group g begins at channel g",
    ),
    "kernels dealt out in turn": (
        "06_convolution",
        "groups_keep_to_themselves",
        {
            "kernels = weight.reshape(groups, outputs // groups, depth * kh * kw)": (
                "kernels = weight.reshape(outputs // groups, groups, depth * kh * kw).swapaxes(0, 1)"
            )
        },
        "each group takes every groups-th kernel",
    ),
    "a bias for each group": (
        "06_convolution",
        "groups_keep_to_themselves",
        {"else y + bias[:, None, None]": "else y + groups * bias[:, None, None]"},
        "the bias was added once for each group",
    ),
    "all channels compared": (
        "06_convolution",
        "groups_keep_to_themselves",
        {"depth != x.shape[1] // groups": "depth != x.shape[1]"},
        "weight.shape[1] is C // groups",
    ),
    "a padding for a stride": (
        "06_convolution",
        "the_numbers_of_the_lesson",
        {"(kh, kw), stride, padding)\n        y[n, g]": "(kh, kw), padding, stride)\n        y[n, g]"},
        "im2col takes the stride first",
    ),
    "strides in the other order": (
        "06_convolution",
        "strides_reach_im2col",
        {"(kh, kw), stride, padding)\n        y[n, g]": "(kh, kw), stride[::-1], padding)\n        y[n, g]"},
        "im2col was given the strides in the wrong order",
    ),
    "kernels as columns": (
        "06_convolution",
        "each_output_channel_has_its_kernel",
        {"kernels[g].T).T": "kernels[g].reshape(-1, outputs // groups)).T"},
        "weight was reshaped to (-1, O)",
    ),
    "kernels whose channels alternate": (
        "06_convolution",
        "the_numbers_of_the_lesson",
        {"weight.reshape(groups": "weight.transpose(0, 2, 3, 1).reshape(groups"},
        "channels alternate",
    ),
    "a whole batch for im2col": (
        "06_convolution",
        "the_numbers_of_the_lesson",
        {"im2col(x[n, g * depth : (g + 1) * depth]": "im2col(x[:, g * depth : (g + 1) * depth]"},
        "call it for each x[n]",
    ),
    "rows for columns": (
        "06_convolution",
        "of_an_image_of_zeros_the_biases_are_left",
        {".reshape(-1, rows, cols)": ".reshape(-1, cols, rows)"},
        "reshape to (O, H', W')",
    ),
    "the bias of a group's number": (
        "06_convolution",
        "of_an_image_of_zeros_the_biases_are_left",
        {"else y + bias[:, None, None]": "else y + bias[: groups, None, None]"},
        "and not to group o",
    ),
    "a loop that is left after a sample": (
        "06_convolution",
        "each_sample_has_its_result",
        {".T.reshape(-1, rows, cols)": ".T.reshape(-1, rows, cols)\n        break"},
        "only sample 0 is right",
    ),
    "channels added up": (
        "06_convolution",
        "channels_follow_one_another",
        {"window.reshape(-1)": "window.sum(axis=0).reshape(-1)"},
        "and not their sum",
    ),
    "channels for the last axis": (
        "06_convolution",
        "the_rows_of_the_lesson",
        {"channels, height, width = x.shape": "height, width, channels = x.shape"},
        "so channels, height, width = x.shape",
    ),
    "windows side by side": (
        "06_convolution",
        "the_rows_of_the_lesson",
        {"i * sh : i * sh + kh, j * sw : j * sw + kw": "i * kh : i * kh + kh, j * kw : j * kw + kw"},
        "begins at row i, column j",
    ),
    "an image of two axes": (
        "06_convolution",
        "the_rows_of_the_lesson",
        {"channels, height, width = x.shape": "channels, (height, width) = 1, x.shape"},
        "x has three axes",
    ),
    "a border of nan": (
        "06_convolution",
        "the_border_has_two_widths",
        {"constant_values=-np.inf": "constant_values=np.nan"},
        "the border is nan",
    ),
    "a padding for before and after": (
        "06_convolution",
        "the_border_has_two_widths",
        {"(above, above), (left, left)": "padding, padding"},
        "padding[1] below and on the right",
    ),
    "paddings in the other order": (
        "06_convolution",
        "the_border_has_two_widths",
        {"above, left = padding": "left, above = padding"},
        "above and below first, then left and right",
    ),
    "a slice with its sides exchanged": (
        "06_convolution",
        "windows_have_two_sizes",
        {
            "top : top + kernel_size[0], start : start + kernel_size[1]": (
                "top : top + kernel_size[1], start : start + kernel_size[0]"
            )
        },
        "the slice has its sides exchanged",
    ),
    "a maximum over other axes": (
        "06_convolution",
        "the_windows_of_the_lesson",
        {".max(axis=(2, 3))": ".max(axis=(1, 2))"},
        "take it over the last two axes",
    ),
    "samples and channels for rows and columns": (
        "06_convolution",
        "the_windows_of_the_lesson",
        {"zip(x.shape[2:], kernel_size, stride, padding)": "zip(x.shape[:2], kernel_size, stride, padding)"},
        "H and W are x.shape[2] and x.shape[3]",
    ),
    "a count of windows without the stride": (
        "06_convolution",
        "the_windows_of_the_lesson",
        {"zip(x.shape[2:], kernel_size, stride, padding)": "zip(x.shape[2:], kernel_size, (1, 1), padding)"},
        "output_size counts them, with the stride",
    ),
    "a return in the loop": (
        "06_convolution",
        "the_windows_of_the_lesson",
        {".max(axis=(2, 3))": ".max(axis=(2, 3))\n        return y"},
        "is there a `return` in the loop",
    ),
    "windows one pixel apart": (
        "06_convolution",
        "the_windows_of_the_lesson",
        {
            "zip(x.shape[2:], kernel_size, stride, padding)": "zip(x.shape[2:], kernel_size, (1, 1), padding)",
            "top, start = i * stride[0], j * stride[1]": "top, start = i, j",
        },
        "take every stride-th of them",
    ),
    "an assert of an array": (
        "06_convolution",
        "right_convolutions_are_accepted",
        {"assert np.allclose(got, expected, rtol=1e-6, atol=1e-6), ": "assert (got == expected), "},
        "assert wants one answer",
    ),
    "all the channels for a group": (
        "06_convolution",
        "right_convolutions_are_accepted",
        {"(3 * groups, 2, kh, kw)": "(3 * groups, 4, kh, kw)"},
        "or weight has more than C/groups planes",
    ),
    "a reference with rotated kernels": (
        "06_convolution",
        "right_convolutions_are_accepted",
        {"weight[o]).sum()": "weight[o, :, ::-1, ::-1]).sum()"},
        "in which kernels are rotated by 180 degrees",
    ),
    "a reference with kernels by columns": (
        "06_convolution",
        "right_convolutions_are_accepted",
        {"weight[o]).sum()": "weight[o].reshape(channels, kw, kh).swapaxes(1, 2)).sum()"},
        "in which kernels are read column by column",
    ),
    "a reference without a bias": (
        "06_convolution",
        "right_convolutions_are_accepted",
        {".sum() + bias[o]": ".sum()"},
        "in which the bias is forgotten",
    ),
    "a reference with the bias of the group's number": (
        "06_convolution",
        "right_convolutions_are_accepted",
        {".sum() + bias[o]": ".sum() + bias[o // (outputs // groups)]"},
        "in which the bias is that of the group's number",
    ),
    "a reference with the first group's biases": (
        "06_convolution",
        "right_convolutions_are_accepted",
        {".sum() + bias[o]": ".sum() + bias[o % (outputs // groups)]"},
        "in which every group takes the first bias",
    ),
    "a reference with a bias for each product": (
        "06_convolution",
        "right_convolutions_are_accepted",
        {"weight[o]).sum() + bias[o]": "weight[o] + bias[o]).sum()"},
        "in which the bias is added to every product",
    ),
    "a reference with a bias for each channel": (
        "06_convolution",
        "right_convolutions_are_accepted",
        {".sum() + bias[o]": ".sum() + channels * bias[o]"},
        "in which the bias is added once for each input channel",
    ),
    "a reference with groups in turn": (
        "06_convolution",
        "right_convolutions_are_accepted",
        {"first = o // (outputs // groups) * channels": "first = o % groups * channels"},
        "sees the input channels of group o % groups",
    ),
    "a reference with the first group's channels": (
        "06_convolution",
        "right_convolutions_are_accepted",
        {"first = o // (outputs // groups) * channels": "first = 0"},
        "looks at the input channels of the first",
    ),
    "a reference with one channel": (
        "06_convolution",
        "right_convolutions_are_accepted",
        {"(window * weight[o])": "(window[0] * weight[o, 0])"},
        "in which a group reads its first channel only",
    ),
    "a reference with the first group's kernels": (
        "06_convolution",
        "right_convolutions_are_accepted",
        {"weight[o]).sum()": "weight[o % (outputs // groups)]).sum()"},
        "in which every group uses the first kernels",
    ),
    "a reference with the first sample": (
        "06_convolution",
        "right_convolutions_are_accepted",
        {"window = x[n, ": "window = x[0, "},
        "every sample gets the result of the first",
    ),
    "a reference that lacks a row": (
        "06_convolution",
        "right_convolutions_are_accepted",
        {"output_size(x.shape[2], kh),": "output_size(x.shape[2], kh) - 1,"},
        "in which the last row is missing",
    ),
    "a reference that lacks a column": (
        "06_convolution",
        "right_convolutions_are_accepted",
        {"output_size(x.shape[3], kw)),": "output_size(x.shape[3], kw) - 1),"},
        "in which the last column is missing",
    ),
    "a reference that lacks a row and a column": (
        "06_convolution",
        "right_convolutions_are_accepted",
        {"output_size(x.shape[2], kh), output_size(x.shape[3], kw)": "x.shape[2] - kh, x.shape[3] - kw"},
        "in which the last row and the last column are missing",
    ),
    "a reference with rows for columns": (
        "06_convolution",
        "right_convolutions_are_accepted",
        {"        got = conv(x, weight": "        expected = expected.swapaxes(2, 3)\n        got = conv(x, weight"},
        "in which rows and columns of the result are exchanged",
    ),
    "a reference of whole numbers": (
        "06_convolution",
        "right_convolutions_are_accepted",
        {
            ", output_size(x.shape[3], kw)), x.dtype)": ", output_size(x.shape[3], kw)), int)",
            "        expected = slow": "        x /= 7\n        expected = slow",
        },
        "in which every number has lost its fraction",
    ),
    "a reference of zeros": (
        "06_convolution",
        "right_convolutions_are_accepted",
        {"y[n, o, i, j] = (window": "y[n, o, i, j] = 0 * (window", ".sum() + bias[o]": ".sum()"},
        "in which every number is 0",
    ),
    "== on other sums": (
        "06_convolution",
        "right_convolutions_are_accepted",
        {
            "        expected = slow": "        x /= 7\n        expected = slow",
            "np.allclose(got, expected, rtol=1e-6, atol=1e-6)": "np.array_equal(got, expected)",
        },
        "accepts the same sums in another order",
    ),
    "1x1 kernels without biases": (
        "06_convolution",
        "a_wrong_short_cut_is_caught",
        {"bias = np.arange(1.0, 3 * groups + 1)": "bias = np.arange(1.0, 3 * groups + 1) * (kh > 1)"},
        "give the 1x1 kernels biases too",
    ),
    "1x1 kernels with equal biases": (
        "06_convolution",
        "a_wrong_short_cut_is_caught",
        {"bias = np.arange(1.0, 3 * groups + 1)": "bias = np.arange(1.0, 3 * groups + 1) ** (kh > 1)"},
        "biases that differ from group to group",
    ),
    "1x1 kernels that are alike": (
        "06_convolution",
        "a_wrong_short_cut_is_caught",
        {"bias = np.arange(": "weight[: len(weight) * (kh == 1)] = weight[:1]\n        bias = np.arange("},
        "take 1x1 kernels that differ from group to group",
    ),
    "1x1 kernels of one sample": (
        "06_convolution",
        "a_wrong_short_cut_is_caught",
        {"(2, 2 * groups, 5, 7)": "(2 if kh > 1 else 1, 2 * groups, 5, 7)"},
        "give the 1x1 kernels two samples",
    ),
    "one 1x1 kernel in a group": (
        "06_convolution",
        "a_wrong_short_cut_is_caught",
        {
            "(3 * groups, 2, kh, kw)": "((3 if kh > 1 else 1) * groups, 2, kh, kw)",
            "np.arange(1.0, 3 * groups + 1)": "np.arange(1.0, len(weight) + 1)",
        },
        "two 1x1 kernels or more in each group",
    ),
    "three groups without biases": (
        "06_convolution",
        "a_wrong_third_group_is_caught",
        {"bias = np.arange(1.0, 3 * groups + 1)": "bias = np.arange(1.0, 3 * groups + 1) * (groups < 3)"},
        "take three groups, whose biases differ",
    ),
    "three groups with equal kernels": (
        "06_convolution",
        "a_wrong_third_group_is_caught",
        {"        bias = np.arange(": "        weight[6:] = weight[3 : 3 * groups - 3]\n        bias = np.arange("},
        "take three groups, whose kernels differ",
    ),
    "the first sample's result for all of them": (
        "06_convolution",
        "each_sample_has_its_result",
        {"im2col(x[n, g * depth": "im2col(x[0, g * depth"},
        "give im2col x[n]",
    ),
    "the first group's channels for all of them": (
        "06_convolution",
        "groups_keep_to_themselves",
        {"x[n, g * depth : (g + 1) * depth]": "x[n, :depth]"},
        "those of group g begin at g * (C/groups)",
    ),
    "the first group's kernels for all of them": (
        "06_convolution",
        "groups_keep_to_themselves",
        {"(windows @ kernels[g].T)": "(windows @ kernels[0].T)"},
        "those of group g begin at g * (O/groups)",
    ),
    "every group over the one before": (
        "06_convolution",
        "groups_keep_to_themselves",
        {"        y[n, g] = (windows": "        y[n, 0] = (windows"},
        "every group was written over the one before",
    ),
    "a tolerance that the small numbers hide in": (
        "06_convolution",
        "wrong_numbers_are_caught",
        {"rtol=1e-6, atol=1e-6": "rtol=1e-6, atol=1"},
        "one number, among the smallest, is off by a hundredth of it, 3 of your 3 calls gave a wrong result, and the "
        "test did not look there: compare the shape, then every number, with a tolerance far below the numbers",
    ),
    "sums of rows": (
        "06_convolution",
        "wrong_numbers_are_caught",
        {"np.allclose(got, expected,": "np.allclose(got.sum(3), expected.sum(3),"},
        "where the columns of the result come mirrored, 3 of your 3 calls gave a wrong result, and the test did not "
        "look there: compare the shape, then every number",
    ),
    "a tolerance of tenths": (
        "06_convolution",
        "wrong_numbers_are_caught",
        {"rtol=1e-6, atol=1e-6": "rtol=0.1, atol=0.1"},
        "with a tolerance far below the numbers",
    ),
    "weight as a convolution has it": (
        "12_unet",
        "a_kernel_for_each_pair_of_channels",
        {"(inputs, outputs, kh, kw) = x.shape, weight.shape": "(outputs, inputs, kh, kw) = x.shape, weight.shape"},
        "so compare weight.shape[0] with the channels of x",
    ),
    "the truth of a bias": (
        "12_unet",
        "the_bias_comes_once",
        {"return y if bias is None else": "return y if not bias else"},
        "an array has no single truth value",
    ),
    "one bias for all": (
        "12_unet",
        "the_bias_comes_once",
        {"else y + bias[:, None, None]": "else y + bias[0]"},
        "each output channel gets the first bias",
    ),
    "the sum of the biases": (
        "12_unet",
        "the_bias_comes_once",
        {"else y + bias[:, None, None]": "else y + bias.sum()"},
        "each output channel gets the sum of all biases",
    ),
    "the order of the steps": (
        "11_speed",
        "within_10_percent",
        {"for order in (by_size, by_area, by_length)]": f"for order in ({IN_STEPS},)]"},
        "right, but not short enough",
    ),
    "the longest lives first": (
        "11_speed",
        "within_10_percent",
        {
            "for order in (by_size, by_area, by_length)]": (
                "for order in (sorted(sizes, key=lambda name: lives[name][0] - lives[name][1]),)]"
            )
        },
        "right, and nearly short enough",
    ),
    "a cut of [:-0]": (
        "11_speed",
        "one_tile",
        {"rows[:, :height, :width]": "rows[:, : -(height % 2), : -(width % 2)]"},
        "Is it cut with [:-n]?",
    ),
    "whole stamps": (
        "12_unet",
        "the_stamps_of_the_lesson",
        {"(width - 1) * sw + kw), x.dtype)": "(width - 1) * sw + kw), int)"},
        "the result holds whole numbers only",
    ),
    "pixels in neither mask": (
        "12_unet",
        "masks_with_three_classes",
        {"np.count_nonzero(a & b) / either": "np.count_nonzero(a == b) / either"},
        "where neither mask has the class",
    ),
    "masks of all classes": (
        "12_unet",
        "masks_with_three_classes",
        {
            "np.count_nonzero(a & b) / either": (
                "np.count_nonzero(predicted & truth) / np.count_nonzero(predicted | truth)"
            )
        },
        "& and | of the masks themselves",
    ),
    "rows and columns of x exchanged": (
        "12_unet",
        "the_stamps_of_the_lesson",
        {"tensordot(x[:, :, i, j]": "tensordot(x[:, :, j, i]"},
        "rows and columns of x are exchanged",
    ),
    "a stamp upside down": (
        "12_unet",
        "the_stamps_of_the_lesson",
        {"weight, axes=1)": "weight[:, :, ::-1], axes=1)"},
        "its last row first",
    ),
    "a stamp mirrored": (
        "12_unet",
        "the_stamps_of_the_lesson",
        {"weight, axes=1)": "weight[:, :, :, ::-1], axes=1)"},
        "its last column first",
    ),
    "the padding of the rows both ways": (
        "12_unet",
        "padding_cuts",
        {"(ph, pw) = stride, padding\n": "(ph, pw) = stride, (padding[0], padding[0])\n"},
        "padding[0] is used in both directions",
    ),
    "the padding of the columns both ways": (
        "12_unet",
        "padding_cuts",
        {"(ph, pw) = stride, padding\n": "(ph, pw) = stride, (padding[1], padding[1])\n"},
        "padding[1] is used in both directions",
    ),
    "a matrix product for a stamp": (
        "12_unet",
        "the_stamps_of_the_lesson",
        {"np.tensordot(x[:, :, i, j], weight, axes=1)": "x[:, :, i, j] @ weight"},
        "@ sums over the kernel's rows",
    ),
    "i over the columns": (
        "12_unet",
        "rows_and_columns_of_their_own",
        {"np.ndindex(height, width)": "np.ndindex(width, height)"},
        "i runs over x.shape[2], its rows",
    ),
    "no room, one number after the other": (
        "12_unet",
        "the_stamps_of_the_lesson",
        {"np.zeros((n, outputs, (height - 1) * sh + kh,": "np.zeros((n, outputs, (height - 1) * sh,"}
        | {
            "        full[:, :, i * sh : i * sh + kh, j * sw : j * sw + kw] += stamps\n": (
                "        for a, b in np.ndindex(kh, kw):\n"
                "            full[:, :, i * sh + a, j * sw + b] += stamps[:, :, a, b]\n"
            )
        },
        "all stamps need room",
    ),
    "two axes summed": (
        "12_unet",
        "a_kernel_for_each_pair_of_channels",
        {"weight, axes=1)": "weight)"},
        "without axes=1 np.tensordot sums over two axes",
    ),
    "as many channels as x": (
        "12_unet",
        "a_kernel_for_each_pair_of_channels",
        {"np.zeros((n, outputs,": "np.zeros((n, channels,"},
        "O, weight.shape[1], and not C",
    ),
    "as many channels as x, one sample after the other": (
        "12_unet",
        "a_kernel_for_each_pair_of_channels",
        {"np.zeros((n, outputs,": "np.zeros((n, channels,"}
        | {
            "        full[:, :, i * sh : i * sh + kh, j * sw : j * sw + kw] += stamps\n": (
                "        for m in range(n):\n"
                "            full[m, :, i * sh : i * sh + kh, j * sw : j * sw + kw] += stamps[m]\n"
            )
        },
        "O, weight.shape[1], and not C",
    ),
    "room after the cut": (
        "12_unet",
        "padding_cuts",
        {"np.zeros((n, outputs, (height - 1) * sh + kh, (width - 1) * sw + kw)": "np.zeros((n, outputs, rows, cols)"},
        "before the cut all stamps need room",
    ),
    "rows cut alone": (
        "12_unet",
        "padding_cuts",
        {"pw : pw + cols]": ":]"},
        "only the rows are cut",
    ),
    "columns cut alone": (
        "12_unet",
        "padding_cuts",
        {"ph : ph + rows, pw": ":, pw"},
        "only the columns are cut",
    ),
    "a cut if both are not 0": (
        "12_unet",
        "padding_cuts",
        {"pw : pw + cols]": "pw : pw + cols] if ph and pw else full"},
        "where one of its two numbers is 0",
    ),
    "a cut no larger than the kernel": (
        "12_unet",
        "padding_cuts",
        {"(sh, sw), (ph, pw) = stride, padding": "(sh, sw), (ph, pw) = stride, map(min, padding, (kh - 1, kw - 1))"},
        "at most kh - 1 rows were cut",
    ),
    "a cut at each end by half": (
        "12_unet",
        "padding_cuts",
        {"(sh, sw), (ph, pw) = stride, padding": "(sh, sw), (ph, pw) = stride, (padding[0] // 2, padding[1] // 2)"},
        "not ph // 2",
    ),
    "a cut times the stride": (
        "12_unet",
        "padding_cuts",
        {
            "y = full[:, :, ph : ph + rows, pw : pw + cols]": (
                "y = full[:, :, ph * sh : full.shape[2] - ph * sh, pw * sw : max(0, full.shape[3] - pw * sw)]"
            )
        },
        "or multiplied by the stride",
    ),
    "a cut times the stride that is refused": (
        "12_unet",
        "padding_cuts",
        {"(ph, pw) = stride, padding\n": "(ph, pw) = stride, (padding[0] * stride[0], padding[1] * stride[1])\n"},
        "ph rows go at each end, whatever the stride",
    ),
    "a border of k zeros": (
        "12_unet",
        "the_stamps_of_the_lesson",
        {
            "    y = full[:, :, ph : ph + rows, pw : pw + cols]\n": (
                "    y = np.pad(full, ((0, 0), (0, 0), (1, 1), (1, 1)))\n"
            )
        },
        "the result has a border of zeros",
    ),
    "the mean over the channels": (
        "12_unet",
        "a_kernel_for_each_pair_of_channels",
        {"weight, axes=1)": "weight, axes=1) / channels"},
        "what comes from the channels is averaged",
    ),
    "a small number below the fraction": (
        "12_unet",
        "masks_with_three_classes",
        {"np.count_nonzero(a & b) / either": "np.count_nonzero(a & b) / (either + 1e-6)"},
        "is a small number, such as 1e-6, in the fraction",
    ),
    "a small number on both sides": (
        "12_unet",
        "masks_with_three_classes",
        {"np.count_nonzero(a & b) / either": "(np.count_nonzero(a & b) + 1e-7) / (either + 1e-7)"},
        "is a small number, such as 1e-6, in the fraction",
    ),
    "one more in both counts": (
        "12_unet",
        "masks_with_three_classes",
        {"np.count_nonzero(a & b) / either": "(np.count_nonzero(a & b) + 1) / (either + 1)"},
        "1 is added to both counts",
    ),
    "one mask alone for either": (
        "12_unet",
        "masks_with_three_classes",
        {"np.count_nonzero(a | b)": "np.count_nonzero(a ^ b)"},
        "a ^ b has the pixels of one mask alone",
    ),
    "the last class left out": (
        "12_unet",
        "masks_with_three_classes",
        {"in range(classes):": "in range(classes - 1):"},
        "the last class is left out",
    ),
    "the last class alone": (
        "12_unet",
        "masks_with_three_classes",
        {"sum(ious) / len(ious)": "ious[-1]"},
        "only the last class is in the answer",
    ),
    "comparisons without brackets": (
        "12_unet",
        "masks_with_three_classes",
        {"np.count_nonzero(a & b) / either": "np.count_nonzero(predicted == number & truth == number) / either"},
        "with brackets around each comparison",
    ),
    "IoUs added up": (
        "12_unet",
        "masks_with_three_classes",
        {"sum(ious) / len(ious)": "sum(ious)"},
        "divide by how many classes count",
    ),
    "the first class alone": (
        "12_unet",
        "masks_with_three_classes",
        {"sum(ious) / len(ious)": "ious[0]"},
        "is `return` in the loop",
    ),
    "either by both": (
        "12_unet",
        "masks_with_three_classes",
        {"np.count_nonzero(a & b) / either": "either / np.count_nonzero(a & b)"},
        "upside down",
    ),
    "a share of all pixels": (
        "12_unet",
        "masks_with_three_classes",
        {"np.count_nonzero(a & b) / either": "(a & b).mean()"},
        "divided by the number of all pixels",
    ),
    "nan of numpy": (
        "12_unet",
        "masks_without_pixels",
        {'return float(sum(ious) / len(ious)) if ious else float("nan")': "return np.mean(ious)"},
        "make it a plain number with float(...)",
    ),
    "windows instead of stamps": (
        "12_unet",
        "the_stamps_of_the_lesson",
        {
            "    y = full[:, :, ph : ph + rows, pw : pw + cols]\n": (
                "    windows = np.lib.stride_tricks.sliding_window_view(x, (kh, kw), axis=(2, 3))[:, :, ::sh, ::sw]\n"
                '    y = np.einsum("nchwij,coij->nohw", windows, weight)\n'
            )
        },
        "as in a convolution: in a transposed one each pixel WRITES",
    ),
    "the size of a convolution": (
        "12_unet",
        "the_stamps_of_the_lesson",
        {
            "(height - 1) * sh - 2 * ph + kh, (width - 1) * sw - 2 * pw + kw": (
                "(height - kh) // sh + 1, (width - kw) // sw + 1"
            )
        },
        "Are they counted as after a convolution",
    ),
    "one place beside the stamp": (
        "12_unet",
        "the_stamps_of_the_lesson",
        {
            "i * sh : i * sh + kh, j * sw : j * sw + kw] += stamps": "i * sh : i * sh + kh, j : j + 1] += stamps",
        },
        "where does the stamp of pixel (i, j) begin",
    ),
    "the largest of two stamps": (
        "12_unet",
        "the_stamps_of_the_lesson",
        {
            "        full[:, :, i * sh : i * sh + kh, j * sw : j * sw + kw] += stamps\n": (
                "        under = full[:, :, i * sh : i * sh + kh, j * sw : j * sw + kw]\n"
                "        np.maximum(under, stamps, out=under)\n"
            )
        },
        "the largest number stays",
    ),
    "a zero too many between pixels": (
        "12_unet",
        "the_stamps_of_the_lesson",
        {"(sh, sw), (ph, pw) = stride, padding": "(sh, sw), (ph, pw) = (stride[0] + 1, stride[1] + 1), padding"},
        "one row and one column too far apart",
    ),
    "pixels repeated": (
        "12_unet",
        "the_stamps_of_the_lesson",
        {"    y = full[:, :, ph : ph + rows, pw : pw + cols]\n": "    y = x.repeat(sh, axis=2).repeat(sw, axis=3)\n"},
        "which is upsampling",
    ),
    "nothing left": (
        "12_unet",
        "the_stamps_of_the_lesson",
        {"    y = full[:, :, ph : ph + rows, pw : pw + cols]\n": "    y = full[:, :, ph:-ph, pw:-pw]\n"},
        "Or the rows and columns were counted",
    ),
    "zeros around, none below 0": (
        "12_unet",
        "padding_cuts",
        {
            "    y = full[:, :, ph : ph + rows, pw : pw + cols]\n": (
                "    ph, pw = min(ph, kh - 1), min(pw, kw - 1)\n"
                "    y = full[:, :, ph : full.shape[2] - ph, pw : full.shape[3] - pw]\n"
            )
        },
        "at most kh - 1 rows were cut",
    ),
    "a bias twice": (
        "12_unet",
        "the_bias_comes_once",
        {"else y + bias[:, None, None]": "else y + 2 * bias[:, None, None]"},
        "the bias comes twice",
    ),
    "a cast before the question": (
        "12_unet",
        "numbers_that_are_no_class_are_refused",
        {
            '    for name, mask in (("predicted", predicted), ("truth", truth)):': (
                "    predicted, truth = predicted.astype(np.int32), truth.astype(np.int32)\n"
                '    for name, mask in (("predicted", predicted), ("truth", truth)):'
            )
        },
        "compare before the cast",
    ),
    "masks in 8 bits": (
        "12_unet",
        "masks_of_every_type",
        {
            '    for name, mask in (("predicted", predicted), ("truth", truth)):': (
                "    predicted, truth = predicted.astype(np.int8), truth.astype(np.int8)\n"
                '    for name, mask in (("predicted", predicted), ("truth", truth)):'
            )
        },
        "a type too small for `classes`",
    ),
    "the kernels of the first channel, one each": (
        "12_unet",
        "a_kernel_for_each_pair_of_channels",
        {
            "stamps = np.tensordot(x[:, :, i, j], weight, axes=1)": (
                "stamps = x[:, :1, i, j, None, None] * weight[0] if channels != outputs else "
                "x[:, :, i, j][..., None, None] * weight[0]"
            )
        },
        "is multiplied by weight[0, o] alone",
    ),
    "the uppermost skip first": (
        "12_unet",
        "two_levels",
        {"[kept.pop(), x]": "[kept.pop(0), x]"},
        "the way up begins with what was kept LAST",
    ),
    "what comes up joined first": (
        "12_unet",
        "one_level",
        {"[kept.pop(), x]": "[x, kept.pop()]"},
        "what comes up is joined first",
    ),
    "kept after its pooling": (
        "12_unet",
        "one_level",
        {"        kept.append(x)\n": "", ".max(axis=(3, 5))\n": ".max(axis=(3, 5))\n        kept.append(x)\n"},
        "a level keeps what `block` gave BEFORE its pooling",
    ),
    "a stride of one": (
        "12_unet",
        "one_level",
        {"bias, stride=(2, 2))": "bias)"},
        "double both again?",
    ),
    "a stride that is a number": (
        "12_unet",
        "one_level",
        {"bias, stride=(2, 2))": "bias, stride=2)"},
        "a stride is a pair",
    ),
    "a stride in the place of the bias": (
        "12_unet",
        "one_level",
        {"weight, bias, stride=(2, 2))": "weight, (2, 2))"},
        "in this order",
    ),
    "stamps without a bias": (
        "12_unet",
        "one_level",
        {"weight, bias, stride=(2, 2))": "weight, stride=(2, 2))"},
        "the bias of the transposed convolution is missing",
    ),
    "a ReLU after the stamps": (
        "12_unet",
        "one_level",
        {
            "x = transposed_convolution(x, weight, bias, stride=(2, 2))": (
                "x = np.maximum(transposed_convolution(x, weight, bias, stride=(2, 2)), 0)"
            )
        },
        "a ReLU follows the transposed convolution",
    ),
    "a mean of four": (
        "12_unet",
        "one_level",
        {".max(axis=(3, 5))": ".mean(axis=(3, 5))"},
        "that is mean pooling",
    ),
    "one of four": (
        "12_unet",
        "one_level",
        {".max(axis=(3, 5))": "[:, :, :, 0, :, 0]"},
        "the first is left",
    ),
    "four pixels half a picture apart": (
        "12_unet",
        "one_level",
        {"height // 2, 2, width // 2, 2).max(axis=(3, 5))": "2, height // 2, 2, width // 2).max(axis=(2, 4))"},
        "half a picture apart",
    ),
    "`down` from its end": (
        "12_unet",
        "two_levels",
        {"for convolutions in down:": "for convolutions in down[::-1]:"},
        "its first entry is the UPPERMOST level",
    ),
    "`up` from its end": (
        "12_unet",
        "two_levels",
        {"convolutions in up:": "convolutions in up[::-1]:"},
        "its first entry is the LOWEST level",
    ),
    "a last block": (
        "12_unet",
        "without_a_level",
        {"return convolution(x, *last)": "return block(x, [last])"},
        "a ReLU follows the last convolution",
    ),
    "a pair not taken apart": (
        "12_unet",
        "without_a_level",
        {"return convolution(x, *last)": "return convolution(x, last)"},
        "convolution(x, *last)",
    ),
    "no last convolution": (
        "12_unet",
        "one_level",
        {"return convolution(x, *last)": "return x"},
        "the last convolution is missing",
    ),
    "no bottom": (
        "12_unet",
        "without_a_level",
        {"    x = block(x, bottom)\n": ""},
        "`bottom` is missing",
    ),
    "logits as masks": (
        "12_unet",
        "one_level",
        {"return convolution(x, *last)": "return convolution(x, *last).argmax(axis=1)"},
        "these are masks",
    ),
    "a list joined": (
        "12_unet",
        "one_level",
        {"[kept.pop(), x]": "[kept, x]"},
        "which ONE of the arrays kept",
    ),
    "a join without brackets": (
        "12_unet",
        "one_level",
        {"np.concatenate([kept.pop(), x], axis=1)": "np.concatenate(kept.pop(), x, axis=1)"},
        "takes ONE list of arrays",
    ),
    "a sum for a skip": (
        "12_unet",
        "one_level",
        {"np.concatenate([kept.pop(), x], axis=1)": "kept.pop() + x"},
        "and not added",
    ),
    "zeros for a skip": (
        "12_unet",
        "one_level",
        {"[kept.pop(), x]": "[0 * kept.pop(), x]"},
        "zeros are in the place of the skip",
    ),
    "nothing kept": (
        "12_unet",
        "one_level",
        {"        kept.append(x)\n": ""},
        "one for each level",
    ),
    "three names for two parts": (
        "12_unet",
        "one_level",
        {"for (weight, bias), convolutions in up": "for weight, bias, convolutions in up"},
        "one of `up` has two parts",
    ),
    "sixteen, whatever the levels": (
        "12_unet",
        "without_a_level",
        {"if rows % 2 ** len(down) or cols % 2 ** len(down):": "if rows % 16 or cols % 16:"},
        "2 to the number of levels, len(down), divides",
    ),
    "odd columns cut off": (
        "12_unet",
        "sides_that_can_be_halved",
        {
            "if rows % 2 ** len(down) or cols % 2 ** len(down):": (
                "x = x[:, :, :, : cols // 2 ** len(down) * 2 ** len(down)]\n    if rows % 2 ** len(down):"
            )
        },
        "without a row or column left over",
    ),
    "no transposed convolution on the only level": (
        "12_unet",
        "one_level",
        {"        x = transposed_convolution(x, weight, bias, stride=(2, 2))\n": ""},
        "is the transposed convolution there",
    ),
    "a padding of one on the only level": (
        "12_unet",
        "one_level",
        {"bias, stride=(2, 2))": "bias, stride=(2, 2), padding=(1, 1))"},
        "without padding",
    ),
    "no transposed convolution, on two levels": (
        "12_unet",
        "two_levels",
        {"        x = transposed_convolution(x, weight, bias, stride=(2, 2))\n": ""},
        "is the transposed convolution there",
    ),
    "one pooling more": (
        "12_unet",
        "one_level",
        {"    x = block(x, bottom)\n": "    x = block(np.maximum(x, 0)[:, :, : 1, : 1], bottom)\n"},
        "one pooling for each level",
    ),
    "one pooling more where it fits": (
        "12_unet",
        "one_level",
        {
            "    x = block(x, bottom)\n": (
                "    if x.shape[2] % 2 == x.shape[3] % 2 == 0:\n        x = x[:, :, ::2, ::2]\n"
                "    x = block(x, bottom)\n"
            )
        },
        "one pooling for each level",
    ),
    "no pooling on the only level": (
        "12_unet",
        "one_level",
        {".max(axis=(3, 5))": ".reshape(x.shape)"},
        "is the pooling missing?",
    ),
    "no pooling, on two levels": (
        "12_unet",
        "two_levels",
        {".max(axis=(3, 5))": ".reshape(x.shape)"},
        "is the pooling missing?",
    ),
    "kept after its pooling, on two levels": (
        "12_unet",
        "two_levels",
        {"        kept.append(x)\n": "", ".max(axis=(3, 5))\n": ".max(axis=(3, 5))\n        kept.append(x)\n"},
        "BEFORE its pooling",
    ),
    "the lowest skip for all": (
        "12_unet",
        "two_levels",
        {"[kept.pop(), x]": "[kept[-1], x]"},
        "takes an array of its own off `kept`",
    ),
    "a list of skips made anew": (
        "12_unet",
        "two_levels",
        {"        kept.append(x)\n": "        kept = [x]\n"},
        "made anew on each level",
    ),
    "a stack for a join": (
        "12_unet",
        "one_level",
        {"np.concatenate([kept.pop(), x], axis=1)": "np.stack([kept.pop(), x], axis=1)"},
        "np.stack puts arrays of the same shape along a NEW axis",
    ),
    "a stack of two sizes": (
        "12_unet",
        "two_levels",
        {"np.concatenate([kept.pop(), x], axis=1)": "np.stack([kept.pop(0), x])"},
        "np.stack puts arrays of the same shape along a NEW axis",
    ),
    "another ValueError in a U": (
        "12_unet",
        "one_level",
        {"[kept.pop(), x]": "[]"},
        "if this ValueError is yours",
    ),
    "pooling before the block": (
        "12_unet",
        "one_level",
        {
            "        x = block(x, convolutions)\n        kept.append(x)\n": "        kept.append(x)\n",
            "        x = x.reshape(n, channels, height // 2, 2, width // 2, 2).max(axis=(3, 5))\n": (
                "        x = x.reshape(n, channels, height // 2, 2, width // 2, 2).max(axis=(3, 5))\n"
                "        x = block(x, convolutions)\n"
            ),
        },
        "pooling comes before `block`",
    ),
    "kept before the block": (
        "12_unet",
        "one_level",
        {
            "        x = block(x, convolutions)\n        kept.append(x)\n": (
                "        kept.append(x)\n        x = block(x, convolutions)\n"
            )
        },
        "a level keeps what came in",
    ),
    "a sum of four": (
        "12_unet",
        "one_level",
        {".max(axis=(3, 5))": ".sum(axis=(3, 5))"},
        "each 2x2 pixels were added up",
    ),
    "a way down without ReLUs": (
        "12_unet",
        "one_level",
        {
            "        x = block(x, convolutions)\n        kept.append(x)\n": (
                "        for pair in convolutions:\n            x = convolution(x, *pair)\n        kept.append(x)\n"
            )
        },
        "the ReLU of the way down is missing",
    ),
    "one level of two": (
        "12_unet",
        "two_levels",
        {
            "    for convolutions in down:\n": "    for convolutions in down[:1]:\n",
            "convolutions in up:": "convolutions in up[:1]:",
        },
        "only one level is computed",
    ),
    "two sides that cannot be halved once": (
        "12_unet",
        "sides_that_can_be_halved",
        {
            "if rows % 2 ** len(down) or cols % 2 ** len(down):": (
                "x = x[:, :, : rows // 2 ** len(down) * 2 ** len(down), : cols // 2 ** len(down) * 2 ** len(down)]\n"
                "    if False:"
            )
        },
        "cannot be halved once without",
    ),
    "channels that run over the end": (
        "12_unet",
        "other_channels_are_refused",
        {
            "    if inputs != channels:\n": "    if False:\n",
            "stamps = np.tensordot(x[:, :, i, j], weight, axes=1)": (
                "stamps = sum(x[:, c, i, j, None, None, None] * weight[c] for c in range(max(channels, inputs)))"
            ),
        },
        "an index ran over the end",
    ),
    "the last channel alone": (
        "12_unet",
        "a_kernel_for_each_pair_of_channels",
        {"np.tensordot(x[:, :, i, j], weight, axes=1)": "np.tensordot(x[:, -1:, i, j], weight[-1:], axes=1)"},
        "only the last input channel is used",
    ),
    "an index from the kernel's end": (
        "12_unet",
        "the_stamps_of_the_lesson",
        {
            "        full[:, :, i * sh : i * sh + kh, j * sw : j * sw + kw] += stamps\n": (
                "        for r, c in np.ndindex(full.shape[2:]):\n"
                "            if r - i * sh < kh and c - j * sw < kw:\n"
                "                full[:, :, r, c] += stamps[:, :, r - i * sh, c - j * sw]\n"
            )
        },
        "an index below 0 counts from the kernel's end",
    ),
    "turned stamps in a U": (
        "12_unet",
        "one_level",
        {
            "stamps = np.tensordot(x[:, :, i, j], weight, axes=1)": (
                "stamps = np.tensordot(x[:, :, i, j], weight[:, :, ::-1], axes=1)"
            )
        },
        "u_net is made of transposed_convolution",
    ),
}


WINDOWS = "        windows = im2col(x[n, g * depth : (g + 1) * depth], (kh, kw), stride, padding)\n"
COUNTS = "{}, padding[0])\n    cols = output_size(x.shape[3], kw, {}, padding[1])"
SIZES = COUNTS.format("stride[0]", "stride[1]")


def with_steps(down: str, right: str) -> dict[str, str]:
    """The convolution with another stride."""
    return {SIZES: COUNTS.format(down, right), WINDOWS: WINDOWS.replace("stride", f"({down}, {right})")}


def with_begins(row: str, column: str) -> dict[str, str]:
    """The convolution by loops, with windows that begin at this row and column."""
    loops = (
        "        planes = np.pad(x[n, g * depth : (g + 1) * depth], [(0, 0), *zip(padding, padding)])\n"
        "        for i, j in np.ndindex(rows, cols):\n"
        f"            window = planes[:, {row} : {row} + kh, {column} : {column} + kw]\n"
        "            y[n, g, :, i, j] = (kernels[g].reshape(-1, depth, kh, kw) * window).sum(axis=(1, 2, 3))\n"
    )
    return {WINDOWS: loops, PRODUCT: ""}


BEGINS = "but yours begins at row i * {} and column j * {}"
STRIDES = {
    "ignored": (with_steps("1", "1"), "stride is ignored"),
    "swapped": (with_steps("stride[1]", "stride[0]"), "the strides are swapped"),
    "for rows alone": (with_steps("stride[0]", "1"), "the stride to the right is ignored"),
    "for columns alone": (with_steps("1", "stride[1]"), "the stride down is ignored"),
    "the first for both": (with_steps("stride[0]", "stride[0]"), "stride[0] is used in both directions"),
    "the second for both": (with_steps("stride[1]", "stride[1]"), "stride[1] is used in both directions"),
    "a kernel": (with_steps("kh", "kw"), "the windows lie side by side"),
    "not in the index": (with_begins("i", "j"), BEGINS.format(1, 1)),
    "in the row's index alone": (with_begins("i * stride[0]", "j"), BEGINS.format(2, 1)),
    "in the column's index alone": (with_begins("i", "j * stride[1]"), BEGINS.format(1, 3)),
    "the first in both indices": (with_begins("i * stride[0]", "j * stride[0]"), BEGINS.format(2, 2)),
    "swapped in the indices": (with_begins("i * stride[1]", "j * stride[0]"), "a window runs over the edge"),
    "the first for both in the number of windows": (
        {SIZES: COUNTS.format("stride[0]", "stride[0]")},
        "and [1] to the columns",
    ),
    "not in the number of windows": ({SIZES: COUNTS.format(1, 1)}, "im2col gave another number of rows"),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", STRIDES)
def test_a_wrong_stride_of_a_convolution_is_told_which(tmp_path: Path, case: str) -> None:
    changes, cause = STRIDES[case]
    folder = register.ROOT / "homework" / "06_convolution"
    assert cause in cause_told(folder, "strides_reach_im2col", changes, tmp_path / "hw06_conv.py")


@pytest.mark.slow
@pytest.mark.parametrize("case", ARRAYS)
def test_the_likely_cause_of_a_wrong_array_or_plan_is_the_true_one(tmp_path: Path, case: str) -> None:
    folder, name, changes, cause = ARRAYS[case]
    assert cause in cause_told(register.ROOT / "homework" / folder, name, changes, tmp_path / f"hw{folder}.py")
