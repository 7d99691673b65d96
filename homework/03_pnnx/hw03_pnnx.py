"""Homework 3: what the options of an operator say.

A line of a .pnnx.param file holds options such as `kernel_size=(3,3)`. PNNX's reader keeps each in a struct with one
field for every kind of value, and a number, `type`, that says which field counts:

    type        0      1     2    3      4    5             6               7
    kind        null   bool  int  float  str  list of ints  list of floats  list of strs
    field       none   b     i    f      s    ai            af              as_

(`as` is a word of Python's own, so the eighth field is called `as_` here.)
"""

from __future__ import annotations

import importlib
from typing import Any

NULL, BOOL, INT, FLOAT, STRING, INT_ARRAY, FLOAT_ARRAY, STRING_ARRAY = range(8)


def struct(type: int, **fields: Any) -> dict[str, Any]:
    """Given: one of PNNX's structs as a dict. Fields that are not named hold what happened to lie in memory.

    >>> struct(INT, i=3)["i"]
    3
    """
    return {"type": type, "b": True, "i": 32767, "f": 1.5, "s": "junk", "ai": [7], "af": [0.5], "as_": ["x"], **fields}


def init_graph_params(params: dict[str, dict[str, Any]]) -> dict[str, tuple[int, Any]]:
    """The options of one operator: name -> struct becomes name -> (type, value).

    Parameters
    ----------
    params : name -> struct, a dict with the keys type, b, i, f, s, ai, af and as_.

    Rules
    -----
    field : the value is what the field of its type holds; the others hold anything, None too, and are not asked.
    value : a value comes as it is: True stays a bool, 1.0 a float, and False, 0, "" and [] are values like others.
    null : type 0 has no field, and gives (0, None).
    pair : each option becomes a tuple (type, value), with the type that the struct says.
    names : every name comes back, and no other; no options give the empty dict.
    copy : a list is a new list with the same elements in the same order, since the reader uses its own again.
    unchanged : `params` and its structs are left as they are.
    unknown : a type other than 0 to 7 raises ValueError.
    message : the message of this error holds the option's name and the type's number.

    >>> init_graph_params({"groups": struct(INT, i=2), "stride": struct(INT_ARRAY, ai=[1, 2]), "out": struct(NULL)})
    {'groups': (2, 2), 'stride': (5, [1, 2]), 'out': (0, None)}
    """
    # TODO init_graph_params (Task 3.1)
    raise NotImplementedError("init_graph_params: TODO")


def parse_parameter(text: str) -> tuple[int, Any]:
    """The text of an option -> (type, value), as PNNX reads it.

    Parameters
    ----------
    text : what stands behind the = of an option. You need not check that a text which begins like a number is one to
        its end, or that brackets come in pairs.

    Rules
    -----
    order : the rules are tried from here downwards, and the first that fits the text decides.
    percent : a text with a % anywhere is a str.
    null : None, () and [] are null, with the value None.
    bool : True and False are bools.
    list : what begins with ( or [ is a list, also of one element: what stands between its first and its last character
        is split at the commas, without dropping or stripping anything, and each element is read by the rules str, float
        and int alone.
    mixed : a list of ints and floats becomes floats; with a str in it, all its elements are strs and keep their text.
    str : what does not begin with a digit, or with - and a digit, is a str, as it stands; so is the empty text.
    float : a number with a . or an e in it is a float.
    int : any other number is an int.
    pair : the result is a tuple (type, value); a list has the type 5, 6 or 7.

    >>> parse_parameter("(1,0.5)"), parse_parameter("1e-05"), parse_parameter("torch.float")
    ((6, [1.0, 0.5]), (3, 1e-05), (4, 'torch.float'))
    """
    # TODO parse_parameter (Task 3.2, a bonus)
    raise NotImplementedError("parse_parameter: TODO")


def twice_then_cleared(params: dict[str, dict[str, Any]]) -> list[dict[str, tuple[int, Any]]]:
    """Given: convert `params` twice, then empty its lists, as a reader does that uses its memory again.

    Returns both results; what they hold must not depend on what happens to `params` later.
    """
    lists = [parameter[field] for parameter in params.values() for field in ("ai", "af", "as_")]
    results = [init_graph_params(params), init_graph_params(params)]
    for some in lists:
        some.clear()
    return results


def params_after(params: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Given: `params` after they were converted. They must be as before."""
    init_graph_params(params)
    return params


def for_kuiper(params: Any) -> dict[str, Any]:
    """Given: `init_graph_params` as kuiper calls it, kuiper.Toolbox(init_graph_params=for_kuiper).

    A kuiper.RuntimeParameter holds a kind and one value. Here it is put into a struct, and what you return becomes
    RuntimeParameters again. Complex numbers (types 10 and 11) have no field in the struct: they pass by unchanged.
    """
    kuiper = importlib.import_module("kuiper")  # only here, because the grade is found without the framework
    fields = {1: "b", 2: "i", 3: "f", 4: "s", 5: "ai", 6: "af", 7: "as_"}
    passing = {name: (int(p.kind), p.value) for name, p in params.items() if p.kind in (10, 11)}
    structs = {
        name: struct(int(p.kind), **({fields[p.kind]: p.value} if p.kind in fields else {}))
        for name, p in params.items()
        if name not in passing
    }
    converted = {**init_graph_params(structs), **passing}
    kinds = kuiper.graph.ParameterKind
    return {name: kuiper.RuntimeParameter(kinds(kind), value) for name, (kind, value) in converted.items()}
