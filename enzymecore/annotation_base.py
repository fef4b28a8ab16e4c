"""The machinery of annotations: immutable instances, and parametrised classes.

An annotation exists in three forms: an instance ``Duplicated(x, dx)``, the bare class and the
parametrised class ``Duplicated[T]``. A parametrised class is a subclass of the bare one that is
never the class of an instance: calling it checks types and returns an instance of the bare class,
so code may dispatch on ``type(annotation)``. ``isinstance(a, Duplicated[T])`` asks for the type of
the value as well.
"""

from __future__ import annotations

import copyreg
import weakref
from typing import Any

from enzymecore.describing import as_type, describe_annotations_by, typeof
from enzymecore.descriptors import ArrayType, StructType, TupleType
from enzymecore.errors import ActivityError, BatchSizeError, ShadowTypeError

__all__ = ["Annotation", "AnnotationMeta", "batch_size", "eltype"]

# Parametrised classes by (bare class, parameters); an entry lives as long as its class is used.
_parametrised: weakref.WeakValueDictionary[tuple[Any, ...], AnnotationMeta] = (
    weakref.WeakValueDictionary()
)


class AnnotationMeta(type):
    """Class of the annotation classes; gives them ``[...]``.

    Examples
    --------
    >>> from enzymecore import Duplicated
    >>> Duplicated[float] is Duplicated[float]
    True
    >>> Duplicated[float]
    Duplicated[float64]
    """

    origin: AnnotationMeta
    parameters: tuple[Any, ...]

    def __getitem__(cls, parameters: Any) -> Any:
        if cls.parameters:
            raise ActivityError(f"{cls!r} has its parameters already")
        found = cls._check_parameters(parameters)
        key = (cls, *found)
        known = _parametrised.get(key)
        if known is None:
            namespace = {
                "__slots__": (),
                "__module__": cls.__module__,
                "__doc__": cls.__doc__,
                "origin": cls,
                "parameters": found,
                "__new__": _new_checked,
            }
            known = AnnotationMeta(cls.__name__, (cls,), namespace)
            known = _parametrised.setdefault(key, known)
        return known

    def _check_parameters(cls, given: Any) -> tuple[Any, ...]:
        """Return the parameters in canonical form."""
        names = getattr(cls, "_parameter_names", ("T",))
        items = given if len(names) > 1 and isinstance(given, tuple) else (given,)
        if len(items) != len(names):
            expected = f"{cls.__name__}[{', '.join(names)}]"
            raise ActivityError(
                f"{expected} takes {len(names)} parameter(s), not {len(items)}",
                todo="give the type of the value, then the number of shadows"
                if "N" in names
                else "give the type of the value, as typeof(x)",
            )
        found = [as_type(items[0])]
        if len(names) > 1:
            width = items[1]
            if isinstance(width, bool) or not isinstance(width, int):
                raise ActivityError(f"the number of shadows must be an int, not {width!r}")
            if width < 0:
                raise BatchSizeError(f"the number of shadows must not be negative, but is {width}")
            found.append(width)
        found.extend(items[2:])
        return tuple(found)

    @property
    def eltype(cls) -> Any:
        """Type of the value, or None for a bare class."""
        return cls.parameters[0] if cls.parameters else None

    def __instancecheck__(cls, instance: Any) -> bool:
        if not cls.parameters:
            return type.__instancecheck__(cls, instance)
        if not type.__instancecheck__(cls.origin, instance):
            return False
        if len(cls.parameters) > 1 and instance._width() != cls.parameters[1]:
            return False
        return bool(typeof(instance.val) == cls.parameters[0])

    def __repr__(cls) -> str:
        if not cls.parameters:
            return cls.__name__
        shown = (getattr(p, "__qualname__", None) or repr(p) for p in cls.parameters[1:])
        return f"{cls.__name__}[{', '.join((repr(cls.parameters[0]), *shown))}]"


def _reduce_class(cls: AnnotationMeta) -> Any:
    """Pickle a bare class by name and a parametrised one by its parameters."""
    if not cls.parameters:
        return cls.__qualname__
    given = cls.parameters if len(cls.parameters) > 1 else cls.parameters[0]
    return AnnotationMeta.__getitem__, (cls.origin, given)


copyreg.pickle(AnnotationMeta, _reduce_class)


class Annotation(metaclass=AnnotationMeta):
    """Base class of the annotations: a value, and what is to be done about its derivative.

    Annotations are immutable and are compared by identity; their fields are `val` and, where there
    is a shadow, `dval`.

    Examples
    --------
    >>> from enzymecore import Const
    >>> isinstance(Const(1.0), Annotation)
    True
    """

    __slots__ = ("val",)
    __match_args__: tuple[str, ...] = ("val",)
    __enzyme_frozen__ = True

    val: Any
    origin = None
    parameters = ()
    _parameter_names: tuple[str, ...] = ("T",)

    def __init__(self, *args: Any, **options: Any) -> None:
        raise ActivityError(
            "Annotation is abstract", todo="use Const, Active, Duplicated or a batch form"
        )

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is immutable; cannot set {name!r}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} is immutable; cannot delete {name!r}")

    def __repr__(self) -> str:
        fields = (repr(getattr(self, name)) for name in self.__match_args__)
        return f"{type(self).__name__}({', '.join(fields)})"

    def __reduce__(self) -> tuple[Any, ...]:
        fields = tuple(getattr(self, name) for name in self.__match_args__)
        return _restore, (type(self), fields)

    def __deepcopy__(self, memo: dict[int, Any]) -> Annotation:
        import copy

        fields = tuple(copy.deepcopy(getattr(self, name), memo) for name in self.__match_args__)
        return _restore(type(self), fields)


def _restore(cls: type[Annotation], fields: tuple[Any, ...]) -> Annotation:
    """Make an instance without any check; it was checked when it was first made."""
    self: Annotation = object.__new__(cls)
    for name, value in zip(cls.__match_args__, fields, strict=True):
        object.__setattr__(self, name, value)
    return self


def _without_access(described: Any) -> Any:
    """Return a type with all its arrays writable and aligned: what a shadow must agree with."""
    match described:
        case ArrayType():
            return ArrayType(described.dtype, described.ndim, described.layout)
        case TupleType():
            return TupleType(tuple(map(_without_access, described.types)))
        case StructType():
            types = tuple(map(_without_access, described.types))
            return StructType(described.cls, described.names, types)
        case _:
            return described


def _new_checked(cls: AnnotationMeta, val: Any, *args: Any, **options: Any) -> Any:
    """Make an instance of the bare class after comparing types with the parameters."""
    bare: Any = cls.origin
    # What lies beyond T and N is part of the instance too: the maker of the shadows.
    self = bare(val, *args, *(cls.parameters[1:] if len(cls.parameters) > 2 else ()), **options)
    wanted = cls.parameters[0]
    found = typeof(self.val)
    if found != wanted:
        raise ShadowTypeError(
            f"{cls!r} needs a value of type {wanted!r}, not of type {found!r}",
            todo=f"use {cls.__name__}(...), which takes the type from the value",
        )
    if not hasattr(self, "dval"):
        return self
    shadows = self.dval if len(cls.parameters) > 1 else (self.dval,)
    if len(cls.parameters) > 1 and len(shadows) != cls.parameters[1]:
        raise BatchSizeError(f"{cls!r} needs {cls.parameters[1]} shadows, not {len(shadows)}")
    for shadow in shadows:
        content = bare._shadow_content(shadow)
        if _without_access(typeof(content)) != _without_access(wanted):
            raise ShadowTypeError(
                f"{cls!r} needs a shadow of type {wanted!r}, not of type {typeof(content)!r}",
                todo="make the shadow with make_zero(x)",
            )
    return self


def describe_annotation(x: Annotation) -> AnnotationMeta:
    """Return the parametrised class that describes an annotation.

    Examples
    --------
    >>> from enzymecore import Const
    >>> describe_annotation(Const(1.0))
    Const[float64]
    """
    cls: Any = type(x)
    if "N" in cls._parameter_names:
        found: AnnotationMeta = cls[(typeof(x.val), batch_size(x), *cls._more_parameters(x))]
    else:
        found = cls[typeof(x.val)]
    return found


describe_annotations_by(Annotation, describe_annotation)


def eltype(x: Any) -> Any:
    """Return the type of the value of an annotation or of a parametrised annotation class.

    Raises
    ------
    ActivityError
        If `x` is a bare class, or no annotation.

    Examples
    --------
    >>> from enzymecore import Duplicated
    >>> eltype(Duplicated[float])
    float64
    >>> eltype(Duplicated(1.0, 2.0))
    float64
    """
    if isinstance(x, AnnotationMeta):
        if x.parameters:
            return x.parameters[0]
        raise ActivityError(
            f"the type of the value of the bare class {x!r} is not known",
            todo=f"give the type, as {x!r}[typeof(x)]",
        )
    if isinstance(x, Annotation):
        return typeof(x.val)
    raise ActivityError(f"eltype needs an annotation, not {x!r}", todo="wrap it, e.g. Const(x)")


def batch_size(x: Any) -> int:
    """Return the number of shadows of a batch annotation or of a parametrised batch class.

    Raises
    ------
    ActivityError
        If `x` is not of one of the batch classes, or is a bare class.

    Examples
    --------
    >>> from enzymecore import BatchDuplicated
    >>> batch_size(BatchDuplicated(1.0, (2.0, 3.0)))
    2
    >>> batch_size(BatchDuplicated[float, 4])
    4
    """
    cls = x if isinstance(x, AnnotationMeta) else type(x)
    if not isinstance(cls, AnnotationMeta) or "N" not in getattr(cls, "_parameter_names", ()):
        raise ActivityError(f"{x!r} has no batch size", todo="use one of the Batch classes")
    if isinstance(x, AnnotationMeta):
        if x.parameters:
            return int(x.parameters[1])
        raise ActivityError(
            f"the batch size of the bare class {x!r} is not known",
            todo=f"give it, as {x!r}[typeof(x), 2]",
        )
    return int(x._width())
