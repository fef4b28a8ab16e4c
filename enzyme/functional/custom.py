"""`custom_vjp` and `custom_jvp`: rules in the form that users of JAX know, for all modes and widths.

A `custom_jvp` serves reverse mode, too: there it is differentiated by its tangents, in which it is linear. A
`custom_vjp` need not be linear in the cotangent. The rules are written as source for the parameters of each function;
what depends on types is found where they are compiled (`custom_terms`).
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, no-any-return"

from __future__ import annotations

import ast
import inspect
import types as pytypes
from collections.abc import Callable, Sequence
from typing import Any

from numba.extending import is_jitted

import enzyme_rules
from enzyme.api.gradients import gradient
from enzyme.api.values import closure, jitted
from enzyme.errors import ActivityError
from enzyme.frontend.functions.weighed import weighed
from enzyme.functional import custom_terms as terms
from enzyme.functional.arguments import placed
from enzyme.ruled.choice import OF_VALUES
from enzyme_rules import AugmentedReturn, linear
from enzymecore import Const, Reverse, make_zero

__all__ = ["custom_jvp", "custom_vjp"]


@placed
def custom_vjp(f: Any = None, *, nondiff_argnums: Sequence[int] = ()) -> Any:
    """A function with a rule of its own for reverse mode, stated as `jax.custom_vjp` takes it; a decorator.

    Parameters
    ----------
    f
        A function that numba compiles; it returns a float, an array, or a tuple of arrays.
    nondiff_argnums
        Places of arguments that never carry a derivative.

    Returns
    -------
    function
        `f`, jitted, with the method ``defvjp(fwd, bwd)``, which takes the rule: ``fwd(*args)`` returns
        ``(result, residuals)``, and ``bwd(residuals, cotangent)`` a tuple with a cotangent for each argument, None for
        one that is zero; arguments of `nondiff_argnums` have none, and `bwd` gets them in front.

    Raises
    ------
    ActivityError
        If there is no such argument.
    CustomRuleError
        Where a derivative is compiled, if the rule returns something else.

    Notes
    -----
    The rule holds wherever the function is called, inside jitted functions, too. Forward mode is refused: `bwd` need
    not be linear in the cotangent. Residuals may be arguments: they are copied where something overwrites them.

    Examples
    --------
    >>> import numpy as np
    >>> from enzyme import custom_vjp, grad
    >>> @custom_vjp
    ... def clipped(x, low, high):
    ...     return x
    >>> clipped.defvjp(
    ...     lambda x, low, high: (x, (low, high)),
    ...     lambda kept, ct: (min(max(ct, kept[0]), kept[1]), None, None),
    ... )
    >>> grad(lambda x: 10.0 * clipped(x, -2.0, 2.0))(3.0)
    2.0
    """
    return _decorator("custom_vjp", f, nondiff_argnums, {"defvjp": _define_vjp})


@placed
def custom_jvp(f: Any = None, *, nondiff_argnums: Sequence[int] = ()) -> Any:
    """A function with a rule of its own for derivatives along directions, stated as `jax.custom_jvp` takes it; a
    decorator.

    Parameters
    ----------
    f, nondiff_argnums
        As for `custom_vjp`.

    Returns
    -------
    function
        `f`, jitted, with the methods ``defjvp(rule)`` and ``defjvps(*rules)``. ``rule(primals, tangents)`` returns the
        result and its tangent, which must be linear in the tangents; arguments of `nondiff_argnums` stand in front.
        With ``defjvps`` there is a function ``rule(tangent, result, *args)`` for each argument, or None.

    Raises
    ------
    ActivityError
        If there is no such argument.
    CustomRuleError
        Where a derivative is compiled, if the rule returns something else.

    Examples
    --------
    >>> import math
    >>> from enzyme import custom_jvp, grad
    >>> @custom_jvp
    ... def log1pexp(x):
    ...     return math.log(1.0 + math.exp(x))
    >>> @log1pexp.defjvp
    ... def rule(primals, tangents):
    ...     (x,), (t,) = primals, tangents
    ...     return log1pexp(x), (1.0 - 1.0 / (1.0 + math.exp(x))) * t
    >>> grad(log1pexp)(0.0), grad(grad(log1pexp))(0.0)
    (0.5, 0.25)
    """
    methods = {"defjvp": _define_jvp, "defjvps": _define_jvps}
    return _decorator("custom_jvp", f, nondiff_argnums, methods)


def _decorator(what: str, f: Any, constants: Sequence[int], methods: dict[str, Any]) -> Any:
    if f is None:
        return lambda f: _decorator(what, f, constants, methods)
    function = f if is_jitted(f) else jitted(f, 0)
    names = list(inspect.signature(function.py_func).parameters)
    places = tuple(constants)
    if any(not isinstance(k, int) or not -len(names) <= k < len(names) for k in places):
        raise ActivityError(
            what=f"nondiff_argnums={constants!r} of {what}",
            why=f"the arguments are {', '.join(names)}",
            todo="give the places of arguments",
        )
    places = tuple(k % len(names) for k in places)
    if places:
        enzyme_rules.inactive_arg(function, *(names[k] for k in places))
    for name, define in methods.items():
        setattr(function, name, _Method(define, function, places))
    return function


def _at_line_of(given: Any, source: str) -> pytypes.CodeType:
    """Code in place of a function's: messages about it name the line of that function."""
    code = getattr(given, "py_func", given).__code__
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if hasattr(node, "lineno"):
            node.lineno = node.end_lineno = code.co_firstlineno
    return compile(tree, code.co_filename, "exec")


class _Method:
    """What takes the rule of a function."""

    def __init__(self, define: Any, function: Any, constants: tuple[int, ...]) -> None:
        self._define, self._function, self._constants = define, function, constants

    def __call__(self, *rules: Any) -> Any:
        return self._define(_Source(self._function, self._constants), *rules)


class _Source:
    """Source of the rules of a function."""

    def __init__(self, function: Any, constants: tuple[int, ...]) -> None:
        self.function = function
        self.name = function.__name__
        count = len(inspect.signature(function.py_func).parameters)
        self.names = [f"x{k}" for k in range(count)]
        self.constants = [self.names[k] for k in constants]
        self.live = [name for name in self.names if name not in self.constants]
        self.scope = {"AugmentedReturn": AugmentedReturn, "linear": linear, "terms": terms}

    @property
    def values(self) -> str:
        return ", ".join(f"{name}.val" for name in self.names)

    @property
    def shadows(self) -> str:
        """What else refers to memory of arguments."""
        return "".join(f"terms.shadow({name}), " for name in self.live)

    @property
    def front(self) -> str:
        """The values of what never carries a derivative, in front of other arguments."""
        return "".join(f"{name}.val, " for name in self.constants)

    def register(
        self,
        kind: str,
        leading: str,
        lines: Sequence[str],
        given: Any,
        reading: tuple[Any, Sequence[int]] | None = None,
        **scope: Any,
    ) -> None:
        """Write a rule, and register it; messages about it name the line of what was `given`.

        `reading`: a function that it calls, and the places of arguments that this must not write to.
        """
        head = f"def {kind}(config, func, {', '.join([leading, *self.names])}):"
        made = {**self.scope, **scope}
        source = "\n".join([head, *(f"    {line}" for line in lines)])
        exec(_at_line_of(given, source), made)
        setattr(made[kind], OF_VALUES, () if reading is None else (reading,))
        getattr(enzyme_rules, kind)(self.function)(made[kind])

    def reverse(self, fwd: Any, bwd: Any, given: Any = None) -> None:
        """The rules of reverse mode, for what returns the result and residuals, and for what takes them back."""
        own = ", ".join(f"terms.own(config, {k}, {x}.val)" for k, x in enumerate(self.names))
        lines = [
            f"omega, kept = terms.pair({self.name!r}, fwd({own}))",
            "if config.needs_shadow:",
            "    shadow = terms.zeros(config, omega)",
            "else:",
            "    shadow = None",
            "own = terms.apart(kept, omega)",
            "if config.needs_primal:",
            "    return AugmentedReturn(omega, shadow, (shadow, own))",
            "return AugmentedReturn(None, shadow, (shadow, own))",
        ]
        live = [k for k, x in enumerate(self.names) if x in self.live]
        reading: tuple[Any, Sequence[int]] | None = (fwd, live)
        self.register("augmented_primal", "RT", lines, given or fwd, reading, fwd=fwd)
        places = tuple(self.names.index(x) for x in self.live)
        passed = ", ".join(
            ["config", "bwd", repr(places), "dret", "shadow", f"({self.front})", "kept"]
        )
        lines = [
            "shadow, kept = tape",
            f"found = terms.adjoints({self.name!r}, {passed}, {', '.join(self.names)})",
            "linear.clear(config, shadow)",
            "return found",
        ]
        # A cotangent is nobody's any more; what is made of a rule for directions is read as such there.
        reading = None if given else (bwd, [len(self.constants)])
        self.register("reverse", "dret, tape", lines, given or bwd, reading, bwd=bwd)

    def forward(self, lines: Sequence[str], given: Any, **scope: Any) -> None:
        """The rule of forward mode; the lines make the result and its tangent."""
        every = [
            "if not config.needs_shadow:",
            "    if config.needs_primal:",
            f"        return func.val({self.values})",
            "    return None",
            *lines,
            f"own = terms.own_tangent(tangent, omega, ({self.values},), ({self.shadows}))",
            "if config.needs_primal:",
            "    return linear.both(config, omega, own)",
            "return own",
        ]
        count = len(self.constants)
        self.register("forward", "RT", every, given, (given, [count, count + 1]), **scope)


def _define_vjp(source: _Source, fwd: Callable[..., Any], bwd: Callable[..., Any]) -> None:
    fwd, bwd = jitted(fwd, len(source.names)), jitted(bwd, len(source.constants) + 2)
    source.reverse(fwd, bwd)
    source.register("forward", "RT", [f"return terms.no_tangent({source.name!r})"], bwd)


def _define_jvp(source: _Source, rule: Callable[..., Any]) -> Callable[..., Any]:
    jvp = jitted(rule, len(source.constants) + 2)
    primals = ", ".join(f"{x}.val" for x in source.live)
    given = ", ".join(["config", "jvp", f"({source.front})", f"({primals},)", *source.live])
    source.forward([f"omega, tangent = terms.along({source.name!r}, {given})"], jvp, jvp=jvp)
    source.reverse(_values_kept(source), _transposed(source, jvp), jvp)
    return rule


def _values_kept(source: _Source) -> Any:
    """The function with its arguments as residuals."""
    live = ", ".join(source.live)
    body = f"return f({', '.join(source.names)}), ({live},)"
    return closure(source.function, ", ".join(source.names), body, f"fwd_of_{source.name}")


def _transposed(source: _Source, jvp: Any) -> Any:
    """What takes a cotangent back, from what takes tangents along: the gradient by tangents of the product of both."""
    count = len(source.live)
    primals = [f"x{k}" for k in range(count)]
    tangents = [f"t{k}" for k in range(count)]
    constants = [f"c{k}" for k in range(len(source.constants))]
    listed = ", ".join([*constants, f"({', '.join(primals)},)", f"({', '.join(tangents)},)"])
    paired = closure(
        jvp,
        ", ".join([*tangents, *constants, *primals, "seed"]),
        f"return weighed(terms.dot(seed, terms.pair({source.name!r}, f({listed}))[1]))",
        f"product_with_tangent_of_{source.name}",
        terms=terms,
        weighed=weighed,
    )
    zeros = [f"make_zero(kept[{k}])" for k in range(count)]
    fixed = [*constants, *(f"kept[{k}]" for k in range(count)), "seed"]
    given = ", ".join([*zeros, *(f"Const({x})" for x in fixed)])
    results = ", ".join(f"found[{k}]" for k in range(count))
    return closure(
        paired,
        ", ".join([*constants, "kept", "seed"]),
        f"found = gradient(mode, f, {given})\n        return ({results},)",
        f"bwd_of_{source.name}",
        Const=Const,
        gradient=gradient,
        make_zero=make_zero,
        mode=Reverse,
    )


def _define_jvps(source: _Source, *rules: Any) -> None:
    if len(rules) != len(source.names) or source.constants:
        raise ActivityError(
            what=f"defjvps of {source.name} with {len(rules)} rules",
            why=f"it has {len(source.names)} arguments",
            todo="give a rule for each argument, None for a constant, and no nondiff_argnums",
        )
    taken = [k for k, rule in enumerate(rules) if rule is not None]
    terms_of = [f"rule{k}(tangents[{k}], y, *primals)" for k in taken]
    body = f"y = f(*primals)\n        return y, {' + '.join(terms_of) or 'make_zero(y)'}"
    scope = {f"rule{k}": jitted(rules[k], 2 + len(source.names)) for k in taken}
    scope["make_zero"] = make_zero
    rule = closure(source.function, "primals, tangents", body, f"jvp_of_{source.name}", **scope)
    _define_jvp(source, rule)
