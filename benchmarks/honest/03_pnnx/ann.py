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


def parse_operator(line):
    words = line.split()
    kind = words[0]
    name = words[1]
    how_many_in = int(words[2])
    how_many_out = int(words[3])
    inputs = []
    for i in range(4, 4 + how_many_in):
        inputs.append(words[i])
    outputs = []
    for i in range(4 + how_many_in, 4 + how_many_in + how_many_out):
        outputs.append(words[i])
    params = {}
    attributes = {}
    for word in words[4 + how_many_in + how_many_out :]:
        place = word.find("=")
        left = word[:place]
        right = word[place + 1 :]
        if left[0] == "#" or left[0] == "$":
            continue
        if left[0] == "@":
            attributes[left[1:]] = right
        else:
            params[left] = right
    return kind, name, inputs, outputs, params, attributes
