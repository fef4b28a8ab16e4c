"""Which rules a function has, and who is told when that changes.

Rules hang at the Python function, so they die with it.  Nothing is compiled here: `listen` is how the compiler
learns that derivatives which it keeps are out of date.
"""

from __future__ import annotations

import inspect
import itertools
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any

from enzyme_rules.patterns import Pattern, pattern_of
from enzymecore.record import record
from enzymecore.structure import Kind, declare_kind, kind_of_class

__all__ = [
    "Rule",
    "RuleSet",
    "augmented_primal",
    "forward",
    "inactive",
    "inactive_arg",
    "inactive_kwarg",
    "inactive_noinl",
    "inactive_type",
    "listen",
    "noalias",
    "remove_rules",
    "reverse",
    "rules_of",
]

_ATTRIBUTE = "__enzyme_rules__"


@record
class Rule:
    """One registered rule: its kind, its function, the calls that it accepts, and the easy rule that it is made of."""

    kind: str
    function: Any
    pattern: Pattern
    takes_config: bool
    easy: Any = None

    def describe(self) -> str:
        """The rule as it is listed in messages."""
        code = self.function.__code__
        parameters = ", ".join(map(str, inspect.signature(self.function).parameters.values()))
        name = self.function.__name__
        return f"{self.kind} {name}({parameters}) at {code.co_filename}:{code.co_firstlineno}"


@dataclass
class RuleSet:
    """All rules and marks of one function."""

    owner: Any = None
    forward: list[Rule] = field(default_factory=list)
    augmented_primal: list[Rule] = field(default_factory=list)
    reverse: list[Rule] = field(default_factory=list)
    easy: list[Any] = field(default_factory=list)
    inactive: list[tuple[Any, ...] | None] = field(default_factory=list)
    inactive_noinl: list[tuple[Any, ...] | None] = field(default_factory=list)
    inactive_arguments: set[str] = field(default_factory=set)
    noalias: bool = False
    was_known: bool = False

    @property
    def says_something(self) -> bool:
        """Is there any rule or mark, so that calls must not be inlined before they are looked at?"""
        return bool(self or self.inactive_arguments)

    def __bool__(self) -> bool:
        return bool(self.for_mode(True) or self.for_mode(False) or self.inactive_noinl)

    def for_mode(self, forward: bool) -> bool:
        """Does it say anything about calls in forward (else reverse) mode?"""
        rules = self.forward if forward else self.augmented_primal or self.reverse
        return bool(rules or self.easy or self.inactive)

    def __reduce__(self) -> Any:
        """Rules go with a function that is pickled by its code, as jitted ones are."""
        owner = None if self.owner is None else self.owner()
        if owner is None:
            return RuleSet, ()
        given = (getattr(self, part.name) for part in fields(self) if part.name != "owner")
        return _carried, (owner, *given)

    def __copy__(self) -> RuleSet:
        return RuleSet()

    def __deepcopy__(self, memo: Any) -> RuleSet:
        return RuleSet()


def _carried(owner: Any, *parts: Any) -> RuleSet:
    """The rules of a function that was pickled."""
    return RuleSet(weakref.ref(owner), *parts)


_listeners: list[Callable[[Any], None]] = []
_marks = itertools.count()
_marked = next(_marks)


def listen(changed: Callable[[Any], None]) -> None:
    """Call `changed(function)` after each change of a function's rules; None: of inactive types."""
    _listeners.append(changed)


def marks_version() -> int:
    """A number that changes with every mark that concerns how functions are compiled."""
    return _marked


def _mark_changed() -> None:
    global _marked
    _marked = next(_marks)


def is_inactive_class(cls: type) -> bool:
    """Are objects of this class declared to have no derivatives?"""
    return kind_of_class(cls) is Kind.INACTIVE


def python_function(f: Any) -> Any:
    """The function at which the rules of `f` hang.

    That of a jitted function is its Python function, that of a callable named tuple (its class, or one of them) the
    method ``__call__``, which takes the tuple as its first argument.

    Raises
    ------
    TypeError
        If `f` is something else, such as a builtin or a pointer to compiled code.
    """
    found = getattr(f, "py_func", f)
    cls = found if isinstance(found, type) else type(found)
    if issubclass(cls, tuple):
        found = inspect.getattr_static(cls, "__call__", None)
    if not inspect.isfunction(found):
        raise TypeError(
            f"rules belong to Python functions, jitted or not, and not to {f!r:.80} of type {type(f).__name__}:"
            " write a function that calls it, and give that the rule"
        )
    return found


def rules_of(f: Any) -> RuleSet:
    """The rules of a function; an empty set for a function without.

    Examples
    --------
    >>> def f(x):
    ...     return x
    >>> bool(rules_of(f))
    False
    """
    try:
        found = _set_of(python_function(f))
    except TypeError:
        found = None
    return RuleSet() if found is None else found


def _set_of(function: Any) -> RuleSet | None:
    found = getattr(function, "__dict__", {}).get(_ATTRIBUTE)
    if isinstance(found, RuleSet) and found.owner is not None and found.owner() is function:
        return found
    return None


def made_for(f: Any) -> RuleSet:
    function = python_function(f)
    found = _set_of(function)
    if found is None:
        found = function.__dict__[_ATTRIBUTE] = RuleSet(weakref.ref(function))
    return found


def changed(f: Any) -> None:
    """Tell the compiler that the rules of `f` are others now."""
    rules = made_for(f)
    if rules.says_something != rules.was_known:
        rules.was_known = rules.says_something
        if getattr(f, "targetoptions", {"inline": ""}).get("inline", "never") != "never":
            _mark_changed()  # calls of it may be gone from what was compiled
    for listener in _listeners:
        listener(python_function(f))


def _register(kind: str, f: Any, config: bool | None, width: int | None) -> Callable[[Any], Any]:
    python_function(f)

    def add(rule: Any) -> Any:
        function = getattr(rule, "py_func", rule)
        if not inspect.isfunction(function):
            raise TypeError(f"a rule is a function, not {rule!r:.80}")
        names = list(inspect.signature(function).parameters)
        takes = kind != "forward" or (
            bool(names) and names[0] == "config" if config is None else config
        )
        pattern = pattern_of(function, kind, takes, width)
        made = Rule(kind, function, pattern, takes)
        kept = getattr(made_for(f), kind)
        kept[:] = [old for old in kept if old.pattern != pattern and old.function is not function]
        kept.append(made)
        changed(f)
        return rule

    return add


def forward(
    f: Any, *, config: bool | None = None, width: int | None = None
) -> Callable[[Any], Any]:
    """Register a forward rule of `f`: ``@forward(f)`` on ``rule([config,] func, RT, *args)``.

    The rule is a function that numba can compile. It receives ``Const(f)``, the class of the result's
    annotation and annotations of the arguments, does what `f` does, also to the shadows of its arguments, and
    returns what is asked for: ``Duplicated(primal, tangent)``, the primal, the tangent, or None.

    Parameters
    ----------
    f
        A function, jitted or not.
    config
        Does the rule take a `FwdConfig` first? By default, if its first parameter is named `config`.
    width
        Accept calls of this width only.

    Notes
    -----
    Annotations of the rule's parameters restrict the calls that it accepts: ``x: Duplicated``, ``RT: Const``,
    ``x: Const | Active``, ``x: Duplicated[float]``. Of several rules that accept a call the most specific one is
    taken. A rule with the same restrictions replaces the one before. Reference: EnzymeRules of Enzyme.jl.

    Examples
    --------
    >>> from enzymecore import Duplicated, Forward
    >>> from enzyme import autodiff
    >>> def f(x):
    ...     return x * x
    >>> @forward(f)
    ... def rule(config, func, RT, x):
    ...     shadow = 10.0 + 2.0 * x.val * x.dval
    ...     if config.needs_primal:
    ...         return Duplicated(func.val(x.val), shadow)
    ...     return shadow
    >>> autodiff(Forward, f, Duplicated(2.0, 1.0))
    (14.0,)
    """
    return _register("forward", f, config, width)


def augmented_primal(f: Any, *, width: int | None = None) -> Callable[[Any], Any]:
    """Register the first half of a reverse rule of `f`, ``rule(config, func, RT, *args)``.

    It does what `f` does and returns an `AugmentedReturn`; parameters and choice as for `forward`.

    Examples
    --------
    >>> from enzymecore import Active, Reverse
    >>> from enzyme import autodiff
    >>> from enzyme_rules import AugmentedReturn, reverse
    >>> def f(x):
    ...     return x * x
    >>> @augmented_primal(f)
    ... def augmented(config, func, RT, x):
    ...     primal = func.val(x.val) if config.needs_primal else None
    ...     return AugmentedReturn(primal, None, x.val)
    >>> @reverse(f)
    ... def adjoint(config, func, dret, tape, x):
    ...     return (100.0 + 2.0 * tape * dret.val,)
    >>> autodiff(Reverse, f, Active, Active(2.0))
    ((104.0,),)
    """
    return _register("augmented_primal", f, True, width)


def reverse(f: Any, *, width: int | None = None) -> Callable[[Any], Any]:
    """Register the second half of a reverse rule of `f`, ``rule(config, func, dret, tape, *args)``.

    It returns a tuple with one entry per argument: the adjoint of an ``Active`` one, else None. Adjoints of
    memory are added to its shadow; those of floats that an argument holds beside memory are put into the Ref of its
    ``MixedDuplicated``. `dret` is an ``Active`` whose value is the seed, a tuple of them in a batch, and for other
    results the class of their annotation. Example at `augmented_primal`.
    """
    return _register("reverse", f, True, width)


def remove_rules(f: Any, *rules: Any) -> None:
    """Take rules (functions that were registered) from `f`; without any, all rules and marks.

    Examples
    --------
    >>> def f(x):
    ...     return x
    >>> inactive(f)
    >>> remove_rules(f)
    >>> bool(rules_of(f))
    False
    """
    found = made_for(f)
    functions = [getattr(rule, "py_func", rule) for rule in rules]
    for kind in ("forward", "augmented_primal", "reverse", "easy"):
        kept = getattr(found, kind)
        kept[:] = [rule for rule in kept if rules and rule.function not in functions]
    if not rules:
        found.inactive.clear()
        found.inactive_noinl.clear()
        if found.inactive_arguments:
            found.inactive_arguments.clear()
            _mark_changed()
        found.noalias = False
    changed(f)


def inactive(f: Any, signature: tuple[Any, ...] | None = None) -> None:
    """Declare that `f` has no derivative: its result is constant and nothing flows through its arguments.

    The call stays as it is; its effects happen once. `signature`, the types of the arguments, restricts the
    declaration.

    Examples
    --------
    >>> from enzymecore import Active, Reverse
    >>> from enzyme import autodiff
    >>> from numba import njit
    >>> @njit
    ... def double(x):
    ...     return 2.0 * x
    >>> inactive(double)
    >>> autodiff(Reverse, lambda x: x + double(x), Active, Active(3.0))
    ((1.0,),)
    """
    _mark(f, "inactive", signature)


def inactive_noinl(f: Any, signature: tuple[Any, ...] | None = None) -> None:
    """As `inactive`. The call stays in front of differentiation only; in the finished derivative it may be inlined.

    So it does with `inactive`; both names are there for the sake of Enzyme's.

    Examples
    --------
    >>> def log_progress(step):
    ...     print(step)
    >>> inactive_noinl(log_progress)
    """
    _mark(f, "inactive_noinl", signature)


def _mark(f: Any, kind: str, signature: tuple[Any, ...] | None) -> None:
    kept = getattr(made_for(f), kind)
    given = None if signature is None else tuple(signature)
    if given not in kept:
        kept.append(given)
    changed(f)


def inactive_arg(f: Any, *names: str) -> None:
    """Declare that no derivative flows through the arguments of these names, whether a rule takes a call or not.

    Examples
    --------
    >>> from enzyme import Active, Reverse, autodiff
    >>> def f(x, weight):
    ...     return x * weight
    >>> inactive_arg(f, "weight")
    >>> autodiff(Reverse, f, Active, Active(2.0), Active(3.0))
    ((3.0, 0.0),)

    Raises
    ------
    ValueError
        If `f` has no such parameter.
    """
    parameters = inspect.signature(python_function(f)).parameters
    for name in names:
        if name not in parameters:
            raise ValueError(f"{python_function(f).__name__} has no parameter {name!r}")
    made_for(f).inactive_arguments.update(names)
    _mark_changed()
    changed(f)


def inactive_kwarg(f: Any, *names: str) -> None:
    """As `inactive_arg`, for keyword arguments.

    Examples
    --------
    >>> def f(x, *, scale):
    ...     return x * scale
    >>> inactive_kwarg(f, "scale")
    """
    inactive_arg(f, *names)


def noalias(f: Any) -> None:
    """Declare that what `f` returns shares no memory with anything else.

    Examples
    --------
    >>> def f(x):
    ...     return x.copy()
    >>> noalias(f)
    """
    made_for(f).noalias = True
    changed(f)


def inactive_type(cls: type) -> type:
    """Declare that objects of this class are never differentiated; also as a decorator.

    Named tuples of the class are constant as arguments, and in programs what they are made of is constant from there
    on. What is compiled as part of other functions already, and thunks, keep the state of their time.

    Raises
    ------
    TypeError
        For classes of numbers and arrays and for jitclasses, of which single values can be constant only.

    Examples
    --------
    >>> from enzymecore import AnyState, active_register_state
    >>> @inactive_type
    ... class Settings:
    ...     tolerance: float
    >>> active_register_state(Settings) == AnyState
    True
    """
    value = isinstance(cls, type) and kind_of_class(cls) in (Kind.FLOAT, Kind.ARRAY)
    if not isinstance(cls, type) or value or type(cls).__module__.partition(".")[0] == "numba":
        raise TypeError(
            f"inactive_type takes a class of objects, and not {cls!r:.80}: for single values use Const(x), inactive_arg"
            " or ignore_derivatives"
        )
    declare_kind(cls, Kind.INACTIVE)
    _mark_changed()
    for listener in _listeners:
        listener(None)
    return cls
