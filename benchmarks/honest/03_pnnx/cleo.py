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


def take(queue, count):
    return [queue.pop(0) for _ in range(count)]


def parse_operator(line):
    queue = line.strip().split()
    kind, name, n_in, n_out = take(queue, 4)
    inputs = take(queue, int(n_in))
    outputs = take(queue, int(n_out))
    found = {"": {}, "@": {}, "#": {}, "$": {}}
    for key, value in (entry.split("=", 1) for entry in queue):
        mark = key[0] if key[0] in found else ""
        found[mark][key[len(mark) :]] = value
    return kind, name, inputs, outputs, found[""], found["@"]
