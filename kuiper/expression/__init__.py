"""Expressions (lesson 7): tokens, tree, reverse Polish, evaluation."""

from kuiper.expression.evaluate import evaluate, inputs_of
from kuiper.expression.functions import FUNCTIONS
from kuiper.expression.parser import TokenNode, parse, to_text
from kuiper.expression.polish import fold, reverse_polish
from kuiper.expression.tokens import Token, TokenType, tokenize

__all__ = [
    "FUNCTIONS",
    "Token",
    "TokenNode",
    "TokenType",
    "evaluate",
    "fold",
    "inputs_of",
    "parse",
    "reverse_polish",
    "to_text",
    "tokenize",
]
