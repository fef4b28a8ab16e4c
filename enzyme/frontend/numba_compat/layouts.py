"""Where the structures of numba's run time keep what, in bytes.

Our code for typed lists and dictionaries reads and writes these structures itself (`typed_lists`, `typed_dicts`), so
the offsets are constants of LLVM code. Each is tested on a live object that C made: what C put in is found there.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from string import Template
from typing import Any

from numba.core import types
from numba.core.runtime import rtsys

from enzyme.frontend.numba_compat.compilers import cpu_target
from enzyme.frontend.numba_compat.probes import expect, private, probe
from enzyme.frontend.numba_compat.runtime import FUNCTIONS, runtime_interface

_container_functions: Mapping[str, int] = private("numba._helperlib", "c_helpers")

# An object that counts references: their number, what its end calls, the pointer to its data, and their bytes.
MEMINFO = {"count": 0, "end": 16, "data": 24, "size": 32}
# An allocator of objects: functions that take (size, opaque), (memory, size, opaque) and (memory, opaque).
ALLOCATOR = {"room": 0, "wider": 8, "gone": 16, "opaque": 24}
# A reflected list: where the flag behind its counters is, and where its items begin, of eight bytes or more each;
# narrow ones begin as soon behind the flag as they may.
PAYLOAD = {"dirty": 16, "narrow": 17, "items": 24}
PAYLOAD["gap"] = PAYLOAD["items"] - PAYLOAD["narrow"]
# A typed list; `retain` and `release` count references in an item.
LIST = {
    "length": 0,
    "bytes": 8,
    "room": 16,
    "mutable": 24,
    "retain": 32,
    "release": 40,
    "items": 48,
    "list_size": 56,
}
# A typed dictionary: a count and the address of its table.
DICT = {"count": 0, "table": 8}
# The table: how many entries may be added, how many are in use, bytes of a key, of a value and of an entry, where
# the first entry is behind the end of the table; functions for keys and values, the last of which lets go of a value.
TABLE = {
    "room": 8,
    "used": 16,
    "key_bytes": 24,
    "value_bytes": 32,
    "entry_bytes": 40,
    "first_entry": 48,
    "methods": 56,
    "release": 88,
    "table_size": 96,
    "methods_size": 40,
}
# An entry is a hash, a key, and a value, aligned to words: `(key_bytes + to_value) & -8` from its beginning.
ENTRY = {"key": 8, "to_value": 15}
# What goes through a dictionary is ours, in the room of numba's.
ITERATOR = {"dict": 0, "table": 8, "count": 16, "place": 24, "iterator_size": 32}


def placed(text: str, **layouts: Mapping[str, int]) -> str:
    """LLVM code with offsets in place of names: ``$list_items`` is `LIST["items"]`, given ``list=LIST``."""
    offsets = {
        f"{structure}_{name}": offset
        for structure, layout in layouts.items()
        for name, offset in layout.items()
    }
    return Template(text).substitute(offsets)


def container_function(name: str) -> int:
    """The address of one of numba's functions for typed lists and dictionaries."""
    return _container_functions[name]


def words(address: int, count: int) -> list[int]:
    """What is in memory."""
    return list((ctypes.c_int64 * count).from_address(address))


def word(address: int, offset: int) -> int:
    """What a structure has at an offset."""
    return ctypes.c_int64.from_address(address + offset).value


# Live objects -------------------------------------------------------------------------------------


class _Functions:
    """C functions of numba's, by their names behind a prefix; all parameters are words."""

    def __init__(self, prefix: str, table: Mapping[str, int]) -> None:
        self.prefix, self.table = prefix, table

    def __getattr__(self, name: str) -> Any:
        address = self.table.get(self.prefix + name)
        if address is None:
            expect(False, f"numba has no C function {self.prefix}{name} any more")
            raise AssertionError

        def call(*args: Any) -> int:
            kinds = [ctypes.c_char_p if isinstance(a, bytes) else ctypes.c_void_p for a in args]
            return int(ctypes.CFUNCTYPE(ctypes.c_int64, *kinds)(address)(*args) or 0)

        return call


def _expect_words(structure: str, address: int, layout: Mapping[str, int], **put_in: int) -> None:
    for name, value in put_in.items():
        expect(
            word(address, layout[name]) == value,
            f"{structure} of numba's does not have {name.replace('_', ' ')} at offset {layout[name]} any more",
        )


def _expect_room(structure: str, address: int, size: int) -> None:
    """C asked for about `size` bytes; `malloc` rounds up, and leaves no rest that is of no use."""
    usable = ctypes.CDLL(None).malloc_usable_size
    usable.argtypes, usable.restype = (ctypes.c_void_p,), ctypes.c_size_t
    expect(
        usable(address) - 32 < size <= usable(address),
        f"{structure} of numba's is not {size} bytes long any more",
    )


def _made(structure: str, new: Any, *args: int) -> int:
    out = ctypes.c_int64(0)
    status = ctypes.c_int32(new(ctypes.addressof(out), *args)).value
    expect(
        status == 0 and out.value, f"numba's C function for a new {structure} takes other arguments"
    )
    return out.value


@probe
def typed_list() -> None:
    """A header with seven fields."""
    c = _Functions("list_", _container_functions)
    at = _made("typed list", c.new, 24, 5)
    try:
        _expect_room("a typed list", at, LIST["list_size"])
        c.append(at, b"a" * 24)
        c.append(at, b"b" * 24)
        room, items = c.allocated(at), c.base_ptr(at)
        _expect_words("a typed list", at, LIST, length=2, bytes=24, room=room, items=items)
        for mutable in (0, 1):
            c.set_is_mutable(at, mutable)
            found = ctypes.c_int32.from_address(at + LIST["mutable"]).value
            expect(
                found == mutable,
                f"a typed list of numba's does not have mutable at offset {LIST['mutable']} any more",
            )
        expect(
            ctypes.string_at(items, 48) == b"a" * 24 + b"b" * 24,
            "items of numba's typed list do not lie side by side any more",
        )
        with _methods(c, at, 7, 8):
            found_methods = [word(at, LIST[name]) for name in ("retain", "release")]
        for name, found, put_in in zip(("retain", "release"), found_methods, (7, 8), strict=True):
            expect(
                found == put_in,
                f"a typed list of numba's does not have {name} at offset {LIST[name]} any more",
            )
    finally:
        c.free(at)


@contextmanager
def _methods(c: _Functions, at: int, *methods: int) -> Iterator[None]:
    """A container with functions for its items that nobody may call: it has none at the end."""
    given = (ctypes.c_int64 * len(methods))(*methods)
    c.set_method_table(at, ctypes.addressof(given))
    try:
        yield
    finally:
        ctypes.memset(given, 0, ctypes.sizeof(given))
        c.set_method_table(at, ctypes.addressof(given))


@probe
def typed_dictionary() -> None:
    """A count, a table, and entries behind it."""
    c = _Functions("dict_", _container_functions)
    at = _made("typed dictionary", c.new_sized, 3, 5, 12)
    try:
        _expect_room("a typed dictionary", at, 16)
        _expect_table(c, at)
        table = word(at, DICT["table"])
        room = word(table, TABLE["room"])
        key, value, old = b"abcde", b"0123456789ab", b" " * 12
        c.insert(at, b"first", 76, value, old)
        c.insert(at, key, 77, value, old)
        _expect_words("a typed dictionary", at, DICT, count=2, table=table)
        _expect_words(
            "the table of a typed dictionary",
            table,
            TABLE,
            room=room - 2,
            used=2,
            key_bytes=5,
            value_bytes=12,
        )
        entry = _second_entry(table)
        inside = (len(key) + ENTRY["to_value"]) & -8
        expect(
            word(entry, 0) == 77
            and ctypes.string_at(entry + ENTRY["key"], 5) == key
            and ctypes.string_at(entry + inside, 12) == value,
            "an entry of numba's typed dictionary is not a hash, a key and a value any more",
        )
        with _methods(c, at, 5, 6, 7, 8, 9):
            methods = words(table + TABLE["methods"], TABLE["methods_size"] // 8)
            release = word(table, TABLE["release"])
        expect(
            methods == [5, 6, 7, 8, 9] and release == 9,
            f"numba's functions for items of a typed dictionary are not at offset {TABLE['methods']} any more",
        )
        c.delitem(at, 77, 1)
        expect(word(entry, 0) == -1, "numba marks removed entries of a typed dictionary otherwise")
    finally:
        c.free(at)


def _expect_table(c: _Functions, at: int) -> None:
    """Numba's iterator has the address of the table too."""
    expect(
        c.iter_sizeof() == ITERATOR["iterator_size"],
        f"numba's iterator of a typed dictionary is not {ITERATOR['iterator_size']} bytes long any more",
    )
    iterator = (ctypes.c_int64 * (ITERATOR["iterator_size"] // 8))()
    c.iter(ctypes.addressof(iterator), at)
    expect(
        word(at, DICT["table"]) and word(at, DICT["table"]) in iterator,
        f"a typed dictionary of numba's does not have table at offset {DICT['table']} any more",
    )


def _second_entry(table: int) -> int:
    first, size = word(table, TABLE["first_entry"]), word(table, TABLE["entry_bytes"])
    expect(
        0 <= first <= 64 and size == 32,  # of eight places, and of a hash, five bytes and twelve
        "the table of numba's typed dictionary does not have its entries where it did",
    )
    return table + TABLE["table_size"] + first + size


@probe
def counted_object() -> None:
    """Data are where the object says."""
    rtsys.initialize(cpu_target.target_context)
    c = _Functions("MemInfo_", FUNCTIONS)
    at = c.new_varsize(40)
    try:
        _expect_words("a counted object", at, MEMINFO, count=1, data=c.data(at), size=40)
    finally:
        c.release(at)
    at = c.new_varsize_dtor(40, 7)
    try:
        _expect_words("a counted object", at, MEMINFO, end=7)
    finally:
        ctypes.c_int64.from_address(at + MEMINFO["end"]).value = 0  # nobody may call it
        c.release(at)


@probe
def allocator_of_an_object() -> None:
    """An object is made with the memory of an allocator, and gives it back there."""
    rtsys.initialize(cpu_target.target_context)
    word_type, kept, asked = ctypes.c_void_p, ctypes.create_string_buffer(256), []

    @ctypes.CFUNCTYPE(word_type, ctypes.c_size_t, word_type)
    def room(size: int, opaque: int) -> int:
        asked.append(("room", size, opaque))
        return ctypes.addressof(kept)

    @ctypes.CFUNCTYPE(None, word_type, word_type)
    def gone(memory: int, opaque: int) -> None:
        asked.append(("gone", memory, opaque))

    table = (ctypes.c_void_p * 4)()
    for name, value in (("room", room), ("gone", gone)):
        table[ALLOCATOR[name] // 8] = ctypes.cast(value, word_type)
    table[ALLOCATOR["opaque"] // 8] = 7
    make = ctypes.CFUNCTYPE(word_type, ctypes.c_size_t, word_type)(
        runtime_interface("allocate_external")
    )
    at = make(40, ctypes.addressof(table))
    c = _Functions("MemInfo_", FUNCTIONS)
    _expect_words(
        "an object of an allocator", at, MEMINFO, count=1, end=0, data=c.data(at), size=40
    )
    head = c.data(at) - at
    c.release(at)
    expect(
        asked == [("room", 40 + head, 7), ("gone", ctypes.addressof(kept), 7)],
        "numba asks the allocator of an object otherwise than before",
    )


@probe
def reflected_list() -> None:
    """Counters and a flag, then items."""
    context = cpu_target.target_context
    data = context.target_data
    for item, begin in ((types.float64, "items"), (types.boolean, "narrow")):
        structure = context.get_data_type(types.ListPayload(types.List(item)))
        dirty, items = (structure.get_element_offset(data, k) for k in (2, 3))
        expect(
            len(structure.elements) == 4 and dirty == PAYLOAD["dirty"] and items == PAYLOAD[begin],
            f"a reflected list of numba's does not have items behind {PAYLOAD[begin]} bytes any more",
        )
