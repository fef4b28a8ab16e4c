"""Programs, and small changes of them that change what is compiled: each must have a digest of its own.

A table of ways in which a program refers to a value, crossed with pairs of values; and changes of functions, rules,
types, calls and versions.
"""

from __future__ import annotations

import sys
import types as pytypes
from collections.abc import Iterator

import numba
import numpy as np

from enzyme.api.values import argument_type, jitted
from enzyme.contract.signature import of_call
from enzymecore import Active, Const, Duplicated, Reverse, make_zero

# How a program refers to the value V.
WAYS = {
    "global": "@njit\ndef f(x): return x * V",
    "plain": "def f(x): return x * V",
    "callee": "@njit\ndef g(x): return x * V\n@njit\ndef f(x): return g(x)",
    "callee of a callee": "@njit\ndef h(x): return x * V\n@njit\ndef g(x): return h(x)\n@njit\ndef f(x): return g(x)",
    "cell": "def make(v):\n    @njit\n    def f(x): return x * v\n    return f\nf = make(V)",
    "cell of a callee": "def make(v):\n    @njit\n    def g(x): return x * v\n    return g\n"
    "g = make(V)\n@njit\ndef f(x): return g(x)",
    "default": "@njit\ndef f(x, v=V): return x * v",
    "keyword": "@njit\ndef g(x, *, v=V): return x * v\n@njit\ndef f(x): return g(x)",
    "tuple": "K = (1.0, (V,))\n@njit\ndef f(x): return x * K[1][0]",
    "named tuple": "from collections import namedtuple\nP = namedtuple('P', 'v')\nK = P(V)\n"
    "@njit\ndef f(x): return x * K.v",
    "inner function": "@njit\ndef f(x):\n    def g(y): return y * V\n    return g(x)",
    "lambda": "f = njit(lambda x: x * V)",
    "comprehension": "@njit\ndef f(x): return [V for _ in range(3)][0] * x",
    "module": "mod.v = V\n@njit\ndef f(x): return x * mod.v",
    "module of a module": "mod.sub = type(mod)('sub')\nmod.sub.v = V\n@njit\ndef f(x): return x * mod.sub.v",
    "module by another name": "mod.v = V\n@njit\ndef f(x):\n    m = mod\n    return x * m.v",
    "function of a module": "@njit\ndef g(x): return x * V\nmod.g = g\n@njit\ndef f(x): return mod.g(x)",
    "functions in a tuple": "@njit\ndef g(x): return x * V\nK = (g, g)\n@njit\ndef f(x): return K[0](x)",
    "ufunc": "@vectorize\ndef g(x): return x * V\n@njit\ndef f(x): return g(x)",
    "generalised ufunc": "@guvectorize('(n)->(n)')\ndef g(x, y): y[:] = x * V\n@njit\ndef f(x): return g(x)",
    "attribute of NumPy": "np.V = V\n@njit\ndef f(x): return x * np.V",
    "overload": "def g(x): return 0\n@overload(g)\ndef _(x): return lambda x: x * V\n@njit\ndef f(x): return g(x)",
    "forward rule": "@njit\ndef f(x): return x\n@forward(f)\ndef r(func, RT, x): return x.dval * V",
    "reverse rule": "@njit\ndef g(x): return x\n@augmented_primal(g)\ndef a(config, func, RT, x):\n"
    "    return AugmentedReturn(x.val, None, None)\n@reverse(g)\ndef r(config, func, dret, tape, x):\n"
    "    return (dret.val * V,)\n@njit\ndef f(x): return g(x)",
    "callee of a rule": "@njit\ndef h(x): return x * V\n@njit\ndef f(x): return x\n@forward(f)\n"
    "def r(func, RT, x): return h(x.dval)",
    "easy rule": "@njit\ndef f(x): return x\neasy_rule(f, lambda y, x: x * V)",
}
VALUES = {
    "number": ("2.0", "3.0"),
    "precision": ("2.0", "np.float32(2.0)"),
    "kind": ("2", "2.0"),
    "truth": ("1", "True"),
    "sign of zero": ("0.0", "-0.0"),
    "item": ("np.array([1.0, 2.0])", "np.array([1.0, 3.0])"),
    "order": ("np.ones((2, 2))", "np.asfortranarray(np.ones((2, 2)))"),
}

# (what stays, what it becomes)
CHANGES = {
    "operation": ("@njit\ndef f(x): return x + 1.0", "@njit\ndef f(x): return x - 1.0"),
    "constant": ("@njit\ndef f(x): return x + 1.0", "@njit\ndef f(x): return x + 1"),
    "name": ("@njit\ndef f(x): return abs(x)", "@njit\ndef f(x): return sum(x)"),
    "line": ("@njit\ndef f(x): return x + 1.0", "\n@njit\ndef f(x): return x + 1.0"),
    "fastmath": ("@njit\ndef f(x): return x", "@njit(fastmath=True)\ndef f(x): return x"),
    "some fastmath": (
        "@njit(fastmath={'nnan'})\ndef f(x): return x",
        "@njit(fastmath={'ninf'})\ndef f(x): return x",
    ),
    "error model": (
        "@njit\ndef f(x): return 1 / x",
        "@njit(error_model='numpy')\ndef f(x): return 1 / x",
    ),
    "bounds": ("@njit\ndef f(x): return x", "@njit(boundscheck=True)\ndef f(x): return x"),
    "parallel": ("@njit\ndef f(x): return x", "@njit(parallel=True)\ndef f(x): return x"),
    "nogil": ("@njit\ndef f(x): return x", "@njit(nogil=True)\ndef f(x): return x"),
    "inline": (
        "@njit\ndef g(x): return x\n@njit\ndef f(x): return g(x)",
        "@njit(inline='always')\ndef g(x): return x\n@njit\ndef f(x): return g(x)",
    ),
    "option of a callee": (
        "@njit\ndef g(x): return x\n@njit\ndef f(x): return g(x)",
        "@njit(fastmath=True)\ndef g(x): return x\n@njit\ndef f(x): return g(x)",
    ),
    "locals": (
        "@njit\ndef f(x):\n    y = x\n    return y",
        "@njit(locals={'y': types.float32})\ndef f(x):\n    y = x\n    return y",
    ),
    "signature": (
        "@njit\ndef f(x): return x",
        "@njit('float64(float64)')\ndef f(x): return x",
    ),
    "other signature": (
        "@njit('float32(float64)')\ndef f(x): return x",
        "@njit('float64(float64)')\ndef f(x): return x",
    ),
    "callee exchanged": (
        "@njit\ndef g(x): return x\n@njit\ndef h(x): return -x\ng2 = g\n@njit\ndef f(x): return g2(x)",
        "@njit\ndef g(x): return x\n@njit\ndef h(x): return -x\ng2 = h\n@njit\ndef f(x): return g2(x)",
    ),
    "library exchanged": (
        "from math import sin as g\n@njit\ndef f(x): return g(x)",
        "from math import cos as g\n@njit\ndef f(x): return g(x)",
    ),
    "numpy exchanged": (
        "from numpy import sin as g\n@njit\ndef f(x): return g(x)",
        "from numpy import cos as g\n@njit\ndef f(x): return g(x)",
    ),
    "name that is not there": (
        "@njit\ndef f(x): return x + Y",
        "Y = 1.0\n@njit\ndef f(x): return x + Y",
    ),
    "builtin hidden": (
        "@njit\ndef f(x): return abs(x)",
        "@njit\ndef abs(x): return x\n@njit\ndef f(x): return abs(x)",
    ),
    "enumeration": (
        "import enum\nclass E(enum.IntEnum):\n    A = 1\n@njit\ndef f(x): return x * E.A",
        "import enum\nclass E(enum.IntEnum):\n    A = 2\n@njit\ndef f(x): return x * E.A",
    ),
    "rule": (
        "@njit\ndef f(x): return x",
        "@njit\ndef f(x): return x\n@forward(f)\ndef r(func, RT, x): return x.dval",
    ),
    "restriction of a rule": (
        "@njit\ndef f(x): return x\n@forward(f)\ndef r(func, RT, x): return x.dval",
        "@njit\ndef f(x): return x\n@forward(f)\ndef r(func, RT, x: Duplicated): return x.dval",
    ),
    "inactive": ("@njit\ndef f(x): return x", "@njit\ndef f(x): return x\ninactive(f)"),
    "inactive callee": (
        "@njit\ndef g(x): return x\n@njit\ndef f(x): return g(x)",
        "@njit\ndef g(x): return x\ninactive(g)\n@njit\ndef f(x): return g(x)",
    ),
    "inactive argument": (
        "@njit\ndef f(x): return x",
        "@njit\ndef f(x): return x\ninactive_arg(f, 'x')",
    ),
    "noalias": ("@njit\ndef f(x): return x", "@njit\ndef f(x): return x\nnoalias(f)"),
    "overload": (
        "def g(x): return 0\n@overload(g)\ndef _(x): return lambda x: x\n@njit\ndef f(x): return g(x)",
        "def g(x): return 0\n@overload(g)\ndef _(x): return lambda x: -x\n@njit\ndef f(x): return g(x)",
    ),
    "options of an overload": (
        "def g(x): return 0\n@overload(g)\ndef _(x): return lambda x: x\n@njit\ndef f(x): return g(x)",
        "def g(x): return 0\n@overload(g, jit_options={'fastmath': True})\ndef _(x): return lambda x: x\n"
        "@njit\ndef f(x): return g(x)",
    ),
    "options of a function for overloads": (
        "from numba.extending import register_jitable\n@register_jitable\ndef g(x): return 1 / x\n"
        "@njit\ndef f(x): return g(x)",
        "from numba.extending import register_jitable\n@register_jitable(error_model='numpy')\n"
        "def g(x): return 1 / x\n@njit\ndef f(x): return g(x)",
    ),
    "function put into a library": (
        "@njit\ndef g(x): return x\nnp.fn = g\n@njit\ndef f(x): return np.fn(x)",
        "@njit\ndef g(x): return -x\nnp.fn = g\n@njit\ndef f(x): return np.fn(x)",
    ),
    "default of a named tuple": (
        "from collections import namedtuple\nP = namedtuple('P', 'v', defaults=(1.0,))\n@njit\n"
        "def f(x): return x * P().v",
        "from collections import namedtuple\nP = namedtuple('P', 'v', defaults=(2.0,))\n@njit\n"
        "def f(x): return x * P().v",
    ),
    "order of fields": (
        "K = np.zeros(1, [('a', 'f8'), ('b', 'f8')])\n@njit\ndef f(x): return x * K[0].a",
        "K = np.zeros(1, [('b', 'f8'), ('a', 'f8')])\n@njit\ndef f(x): return x * K[0].a",
    ),
    "identity of a ufunc": (
        "@vectorize(identity=0)\ndef g(x, y): return x + y\n@njit\ndef f(x): return g(x, x)",
        "@vectorize(identity=1)\ndef g(x, y): return x + y\n@njit\ndef f(x): return g(x, x)",
    ),
    "mode inside": (
        "from enzyme import autodiff\n@njit\ndef g(x): return x\n@njit\n"
        "def f(x): return autodiff(Reverse, g, Active, Active(x))[0][0]",
        "from enzyme import autodiff\n@njit\ndef g(x): return x\n@njit\n"
        "def f(x): return autodiff(ReverseWithPrimal, g, Active, Active(x))[0][0]",
    ),
    "function inside": (
        "from enzyme import grad\ndef g(x): return x * x\nd = grad(g)\n@njit\ndef f(x): return d(x)",
        "from enzyme import grad\ndef g(x): return x * x * x\nd = grad(g)\n@njit\ndef f(x): return d(x)",
    ),
    "option of grad": (
        "from enzyme import grad\ndef g(x): return x * x\nd = grad(g)\n@njit\ndef f(x): return d(x)",
        "from enzyme import grad\ndef g(x): return x * x\nd = grad(g, mode='forward')\n@njit\ndef f(x): return d(x)",
    ),
}

_HEAD = """
import numpy as np
from numba import guvectorize, njit, stencil, types, vectorize
from numba.extending import overload
from enzyme_rules import (AugmentedReturn, augmented_primal, easy_rule, forward, inactive, inactive_arg, noalias,
                          reverse)
from enzymecore import Active, Duplicated, Reverse, ReverseWithPrimal
"""


def function(source: str, value: str = "None"):
    """The function `f` that a program defines, in a world of its own."""
    module = pytypes.ModuleType("mutated")
    sys.modules["mutated"] = module
    scope = {"mod": pytypes.ModuleType("mod"), "__name__": "mutated"}
    exec(compile(f"{_HEAD}V = {value}\n", "<head>", "exec"), scope)
    exec(compile(source, "program.py", "exec"), scope)
    return scope["f"]


def signature(annotation=None, mode=Reverse, wanted=Active):
    given = Active(2.0) if annotation is None else annotation
    return of_call(mode, wanted, (given,), argument_type)


def dispatcher(source: str, value: str = "None"):
    return jitted(function(source, value), 1)


def annotations() -> Iterator[tuple[str, object]]:
    """Calls of one function, all of other types or activities."""
    arrays = {
        "C": np.ones((2, 2)),
        "F": np.asfortranarray(np.ones((2, 2))),
        "A": np.ones((2, 4))[:, ::2],
        "one": np.ones(2),
        "none": np.ones(()),
        "single": np.ones((2, 2), np.float32),
        "complex": np.ones((2, 2), complex),
    }
    for name, x in arrays.items():
        yield f"duplicated {name}", Duplicated(x, make_zero(x))
        yield f"constant {name}", Const(x)
    readonly = np.ones(2)
    readonly.flags.writeable = False
    yield "read only", Const(readonly)
    for name, value in {
        "float": 2.0,
        "single number": np.float32(2.0),
        "integer": 2,
        "truth": True,
        "complex number": 2j,
        "text": "x",
        "nothing": None,
        "pair": (2.0, 3.0),
        "pair of pairs": ((2.0, 3.0), 3.0),
        "pair of kinds": (2.0, 3),
        "pair with an array": (2.0, np.ones(2)),
    }.items():
        yield f"constant {name}", Const(value)
    yield "active", Active(2.0)
    yield "active pair", Active((2.0, 3.0))
    yield "list", Const(numba.typed.List([1.0]))
    yield "other list", Const(numba.typed.List([1]))
