def init_graph_params(params):
    result = {}
    for name in params:
        p = params[name]
        t = p["type"]
        if t == 0:
            result[name] = (0, None)
        elif t == 1:
            result[name] = (1, p["b"])
        elif t == 2:
            result[name] = (2, p["i"])
        elif t == 3:
            result[name] = (3, p["f"])
        elif t == 4:
            result[name] = (4, p["s"])
        elif t == 5:
            result[name] = (5, list(p["ai"]))
        elif t == 6:
            result[name] = (6, list(p["af"]))
        elif t == 7:
            result[name] = (7, list(p["as_"]))
        else:
            raise ValueError("unknown type " + str(t) + " of " + name)
    return result


def parse_parameter(text):
    if "%" in text:
        return 4, text
    if text == "None" or text == "()" or text == "[]":
        return 0, None
    if text == "True":
        return 1, True
    if text == "False":
        return 1, False
    if text[0] == "(" or text[0] == "[":
        parts = text[1:-1].split(",")
        kinds = []
        values = []
        for part in parts:
            k, v = number_or_text(part)
            kinds.append(k)
            values.append(v)
        if 4 not in kinds:
            if 3 in kinds:
                return 6, [float(v) for v in values]
            return 5, values
        return 7, parts
    return number_or_text(text)


def number_or_text(s):
    digits = "0123456789"
    is_number = s[0:1] in list(digits) or (s[0:1] == "-" and s[1:2] in list(digits))
    if not is_number:
        return 4, s
    if "." in s or "e" in s:
        return 3, float(s)
    return 2, int(s)
