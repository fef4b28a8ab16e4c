"""The shelf: what forward passes leave for their backward passes, in memory that belongs to the library.

JAX copies, drops and repeats what a forward pass hands on, so a tape, which is used once and must be freed, cannot be
part of it.  A *block* with copies of the inputs, with shadows and with the tape stands on the shelf instead, and JAX
gets the number under which it was put there.  That number is a hint and no more.  Whoever takes a block is its one
owner, and looks whether it is of the same program and has the same inputs, bit by bit; if not, or if it is gone, the
function runs again.  So nothing depends on how long a block stays: the shelf holds so many of them and so many bytes,
and the oldest have to go.

All is done with atomic exchanges, for XLA calls from several threads at once.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, no-any-return"

from __future__ import annotations

import ctypes
import os
import random
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from enzyme.frontend import arena
from enzyme.frontend.memory_limit import share_of_memory
from enzyme.frontend.numba_compat.layouts import MEMINFO
from enzyme.interop.jax.frames import put_word, word

PLACES = 4096
BYTES = min(1 << 28, share_of_memory())

_OBJECT_SIZE = MEMINFO["size"]
# The head of a block: the arena that it is part of, its number, the program, the bytes that it counts for, those that
# it has, and the tape, zero if there is none. Sizes of axes follow.
ARENA, NUMBER, PROGRAM, WEIGHT, SIZE, TAPE, AXES = 0, 8, 16, 24, 32, 40, 48

# The number of the next block, the bytes on the shelf; then the places.
_words = np.zeros(2 + PLACES, np.int64)
_NEXT, _TOTAL, _FIRST = (_words.ctypes.data + 8 * k for k in (0, 1, 2))


def _renumber() -> None:
    """Numbers of one process mean nothing to another one."""
    _words[0] = random.SystemRandom().getrandbits(62) + 1


_renumber()
os.register_at_fork(after_in_child=_renumber)


def _native(address: Any, result: Any, *arguments: Any) -> Any:
    return ctypes.CFUNCTYPE(result, *arguments)(address)


def _of_arena(name: str, result: Any, *arguments: Any) -> Any:
    return _native(arena.register().address(name), result, *arguments)


_WORD = ctypes.c_int64
_open = _of_arena("enzyme_open", _WORD)
_allocate = _of_arena("enzyme_allocate", _WORD, _WORD, _WORD)
_close = _of_arena("enzyme_close", None, _WORD, ctypes.c_bool)
_held = _of_arena("enzyme_held", _WORD, _WORD)
_libc = ctypes.CDLL(None)


def _of_libc(name: str, result: Any, *arguments: Any) -> Any:
    return _native(ctypes.cast(_libc[name], ctypes.c_void_p).value, result, *arguments)


_usable = _of_libc("malloc_usable_size", _WORD, _WORD)


_jitted = numba.njit(no_cpython_wrapper=True, no_cfunc_wrapper=True)  # type: ignore[call-overload]


# --- single steps ---------------------------------------------------------------------------------


def _atomic(operation: str) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        at = builder.inttoptr(args[0], ir.IntType(64).as_pointer())
        return builder.atomic_rmw(operation, at, args[1], "seq_cst")

    return generate


@intrinsic
def exchanged(typingctx, address, value):  # type: ignore[no-untyped-def]
    """The word at an address, which is another one now."""
    return types.intp(types.intp, types.intp), _atomic("xchg")


@intrinsic
def increased(typingctx, address, value):  # type: ignore[no-untyped-def]
    """The word at an address before something was added to it."""
    return types.intp(types.intp, types.intp), _atomic("add")


@intrinsic
def put_where_nothing_is(typingctx, address, value):  # type: ignore[no-untyped-def]
    """Write a word if there is zero; was there?"""

    def generate(context, builder, signature, args):  # type: ignore[no-untyped-def]
        at = builder.inttoptr(args[0], ir.IntType(64).as_pointer())
        nothing = ir.Constant(ir.IntType(64), 0)
        found = builder.cmpxchg(at, nothing, args[1], "seq_cst", "seq_cst")
        return builder.zext(builder.extract_value(found, 1), ir.IntType(8))

    return types.uint8(types.intp, types.intp), generate


@intrinsic
def let_go(typingctx, address):  # type: ignore[no-untyped-def]
    """Drop a reference to an object of numba's run time."""

    def generate(context, builder, signature, args):  # type: ignore[no-untyped-def]
        kind = types.MemInfoPointer(types.voidptr)
        context.nrt.decref(builder, kind, builder.inttoptr(args[0], context.get_value_type(kind)))
        return context.get_dummy_value()

    return types.void(types.intp), generate


@intrinsic
def put_number(typingctx, address, number):  # type: ignore[no-untyped-def]
    """Write a number."""

    def generate(context, builder, signature, args):  # type: ignore[no-untyped-def]
        bits = _bits(context, builder, number, args[1])
        builder.store(bits, builder.inttoptr(args[0], bits.type.as_pointer()))
        return context.get_dummy_value()

    return types.void(types.intp, number), generate


@intrinsic
def same_number(typingctx, address, number):  # type: ignore[no-untyped-def]
    """Is it the number that was written there, bit by bit?"""

    def generate(context, builder, signature, args):  # type: ignore[no-untyped-def]
        bits = _bits(context, builder, number, args[1])
        found = builder.load(builder.inttoptr(args[0], bits.type.as_pointer()))
        return builder.icmp_unsigned("==", found, bits)

    return types.boolean(types.intp, number), generate


def _bits(context: Any, builder: Any, number: Any, value: Any) -> Any:
    stored = context.data_model_manager[number].as_data(builder, value)
    if isinstance(stored.type, ir.IntType):
        return stored
    width = {ir.FloatType(): 32, ir.DoubleType(): 64}[stored.type]
    return builder.bitcast(stored, ir.IntType(width))


@intrinsic
def copied(typingctx, to, x):  # type: ignore[no-untyped-def]
    """Copy an array to memory."""

    def generate(context, builder, signature, args):  # type: ignore[no-untyped-def]
        start, size = _bytes_of(context, builder, x, args[1])
        cgutils.raw_memcpy(builder, _pointer(builder, args[0]), start, size, 1)
        return context.get_dummy_value()

    return types.void(types.intp, x), generate


@intrinsic
def copied_back(typingctx, x, by):  # type: ignore[no-untyped-def]
    """Fill an array from memory."""

    def generate(context, builder, signature, args):  # type: ignore[no-untyped-def]
        start, size = _bytes_of(context, builder, x, args[0])
        cgutils.raw_memcpy(builder, start, _pointer(builder, args[1]), size, 1)
        return context.get_dummy_value()

    return types.void(x, types.intp), generate


@intrinsic
def cleared(typingctx, start, end):  # type: ignore[no-untyped-def]
    """Fill memory with zeros."""

    def generate(context, builder, signature, args):  # type: ignore[no-untyped-def]
        size = builder.sub(args[1], args[0])
        cgutils.memset(builder, _pointer(builder, args[0]), size, 0)
        return context.get_dummy_value()

    return types.void(types.intp, types.intp), generate


@intrinsic
def same(typingctx, at, x):  # type: ignore[no-untyped-def]
    """Is in memory what is in an array, bit by bit?"""

    def generate(context, builder, signature, args):  # type: ignore[no-untyped-def]
        start, size = _bytes_of(context, builder, x, args[1])
        address = cgutils.voidptr_t
        kind = ir.FunctionType(ir.IntType(32), [address, address, size.type])
        compare = cgutils.get_or_insert_function(builder.module, kind, "memcmp")
        found = builder.call(compare, [_pointer(builder, args[0]), start, size])
        return builder.icmp_signed("==", found, ir.IntType(32)(0))

    return types.boolean(types.intp, x), generate


def _pointer(builder: Any, address: Any) -> Any:
    return builder.inttoptr(address, cgutils.voidptr_t)


def _bytes_of(context: Any, builder: Any, ty: Any, value: Any) -> tuple[Any, Any]:
    """Where an array begins, and how many bytes it has."""
    array = context.make_array(ty)(context, builder, value)
    start = builder.bitcast(array.data, cgutils.voidptr_t)
    return start, builder.mul(array.nitems, array.itemsize)


@intrinsic
def added(typingctx, x, by):  # type: ignore[no-untyped-def]
    """Add numbers in memory to an array."""

    def generate(context, builder, signature, args):  # type: ignore[no-untyped-def]
        array = context.make_array(x)(context, builder, args[0])
        more = builder.inttoptr(args[1], array.data.type)
        with cgutils.for_range(builder, array.nitems) as loop:
            to = builder.gep(array.data, [loop.index])
            one = builder.load(builder.gep(more, [loop.index]))
            builder.store(builder.fadd(builder.load(to), one), to)
        return context.get_dummy_value()

    return types.void(x, types.intp), generate


# --- blocks ---------------------------------------------------------------------------------------


@_jitted
def opened(program, size):  # type: ignore[no-untyped-def]
    """A new block with so many bytes behind its head, and nothing in it."""
    owner = _open()
    if owner == 0:
        raise MemoryError("no memory for what the backward pass needs")
    block = _allocate(owner, size)
    if block == 0:
        _close(owner, False)
        raise MemoryError("no memory for what the backward pass needs")
    put_word(block + ARENA, owner)
    put_word(block + PROGRAM, program)
    put_word(block + WEIGHT, size)
    put_word(block + SIZE, size)
    put_word(block + TAPE, 0)
    return block


@_jitted
def closed(block):  # type: ignore[no-untyped-def]
    """Free a block and what it holds."""
    tape = word(block + TAPE)
    if tape != 0:
        let_go(tape)
    _close(word(block + ARENA), False)


@intrinsic
def or_closed(typingctx, function, block):  # type: ignore[no-untyped-def]
    """Call a function of a block; if it raises, the block is freed."""
    inner = function.get_call_type(typingctx, (types.intp,), {})

    def generate(context, builder, signature, args):  # type: ignore[no-untyped-def]
        def call(dispatcher: Any, kind: Any) -> Any:
            made = dispatcher.get_compile_result(kind)
            context.add_linking_libs([made.library])
            return context.call_internal_no_propagate(builder, made.fndesc, kind, [args[1]])

        status, result = call(function.dispatcher, inner)
        with builder.if_then(status.is_error, likely=False):
            call(closed, types.void(types.intp))
            context.call_conv.return_status_propagate(builder, status)
        return result

    closed.compile("void(intp)")
    return inner.return_type(function, types.intp), generate


# --- the shelf ------------------------------------------------------------------------------------


@_jitted
def _dropped(block):  # type: ignore[no-untyped-def]
    increased(_TOTAL, -word(block + WEIGHT))
    closed(block)


@_jitted
def shelved(block):  # type: ignore[no-untyped-def]
    """Put a block on the shelf, of which the caller must not know any more: its number."""
    number = increased(_NEXT, 1)
    put_word(block + NUMBER, number)
    weight = word(block + WEIGHT)
    if weight > BYTES:
        closed(block)
        return number
    total = increased(_TOTAL, weight) + weight
    old = exchanged(_FIRST + 8 * (number % PLACES), block)
    if old != 0:
        _dropped(old)
    if total > BYTES:
        for k in range(number + 1, number + PLACES):  # from the oldest on
            at = _FIRST + 8 * (k % PLACES)
            old = exchanged(at, 0) if word(at) != 0 else 0
            if old != 0:
                _dropped(old)
                if word(_TOTAL) <= BYTES:
                    break
    return number


@_jitted
def taken(number, program, size):  # type: ignore[no-untyped-def]
    """The block of this number, which is the caller's now; zero if it is not there, or of another program or size."""
    at = _FIRST + 8 * (number % PLACES)
    if word(at) == 0:
        return 0
    block = exchanged(at, 0)
    if block == 0:
        return 0
    right = word(block + NUMBER) == number and word(block + PROGRAM) == program
    if right and word(block + SIZE) == size:
        increased(_TOTAL, -word(block + WEIGHT))
        return block
    if put_where_nothing_is(at, block) == 0:
        _dropped(block)
    return 0


@_jitted
def weight_of(storage):  # type: ignore[no-untyped-def]
    """About how many bytes the storage of a tape keeps, with the objects that it holds."""
    if storage == 0:
        return 0
    total = _held(storage)
    held, count = word(storage + 8), word(storage + 16)
    for k in range(count):
        tagged = word(held + 8 * k)
        own = tagged & -8
        total += _usable(own) if tagged & 7 == 2 else word(own + _OBJECT_SIZE)
    return total


def on_the_shelf() -> tuple[int, int]:
    """How many blocks there are, and how many bytes they keep."""
    return int(np.count_nonzero(_words[2:])), int(_words[1])


def clear() -> None:
    """Free all blocks."""
    _clear()


@numba.njit
def _clear():  # type: ignore[no-untyped-def]
    for k in range(PLACES):
        old = exchanged(_FIRST + 8 * k, 0)
        if old != 0:
            _dropped(old)
