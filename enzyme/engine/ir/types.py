"""LLVM types, interned: two types are the same type exactly when they are the same object.

A type is known by its text as LLVM prints it. Identified structs (``%name = type {...}``) belong to a
module, so two modules may hold different structs of one name; those are interned per module.
"""

from __future__ import annotations

from collections.abc import Sequence


class Type:
    """Any LLVM type; `text` is how LLVM prints it."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<{self.text}>"

    @property
    def is_float(self) -> bool:
        return False

    @property
    def is_int(self) -> bool:
        return False

    @property
    def is_pointer(self) -> bool:
        return False

    @property
    def is_vector(self) -> bool:
        return False

    @property
    def is_aggregate(self) -> bool:
        return False

    @property
    def is_void(self) -> bool:
        return self.text == "void"

    @property
    def scalar(self) -> Type:
        """The element of a vector; any other type itself."""
        return self


class IntType(Type):
    __slots__ = ("bits",)

    def __init__(self, bits: int) -> None:
        super().__init__(f"i{bits}")
        self.bits = bits

    @property
    def is_int(self) -> bool:
        return True


class FloatType(Type):
    """half, bfloat, float, double, x86_fp80, fp128 or ppc_fp128; `bits` is the storage width."""

    __slots__ = ("bits",)

    def __init__(self, text: str, bits: int) -> None:
        super().__init__(text)
        self.bits = bits

    @property
    def is_float(self) -> bool:
        return True


class PointerType(Type):
    __slots__ = ("addrspace",)

    def __init__(self, addrspace: int) -> None:
        super().__init__("ptr" if addrspace == 0 else f"ptr addrspace({addrspace})")
        self.addrspace = addrspace

    @property
    def is_pointer(self) -> bool:
        return True


class ArrayType(Type):
    __slots__ = ("count", "element")

    def __init__(self, count: int, element: Type) -> None:
        super().__init__(f"[{count} x {element.text}]")
        self.count = count
        self.element = element

    @property
    def is_aggregate(self) -> bool:
        return True


class VectorType(Type):
    __slots__ = ("count", "element", "scalable")

    def __init__(self, count: int, element: Type, scalable: bool) -> None:
        prefix = "vscale x " if scalable else ""
        super().__init__(f"<{prefix}{count} x {element.text}>")
        self.count = count
        self.element = element
        self.scalable = scalable

    @property
    def is_vector(self) -> bool:
        return True

    @property
    def scalar(self) -> Type:
        return self.element


class StructType(Type):
    """A struct; `name` is empty for a literal one. `elements` is None while opaque."""

    __slots__ = ("elements", "name", "packed")

    def __init__(self, elements: tuple[Type, ...] | None, packed: bool, name: str = "") -> None:
        super().__init__(name or _struct_body(elements, packed))
        self.elements = elements
        self.packed = packed
        self.name = name

    @property
    def is_aggregate(self) -> bool:
        return True

    @property
    def body_text(self) -> str:
        """What stands right of ``=  type``: the body of an identified struct."""
        return _struct_body(self.elements, self.packed)


class FunctionType(Type):
    __slots__ = ("params", "ret", "vararg")

    def __init__(self, ret: Type, params: tuple[Type, ...], vararg: bool) -> None:
        listed = [p.text for p in params] + (["..."] if vararg else [])
        super().__init__(f"{ret.text} ({', '.join(listed)})")
        self.ret = ret
        self.params = params
        self.vararg = vararg


def _struct_body(elements: tuple[Type, ...] | None, packed: bool) -> str:
    if elements is None:
        return "opaque"
    inner = "{ " + ", ".join(e.text for e in elements) + " }" if elements else "{}"
    return f"<{inner}>" if packed else inner


_INTERNED: dict[object, Type] = {}


def int_type(bits: int) -> IntType:
    found = _INTERNED.get(("int", bits))
    if found is None:
        found = _INTERNED.setdefault(("int", bits), IntType(bits))
    assert isinstance(found, IntType)
    return found


def pointer_type(addrspace: int = 0) -> PointerType:
    found = _INTERNED.get(("ptr", addrspace))
    if found is None:
        found = _INTERNED.setdefault(("ptr", addrspace), PointerType(addrspace))
    assert isinstance(found, PointerType)
    return found


def array_type(count: int, element: Type) -> ArrayType:
    key = ("array", count, element)
    found = _INTERNED.get(key)
    if found is None:
        found = _INTERNED.setdefault(key, ArrayType(count, element))
    assert isinstance(found, ArrayType)
    return found


def vector_type(count: int, element: Type, scalable: bool = False) -> VectorType:
    key = ("vector", count, element, scalable)
    found = _INTERNED.get(key)
    if found is None:
        found = _INTERNED.setdefault(key, VectorType(count, element, scalable))
    assert isinstance(found, VectorType)
    return found


def struct_type(elements: Sequence[Type], packed: bool = False) -> StructType:
    """A literal struct. Identified structs are made by `Module.named_struct`."""
    key = ("struct", tuple(elements), packed)
    found = _INTERNED.get(key)
    if found is None:
        found = _INTERNED.setdefault(key, StructType(tuple(elements), packed))
    assert isinstance(found, StructType)
    return found


def function_type(ret: Type, params: Sequence[Type], vararg: bool = False) -> FunctionType:
    key = ("function", ret, tuple(params), vararg)
    found = _INTERNED.get(key)
    if found is None:
        found = _INTERNED.setdefault(key, FunctionType(ret, tuple(params), vararg))
    assert isinstance(found, FunctionType)
    return found


def opaque_type(text: str) -> Type:
    """A type kept by its text alone: ``void``, ``label``, ``token``, ``metadata``, ``target(...)``."""
    found = _INTERNED.get(("text", text))
    if found is None:
        found = _INTERNED.setdefault(("text", text), Type(text))
    return found


VOID = opaque_type("void")
LABEL = opaque_type("label")
TOKEN = opaque_type("token")
METADATA = opaque_type("metadata")
PTR = pointer_type()
I1, I8, I16, I32, I64 = (int_type(bits) for bits in (1, 8, 16, 32, 64))


def numbering_type(count: int) -> IntType:
    """The smallest usual integer that tells `count` things apart.

    >>> numbering_type(256).text, numbering_type(257).text
    ('i8', 'i16')
    """
    return I8 if count <= 1 << 8 else I16 if count <= 1 << 16 else I32


FLOAT_TYPES: dict[str, FloatType] = {
    name: FloatType(name, bits)
    for name, bits in (
        ("half", 16),
        ("bfloat", 16),
        ("float", 32),
        ("double", 64),
        ("x86_fp80", 80),
        ("fp128", 128),
        ("ppc_fp128", 128),
    )
}
HALF, FLOAT, DOUBLE = FLOAT_TYPES["half"], FLOAT_TYPES["float"], FLOAT_TYPES["double"]
