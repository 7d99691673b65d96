"""Wrong solutions of lesson 5's homework: `old` of solution.py, which occurs there once, becomes `new`."""

_TYPES = '@layers.register("nn.Sigmoid", "F.sigmoid", "torch.sigmoid")\n'
_EMPTY = """        if x.size == 0:
            raise ValueError(f"Sigmoid: expected at least one element, found shape {x.shape}")
"""
_SIGMOID = """        x = as_float(x)
        small = np.exp(-np.abs(x))
        return np.where(x < 0, small, 1) / (1 + small)
"""
_READ = """        slope = operator.params.get("negative_slope")
        return cls() if slope is None else cls(slope.value)
"""
_UNKNOWN = '        unknown = sorted(set(operator.params) - {"negative_slope"})\n        if unknown:\n'
_DEFAULT = "    def __init__(self, negative_slope: float = 0.01) -> None:\n"
_LEAKY = """        x = as_float(x)
        return np.where(x > 0, x, x * self.negative_slope)
"""
_LEAKY_TYPES = '@layers.register("nn.LeakyReLU", "F.leaky_relu")\n'


def _mutant(exercise: str, name: str, why: str, old: str, new: str, indent: str = "        ") -> dict[str, str]:
    lines = "".join(f"{indent}{line}\n" for line in new.splitlines())
    return {"name": name, "exercise": exercise, "why": why, "old": old, "new": lines}


MUTANTS = [
    _mutant("sigmoid", "naive", "e^1000 overflows", _SIGMOID, "x = as_float(x)\nreturn 1 / (1 + np.exp(-x))"),
    _mutant("sigmoid", "naive_in_silence", "the overflow hidden instead of avoided", _SIGMOID,
            'x = as_float(x)\nwith np.errstate(all="ignore"):\n    return 1 / (1 + np.exp(-x))'),
    _mutant("sigmoid", "other_form", "quiet, and nan on the other side", _SIGMOID,
            'x = as_float(x)\nwith np.errstate(all="ignore"):\n    return np.exp(x) / (1 + np.exp(x))'),
    _mutant("sigmoid", "both_branches", "np.where computes both forms everywhere, so one overflows", _SIGMOID,
            "x = as_float(x)\nreturn np.where(x < 0, np.exp(x) / (1 + np.exp(x)), 1 / (1 + np.exp(-x)))"),
    _mutant("sigmoid", "through_tanh", "no overflow, but small results are rounded away", _SIGMOID,
            "x = as_float(x)\nreturn (1 + np.tanh(x / 2)) / 2"),
    _mutant("sigmoid", "one_minus", "1 - sigmoid(-x) loses small results", _SIGMOID,
            "x = as_float(x)\nhalf = 1 / (1 + np.exp(-np.abs(x)))\nreturn np.where(x < 0, 1 - half, half)"),
    _mutant("sigmoid", "clipped", "no overflow, but a wrong number beyond 30", _SIGMOID,
            "x = np.clip(as_float(x), -30, 30)\nreturn 1 / (1 + np.exp(-x))"),
    _mutant("sigmoid", "sign", "1 / (1 + e^x)", _SIGMOID,
            "x = as_float(x)\nsmall = np.exp(-np.abs(x))\nreturn np.where(x > 0, small, 1) / (1 + small)"),
    _mutant("sigmoid", "one_half_of_the_curve", "the sigmoid of |x|", _SIGMOID,
            "return 1 / (1 + np.exp(-np.abs(as_float(x))))"),
    _mutant("sigmoid", "hard", "hardsigmoid", _SIGMOID, "return np.clip(as_float(x) + 3, 0, 6) / 6"),
    _mutant("sigmoid", "tanh", "tanh taken for the sigmoid", _SIGMOID, "return np.tanh(as_float(x))"),
    _mutant("sigmoid", "integers_to_float64", "numpy's own type for integers", _SIGMOID,
            "x = x if x.dtype.kind == 'f' else x.astype(np.float64)\nsmall = np.exp(-np.abs(x))\n"
            "return np.where(x < 0, small, 1) / (1 + small)"),
    _mutant("sigmoid", "wraps_around", "-x while x is unsigned", _SIGMOID,
            "small = np.exp(as_float(-np.abs(x.astype(np.int8) if x.dtype == bool else x)))\n"
            "return np.where(x < 0, small, as_float(np.ones_like(x))) / (1 + small)"),
    _mutant("sigmoid", "always_float32", "rounds float64", _SIGMOID,
            "x = x.astype(np.float32)\nsmall = np.exp(-np.abs(x))\nreturn np.where(x < 0, small, 1) / (1 + small)"),
    _mutant("sigmoid", "always_float64", "twice the memory", _SIGMOID,
            "x = x.astype(np.float64)\nsmall = np.exp(-np.abs(x))\nreturn np.where(x < 0, small, 1) / (1 + small)"),
    _mutant("sigmoid", "in_place", "the input is overwritten for whoever reads it next", _SIGMOID,
            "x = as_float(x)\nnegative = x < 0\nnp.abs(x, out=x)\nsmall = np.exp(-x)\n"
            "return np.where(negative, small, 1) / (1 + small)"),
    _mutant("sigmoid", "nan_to_num", "hides what went wrong before it", _SIGMOID,
            "x = as_float(np.nan_to_num(x))\nsmall = np.exp(-np.abs(x))\n"
            "return np.where(x < 0, small, 1) / (1 + small)"),
    _mutant("sigmoid", "flattened", "the shape is lost", _SIGMOID,
            "x = as_float(x).ravel()\nsmall = np.exp(-np.abs(x))\nreturn np.where(x < 0, small, 1) / (1 + small)"),
    _mutant("sigmoid", "accepts_empty", "an empty answer instead of an error", _EMPTY, ""),
    _mutant("sigmoid", "only_first_axis", "misses (1, 3, 0)", _EMPTY,
            'if len(x) == 0:\n    raise ValueError("empty")'),
    _mutant("sigmoid", "not_registered", "written, but not found", _TYPES, ""),
    _mutant("sigmoid", "wrong_name", "the class's name instead of the operator's type", _TYPES,
            '@layers.register("Sigmoid")', ""),
    _mutant("sigmoid", "one_type_only", "F.sigmoid is the same operation", _TYPES,
            '@layers.register("nn.Sigmoid")', ""),
    _mutant("sigmoid", "registered_in_a_copy", "a registry that nobody asks", _TYPES,
            '@Registry().register("nn.Sigmoid", "F.sigmoid", "torch.sigmoid")', ""),
    _mutant("leaky_relu", "shared_by_the_class", "the last operator's slope for all layers", _READ,
            'slope = operator.params.get("negative_slope")\n'
            "cls.negative_slope = 0.01 if slope is None else slope.value\nreturn cls.__new__(cls)"),
    _mutant("leaky_relu", "zero_is_false", "a slope of 0 becomes 0.01", _READ,
            'slope = operator.params.get("negative_slope")\nreturn cls((slope and slope.value) or 0.01)'),
    _mutant("leaky_relu", "not_read", "the default whatever the operator says", _READ, "return cls()"),
    _mutant("leaky_relu", "required", "an operator without a slope fails", _READ,
            'return cls(operator.params["negative_slope"].value)'),
    _mutant("leaky_relu", "parameter_not_value", "the Parameter object instead of the number in it", _READ,
            'slope = operator.params.get("negative_slope")\nreturn cls() if slope is None else cls(slope)'),
    _mutant("leaky_relu", "whole_number", "0.5 cut to 0", _READ,
            'slope = operator.params.get("negative_slope")\nreturn cls() if slope is None else cls(int(slope.value))'),
    _mutant("leaky_relu", "one_layer_for_all", "the first layer made is given to every operator", _READ,
            'slope = operator.params.get("negative_slope")\n'
            'if "made" not in cls.__dict__:\n    cls.made = cls() if slope is None else cls(slope.value)\n'
            "return cls.made"),
    _mutant("leaky_relu", "ignores_unknown", "wrong numbers in silence", _UNKNOWN,
            'unknown = sorted(set(operator.params) - {"negative_slope"})\nif False:'),
    _mutant("leaky_relu", "ignores_a_second", "looks at the others only if the slope is missing", _UNKNOWN,
            'unknown = sorted(set(operator.params) - {"negative_slope"})\n'
            'if unknown and "negative_slope" not in operator.params:'),
    _mutant("leaky_relu", "default_of_a_tenth", "the wrong default", _DEFAULT,
            "def __init__(self, negative_slope: float = 0.1) -> None:", "    "),
    _mutant("leaky_relu", "maximum", "right only for slopes up to 1", _LEAKY,
            "x = as_float(x)\nreturn np.maximum(x, x * self.negative_slope)"),
    _mutant("leaky_relu", "swapped", "the slope on the positive half", _LEAKY,
            "x = as_float(x)\nreturn np.where(x < 0, x, x * self.negative_slope)"),
    _mutant("leaky_relu", "relu", "no slope at all", _LEAKY, "return np.maximum(as_float(x), 0)"),
    _mutant("leaky_relu", "both_halves", "the slope everywhere", _LEAKY, "return as_float(x) * self.negative_slope"),
    _mutant("leaky_relu", "in_place", "the input is overwritten", _LEAKY,
            "x = as_float(x)\nx[x < 0] *= self.negative_slope\nreturn x"),
    _mutant("leaky_relu", "integers_to_float64", "numpy's own type for integers", _LEAKY,
            "return np.where(x > 0, x, x * self.negative_slope)"),
    _mutant("leaky_relu", "always_float32", "rounds float64", _LEAKY,
            "x = x.astype(np.float32)\nreturn np.where(x > 0, x, x * self.negative_slope)"),
    _mutant("leaky_relu", "float64_slope", "a float32 result becomes float64", _LEAKY,
            "x = as_float(x)\nreturn np.where(x > 0, x, x * np.float64(self.negative_slope))"),
    _mutant("leaky_relu", "not_registered", "the functional name is missing", _LEAKY_TYPES,
            '@layers.register("nn.LeakyReLU")', ""),
]  # fmt: skip
