def value_of(name, struct):
    readers = {
        0: lambda s: None,
        1: lambda s: s["b"],
        2: lambda s: s["i"],
        3: lambda s: s["f"],
        4: lambda s: s["s"],
        5: lambda s: s["ai"][:],
        6: lambda s: s["af"][:],
        7: lambda s: s["as_"][:],
    }
    if struct["type"] not in readers:
        raise ValueError(f"{name} has the type {struct['type']}, which does not exist")
    return struct["type"], readers[struct["type"]](struct)


def init_graph_params(params):
    return {name: value_of(name, struct) for name, struct in params.items()}


def scalar(text):
    start = text.removeprefix("-")
    if not start[:1].isdigit():
        return (4, text)
    for letter in text:
        if letter in ".e":
            return (3, float(text))
    return (2, int(text))


def parse_parameter(text):
    constants = {"None": (0, None), "()": (0, None), "[]": (0, None), "True": (1, True), "False": (1, False)}
    if text.find("%") >= 0:
        return (4, text)
    if text in constants:
        return constants[text]
    if not text.startswith(("(", "[")):
        return scalar(text)
    elements = [scalar(e) for e in text[1 : len(text) - 1].split(",")]
    highest = max(kind for kind, value in elements)
    if highest == 4:
        return (7, text[1 : len(text) - 1].split(","))
    convert = int if highest == 2 else float
    return (highest + 3, [convert(value) for kind, value in elements])
