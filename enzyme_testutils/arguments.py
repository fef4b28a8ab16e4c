"""The call under test: function, arguments, activities, shadows; and the same call as a map of vectors.

All values are copied together, and all shadows of a lane are drawn together, so that what is shared
between arguments stays shared.  Position 0 is the function itself.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from enzyme import (
    Active,
    BatchDuplicated,
    BatchDuplicatedNoNeed,
    BatchMixedDuplicated,
    Const,
    Duplicated,
    DuplicatedNoNeed,
    MixedDuplicated,
    typeof,
)
from enzyme_testutils.activities import BATCH, are_activities_compatible
from enzyme_testutils.vectors import Vector, floats_of, to_vec
from enzymecore import Annotation, batch_size, named_shadows
from enzymecore.annotation_base import describe_annotation
from enzymecore.copying import assign, copied
from enzymecore.structure import Kind, kind_of

_GENERATED = (Const, Active, Duplicated, BatchDuplicated, MixedDuplicated, BatchMixedDuplicated)
_MIXED = (MixedDuplicated, BatchMixedDuplicated)
_KNOWN = (*_GENERATED, DuplicatedNoNeed, BatchDuplicatedNoNeed)


def random_floats(rng: np.random.Generator, count: int) -> Vector:
    """Return numbers of the grid −9, −8.99, …, 9, which are short to print."""
    found: Vector = rng.integers(-900, 901, count) / 100.0
    return found


def random_tangent(rng: np.random.Generator, x: Any) -> Any:
    """Return a value like `x` whose floats are random; the rest is kept.

    Examples
    --------
    >>> import numpy as np
    >>> type(random_tangent(np.random.default_rng(0), (1.0, "text"))[1])
    <class 'str'>
    """
    vector, rebuild = to_vec(x)
    return rebuild(random_floats(rng, len(vector)))


def is_activity(x: Any) -> bool:
    """Tell whether `x` is an annotation class."""
    return isinstance(x, type) and issubclass(x, Annotation)


class Call:
    """One call with activities.

    Parameters
    ----------
    f
        The function: a callable, ``(callable, activity)`` or an annotation.
    args
        Each a plain value (a constant), ``(value, activity)`` or an annotation.
    fkwargs
        Keyword arguments, which are constant.
    rng
        Draws the shadows that are not given.

    Raises
    ------
    ValueError
        If shadows cannot be made for an activity, or activities do not fit together.
    """

    def __init__(
        self,
        return_activity: Any,
        f: Any,
        args: tuple[Any, ...],
        fkwargs: Mapping[str, Any],
        rng: np.random.Generator,
    ) -> None:
        if not is_activity(return_activity):
            raise ValueError(
                f"the activity of the result comes second: Active, Const, ..., not {return_activity!r}"
            )
        forms = [_taken_apart(x) for x in (f, *args)]
        self.return_activity = return_activity
        self.activities = [activity for _, activity, _ in forms]
        self.names = _names(forms[0][0], len(args))
        self.fkwargs = dict(fkwargs)
        for name, activity in zip(self.names, self.activities):
            if not issubclass(activity, _KNOWN):
                raise ValueError(f"unsupported activity of {name}: {activity.__name__}")
        if not are_activities_compatible(return_activity, *self.activities):
            shown = ", ".join(cls.__name__ for cls in (return_activity, *self.activities[1:]))
            raise ValueError(f"these activities do not fit together: {shown}")
        self.batched = any(issubclass(cls, BATCH) for cls in (return_activity, *self.activities))
        widths = [len(given) for _, _, given in forms if given is not None]
        widths += [batch_size(c) for c in self.activities if issubclass(c, BATCH) and c.parameters]
        if len(set(widths)) > 1:
            raise ValueError(
                f"the arguments have different numbers of shadows: {sorted(set(widths))}"
            )
        batches = any(issubclass(cls, BATCH) for cls in self.activities)
        self.width = widths[0] if widths else 2 if batches else 1
        self.values, lanes = copied(
            (
                tuple(value for value, _, _ in forms),
                tuple(
                    tuple(given[k] if given is not None else None for _, _, given in forms)
                    for k in range(self.width)
                ),
            )
        )
        self.lanes = [self._completed(lane, rng) for lane in lanes]
        self._indices()
        self._check_sharing()

    def _completed(self, lane: tuple[Any, ...], rng: np.random.Generator) -> tuple[Any, ...]:
        """The shadows of a lane, drawn where they were not given."""
        drawn = random_tangent(rng, self.values)
        return tuple(
            given if given is not None else (new if issubclass(activity, _SHADOWED) else None)
            for given, new, activity in zip(lane, drawn, self.activities)
        )

    def _indices(self) -> None:
        """Number the floats of all values, and find those of each position."""
        vector, rebuild = to_vec(self.values)
        self.size = len(vector)
        numbered = rebuild(np.arange(self.size))
        self.indices = [floats_of(part).astype(int) for part in numbered]

    def _check_sharing(self) -> None:
        """Refuse shadows that share memory where the values do not, or do not where these do."""
        constant = [self.indices[i] for i in range(len(self.values)) if i not in self.active()]
        if np.isin(self.columns(), np.concatenate([np.zeros(0, int), *constant])).any():
            raise ValueError("a constant argument shares memory with one that is differentiated")
        if self.active() and not self.columns().size:
            raise ValueError(
                "nothing is differentiated: the arguments that are not Const hold no floats"
            )
        positions = self.shadowed()
        values = np.concatenate([np.zeros(0, int), *(self.indices[i] for i in positions)])
        for lane in self.lanes:
            if len(floats_of([lane[i] for i in positions])) != len(np.unique(values)):
                raise ValueError(
                    "shadows must share memory exactly where the values do: "
                    "one array, one shadow; two arrays, two shadows"
                )

    # --- which position is what --------------------------------------------------------------

    def active(self) -> list[int]:
        """The positions that are differentiated."""
        return [i for i, cls in enumerate(self.activities) if not issubclass(cls, Const)]

    def shadowed(self) -> list[int]:
        """The positions with shadows."""
        return [i for i, cls in enumerate(self.activities) if issubclass(cls, _SHADOWED)]

    def columns(self) -> Any:
        """The numbers of the floats that are differentiated."""
        found = [self.indices[i] for i in self.active()]
        return np.unique(np.concatenate([np.zeros(0, int), *found]))

    def position(self, index: int) -> str:
        """How messages name a position."""
        return "the callable" if index == 0 else f"argument {index - 1} ({self.names[index]})"

    def describe(self) -> str:
        """The call in one line, with types and activities."""
        shown = [
            f"{name}: {cls.__name__}[{typeof(value)!r}]"
            for name, cls, value in zip(self.names[1:], self.activities[1:], self.values[1:])
        ]
        kind = self.activities[0]
        f = self.names[0] if kind is Const else f"{kind.__name__}({self.names[0]})"
        words = "".join(f", {name}={value!r}" for name, value in self.fkwargs.items())
        return f"{f}({', '.join(shown)}{words}) -> {self.return_activity.__name__}"

    # --- the plain function ------------------------------------------------------------------

    def run(self, values: tuple[Any, ...]) -> Any:
        """Call the function on `values`, which it may change."""
        f, *args = values
        return f(*args, **copied(self.fkwargs))

    def outputs(self, result: Any, values: tuple[Any, ...]) -> tuple[Any, ...]:
        """What has derivatives after a call: the result, unless it is constant, and shadowed values."""
        constant = issubclass(self.return_activity, Const)
        return (None if constant else result, *(values[i] for i in self.shadowed()))

    def shadow_vector(self, parts: dict[int, Any]) -> Vector:
        """All floats' derivatives as one vector, from those of some positions."""
        found = np.zeros(self.size)
        for index, part in parts.items():
            found[self.indices[index]] = floats_of(part)
        return found

    def shadows(self, annotations: list[Any], lane: int) -> list[Any]:
        """The shadows of one lane, of all positions that have some."""
        return [shadows_of(annotations[index])[lane] for index in self.shadowed()]

    # --- the derived code --------------------------------------------------------------------

    def annotations(self) -> list[Any]:
        """Fresh annotations over copies of values and shadows; the function's is the first."""
        values, lanes = copied((self.values, tuple(self.lanes)))
        made = []
        for index, cls in enumerate(self.activities):
            cls = cls.origin if cls.parameters else cls
            shadows = tuple(lane[index] for lane in lanes)
            if issubclass(cls, _MIXED):
                shadows = tuple(map(_ref, shadows))
            if issubclass(cls, (Const, Active)):
                made.append(cls(values[index]))
            else:
                made.append(cls(values[index], shadows if issubclass(cls, BATCH) else shadows[0]))
        return made

    def derived(self, annotations: list[Any]) -> list[Any]:
        """What the derivative is asked for: the function, leading keyword arguments, arguments."""
        f, *args = annotations
        if self.fkwargs:
            if not isinstance(f, Const):
                raise ValueError("keyword arguments of a callable with data are not supported")
            wrapper = _with_keywords(f.val, len(args), tuple(self.fkwargs))
            return [Const(wrapper), Const(tuple(self.fkwargs.values())), *args]
        return [f, *args]


_SHADOWED = (Duplicated, DuplicatedNoNeed, MixedDuplicated, *BATCH)


def shadows_of(annotation: Any) -> list[Any]:
    """Return the shadows of an annotation, one for each lane, out of their Refs."""
    return [shadow for _, shadow in named_shadows(annotation)]


def seed_in_place(shadow: Any, rng: np.random.Generator) -> Any:
    """Fill a shadow with random floats, in its own memory; what is immutable is made anew."""
    return assign(shadow, random_tangent(rng, shadow))


def type_of(annotation: Any) -> Any:
    """Return the annotation class with its parameters, as a thunk wants it."""
    return describe_annotation(annotation)


def _ref(value: Any) -> Any:
    if kind_of(value) is Kind.FLOAT:
        return np.array(value)
    made = np.empty((), object)
    made[()] = value
    return made


def _taken_apart(x: Any) -> tuple[Any, Any, tuple[Any, ...] | None]:
    """Value, activity, and the shadows that were given."""
    if isinstance(x, Annotation):
        given = tuple(shadows_of(x))
        return x.val, type(x), given or None
    if isinstance(x, tuple) and len(x) == 2 and is_activity(x[1]):
        if not issubclass(x[1], _GENERATED):
            raise ValueError(
                f"unsupported activity: shadows for {x[1].__name__} are not made, "
                f"pass {x[1].__name__}(value, shadow)"
            )
        # Active turns integers into floats.
        return (Active(x[0]).val if issubclass(x[1], Active) else x[0]), x[1], None
    return x, Const, None


def _names(f: Any, count: int) -> list[str]:
    """The function's name and those of its arguments."""
    name = str(getattr(f, "__qualname__", getattr(f, "__name__", type(f).__name__)))
    try:
        found = list(inspect.signature(getattr(f, "py_func", f)).parameters)
    except (TypeError, ValueError):
        found = []
    return [name, *(found + [f"argument {k}" for k in range(len(found), count)])[:count]]


def _with_keywords(f: Any, count: int, names: tuple[str, ...]) -> Callable[..., Any]:
    """A jitted function that takes the keyword arguments of `f` as a leading tuple."""
    from numba import njit

    args = ", ".join(f"a{k}" for k in range(count))
    words = ", ".join(f"{name}=keywords[{k}]" for k, name in enumerate(names))
    source = f"def call(keywords, {args}):\n    return f({args}, {words})\n"
    space: dict[str, Any] = {"f": f if hasattr(f, "py_func") else njit(f)}
    exec(source, space)
    made: Callable[..., Any] = njit(space["call"])
    return made
