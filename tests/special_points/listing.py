"""Which of numba's implementations look at special points: those that compare a number with a constant, or two for
equality.

Read off the sources that are installed. Comparisons of shapes, types, layouts and the like are left out; what an
integer is cannot be seen there, so implementations that compare integers are listed too.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import numba

SOURCES = (
    "cpython/builtins.py",
    "cpython/cmathimpl.py",
    "cpython/mathimpl.py",
    "cpython/numbers.py",
    "np/*.py",
    "np/math/*.py",
    "np/polynomial/*.py",
)
# Dates, tables of types and of ufuncs: no numbers are computed there.
NO_NUMBERS = ("npdatetime.py", "npdatetime_helpers.py", "numpy_support.py", "ufunc_db.py")
_NO_ORDER = (ast.Is, ast.IsNot, ast.In, ast.NotIn)
_FLOAT_COMPARISONS = ("fcmp_ordered", "fcmp_unordered")
_STRUCTURE = frozenset(
    "ndim size shape strides layout dtype type types count bitwidth itemsize args platform MACHINE_BITS key mutable"
    " dims nout nin array_priority return_type restype n_args literal_value target".split()
)
_STRUCTURAL_NAMES = frozenset(
    "axis kind side mode direction layout attr dtype ty lty order ndims".split()
)


def implementations() -> dict[str, tuple[str, ...]]:
    """By name (``np.npyfuncs.np_real_mod_impl``), the comparisons in the order of the source."""
    root = Path(numba.__file__).parent
    found: dict[str, tuple[str, ...]] = {}
    for pattern in SOURCES:
        for path in sorted(root.glob(pattern)):
            if path.name in NO_NUMBERS:
                continue
            module = ".".join(path.relative_to(root).with_suffix("").parts)
            for function in ast.parse(path.read_text()).body:
                if isinstance(function, ast.FunctionDef):
                    comparisons = tuple(dict.fromkeys(_comparisons(function)))
                    if comparisons:
                        found[f"{module}.{function.name}"] = comparisons
    return found


def _comparisons(function: ast.FunctionDef) -> Iterator[str]:
    for node in ast.walk(function):
        if isinstance(node, ast.Compare) and not isinstance(node.ops[0], _NO_ORDER):
            operands = [node.left, *node.comparators]
            equality = any(isinstance(op, (ast.Eq, ast.NotEq)) for op in node.ops)
            if (equality or any(map(_is_number, operands))) and not any(
                map(_is_structure, operands)
            ):
                yield ast.unparse(node)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in _FLOAT_COMPARISONS:
                first, *operands = node.args
                yield f" {ast.literal_eval(first)} ".join(map(ast.unparse, operands))


def _is_number(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp):
        return _is_number(node.operand)
    if isinstance(node, ast.Name) and node.id.isupper() and len(node.id) > 2:  # ZERO
        return True
    return isinstance(node, ast.Constant) and type(node.value) in (int, float, complex)


def _is_structure(node: ast.expr) -> bool:
    """Does the expression speak of shapes, types or texts?"""
    for part in ast.walk(node):
        if isinstance(part, ast.Attribute) and part.attr in _STRUCTURE:
            return True
        if isinstance(part, ast.Name) and part.id in _STRUCTURAL_NAMES:
            return True
        if (
            isinstance(part, ast.Call)
            and isinstance(part.func, ast.Name)
            and part.func.id in ("len", "hasattr", "getattr")
        ):
            return True
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            return True
    return False
