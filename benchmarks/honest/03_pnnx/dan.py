def init_graph_params(params):
    names = ["null", "b", "i", "f", "s", "ai", "af", "as_"]
    answer = {}
    for option, fields in params.items():
        number = fields["type"]
        if number not in range(8):
            raise ValueError("%s: type %d" % (option, number))
        content = None if number == 0 else fields[names[number]]
        if isinstance(content, list):
            content = [*content]
        answer[option] = number, content
    return answer


def looks_like_number(t):
    if t.startswith("-"):
        t = t[1:]
    return len(t) > 0 and t[0] in "0123456789"


def parse_parameter(text):
    kind = 2
    value = None
    if "%" in text:
        kind, value = 4, text
    elif text in ("None", "()", "[]"):
        kind = 0
    elif text in ("True", "False"):
        kind, value = 1, eval(text)
    elif text[0] in "([":
        pieces = text[1:-1].split(",")
        if all(looks_like_number(p) for p in pieces):
            if any("." in p or "e" in p for p in pieces):
                kind, value = 6, list(map(float, pieces))
            else:
                kind, value = 5, list(map(int, pieces))
        else:
            kind, value = 7, pieces
    elif not looks_like_number(text):
        kind, value = 4, text
    elif "." in text or "e" in text:
        kind, value = 3, float(text)
    else:
        value = int(text)
    return kind, value
