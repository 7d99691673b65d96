import re


def parse_parameter(text):
    match text:
        case "None" | "()" | "[]":
            return (0, None)
        case "True" | "False":
            return (1, text == "True")
    if "%" in text or not re.match(r"[(\[]|-?\d", text):
        return (4, text)
    if text[0] not in "([":
        return (3, float(text)) if re.search("[.e]", text) else (2, int(text))
    found = [parse_parameter(one) for one in text.strip("()[]").split(",")]
    kinds = {kind for kind, _ in found}
    if kinds == {2}:
        return (5, [v for _, v in found])
    if kinds <= {2, 3}:
        return (6, [float(v) for _, v in found])
    return (7, text.strip("()[]").split(","))


def parse_operator(line):
    kind, name, n, m, *rest = line.split()
    n, m = int(n), int(m)
    pairs = [re.match(r"([@#$]?)([^=]+)=(.*)", token).groups() for token in rest[n + m :]]
    params = {key: text for mark, key, text in pairs if not mark}
    attributes = {key: text for mark, key, text in pairs if mark == "@"}
    return (kind, name, rest[:n], rest[n : n + m], params, attributes)
