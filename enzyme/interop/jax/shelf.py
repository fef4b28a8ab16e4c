"""The shelf: what forward passes leave for their backward passes, in memory that belongs to the library.

JAX copies, drops and repeats what a forward pass hands on, so a tape, which is used once and must be freed, cannot be
part of it.  A *block* with copies of the inputs, with shadows and with the tape stands on the shelf instead, and JAX gets
the number under which it was put there.  That number is a hint and no more.  Whoever takes a block is its one owner, and
looks whether it is of the same program and has the same inputs, bit by bit; if not, or if it is gone, the function runs
again.  So nothing depends on how long a block stays: the shelf holds so many of them and so many bytes, and the oldest
have to go.

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
from numba.core import types
from numba.extending import intrinsic

from enzyme.frontend import arena
from enzyme.frontend.memory_limit import share_of_memory
from enzyme.frontend.numba_compat.layouts import MEMINFO
from enzyme.interop.jax.frames import put_word, word

PLACES = 4096
BYTES = min(1 << 28, share_of_memory())

# The head of a block: the arena that it is part of, its number, the program, the bytes that it counts for, those that it
# has, and the tape, zero if there is none. Sizes of axes follow.
_OBJECT_SIZE = MEMINFO["size"]
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
_usable = _native(ctypes.cast(_libc.malloc_usable_size, ctypes.c_void_p).value, _WORD, _WORD)
_compare = _native(
    ctypes.cast(_libc.memcmp, ctypes.c_void_p).value, ctypes.c_int32, _WORD, _WORD, _WORD
)


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


@numba.njit
def same_bits(x, y):  # type: ignore[no-untyped-def]
    """Are two arrays of one shape and type equal, bit by bit?"""
    return _compare(x.ctypes.data, y.ctypes.data, x.size * x.itemsize) == 0


# --- blocks ---------------------------------------------------------------------------------------


@numba.njit
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


@numba.njit
def closed(block):  # type: ignore[no-untyped-def]
    """Free a block and what it holds."""
    tape = word(block + TAPE)
    if tape != 0:
        let_go(tape)
    _close(word(block + ARENA), False)


@intrinsic
def or_closed(typingctx, function, block, args):  # type: ignore[no-untyped-def]
    """Call a function of a block and more arguments; if it raises, the block is freed."""
    given = (block, *args.types)
    inner = function.get_call_type(typingctx, given, {})

    def generate(context, builder, signature, values):  # type: ignore[no-untyped-def]
        call = context.call_internal_no_propagate
        passed = [values[1]]
        for k, (have, want) in enumerate(zip(args.types, inner.args[1:], strict=True)):
            one = builder.extract_value(values[2], k)
            passed.append(context.cast(builder, one, have, want))
        made = function.dispatcher.get_compile_result(inner)
        context.add_linking_libs([made.library])
        status, result = call(builder, made.fndesc, inner, passed)
        with builder.if_then(status.is_error, likely=False):
            freeing = types.void(types.intp)
            free = closed.get_compile_result(freeing)
            context.add_linking_libs([free.library])
            call(builder, free.fndesc, freeing, [values[1]])
            context.call_conv.return_status_propagate(builder, status)
        return result

    closed.compile("void(intp)")
    return inner.return_type(function, types.intp, args), generate


# --- the shelf ------------------------------------------------------------------------------------


@numba.njit
def _dropped(block):  # type: ignore[no-untyped-def]
    increased(_TOTAL, -word(block + WEIGHT))
    closed(block)


@numba.njit
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


@numba.njit
def taken(number, program, size):  # type: ignore[no-untyped-def]
    """The block of this number, if it is still there and of this program and size, else zero; it is the caller's now."""
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


@numba.njit
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
    _cleared()


@numba.njit
def _cleared():  # type: ignore[no-untyped-def]
    for k in range(PLACES):
        old = exchanged(_FIRST + 8 * k, 0)
        if old != 0:
            _dropped(old)
