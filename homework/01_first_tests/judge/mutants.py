"""Wrong solutions of lesson 1's homework: `old` of solution.py, which occurs there once, becomes `new`."""

_AXBY = "    return w @ x + b\n"
_EXP = "    return np.exp(-as_float(x))\n"
_AXPY = "    return a * x + y\n"
_AS_FLOAT = "    z = as_float(z)\n"
_POWERS = "    powers = np.exp(z - z.max(axis=-1, keepdims=True))\n"
_SHARES = "    return powers / powers.sum(axis=-1, keepdims=True)\n"


def _mutant(exercise: str, name: str, why: str, old: str, new: str) -> dict[str, str]:
    return {"name": name, "exercise": exercise, "why": why, "old": old, "new": f"    {new}\n" if new else ""}


MUTANTS = [
    _mutant("axby", "swapped", "the original test, w == x, lets it pass", _AXBY, "return x @ w + b"),
    _mutant("axby", "elementwise", "* taken for the matrix product", _AXBY, "return w * x + b"),
    _mutant("axby", "w_transposed", "columns of w instead of rows", _AXBY, "return w.T @ x + b"),
    _mutant("axby", "x_transposed", "rows of x instead of columns", _AXBY, "return w @ x.T + b"),
    _mutant("axby", "no_bias", "the bias forgotten", _AXBY, "return w @ x"),
    _mutant("axby", "minus_bias", "the sign of the bias", _AXBY, "return w @ x - b"),
    _mutant("axby", "bias_transposed", "the bias of row i added to column i", _AXBY, "return w @ x + b.T"),
    _mutant("axby", "bias_of_first_row", "one bias for all rows", _AXBY, "return w @ x + b[0]"),
    _mutant("axby", "bias_of_first_column", "one bias for all columns", _AXBY, "return w @ x + b[:, :1]"),
    _mutant("axby", "bias_inside", "brackets in the wrong place", _AXBY, "return w @ (x + b)"),
    _mutant("axby", "always_float32", "rounds float64", _AXBY, "return (w @ x + b).astype(np.float32)"),
    _mutant("axby", "hard_coded", "the lesson's answer, whatever comes", _AXBY,
            "return np.array([[31, 37, 43], [68, 83, 98], [105, 129, 153]])"),
    _mutant("e_power_minus", "no_minus", "e^x", _EXP, "return np.exp(as_float(x))"),
    _mutant("e_power_minus", "minus_outside", "-e^x", _EXP, "return -np.exp(as_float(x))"),
    _mutant("e_power_minus", "wraps_around", "-x while x is uint8", _EXP, "return np.exp(as_float(-x))"),
    _mutant("e_power_minus", "integers_to_float64", "numpy's own type for integers", _EXP,
            "return np.exp(-(x if x.dtype.kind == 'f' else x.astype(np.float64)))"),
    _mutant("e_power_minus", "always_float32", "rounds float64", _EXP, "return np.exp(-x.astype(np.float32))"),
    _mutant("e_power_minus", "always_float64", "twice the memory", _EXP, "return np.exp(-x.astype(np.float64))"),
    _mutant("e_power_minus", "rough_e", "2.718 to the power of -x", _EXP, "return 2.718 ** -as_float(x)"),
    _mutant("e_power_minus", "absolute", "negative numbers lose their sign", _EXP,
            "return np.exp(-np.abs(as_float(x)))"),
    _mutant("e_power_minus", "minus_one", "expm1 taken for exp", _EXP, "return np.expm1(-as_float(x))"),
    _mutant("e_power_minus", "flattened", "a list of numbers, the shape lost", _EXP,
            "return np.exp(-as_float(x)).ravel()"),
    _mutant("axpy", "changes_y", "in place", _AXPY, "y += a * x\n    return y"),
    _mutant("axpy", "out_is_y", "in place where the types agree", _AXPY,
            "return np.add(a * x, y, out=y if y.dtype == (a * x).dtype else None)"),
    _mutant("axpy", "changes_x", "in place", _AXPY, "x *= a\n    return x + y"),
    _mutant("axpy", "type_of_y", "cuts off what y's type cannot hold", _AXPY, "return (a * x + y).astype(y.dtype)"),
    _mutant("axpy", "type_of_x", "cuts off what x's type cannot hold", _AXPY, "return (a * x + y).astype(x.dtype)"),
    _mutant("axpy", "brackets", "a multiplies y too", _AXPY, "return a * (x + y)"),
    _mutant("axpy", "swapped", "a multiplies y", _AXPY, "return x + a * y"),
    _mutant("axpy", "minus", "the sign of y", _AXPY, "return a * x - y"),
    _mutant("axpy", "whole_factor", "a cut to an integer", _AXPY, "return int(a) * x + y"),
    _mutant("axpy", "float64_factor", "a float32 result becomes float64", _AXPY, "return np.float64(a) * x + y"),
    _mutant("axpy", "dot", "the inner product of BLAS's dot", _AXPY, "return a * np.dot(x.ravel(), y.ravel())"),
    _mutant("softmax", "overflows", "e^1000 is inf", _POWERS, "powers = np.exp(z)"),
    _mutant("softmax", "largest_of_all", "a row far below the largest becomes 0 / 0", _POWERS,
            "powers = np.exp(z - z.max())"),
    _mutant("softmax", "mean", "enough for large scores, not for far ones", _POWERS,
            "powers = np.exp(z - z.mean(axis=-1, keepdims=True))"),
    _mutant("softmax", "smallest", "the wrong end", _POWERS, "powers = np.exp(z - z.min(axis=-1, keepdims=True))"),
    _mutant("softmax", "clipped", "no overflow, but other shares", _POWERS, "powers = np.exp(np.clip(z, -700, 700))"),
    _mutant("softmax", "absolute", "large negative scores win", _POWERS,
            "powers = np.exp(np.abs(z) - np.abs(z).max(axis=-1, keepdims=True))"),
    _mutant("softmax", "first_axis", "columns add up to 1", _SHARES,
            "return powers / powers.sum(axis=0, keepdims=True)"),
    _mutant("softmax", "second_axis", "right for two axes, wrong for three", _SHARES,
            "return powers / powers.sum(axis=min(1, z.ndim - 1), keepdims=True)"),
    _mutant("softmax", "whole_array", "all shares together add up to 1", _SHARES, "return powers / powers.sum()"),
    _mutant("softmax", "no_keepdims", "row i divided by the sum of row j", _SHARES,
            "return powers / powers.sum(axis=-1)"),
    _mutant("softmax", "not_divided", "powers instead of shares", _SHARES, "return powers"),
    _mutant("softmax", "length", "the square root of the squares", _SHARES,
            "return powers / np.sqrt((powers**2).sum(axis=-1, keepdims=True))"),
    _mutant("softmax", "always_float32", "rounds float64", _AS_FLOAT, "z = z.astype(np.float32)"),
    _mutant("softmax", "integers_to_float64", "numpy's own type for integers", _AS_FLOAT,
            "z = z if z.dtype.kind == 'f' else z.astype(np.float64)"),
    _mutant("softmax", "integers_untouched", "unsigned differences wrap around", _AS_FLOAT, ""),
]  # fmt: skip
