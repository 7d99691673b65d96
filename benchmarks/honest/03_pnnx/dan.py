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


def parse_operator(line):
    tokens = iter(line.split())
    answer = [next(tokens), next(tokens)]
    counts = [int(next(tokens)), int(next(tokens))]
    for count in counts:
        answer.append([next(tokens) for _ in range(count)])
    options, weights = dict(), dict()
    for token in tokens:
        key, value = token.split("=", maxsplit=1)
        if key.startswith("@"):
            weights.update({key.removeprefix("@"): value})
        elif key[0] not in "#$":
            options.update({key: value})
    return (*answer, options, weights)
