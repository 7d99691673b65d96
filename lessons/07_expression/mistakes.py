"""What goes wrong in the cells of lesson 7 that the reader fills in: likely cause -> a function with that mistake."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from itertools import accumulate, pairwise
from typing import Any

Mistakes = Mapping[str, Callable[..., Any]]
WORD = re.compile(r"[(),]|[^(),\s]+")
"""As the lesson has it."""


def _words(text: str) -> list[str]:
    return WORD.findall(text)


def _end_to_end(text: str) -> list[tuple[str, int, int]]:
    ends = accumulate(map(len, _words(text)))
    return [(word, end - len(word), end) for word, end in zip(_words(text), ends)]


CUT: Mistakes = {
    "only the first word is there: does `return` stand in the loop? It belongs after it": lambda text: [
        (match[0], match.start(), match.end()) for match in [*WORD.finditer(text)][:1]
    ],
    "match.span() is one pair of places: the three stand side by side, (word, start, end)": lambda text: [
        (match[0], match.span()) for match in WORD.finditer(text)
    ],
    "+= takes the three out of their brackets: append((word, start, end)) keeps them together": lambda text: [
        one for match in WORD.finditer(text) for one in (match[0], match.start(), match.end())
    ],
    "index finds the first of equal words, so the second @0 gets the place of the first: match.start() is its own": (
        lambda text: [(word, text.index(word), text.index(word) + len(word)) for word in _words(text)]
    ),
    "`end` is the place after the last character, match.end(): text[start:end] is the word": lambda text: [
        (match[0], match.start(), match.end() - 1) for match in WORD.finditer(text)
    ],
    "the third is the place after the word, match.end(), and not the word's length": lambda text: [
        (match[0], match.start(), len(match[0])) for match in WORD.finditer(text)
    ],
    "brackets and commas are missing: they are words, too": lambda text: [
        (match[0], match.start(), match.end()) for match in WORD.finditer(text) if match[0] not in "(),"
    ],
    "the places are missing: each word comes as (word, start, end)": _words,
    "whitespace is no word, but it takes a place: match.start() and match.end() count it": _end_to_end,
    "these places count the words: match.start() and match.end() count characters": lambda text: [
        (word, i, i + 1) for i, word in enumerate(_words(text))
    ],
    "these are single characters: WORD.finditer(text) finds whole words": lambda text: [
        (one, i, i + 1) for i, one in enumerate(text) if not one.isspace()
    ],
    "these are single characters, and whitespace among them: WORD.finditer(text) finds whole words": lambda text: [
        (one, i, i + 1) for i, one in enumerate(text)
    ],
    "each is (word, start, end), the word first": lambda text: [
        (match.start(), match.end(), match[0]) for match in WORD.finditer(text)
    ],
}


def _operands(text: str) -> list[int]:
    return [int(word[1:]) for word in _words(text) if word[0] == "@"]


def _numbers(text: str) -> list[int]:
    """The numbers of the operands, read with the @ before them, which raises ValueError."""
    return [int(word) for word in _words(text) if word[0] == "@"]


def _begun_with(first: Callable[[list[int]], int]) -> Callable[[str], int]:
    """An inputs_needed that takes a first number, which may not be there, and then looks for a higher one."""

    def inputs_needed(text: str) -> int:
        numbers = _operands(text)
        return max([first(numbers), *numbers]) + 1

    return inputs_needed


def _texts_of(text: str) -> list[str]:
    return [word for word in _words(text) if word[0] == "@"]


def _added_to_text(text: str) -> int:
    return max(_texts_of(text)) + 1  # type: ignore[operator]


def _added_to_text_or_0(text: str) -> int:
    return max(_texts_of(text), default=-1) + 1  # type: ignore[operator]


def _of_each_word(text: str) -> int:
    """The number of each word, whatever its type, which raises ValueError for the names of functions."""
    return max(int(word[1:]) + 1 for word in _words(text))


def _of_each_word_stripped(text: str) -> int:
    return max(int(word.strip("@")) + 1 for word in _words(text))


class Token:
    """A token of the lesson for those who take it for a text."""


def _none_for_0(text: str) -> int:
    highest = max(_operands(text), default=0)
    return highest + 1 if highest else 0


INPUTS_NEEDED: Mistakes = {
    "the highest number is still a text, which cannot be added to: int(text[1:]) makes a number of it": (
        _added_to_text_or_0
    ),
    "the highest number is still a text, which cannot be added to: int(text[1:]) makes a number of it. And without "
    "operands max needs a default": _added_to_text,
    "only the last digit was read: text[1:] is all of them, text[-1] one": lambda text: max(
        (int(word[-1]) + 1 for word in _texts_of(text)), default=0
    ),
    "`for token in text` goes through single characters: tokenize(text) gives the tokens": (lambda text: text.type),
    "not every token is an operand, and a function's name is no number: take those whose type is TokenType.OPERAND": (
        _of_each_word
    ),
    "not every token is an operand, and a function's name is no number: ask each for its type, TokenType.OPERAND": (
        _of_each_word_stripped
    ),
    "a token is no text: its text is token.text, its type token.type": lambda text: max(
        (Token()[1:] for _ in _operands(text)),  # type: ignore[index]
        default=0,
    ),
    "a token is no text: its text is token.text, its type token.type. And without operands max needs a default": (
        lambda text: max(Token()[1:] for _ in _operands(text))  # type: ignore[index]
    ),
    "a token is no text: its text is token.text, and its type token.type says whether it is an operand": (
        lambda text: Token()[0]  # type: ignore[index]
    ),
    "a token is no text, and has no method `startswith`: its type, token.type, says whether it is an operand": (
        lambda text: Token().startswith("@")  # type: ignore[attr-defined]
    ),
    "the first token decides: `return 0` belongs after the loop, where all tokens have been looked at": lambda text: (
        _operands(text)[0] + 1 if text[0] == "@" else 0
    ),
    "the highest number may be 0, and then one input is needed: that differs from no operand at all": _none_for_0,
    "single characters were read, of 16 and 7, too: go through the tokens, and take those of type OPERAND": (
        lambda text: max(int(one) + 1 for one in text if one.isdigit())
    ),
    "a text without operands has no first number: begin with -1, and take what is higher": _begun_with(
        lambda numbers: numbers[0]
    ),
    "a text without operands has no first number for next(...) to give: begin with -1, and take what is higher": (
        _begun_with(lambda numbers: next(iter(numbers)))
    ),
    "'@0' with its @ is no number: text[1:] leaves the @ out": lambda text: max(_numbers(text), default=-1) + 1,
    "'@0' with its @ is no number: text[1:] leaves the @ out. And without operands max needs a default": (
        lambda text: max(_numbers(text)) + 1
    ),
    "0 for every text: was a type compared with a text? It is token.type is TokenType.OPERAND": lambda text: 0,
    "1 for every text: was a type compared with a text? It is token.type is TokenType.OPERAND": lambda text: 1,
    "no token was taken for an operand: was a type compared with a text? It is token.type is TokenType.OPERAND": (
        lambda text: max([word for word in _words(text) if word == "OPERAND"])
    ),
    "that goes by the last operand: the highest number may stand anywhere": (
        lambda text: (_operands(text) or [-1])[-1] + 1
    ),
    "that goes by the first operand: the highest number may stand anywhere": (
        lambda text: (_operands(text) or [-1])[0] + 1
    ),
    "only the first digit was read: text[1:] is all of them, text[1] one": lambda text: max(
        (int(word[1]) + 1 for word in _words(text) if word[0] == "@"), default=0
    ),
    "the operands were counted: the highest number after an @ says how many inputs there must be": (
        lambda text: len(_operands(text))
    ),
    "the first input is @0, so the highest number is one less than what is needed: add 1": (
        lambda text: max(_operands(text), default=0)
    ),
    "texts are compared character by character, and '@3' comes after '@10': make numbers of all the digits first": (
        lambda text: int(max((f"{i}" for i in _operands(text)), default="-1")) + 1
    ),
    "without operands the answer is 0: add the 1 before max chooses, or let the default be -1": (
        lambda text: max(_operands(text), default=0) + 1
    ),
    "a text without operands has no highest number: give max a default": lambda text: max(_operands(text)) + 1,
    "16 and 7 are numbers of the text, of type INTEGER, and no operands: only OPERAND counts": lambda text: max(
        (int(word[1:]) + 1 for word in _words(text) if re.match("[@0-9]", word)), default=0
    ),
    "16 and 7 are numbers of the text: only the words with an @ are inputs": lambda text: max(
        int(number) + 1 for number in re.findall("[0-9]+", text)
    ),
}


def _before(node: Any) -> list[Any]:
    return [node, *(one for child in node.children for one in _before(child))]


def _right_first(node: Any) -> list[Any]:
    return [*(one for child in node.children[::-1] for one in _right_first(child)), node]


def _lists_in_lists(node: Any) -> list[Any]:
    return [*map(_lists_in_lists, node.children), node]


def _bare_leaf(node: Any) -> Any:
    if not node.children:
        return node
    order: list[Any] = []
    for child in node.children:
        order += _bare_leaf(child)
    return [*order, node]


def _leaves(node: Any) -> list[Any]:
    return [one for child in node.children for one in _leaves(child)] if node.children else [node]


def _texts(node: Any) -> list[Any]:
    return [*(one for child in node.children for one in _texts(child)), node.token.text]


def _between(node: Any) -> list[Any]:
    if not node.children:
        return [node]
    return [*_between(node.children[0]), node, *_between(node.children[1])]


def _right_as_it_is(node: Any) -> list[Any]:
    return [*_right_as_it_is(node.children[0]), node.children[1], node] if node.children else [node]


def _left_as_it_is(node: Any) -> list[Any]:
    return [node.children[0], *_left_as_it_is(node.children[1]), node] if node.children else [node]


def _added_leaf(node: Any) -> Any:
    if not node.children:
        return node
    order: list[Any] = []
    for child in node.children:
        order = order + _added_leaf(child)
    return [*order, node]


def _unpacked_leaf(node: Any) -> Any:
    return [*_unpacked_leaf(node.children[0]), *_unpacked_leaf(node.children[1]), node] if node.children else node


def _leaves_added(node: Any) -> Any:
    if not node.children:
        return node
    return _leaves_added(node.children[0]) + _leaves_added(node.children[1]) + [node]


def _itself_again(node: Any) -> list[Any]:
    """A call for the node itself in the loop over its children."""
    return [one for _ in node.children for one in _itself_again(node)] + [node]


def _in_the_loop_but_leaves(node: Any) -> list[Any]:
    """The node after each child."""
    order = []
    for child in node.children:
        order += _in_the_loop_but_leaves(child)
        order.append(node)
    return order or [node]


def _empty_leaf(node: Any) -> list[Any]:
    return [*(one for child in node.children for one in _empty_leaf(child)), node] if node.children else []


def _returns_in_the_loop(node: Any) -> Any:
    for child in node.children:
        return [*_returns_in_the_loop(child), node]
    return None


def _first_child_alone(node: Any) -> list[Any]:
    return [*_first_child_alone(node.children[0]), node] if node.children else [node]


_kept: list[Any] = []


def _one_list_for_all(node: Any) -> list[Any]:
    """As with a default, order=[]: of the lesson's examples the first one, a leaf, finds the list empty."""
    if not node.children:
        _kept.clear()
    _kept.extend(_nodes(node))
    return _kept


def _nodes(node: Any) -> list[Any]:
    return [*(one for child in node.children for one in _nodes(child)), node]


def _turned_round(node: Any) -> list[Any]:
    """The node and what is below it, left first, reversed: once at each node."""
    return [node, *(one for child in node.children for one in _turned_round(child))][::-1]


def _two_children_always(node: Any) -> list[Any]:
    left, right = node.children
    return [*_two_children_always(left), *_two_children_always(right), node]


def _indexed_children(node: Any) -> list[Any]:
    return [*_indexed_children(node.children[0]), *_indexed_children(node.children[1]), node]


def _first_leaf(node: Any) -> list[Any]:
    """`return` in the loop, and the node after it."""
    return _first_leaf(node.children[0]) if node.children else [node]


def _node_in_the_loop(node: Any) -> list[Any]:
    return [one for child in node.children for one in (*_node_in_the_loop(child), node)]


def _child_once_more(node: Any) -> list[Any]:
    order: list[Any] = []
    for child in node.children:
        if child.children:
            order += _child_once_more(child)
        order.append(child)
    return [*order, node]


def _what_append_gives(node: Any) -> Any:
    order: list[Any] = []
    for child in node.children:
        order += _what_append_gives(child)
    return order.append(node)  # type: ignore[func-returns-value]


def _backwards(node: Any) -> list[Any]:
    return [node, *(one for child in node.children[::-1] for one in _backwards(child))]


def _left_twice(node: Any) -> list[Any]:
    return [*_left_twice(node.children[0]), *_left_twice(node.children[0]), node] if node.children else [node]


def _child_taken_apart(node: Any) -> list[Any]:
    order: list[Any] = []
    for child in node.children:
        order += child
    return [*order, node]


def _last_child_alone(node: Any) -> list[Any]:
    return [*_last_child_alone(node.children[-1]), node] if node.children else [node]


def _two_parts(node: Any) -> list[Any]:
    order: list[Any] = []
    for child in node.children:
        order += _two_parts(child)
    return [order, node]


def _levels(node: Any) -> list[list[Any]]:
    """The nodes of each level, the root's first."""
    levels = [[node]]
    while below := [child for one in levels[-1] for child in one.children]:
        levels.append(below)
    return levels


REVERSE_POLISH: Mistakes = {
    "this goes level by level from the root: a child comes with all below it, which a call for that child gives": (
        lambda node: [one for level in _levels(node) for one in level]
    ),
    "this goes level by level from the root, and is turned round: a child comes with all below it, which a call for "
    "that child gives": lambda node: [one for level in _levels(node) for one in level][::-1],
    "this goes level by level from below: a child comes with all below it, which a call for that child gives": (
        lambda node: [one for level in _levels(node)[::-1] for one in level]
    ),
    "this is the order from its end to its beginning: left child, right child, and only then the node": _backwards,
    "the left child is there twice, and the right one is not there": _left_twice,
    "a child is one node, and no list: call reverse_polish for it, and add the list that comes back": (
        _child_taken_apart
    ),
    "the call for a child gives its list, and that is lost: add it to your own": lambda node: [node],
    "only the last child is there: `order = ...` in the loop drops the list of the child before, and += adds to it": (
        _last_child_alone
    ),
    "the list stands in the list as one element: [*order, node] is one list of nodes": _two_parts,
    "node.children is a tuple of nodes, and no node: call reverse_polish for each of them": (
        lambda node: node.children.children
    ),
    "node.children is a tuple of nodes, and no node: call reverse_polish for each child": (
        lambda node: node.children.children if node.children else [node]
    ),
    "`return` in the loop ends it at the first child: take in the list of each, then the node, and return after that": (
        _first_leaf
    ),
    "a node has no `left` and no `right`: its children are the tuple node.children": lambda node: node.left,
    "the node belongs at the end of the list, once, after the loop: a node without children has to be there too": (
        _node_in_the_loop
    ),
    "a function among the children is there twice: the list of a child ends with the child itself": _child_once_more,
    "append changes the list and gives None: append first, and then return the list": _what_append_gives,
    "turned round, node-left-right is right-left-node: no list needs to be turned round, only the node comes last": (
        _turned_round
    ),
    "an operand or a number has no children: return [node] for it, before its two children are asked for": (
        _two_children_always
    ),
    "an operand or a number has no child number 0: return [node] for it, before its children are asked for": (
        _indexed_children
    ),
    "the function stands between its children, as + does in a + b: it comes after both": _between,
    "the right child may be a function, too: call reverse_polish for it as for the left one": _right_as_it_is,
    "the left child may be a function, too: call reverse_polish for it as for the right one": _left_as_it_is,
    "a list and a node cannot be added: a node without children must give a list, too, [node]": _added_leaf,
    "* takes a list apart, and a single node is none: a node without children must give a list, too, [node]": (
        _unpacked_leaf
    ),
    "+ joins lists, and a single node is none: a node without children must give a list, too, [node]": _leaves_added,
    "the call is for the node itself, which calls itself once more, and so on: call reverse_polish for each child": (
        _itself_again
    ),
    "a node without children stands in the list, too: its own list is [node], and not []": _empty_leaf,
    "the node stands there once for each child: put it into the list after the loop": _in_the_loop_but_leaves,
    "`return` stands in the loop: it belongs after it, where all children are in the list": _returns_in_the_loop,
    "only the first child is there: does `return` stand in the loop? It belongs after it": _first_child_alone,
    "the list of one call is there in the next: a default, order=[], is made once for all calls. Begin with a new list "
    "inside the function": _one_list_for_all,
    "the node came before its children: put it at the end": _before,
    "the right child came first: go through node.children from left to right": _right_first,
    "lists stand in the list: order += a child's list, where append puts it in as one element": _lists_in_lists,
    "a node without children must give a list, too: [node]": _bare_leaf,
    "the functions are missing: after its children comes the node itself": _leaves,
    "only the children are there, and not what is below them: call reverse_polish for each child": (
        lambda node: [*node.children, node]
    ),
    "these are the texts: the nodes are asked for": _texts,
    "this list is always empty: the node itself belongs at its end": lambda node: [],
}


def _two_values_alone(stack: list[Any], function: Callable[..., Any]) -> list[Any]:
    left, right = stack
    return [function(left, right)]


def _pop_of_index_2(stack: list[Any], function: Callable[..., Any]) -> list[Any]:
    right, left = stack.pop(2)
    return [*stack, function(left, right)]


def _extended(stack: list[Any], function: Callable[..., Any]) -> list[Any]:
    result = function(*stack[-2:])
    return [*stack[:-2], *result]


APPLY: Mistakes = {
    "one value is pushed, and not a list of it: append(result), or [*stack, result]": lambda stack, function: [
        *stack[:-2],
        [function(*stack[-2:])],
    ],
    "to push is to append: a list has no method `push`": (lambda stack, function: stack.push(None)),
    "pop(2) takes one value, the one at index 2: call pop() twice": _pop_of_index_2,
    "extend takes in the elements of a list, and the result is one number: append it": _extended,
    "stack.pop without brackets is the method itself: stack.pop() calls it": lambda stack, function: function(
        stack.pop, stack.pop
    ),
    "these are the two at the bottom, and what lies on them is gone: take the two on top, and leave the rest": (
        lambda stack, function: [function(stack[0], stack[1])]
    ),
    "more than two values may lie on the stack: pop the two on top": _two_values_alone,
    "that subtracts whatever the function is: call it, function(left, right)": lambda stack, function: [
        *stack[:-2],
        stack[-2] - stack[-1],
    ],
    "`function` is the function itself, and not its name: call it, function(left, right)": lambda stack, function: {}[
        function
    ],
    "the whole stack was handed over, and nothing was taken off: pop the two values on top": lambda stack, function: [
        *stack,
        function(*stack),
    ],
    "only one of the two values was taken off: pop both": lambda stack, function: [
        *stack[:-1],
        function(stack[-2], stack[-1]),
    ],
    "the function takes two values, and not a list of them: function(left, right)": lambda stack, function: [
        *stack[:-2],
        function(stack[-2:]),
    ],
    "a number cannot be added to a list: append it, or add a list with it, [function(left, right)]": (
        lambda stack, function: stack[:-2] + function(*stack[-2:])
    ),
    "left and right are exchanged: the value popped first lay on top, and is the right one": (
        lambda stack, function: [*stack[:-2], function(stack[-1], stack[-2])]
    ),
    "the two values are still there: stack[-1] looks at the top one, stack.pop() takes it off": (
        lambda stack, function: [*stack, function(stack[-2], stack[-1])]
    ),
    "the two values are still there, and they are exchanged: stack.pop() takes the right one off, then the left one": (
        lambda stack, function: [*stack, function(stack[-1], stack[-2])]
    ),
    "this is the result alone: push it, and return the stack": lambda stack, function: function(*stack[-2:]),
    "the result lies at the bottom: push it on top, at the end of the list": lambda stack, function: [
        function(*stack[-2:]),
        *stack[:-2],
    ],
    "the values below the two must stay on the stack": lambda stack, function: [function(*stack[-2:])],
    "pop(0) takes the values at the bottom: pop() takes those on top": lambda stack, function: [
        *stack[2:],
        function(*stack[:2]),
    ],
    "pop(0) takes the values at the bottom, and they are exchanged: pop() takes the right one first": (
        lambda stack, function: [*stack[2:], function(stack[1], stack[0])]
    ),
    "pop(0) takes the values at the bottom, where the result was put, too: all of it happens on top, at the end of the "
    "list": lambda stack, function: [function(*stack[:2]), *stack[2:]],
    "append changes the stack and gives None: push the result first, and then return the stack": (
        lambda stack, function: None
    ),
    "the result was not pushed": lambda stack, function: stack[:-2],
}


def _next_word(text: str, functions: Collection[str]) -> bool:
    words = _words(text)
    return any(words[i + 1] != "(" for i, word in enumerate(words) if word in functions)


def _found(text: str, functions: Collection[str]) -> list[bool]:
    """Of each function in the text, whether no left bracket follows."""
    return [after != "(" for word, after in pairwise([*_words(text), ""]) if word in functions]


def _next_character(text: str, functions: Collection[str]) -> bool:
    return any(text[match.end()] != "(" for match in WORD.finditer(text) if match[0] in functions)


def _first_of_equal_words(text: str, functions: Collection[str]) -> bool:
    words = [*_words(text), ""]
    return any(words[words.index(word) + 1] != "(" for word in words if word in functions)


def _without_the_last(text: str, functions: Collection[str]) -> bool:
    words = _words(text)
    return any(words[words.index(word) + 1] != "(" for word in words if word in functions)


def _round_to_the_first(text: str, functions: Collection[str]) -> bool:
    words = _words(text)
    return any(word in functions and after != "(" for word, after in zip(words, words[1:] + words[:1]))


def _next_word_a_comma(text: str, functions: Collection[str]) -> bool:
    words = _words(text)
    return any(word in functions and words[i + 1] == "," for i, word in enumerate(words))


def _pattern_found(pattern: str, text: str, functions: Collection[str]) -> bool:
    """Whether the pattern is found with one of the names in the place of its braces."""
    return any(re.search(pattern.format(re.escape(name)), text) for name in functions)


MISPLACED: Mistakes = {
    "after the last word comes the first one here, which may be a bracket: nothing follows a function at the end": (
        _round_to_the_first
    ),
    "log1p has a digit in its name: ask `word in functions`, which knows all names": lambda text, functions: any(
        word.isalpha() and after != "(" for word, after in pairwise([*_words(text), ""])
    ),
    "index finds the first of equal words, and `add` stands there twice: go through the words by their places, or each "
    "with the next": _first_of_equal_words,
    "words.index(word) finds the first of equal words, and after the last one there is none: go through the words by "
    "their places": _without_the_last,
    "the table is the argument `functions`: the lesson's FUNCTIONS does not have log and log1p": (
        lambda text, functions: any(_found(text, {"add", "sub", "mul", "div"}))
    ),
    "whitespace may stand before a bracket, so the next character does not tell: look at the next word": (
        lambda text, functions: any(
            text[match.end() : match.end() + 1] != "(" for match in WORD.finditer(text) if match[0] in functions
        )
    ),
    "text[end] is not there after the last word, and may be whitespace: look at the next word, if there is one": (
        _next_character
    ),
    "whitespace may stand before a bracket, and of a name that stands there twice one may have none: look at each word "
    "and the one after it": lambda text, functions: any(name in text and f"{name}(" not in text for name in functions),
    "there may be as many brackets as functions, and in other places: look at each word and the one after it": (
        lambda text, functions: sum(word in functions for word in _words(text)) != _words(text).count("(")
    ),
    "the last word has no word after it, so it was left out: a function there has no bracket": lambda text, functions: (
        any(word in functions and after != "(" for word, after in pairwise(_words(text)))
    ),
    "the last word has no word after it: words[i + 1] is not there. A function there has no bracket": _next_word,
    "True and False are exchanged: True where a bracket is missing": lambda text, functions: (
        not any(_found(text, functions))
    ),
    "one function without its bracket is enough, wherever it stands: that is `any`, not `all`": (
        lambda text, functions: all(_found(text, functions))
    ),
    "the last function decides: an answer of an earlier one is lost. Give True as soon as one has no bracket": (
        lambda text, functions: [False, *_found(text, functions)][-1]
    ),
    "that looks at the word before each bracket: look at each function and the word after it": (
        lambda text, functions: any(
            word == "(" and before not in functions for before, word in pairwise(["", *_words(text)])
        )
    ),
    "the first word decides: `return` in the loop only where a bracket is missing, and False after the loop": (
        lambda text, functions: _words(text)[0] in functions and [*_words(text), ""][1] != "("
    ),
    "the first function decides: `return` in the loop only where a bracket is missing, and False after the loop": (
        lambda text, functions: next(iter(_found(text, functions)), False)
    ),
    "the first function decides: `return` in the loop only where a bracket is missing; False, after it, is missing": (
        lambda text, functions: next(iter(_found(text, functions)), None)
    ),
    "False for every text: look up the word alone in `functions`, not (word, start, end). And one function without its "
    "bracket is enough: `any`, not `all`": (lambda text, functions: False),
    "the bracket was looked for before the function: it comes after, with words[1:] or words[i + 1]": (
        lambda text, functions: any(
            word in functions and before != "(" for before, word in pairwise(["", *_words(text)])
        )
    ),
    "the lesson's parse wants two values of each function, so log(@0) is an error to it: look at the words": (
        lambda text, functions: text not in ("add(@0,@1)", "@0")
    ),
    "a name was found inside a longer one, as `log` is in `log1p`: compare whole words, which cut(text) gives": (
        lambda text, functions: _pattern_found(r"{}(?!\s*\()", text, functions)
    ),
    "a name was found at the beginning of a longer one, as `log` is in `log1p`: compare whole words, which cut(text) "
    "gives": lambda text, functions: _pattern_found(r"\b{}(?!\s*\()", text, functions),
    "a name was found at the end of a longer one, as `log` is in `xlog`: compare whole words, which cut(text) gives": (
        lambda text, functions: _pattern_found(r"{}\b(?!\s*\()", text, functions)
    ),
    "a name was found inside a longer one, as `log` is in `log1p`, and whitespace may stand before a bracket: look at "
    "whole words, which cut(text) gives": lambda text, functions: _pattern_found(r"{}(?!\()", text, functions),
    "a name was found inside a longer one, as `log` is in `log1p`, and of one that stands there twice the first may "
    "have its bracket: go through the words, which cut(text) gives": lambda text, functions: any(
        name in text and f"{name}(" not in re.sub(r"\s", "", text) for name in functions
    ),
    "True wherever a function stands: is what comes after it the word alone? A (word, start, end), a list of words or "
    "a TokenType is never equal to '('": lambda text, functions: any(word in functions for word in _words(text)),
    "what comes after a function is a (word, start, end), which is never equal to '('. And after the last word "
    "nothing comes": lambda text, functions: any(word in functions for word in _words(text)[:-1]),
    "that asks whether some function has its bracket: one that has none is looked for": lambda text, functions: any(
        word in functions and after == "(" for word, after in pairwise([*_words(text), ""])
    ),
    "as many left brackets as right ones can all stand in wrong places: look at each word and the one after it": (
        lambda text, functions: text.count("(") != text.count(")")
    ),
    "a comma or a right bracket after a function is not all that can be wrong: anything but a left bracket is": (
        lambda text, functions: any(word in functions and after in (",", ")") for word, after in pairwise(_words(text)))
    ),
    "a right bracket, a comma or nothing after a function is not all that can be wrong: anything but a left bracket "
    "is": lambda text, functions: any(
        word in functions and after in ("", ",", ")") for word, after in pairwise([*_words(text), ""])
    ),
    "a comma or nothing after a function is not all that can be wrong: anything but a left bracket is": (
        lambda text, functions: any(
            word in functions and after in ("", ",") for word, after in pairwise([*_words(text), ""])
        )
    ),
    "brackets that do not pair are another mistake: only the word after each function counts here": (
        lambda text, functions: any(_found(text, functions)) or text.count("(") != text.count(")")
    ),
    "a text may end with another word than a bracket, such as @0: of the last word only a function is wrong": (
        lambda text, functions: (
            any(word in functions and after != "(" for word, after in pairwise(_words(text))) or _words(text)[-1] != ")"
        )
    ),
    "a comma after a function is not all that can be wrong: anything but a left bracket is. And after the last word "
    "nothing comes: words[i + 1] is not there": _next_word_a_comma,
    "that is a list of functions without their bracket: the question is whether there are any, True or False": (
        lambda text, functions: [
            word for word, after in pairwise([*_words(text), ""]) if word in functions and after != "("
        ]
    ),
    "a comma after a function is not all that can be wrong: anything but a left bracket is": lambda text, functions: (
        any(word in functions and after == "," for word, after in pairwise(_words(text)))
    ),
    "only functions have brackets after them: ask `word in functions`, too": lambda text, functions: any(
        after != "(" for after in [*_words(text), ""][1:]
    ),
}
