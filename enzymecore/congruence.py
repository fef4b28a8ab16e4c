"""Is a shadow like its primal? The check behind the construction of annotations.

A shadow is addressed like its primal, so it must have the same type, and for memory the same shape
and strides, down through every container. The check finds the first difference and says where it
lies and on which side is what. Read-only memory and overlap are no differences: whether they matter
depends on the mode.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from enzymecore.describing import typeof
from enzymecore.errors import EnzymeError, ShadowLayoutError, ShadowTypeError
from enzymecore.foreign_arrays import as_numpy
from enzymecore.record import record
from enzymecore.structure import Kind, arrays_in, identity, kind_of, parts

__all__ = ["Difference", "check_congruent", "congruent", "difference"]

Predicate = Callable[[Any, Any], "bool | str"]
P = TypeVar("P", bound=Predicate)


def how_to_shadow(integer_for_float: bool) -> tuple[str, ...]:
    """Return what to do about a shadow that is not like its primal, beginning with the commonest mistake."""
    advice = ("make the shadow with make_zero(x), or with onehot(x)",)
    return (
        ("write the derivative as a float, as 1.0 for 1", *advice) if integer_for_float else advice
    )


@record
class Difference:
    """The first difference between a primal and its shadow.

    Parameters
    ----------
    path
        Where it lies; empty for the values themselves.
    aspect
        What differs, as ``"dtype"`` or ``"shape"``.
    primal, shadow
        Both sides, as text.
    in_type
        True if the types differ, False if only the layout does.

    Examples
    --------
    >>> import numpy as np
    >>> difference([np.zeros(3)], [np.zeros(2)])
    Difference(path='[0]', aspect='shape', primal='(3,)', shadow='(2,)', in_type=False)
    """

    path: str
    aspect: str
    primal: str
    shadow: str
    in_type: bool

    def error(self, primal: Any, shadow: Any, name: str = "shadow") -> EnzymeError:
        """Return the error that tells of this difference between the two values."""
        where = f" at {self.path}" if self.path else ""
        cls = ShadowTypeError if self.in_type else ShadowLayoutError
        return cls(
            what=(
                f"{name} differs from its primal in {self.aspect}{where}: "
                f"primal has {self.primal}, {name} has {self.shadow}"
            ),
            why=f"primal is {describe(primal)}, {name} is {describe(shadow)}",
            todo=_other_arrays(primal) or self._todo(),
            path=self.path,
            aspect=self.aspect,
        )

    def _todo(self) -> tuple[str, ...]:
        """Return what to do, beginning with the commonest mistake."""
        integer = self.in_type and self.shadow in ("int64", "bool")
        return how_to_shadow(integer and self.primal.startswith("float"))


def _other_arrays(primal: Any) -> tuple[str, ...]:
    """Return what to do about arrays for which no derivative can be compiled, whatever their shadows."""
    foreign = as_numpy(primal)
    if foreign:
        return (foreign,)
    for _, x in arrays_in(primal):
        if isinstance(x, np.ma.MaskedArray):
            return ("pass the data, np.ma.getdata(x), and the mask as an argument of its own",)
        if not x.dtype.isnative:
            return (
                "pass a copy in the byte order of this machine and make its shadow: "
                "x = x.astype(x.dtype.newbyteorder('=')), make_zero(x)",
            )
    return ()


def describe(x: Any) -> str:
    """Return type and, for arrays, shape and strides of a value in a few words.

    Examples
    --------
    >>> import numpy as np
    >>> describe(np.zeros((2, 3)))
    'float64[:, ::1] of shape (2, 3), strides (24, 8)'
    >>> describe(1.0)
    'float64'
    """
    try:
        text = repr(typeof(x))
    except Exception:  # a broken repr of the user's must not hide the error that is being told
        text = type(x).__name__
    if len(text) > 200:
        text = text[:197] + "..."
    if isinstance(x, np.ndarray):
        text += f" of shape {x.shape}, strides {x.strides}"
    elif isinstance(x, (list, dict)):
        text += f" of length {len(x)}"
    return text


_predicates: dict[type, Predicate] = {}


def difference(primal: Any, shadow: Any, path: str = "") -> Difference | None:
    """Return the first difference between a primal and its shadow, or None if they are congruent.

    Parameters
    ----------
    primal, shadow
        The two values.
    path
        Put in front of the path of the difference.

    Examples
    --------
    >>> difference((1.0, 2.0), (3.0, 4.0)) is None
    True
    >>> difference((1.0, 2.0), (3.0, 4)).path
    '[1]'
    """
    # Pairs of ids seen, with the values: temporary parts must keep their ids.
    seen: dict[tuple[int, int], Any] = {}
    pending: list[_Pair] = [(primal, shadow, path)]
    while pending:
        found = _difference(*pending.pop(), seen, pending)
        if found is not None:
            return found
    return None


_Pair = tuple[Any, Any, str]


def _difference(
    primal: Any,
    shadow: Any,
    path: str,
    seen: dict[tuple[int, int], Any],
    pending: list[_Pair],
) -> Difference | None:
    """Compare two values; their parts are put on a stack: depth first, and structures may be deep."""
    if primal is shadow:
        return None
    if _predicates:
        for base in type(primal).__mro__:
            if base in _predicates:
                return _ask(_predicates[base], primal, shadow, path)
    kind = kind_of(primal)
    if kind in (Kind.FLOAT, Kind.INACTIVE):
        return _compare_types(primal, shadow, path)
    if type(primal) is not type(shadow):
        return Difference(path, "type", _class_of(primal), _class_of(shadow), True)
    pair = identity(primal, kind), identity(shadow, kind)
    if pair in seen:
        return None
    seen[pair] = (primal, shadow)
    if kind is Kind.STRUCT and type(primal).__module__.startswith("scipy.sparse"):
        return _compare_sparse(primal, shadow, path)
    own = _compare_own(primal, shadow, kind, path)
    if own is not None or (kind in (Kind.RECORD, Kind.ARRAY) and primal.dtype != object):
        return own
    pairs = zip(parts(primal, kind), parts(shadow, kind), strict=True)
    pending += reversed([(part, twin, path + step) for (step, part), (_, twin) in pairs])
    return None


def _ask(predicate: Predicate, primal: Any, shadow: Any, path: str) -> Difference | None:
    """Turn the answer of a registered predicate into a difference."""
    answer = predicate(primal, shadow)
    if answer is True:
        return None
    aspect = answer if isinstance(answer, str) else "structure"
    in_type = type(primal) is not type(shadow)
    return Difference(path, aspect, describe(primal), describe(shadow), in_type)


def _class_of(x: Any) -> str:
    """Return what the type of a value is called in a message."""
    return repr(typeof(x)) if kind_of(x) in (Kind.FLOAT, Kind.INACTIVE) else type(x).__name__


def _compare_types(primal: Any, shadow: Any, path: str) -> Difference | None:
    """Compare values without parts. Functions of one class are alike: they hold nothing."""
    if type(primal) is type(shadow):
        return None
    first, second = typeof(primal), typeof(shadow)
    return None if first == second else Difference(path, "type", repr(first), repr(second), True)


def _compiled_type(x: Any) -> str:
    """Numba's type of a typed container or an instance; containers have none before the first item is put in."""
    if not getattr(x, "_typed", True):
        return "no item type yet"
    return str(getattr(x, "_numba_type_", ""))


def _compare_own(primal: Any, shadow: Any, kind: Kind, path: str) -> Difference | None:
    """Compare what belongs to the values themselves, not to their parts."""
    if kind is Kind.ARRAY:
        return _compare_arrays(primal, shadow, path)
    if kind is Kind.RECORD:
        if primal.dtype == shadow.dtype:
            return None
        return Difference(path, "dtype", str(primal.dtype), str(shadow.dtype), True)
    mine, theirs = _compiled_type(primal), _compiled_type(shadow)
    if mine != theirs:
        return Difference(path, "type", mine, theirs, True)
    if kind in (Kind.DICT, Kind.TYPED_DICT):
        return _compare_names("keys", set(primal), set(shadow), path)
    if kind in (Kind.FROZEN, Kind.STRUCT):
        names = [{step for step, _ in parts(x, kind)} for x in (primal, shadow)]
        return _compare_names("fields", names[0], names[1], path)
    if kind in (Kind.LIST, Kind.TUPLE, Kind.NAMEDTUPLE, Kind.TYPED_LIST) and len(primal) != len(
        shadow
    ):
        in_type = kind.immutable_struct
        return Difference(path, "length", str(len(primal)), str(len(shadow)), in_type)
    return None


def _compare_arrays(primal: Any, shadow: Any, path: str) -> Difference | None:
    """Compare dtype, shape and strides of arrays of one class."""
    if primal.dtype != shadow.dtype:
        return Difference(path, "dtype", str(primal.dtype), str(shadow.dtype), True)
    if primal.shape != shadow.shape:
        return Difference(path, "shape", str(primal.shape), str(shadow.shape), False)
    if primal.strides == shadow.strides or primal.size == 0:
        return None
    # The stride of an axis of length 1 is never used.
    for length, first, second in zip(primal.shape, primal.strides, shadow.strides, strict=True):
        if length != 1 and first != second:
            return Difference(path, "strides", _layout(primal), _layout(shadow), False)
    return None


# The arrays of a sparse matrix that say which entries are stored, over all formats of scipy.
_PATTERN = ("indptr", "indices", "coords", "row", "col", "offsets", "rows")


def _compare_sparse(primal: Any, shadow: Any, path: str) -> Difference | None:
    """Compare sparse matrices: an entry that only one side stores has nowhere to go."""
    if primal.shape != shadow.shape:
        return Difference(path, "shape", str(primal.shape), str(shadow.shape), False)
    for name in _PATTERN:
        first: Any = getattr(primal, name, None)
        second: Any = getattr(shadow, name, None)
        if first is not None and not np.array_equal(first, second):
            counts = (f"{primal.nnz} stored entries", f"{shadow.nnz} stored entries")
            return Difference(path, f"sparsity pattern ({name})", *counts, False)
    data = getattr(primal, "data", None)
    if isinstance(data, np.ndarray):
        return _compare_arrays(data, shadow.data, f"{path}.data")
    if primal.dtype != shadow.dtype:
        return Difference(path, "dtype", str(primal.dtype), str(shadow.dtype), True)
    return None


def _layout(x: np.ndarray[Any, Any]) -> str:
    """Return strides and contiguity of an array."""
    flags = x.flags
    order = "C order" if flags.c_contiguous else "F order" if flags.f_contiguous else "a view"
    return f"{x.strides} ({order})"


def _compare_names(aspect: str, first: set[Any], second: set[Any], path: str) -> Difference | None:
    """Compare keys or field names, and name those that only one side has."""
    if first == second:
        return None
    missing = ", ".join(sorted(map(str, first - second)))
    extra = ", ".join(sorted(map(str, second - first)))
    texts = [f"also {names}" if names else "no others" for names in (missing, extra)]
    return Difference(path, aspect, texts[0], texts[1], False)


def check_congruent(primal: Any, shadow: Any, name: str = "shadow") -> None:
    """Raise an error that names the first difference, unless the values are congruent.

    Raises
    ------
    ShadowTypeError
        If the types differ.
    ShadowLayoutError
        If shape, strides, length or keys differ.

    Examples
    --------
    >>> check_congruent(1.0, 2.0)
    >>> check_congruent(1.0, 2)
    Traceback (most recent call last):
        ...
    enzymecore.errors.ShadowTypeError: shadow differs from its primal in type: ...
    """
    found = difference(primal, shadow)
    if found is not None:
        raise found.error(primal, shadow, name)


class _Congruent:
    """The predicate `congruent`, which can be extended."""

    def __call__(self, x: Any, y: Any) -> bool:
        """Tell whether `y` can be a shadow of `x`: same type, and same layout of all memory.

        Examples
        --------
        >>> import numpy as np
        >>> congruent(np.zeros(3), np.ones(3))
        True
        >>> congruent(np.zeros((2, 3)), np.zeros((2, 3), order="F"))
        False
        """
        return difference(x, y) is None

    def register(self, cls: type, predicate: P | None = None) -> Any:
        """Register the predicate for values of `cls` and its subclasses; also a decorator.

        Parameters
        ----------
        cls
            Class of the primal.
        predicate
            Called with primal and shadow; True if they are congruent, else False or a string that
            names what differs.

        Examples
        --------
        >>> class Pattern:
        ...     def __init__(self, *columns):
        ...         self.columns = columns
        >>> @congruent.register(Pattern)
        ... def same_columns(x, y):
        ...     return x.columns == y.columns or "sparsity pattern"
        >>> congruent(Pattern(1, 2), Pattern(1, 3))
        False
        >>> congruent.unregister(Pattern)
        """
        if predicate is None:

            def decorate(function: P) -> P:
                _predicates[cls] = function
                return function

            return decorate
        _predicates[cls] = predicate
        return predicate

    def unregister(self, cls: type) -> None:
        """Forget the predicate of `cls`, if there is one."""
        _predicates.pop(cls, None)


congruent = _Congruent()
