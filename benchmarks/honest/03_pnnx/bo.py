import copy
import re

FIELDS = [None, "b", "i", "f", "s", "ai", "af", "as_"]


def init_graph_params(params):
    out = dict()
    for key, value in params.items():
        kind = value["type"]
        try:
            if kind < 0:
                raise IndexError
            field = FIELDS[kind]
        except IndexError:
            raise ValueError(f"option {key}: no type {kind}") from None
        out[key] = (kind, copy.copy(value[field]) if field else None)
    return out


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
