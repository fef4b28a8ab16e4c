"""XLA's call frames as compiled code reads them: buffers, stages, and errors that go back.

A handler gets the address of a frame, in which there are addresses of structures.  Offsets are those of XLA's interface
for foreign functions, version 0.1 and later, on machines with addresses of eight bytes.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, no-any-return"

from __future__ import annotations

from typing import Any

import numba
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

# In a frame.
EXTENSION, API, STAGE, ARGUMENTS, RESULTS = 8, 16, 32, 72, 112
EXECUTE = 3
# In an extension, and in the description of a handler to which one of this kind leads.
KIND, DESCRIPTION = 8, 24
METADATA = 1
MAJOR, MINOR, TRAITS, STATE = 24, 28, 32, 40
# In a buffer.
DATA, DIMENSIONS = 24, 40
# In the table of functions.
ERROR_CREATE = 48

VERSION = (0, 1)
_ABORTED = 10
_LOST = b"an exception of compiled code, which Python could not show\0"


@intrinsic
def word(typingctx, address):  # type: ignore[no-untyped-def]
    """The eight bytes at an address."""
    return types.intp(types.intp), _load(64)


@intrinsic
def half_word(typingctx, address):  # type: ignore[no-untyped-def]
    """The four bytes at an address."""
    return types.int32(types.intp), _load(32)


@intrinsic
def put_word(typingctx, address, value):  # type: ignore[no-untyped-def]
    """Write eight bytes."""
    return types.void(types.intp, types.intp), _store(64)


@intrinsic
def put_half_word(typingctx, address, value):  # type: ignore[no-untyped-def]
    """Write four bytes."""
    return types.void(types.intp, types.int32), _store(32)


@intrinsic
def pointer(typingctx, address):  # type: ignore[no-untyped-def]
    """An address as `numba.carray` takes it."""

    def generate(context, builder, signature, args):  # type: ignore[no-untyped-def]
        return builder.inttoptr(args[0], context.get_value_type(types.voidptr))

    return types.voidptr(types.intp), generate


def _load(bits: int) -> Any:
    def generate(context, builder, signature, args):  # type: ignore[no-untyped-def]
        return builder.load(builder.inttoptr(args[0], ir.IntType(bits).as_pointer()))

    return generate


def _store(bits: int) -> Any:
    def generate(context, builder, signature, args):  # type: ignore[no-untyped-def]
        builder.store(args[1], builder.inttoptr(args[0], ir.IntType(bits).as_pointer()))
        return context.get_dummy_value()

    return generate


@numba.njit
def is_question(frame):  # type: ignore[no-untyped-def]
    """Does XLA ask something else than to run? What it asks of the handler itself is answered."""
    extension = word(frame + EXTENSION)
    if extension != 0 and half_word(extension + KIND) == METADATA:
        description = word(extension + DESCRIPTION)
        put_half_word(description + MAJOR, VERSION[0])
        put_half_word(description + MINOR, VERSION[1])
        put_half_word(description + TRAITS, 0)
        put_word(description + STATE, 0)
        return True
    return half_word(frame + STAGE) != EXECUTE


@intrinsic
def outcome(typingctx, function, frame):  # type: ignore[no-untyped-def]
    """Call a function of a frame: zero, or the address of an error of XLA's that says what it raised.

    Python is asked, and its lock taken, where something was raised and nowhere else.
    """
    inner = types.void(types.intp)

    def generate(context, builder, signature, args):  # type: ignore[no-untyped-def]
        made = signature.args[0].dispatcher.get_compile_result(inner)
        context.add_linking_libs([made.library])

        def run() -> Any:
            call = context.call_internal_no_propagate
            return call(builder, made.fndesc, inner, [args[1]])[0]

        status = run()
        result = cgutils.alloca_once_value(builder, context.get_constant(types.intp, 0))
        with cgutils.if_unlikely(builder, status.is_error):
            builder.store(_error(context, builder, status, run, args[1]), result)
        return builder.load(result)

    return types.intp(function, types.intp), generate


def _error(context: Any, builder: Any, status: Any, run: Any, frame: Any) -> Any:
    """The error for a status."""
    python = context.get_python_api(builder)
    lock = python.gil_ensure()
    pending = cgutils.is_not_null(builder, python.err_occurred())
    lost = builder.and_(status.is_python_exc, builder.not_(pending))
    with builder.if_then(
        lost
    ):  # set in a thread of XLA's, of which Python knew no more behind it: now it does
        run()
    with builder.if_then(builder.not_(status.is_python_exc)):
        context.call_conv.raise_error(builder, python, status)
    text = cgutils.alloca_once_value(
        builder, context.insert_const_bytes(builder.module, _LOST, "lost")
    )
    shown = cgutils.alloca_once_value(builder, python.get_null_object())
    kind, value, trace = _raised(builder, python)
    with builder.if_then(cgutils.is_not_null(builder, kind)):
        name = python.object_getattr_string(kind, "__name__")
        call = ir.FunctionType(python.pyobj, [python.cstring], var_arg=True)
        show = cgutils.get_or_insert_function(builder.module, call, "PyUnicode_FromFormat")
        form = context.insert_const_string(builder.module, "%S: %S")
        builder.store(builder.call(show, [form, name, value]), shown)
        python.decref(name)
    with builder.if_then(cgutils.is_not_null(builder, builder.load(shown))):
        found = python.string_as_string(builder.load(shown))
        with builder.if_then(cgutils.is_not_null(builder, found)):
            builder.store(found, text)
    error = _created(builder, frame, builder.load(text))
    for one in (kind, value, trace, builder.load(shown)):
        python.decref(one)
    python.err_clear()
    python.gil_release(lock)
    return error


def _raised(builder: Any, python: Any) -> list[Any]:
    """Class, object and traceback of the exception that is set, which is not set any more; null if there is none."""
    places = [cgutils.alloca_once_value(builder, python.get_null_object()) for _ in range(3)]
    python.err_fetch(*places)
    call = ir.FunctionType(ir.VoidType(), [python.pyobj.as_pointer()] * 3)
    normal = cgutils.get_or_insert_function(builder.module, call, "PyErr_NormalizeException")
    builder.call(normal, places)
    return [builder.load(place) for place in places]


def _created(builder: Any, frame: Any, text: Any) -> Any:
    """XLA's copy of a message."""
    word, half = ir.IntType(64), ir.IntType(32)
    given = cgutils.alloca_once(builder, ir.LiteralStructType([word, word, word, half]))
    values = (word(28), word(0), builder.ptrtoint(text, word), half(_ABORTED))
    for k, value in enumerate(values):
        builder.store(value, cgutils.gep_inbounds(builder, given, 0, k))
    at = lambda base, offset: builder.load(  # noqa: E731
        builder.inttoptr(builder.add(base, word(offset)), word.as_pointer())
    )
    create = ir.FunctionType(word, [word])
    function = builder.inttoptr(at(at(frame, API), ERROR_CREATE), create.as_pointer())
    return builder.call(function, [builder.ptrtoint(given, word)])
