"""One statement of the partial derivatives gives the rules of all modes and widths.

The rules are written as source, for the arguments and results of each function; the compiler takes them like rules
written by hand.  What they compute with (`linear`) gets its meaning from the compiler.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from enzyme_rules import linear
from enzyme_rules.patterns import pattern_of
from enzyme_rules.registry import Rule, changed, made_for, python_function
from enzyme_rules.returns import AugmentedReturn
from enzymecore import Active, Const

__all__ = ["CONSTANT", "EasyRule", "easy_rule"]

CONSTANT = None
"""In place of a partial: zero, and the argument is taken as constant."""


def easy_rule(
    f: Any,
    partials: Any = None,
    *,
    setup: Callable[..., Any] | None = None,
    types: Sequence[Any] | None = None,
) -> Any:
    """State the partial derivatives of `f` once; forward and reverse rules for every width follow.

    Parameters
    ----------
    f
        A function of numbers and arrays that changes none of its arguments.
    partials
        For each argument a function ``partial(omega, *args)``, or `CONSTANT`; `omega` is the result of `f`. For a
        function with several results, a tuple of such tuples, one per result. Or one function that returns the
        partials in this form, None for a constant one; for a single result of a single argument, the partial itself
        will do. The partial of an array has the shape of the result followed by that of the argument. Left out,
        `easy_rule(f)` is a decorator of that function.
    setup
        A function of the arguments whose result the partials get before `omega`: ``partial(shared, omega, *args)``.
    types
        Types of the arguments; calls with others are differentiated as if there were no rule.

    Raises
    ------
    TypeError
        If the partials are not in one of these forms; what a function returns is known, and refused, where a call
        is differentiated.

    Notes
    -----
    Partials are computed once per call, also in a batch, and only those of arguments that carry derivatives, where
    they are given one by one. Reverse mode takes the complex conjugate. Of a complex derivative of something real
    the real part counts. Reference: ``EnzymeRules.@easy_rule``.

    Examples
    --------
    >>> from enzyme import Active, Const, Duplicated, Forward, Reverse, autodiff
    >>> def hill(x, k):
    ...     return x * x / (k + x * x)
    >>> easy_rule(hill, (lambda y, x, k: 2.0 * (1.0 - y) * y / x, lambda y, x, k: -y / (k + x * x)))
    >>> autodiff(Reverse, hill, Active, Active(1.0), Active(1.0))
    ((0.5, -0.25),)
    >>> autodiff(Forward, hill, Duplicated(1.0, 1.0), Const(1.0))
    (0.5,)

    Several results, and one function for all partials:

    >>> def product_and_sum(x, y):
    ...     return x * y, x + y
    >>> @easy_rule(product_and_sum)
    ... def partials(omega, x, y):
    ...     return ((y, x), (1.0, 1.0))
    >>> autodiff(Forward, product_and_sum, Duplicated(3.0, 1.0), Const(2.0))
    ((2.0, 1.0),)
    """
    function = python_function(f)
    if partials is None:

        def decorate(given: Any) -> Any:
            easy_rule(f, given, setup=setup, types=types)
            return given

        return decorate
    parameters = inspect.signature(function).parameters.values()
    variadic = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    count = sum(p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in parameters)
    made = EasyRule(function, partials, setup, None if types is None else tuple(types))
    made.check(None if variadic else count)
    kept = made_for(f).easy
    kept[:] = [old for old in kept if old.types != made.types]
    kept.append(made)
    changed(f)
    return None


class EasyRule:
    """The partials of one function; `rule` writes a rule out of them."""

    def __init__(self, of: Any, partials: Any, setup: Any, types: tuple[Any, ...] | None) -> None:
        self.of = of
        self.function = partials
        self.setup = setup
        self.types = types
        self.several = isinstance(partials, tuple) and any(isinstance(r, tuple) for r in partials)
        self.rows: tuple[Any, ...] = partials if self.several else (partials,)
        self._rules: dict[tuple[str, int, int | None], Rule] = {}

    def __reduce__(self) -> Any:
        return EasyRule, (self.of, self.function, self.setup, self.types)

    def takes(self, count: int) -> bool:
        """Does it state the partials of so many arguments? Rows of partials have one for each."""
        return all(callable(row) or len(row) == count for row in self.rows)

    def check(self, count: int | None) -> None:
        """Refuse partials that are not one per argument; None where each call may have another number of them."""
        for row in self.rows:
            if callable(row) and not self.several:
                continue
            if count is None and isinstance(row, tuple):
                count = len(row)
            if not isinstance(row, tuple) or len(row) != count:
                raise TypeError(
                    f"the partials of {self.of.__name__}, which takes {count} arguments, are a function or a tuple"
                    f" of {count}, not {row!r:.80}"
                )
            for partial in row:
                if partial is not CONSTANT and not callable(partial):
                    raise TypeError(f"a partial is a function or CONSTANT, not {partial!r:.80}")

    def states(self, results: int | None) -> bool:
        """Does it state the partials of so many results? None: of a single one, not in a tuple."""
        if callable(self.function):
            return True
        return results == (len(self.rows) if self.several else None)

    @property
    def first(self) -> Any:
        """The first function that the user gave."""
        given = (self.function, *(p for row in self.rows if isinstance(row, tuple) for p in row))
        return next((p for p in given if callable(p)), None)

    def rule(self, kind: str, count: int, results: int | None) -> Rule:
        """The rule of a kind for `count` arguments and so many results, as in `states`."""
        found = self._rules.get((kind, count, results))
        if found is None:
            source = _Source(self, count, results)
            getattr(source, kind)()
            code = compile("\n".join(source.lines), f"<easy rule of {self.of.__name__}>", "exec")
            exec(code, source.scope)
            function = source.scope[kind]
            function.__enzyme_calls__ = source.calls  # the compiler has to compile these too
            found = Rule(kind, function, pattern_of(function, kind, True, None), True, self)
            self._rules[kind, count, results] = found
        return found


class _Source:
    """Source of one rule; `scope` says what its names mean."""

    def __init__(self, easy: EasyRule, count: int, results: int | None) -> None:
        self.easy = easy
        self.count = count
        self.together = callable(easy.function)  # one function returns all partials
        if not self.together:
            results = len(easy.rows) if easy.several else None
        self.results = results
        self.rows = range(1 if results is None else results)
        self.names = [f"x{k}" for k in range(count)]
        self.lines: list[str] = []
        self.scope: dict[str, Any] = {"Active": Active, "Const": Const, "linear": linear}
        self.scope["AugmentedReturn"] = AugmentedReturn
        self.calls: list[str] = []

    def _call(self, name: str, function: Any) -> str:
        self.scope[name] = function
        if name not in self.calls:
            self.calls.append(name)
        return name

    def put(self, depth: int, *lines: str) -> None:
        self.lines += ["    " * depth + line for line in lines]

    @property
    def values(self) -> str:
        return ", ".join(f"{name}.val" for name in self.names)

    def _partials(self) -> Iterator[tuple[int, int]]:
        """Result and argument of every partial that is not constant."""
        for row in self.rows:
            for k in range(self.count):
                if self.together or self.easy.rows[row][k] is not CONSTANT:
                    yield row, k

    @property
    def condition(self) -> str:
        """Does any argument carry a derivative that a partial takes on?"""
        live = sorted({k for _, k in self._partials()})
        return " or ".join(f"not isinstance({self.names[k]}, Const)" for k in live) or "False"

    def _compute(self, depth: int) -> None:
        """Everything before single partials."""
        if self.easy.setup is not None:
            self.put(depth, f"shared = {self._call('setup', self.easy.setup)}({self.values})")
        if self.together:
            name = self._call("all_partials", self.easy.function)
            shape = f"{self.count}, {-1 if self.results is None else self.results}"
            self.put(depth, f"rows = linear.rows({self._title!r}, {name}({self._given}), {shape})")

    @property
    def _title(self) -> str:
        """The function as messages call it."""
        names = list(inspect.signature(self.easy.of).parameters)
        if len(names) != self.count:
            names = self.names
        return f"{self.easy.of.__qualname__}({', '.join(names)})"

    @property
    def _given(self) -> str:
        shared = "shared, " if self.easy.setup is not None else ""
        return f"{shared}omega, {self.values}"

    def _partial(self, row: int, k: int) -> str:
        made = f"rows[{row}][{k}]"
        if not self.together:
            made = f"{self._call(f'partial_{row}_{k}', self.easy.rows[row][k])}({self._given})"
        at = -1 if self.results is None else row
        of = f"{self._member(row)}, {self.names[k]}.val"
        return f"linear.partial({self._title!r}, {at}, {k}, {made}, {of})"

    def _member(self, row: int) -> str:
        return "omega" if self.results is None else f"omega[{row}]"

    def _head(self, kind: str, *leading: str) -> None:
        self.put(0, f"def {kind}({', '.join(['config', 'func', *leading, *self.names])}):")

    def forward(self) -> None:
        self._head("forward", "RT")
        self.put(1, f"omega = func.val({self.values})")
        self.put(1, "if not config.needs_shadow:")
        self.put(2, "if config.needs_primal:", "    return omega", "return None")
        self.put(1, *(f"t_{r} = linear.no_tangent(config, {self._member(r)})" for r in self.rows))
        self.put(1, f"if {self.condition}:", "    pass")
        self._compute(2)
        for row, k in self._partials():
            x = self.names[k]
            self.put(2, f"if not isinstance({x}, Const):")
            self.put(3, f"p_{row}_{k} = {self._partial(row, k)}")
            self.put(3, f"t_{row} = linear.push(config, t_{row}, p_{row}_{k}, {x}.dval)")
        tangent = joined = ", ".join(f"t_{r}" for r in self.rows)
        if self.results is not None:
            tangent = f"linear.joined(config, omega, ({joined},))"
        self.put(1, f"tangent = {tangent}")
        self.put(1, "if config.needs_primal:", "    return linear.both(config, omega, tangent)")
        self.put(1, "return tangent")

    def augmented_primal(self) -> None:
        self._head("augmented_primal", "RT")
        self.put(1, f"omega = func.val({self.values})", f"if {self.condition}:")
        self._compute(2)
        kept = []
        for row, k in self._partials():
            made = f"p_{row}_{k}"
            kept.append(made)
            self.put(2, f"if not isinstance({self.names[k]}, Const):")
            self.put(3, f"{made} = {self._partial(row, k)}")
            self.put(2, "else:", f"    {made} = None")
        self.put(2, f"kept = ({', '.join(kept)},)" if kept else "kept = None")
        self.put(1, "else:", "    kept = None")
        self.put(1, "if config.needs_shadow:", "    shadow = linear.zeros(config, omega)")
        self.put(1, "else:", "    shadow = None")
        self.put(1, "if config.needs_primal:")
        self.put(2, "return AugmentedReturn(omega, shadow, (shadow, kept))")
        self.put(1, "return AugmentedReturn(None, shadow, (shadow, kept))")

    def reverse(self) -> None:
        self._head("reverse", "dret", "tape")
        self.put(1, "shadow, kept = tape")
        for k, x in enumerate(self.names):
            self.put(1, f"if isinstance({x}, Active):")
            self.put(2, f"a_{k} = linear.no_adjoint(config, {x}.val)")
            self.put(1, "else:", f"    a_{k} = None")
        self.put(1, f"if {self.condition}:")
        self.put(2, "pass")
        for number, (row, k) in enumerate(self._partials()):
            x, result = self.names[k], -1 if self.results is None else row
            given = f"kept[{number}], linear.seed(config, dret, shadow, {result}), {x}.val"
            self.put(2, f"if isinstance({x}, Active):")
            self.put(3, f"a_{k} = linear.pull(config, a_{k}, {given})")
            self.put(2, f"elif not isinstance({x}, Const):")
            self.put(3, f"linear.pull_into(config, {x}.dval, {given})")
        self.put(1, "linear.clear(config, shadow)")
        self.put(1, f"return ({', '.join(f'a_{k}' for k in range(self.count))},)")
