"""The annotations: what a value means to differentiation.

==========================  =======================================================================
``Const(x)``                no derivative flows in or out
``Active(x)``               immutable value whose adjoint is returned (reverse mode only)
``Duplicated(x, dx)``       forward: `dx` is the tangent; reverse: adjoints are added into `dx`
``DuplicatedNoNeed``        the same, and the primal's content after the call is not needed
``Batch...``                N shadows at once, in a tuple
``MixedDuplicated``         the shadow lies in a Ref: values that hold both floats and memory
==========================  =======================================================================

Construction compares shadows with their primal (`enzymecore.congruence`); ``check=False`` skips it.
Overlap of a shadow with its primal is not checked here: ``Duplicated(x, x)`` means "constant" where
runtime activity is on. `enzymecore.shadows` has the questions a derivative asks about it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from enzymecore.activity_state import DupState, active_register_state
from enzymecore.annotation_base import Annotation
from enzymecore.congruence import check_congruent, describe
from enzymecore.errors import ActivityError
from enzymecore.structure import Kind, kind_of

__all__ = [
    "Active",
    "Annotation",
    "BatchDuplicated",
    "BatchDuplicatedFunc",
    "BatchDuplicatedNoNeed",
    "BatchMixedDuplicated",
    "Const",
    "Duplicated",
    "DuplicatedNoNeed",
    "MixedDuplicated",
    "get_func",
]

# The fast way past `__setattr__`, which refuses.
_set_val = Annotation.__dict__["val"].__set__

_ndarray = np.ndarray


def _check(val: Any, dval: Any) -> None:
    """Compare a shadow with its primal; floats and plain arrays without walking anything."""
    cls = type(val)
    if cls is type(dval):
        if cls is float:
            return
        if cls is _ndarray and val.strides == dval.strides and val.shape == dval.shape:
            dtype = val.dtype
            if dtype == dval.dtype and not dtype.hasobject:
                return
    check_congruent(val, dval)


def _check_batch(cls: type, val: Any, dval: Any, check: bool) -> None:
    """Compare all shadows of a batch with their primal."""
    if type(dval) is not tuple:
        raise ActivityError(
            f"{cls.__name__} needs a tuple of shadows, not {describe(dval)}",
            todo=f"write {cls.__name__}(x, (dx1, dx2)); (dx,) for a single shadow",
        )
    if check:
        for index, shadow in enumerate(dval):
            try:
                _check(val, shadow)
            except (TypeError, ValueError):
                check_congruent(val, shadow, f"shadow {index}")
                raise


class Const(Annotation):
    """A constant: no derivative flows in or out, nor through memory reachable from it.

    Parameters
    ----------
    val
        The value.

    Examples
    --------
    >>> Const(3).val
    3
    >>> from enzymecore import typeof
    >>> typeof(Const(int))
    Const[type[int]]
    """

    __slots__ = ()

    def __init__(self, val: Any) -> None:
        _set_val(self, val)


class Active(Annotation):
    """An immutable value whose adjoint is returned; reverse mode only.

    Parameters
    ----------
    val
        A float or complex number, or a tuple or immutable struct of them. An int or bool becomes
        float64; ints inside a tuple stay what they are.

    Raises
    ------
    ActivityError
        For an array or another mutable container: its adjoint has to be added to a shadow.

    Examples
    --------
    >>> Active(3)
    Active(3.0)
    >>> import numpy as np
    >>> Active(np.zeros(3))
    Traceback (most recent call last):
        ...
    enzymecore.errors.ActivityError: Active of an array is not possible...
    """

    __slots__ = ()

    def __init__(self, val: Any) -> None:
        _set_val(self, val if type(val) is float else _as_active(val))


def _as_active(val: Any) -> Any:
    """Convert integers to float64 and refuse mutable containers."""
    if type(val) in (int, bool):
        return float(val)
    if isinstance(val, (np.integer, np.bool_)) and val.dtype.kind in "biu":
        return np.float64(val)
    kind = kind_of(val)
    is_array = kind is Kind.ARRAY
    mutable = kind in (Kind.LIST, Kind.DICT, Kind.TYPED_LIST, Kind.TYPED_DICT, Kind.INSTANCE)
    mutable = mutable or isinstance(val, (set, bytearray))
    if is_array or mutable or (kind in _STRUCTS and active_register_state(val) is DupState):
        raise active_memory("an array" if is_array else f"a {type(val).__name__}", describe(val))
    return val


def active_memory(name: str, described: str) -> ActivityError:
    """Make the error for memory that is annotated as a value whose adjoint is returned."""
    return ActivityError(
        what=f"Active of {name} is not possible: {described}",
        why="Active is for immutable values, whose adjoint is returned; "
        "the adjoint of memory is added to a shadow",
        todo=(
            "use Duplicated(x, make_zero(x)) to differentiate with respect to it",
            "use Const(x) if no derivative is wanted",
        ),
    )


_STRUCTS = (Kind.STRUCT, Kind.RECORD)


class Duplicated(Annotation):
    """A value with its shadow.

    Forward mode takes `dval` as the tangent; reverse mode adds adjoints into it, and never clears
    it first.

    Parameters
    ----------
    val
        The value.
    dval
        Its shadow, of the same type and layout.
    check
        Whether to compare the shadow with the value.

    Raises
    ------
    ShadowTypeError
        If the types differ, as in ``Duplicated(1.0, 1)``.
    ShadowLayoutError
        If shape, strides, length or keys differ.

    Examples
    --------
    >>> import numpy as np
    >>> Duplicated(3.0, 1.0)
    Duplicated(3.0, 1.0)
    >>> Duplicated(np.zeros(3), np.zeros(2))
    Traceback (most recent call last):
        ...
    enzymecore.errors.ShadowLayoutError: shadow differs from its primal in shape: ...
    """

    __slots__ = ("dval",)
    __match_args__ = ("val", "dval")

    dval: Any

    def __init__(self, val: Any, dval: Any, check: bool = True) -> None:
        if check and val is not dval:
            _check(val, dval)
        _set_val(self, val)
        _set_dval(self, dval)

    @staticmethod
    def _shadow_content(shadow: Any, /) -> Any:
        """Return the part of a shadow that has the type of the value."""
        return shadow


_set_dval = Duplicated.__dict__["dval"].__set__


class DuplicatedNoNeed(Annotation):
    """A value with its shadow, whose content after the call is not needed.

    Only right for outputs that are written and never read: the primal need not be computed.

    Parameters
    ----------
    val, dval, check
        As for `Duplicated`.

    Examples
    --------
    >>> import numpy as np
    >>> DuplicatedNoNeed(np.zeros(2), np.ones(2)).dval
    array([1., 1.])
    """

    __slots__ = ("dval",)
    __match_args__ = ("val", "dval")

    dval: Any

    def __init__(self, val: Any, dval: Any, check: bool = True) -> None:
        if check and val is not dval:
            _check(val, dval)
        _set_val(self, val)
        _set_dval_no_need(self, dval)

    _shadow_content = Duplicated._shadow_content


_set_dval_no_need = DuplicatedNoNeed.__dict__["dval"].__set__


class _Batch(Annotation):
    """What the batch classes share."""

    __slots__ = ("dval",)
    __match_args__ = ("val", "dval")
    _parameter_names = ("T", "N")

    dval: tuple[Any, ...]

    def __init__(self, val: Any, dval: tuple[Any, ...], check: bool = True) -> None:
        _check_batch(type(self), val, dval, check)
        _set_val(self, val)
        _set_dval_batch(self, dval)

    def _width(self) -> int:
        """Return the number of shadows."""
        return len(self.dval)

    @staticmethod
    def _more_parameters(x: Any) -> tuple[Any, ...]:
        """Return the parameters of the class that come after T and N."""
        return ()

    _shadow_content = Duplicated._shadow_content


_set_dval_batch = _Batch.__dict__["dval"].__set__


class BatchDuplicated(_Batch):
    """A value with several shadows at once.

    Parameters
    ----------
    val
        The value.
    dval
        Tuple of shadows. One is legal; none is an error when the annotation is used.
    check
        Whether to compare the shadows with the value.

    Raises
    ------
    ActivityError
        If `dval` is not a tuple.
    ShadowTypeError, ShadowLayoutError
        As for `Duplicated`.

    Examples
    --------
    >>> from enzymecore import batch_size
    >>> batch_size(BatchDuplicated(1.0, (2.0, 3.0)))
    2
    """

    __slots__ = ()


class BatchDuplicatedNoNeed(_Batch):
    """A value with several shadows, whose content after the call is not needed.

    Parameters
    ----------
    val, dval, check
        As for `BatchDuplicated`.

    Examples
    --------
    >>> BatchDuplicatedNoNeed(1.0, (2.0,)).dval
    (2.0,)
    """

    __slots__ = ()


def _ref_content(ref: Any, /) -> Any:
    """Return what a Ref holds: the element of a 0-d or 1-element array or of a 1-element list."""
    if isinstance(ref, np.ndarray) and ref.size == 1:
        return ref.reshape(-1)[0]
    if isinstance(ref, list) and len(ref) == 1:
        return ref[0]
    raise ActivityError(
        f"a mixed annotation needs its shadow in a Ref, not {describe(ref)}",
        todo="use a 0-d array, np.array(dx), or a 0-d object array for tuples and structs",
    )


class MixedDuplicated(Annotation):
    """A value of mixed state, as ``(float, array)``, with its shadow in a Ref.

    The Ref makes the immutable part of the shadow updatable. Values of every other type work too.

    Parameters
    ----------
    val
        The value.
    dval
        Ref to the shadow: a 0-d or 1-element array (of objects, for tuples), or a 1-element list.
    check
        Whether to compare the shadow with the value.

    Raises
    ------
    ActivityError
        If `dval` is not a Ref.
    ShadowTypeError, ShadowLayoutError
        As for `Duplicated`.

    Examples
    --------
    >>> import numpy as np
    >>> MixedDuplicated(2.7, np.array(0.0)).dval[()]
    np.float64(0.0)
    """

    __slots__ = ("dval",)
    __match_args__ = ("val", "dval")

    dval: Any

    def __init__(self, val: Any, dval: Any, check: bool = True) -> None:
        if check:
            _check(val, _ref_content(dval))
        _set_val(self, val)
        _set_dval_mixed(self, dval)

    _shadow_content = staticmethod(_ref_content)


_set_dval_mixed = MixedDuplicated.__dict__["dval"].__set__


class BatchMixedDuplicated(_Batch):
    """A value of mixed state with several shadows, each in a Ref.

    Parameters
    ----------
    val
        The value.
    dval
        Tuple of Refs, as for `MixedDuplicated`.
    check
        Whether to compare the shadows with the value.

    Examples
    --------
    >>> import numpy as np
    >>> len(BatchMixedDuplicated(2.7, (np.array(0.0), np.array(0.0))).dval)
    2
    """

    __slots__ = ()

    def __init__(self, val: Any, dval: tuple[Any, ...], check: bool = True) -> None:
        contents = tuple(map(_ref_content, dval)) if check and type(dval) is tuple else dval
        _check_batch(type(self), val, contents, check)
        _set_val(self, val)
        _set_dval_batch(self, dval)

    _shadow_content = staticmethod(_ref_content)


class BatchDuplicatedFunc(Annotation):
    """A value whose shadows are made by calling a function, for compiled code.

    Always used with its parameters: ``BatchDuplicatedFunc[T, N, make](x)``.

    Parameters
    ----------
    val
        The value.

    Raises
    ------
    ActivityError
        If the bare class is called.

    Examples
    --------
    >>> def make():
    ...     return (1.0, 2.0)
    >>> annotation = BatchDuplicatedFunc[float, 2, make](5.0)
    >>> annotation.val, get_func(annotation)()
    (5.0, (1.0, 2.0))
    """

    __slots__ = ("make", "width")
    __match_args__ = ("val", "width", "make")
    _parameter_names = ("T", "N", "make")

    width: int
    make: Callable[[], tuple[Any, ...]]

    def __init__(self, val: Any, width: int | None = None, make: Any = None) -> None:
        if width is None or not callable(make):
            raise ActivityError(
                "BatchDuplicatedFunc needs its parameters",
                todo="write BatchDuplicatedFunc[typeof(x), N, make](x)",
            )
        for name, value in (("val", val), ("width", width), ("make", make)):
            object.__setattr__(self, name, value)

    def _width(self) -> int:
        """Return the number of shadows."""
        return self.width

    @staticmethod
    def _more_parameters(x: Any) -> tuple[Any, ...]:
        """Return the parameters of the class that come after T and N."""
        return (x.make,)


def get_func(x: Any) -> Callable[[], tuple[Any, ...]]:
    """Return the function that makes the shadows of a `BatchDuplicatedFunc`, instance or class.

    Raises
    ------
    ActivityError
        If `x` is neither.

    Examples
    --------
    >>> def make():
    ...     return (1.0,)
    >>> get_func(BatchDuplicatedFunc[float, 1, make]) is make
    True
    """
    found: Any = None
    if isinstance(x, BatchDuplicatedFunc):
        found = x.make
    elif isinstance(x, type) and issubclass(x, BatchDuplicatedFunc) and x.parameters:
        found = x.parameters[2]
    if found is None:
        raise ActivityError(f"get_func needs a BatchDuplicatedFunc with parameters, not {x!r}")
    make: Callable[[], tuple[Any, ...]] = found
    return make
