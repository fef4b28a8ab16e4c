"""Every word with which a program speaks to Enzyme, what it does here, and what to do where it cannot be done.

One table: the readers ask it, errors quote it, `docs/llvm.md` is written from it, and a test walks it. A word that
is not here is an error that names it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum


class Kind(Enum):
    """How a word stands in a module."""

    CALL = "Calls"
    HINT_CALL = "Calls that state types"
    MARKER = "Markers among operands"
    DECLARATION = "Declarations: globals"
    ATTRIBUTE = "Attributes of functions, also as annotations of C"
    METADATA = "Metadata"


@dataclass(frozen=True, slots=True)
class Word:
    """`meaning` says what it does. A word that is `refused` says why, and `todo` what to write instead."""

    name: str
    kind: Kind
    meaning: str
    refused: bool = False
    todo: str = ""


_REGISTERED = "the rules of Enzyme's documentation on custom derivatives"

WORDS: tuple[Word, ...] = (
    # Calls: the name may have a suffix, and be mangled.
    Word("__enzyme_autodiff", Kind.CALL, "reverse mode: adjoints, from a seed of 1"),
    Word("__enzyme_fwddiff", Kind.CALL, "forward mode: tangents"),
    Word("__enzyme_augmentfwd", Kind.CALL, "the first half of split reverse mode: primal and tape"),
    Word("__enzyme_reverse", Kind.CALL, "the second half: adjoints from a seed and the tape"),
    Word("__enzyme_augmentsize", Kind.CALL, "bytes of the tape that `enzyme_allocated` asks for"),
    Word("__enzyme_batch", Kind.CALL, "the function itself, for `enzyme_width` sets of arguments"),
    Word("__enzyme_ignore_derivatives", Kind.CALL, "its argument, as a constant"),
    Word(
        "__enzyme_fwdsplit",
        Kind.CALL,
        "forward mode behind __enzyme_augmentfwd, whose tape is the last operand and stays as it is; for functions"
        " that neither read nor write memory of others",
    ),
    Word(
        "__enzyme_virtualreverse",
        Kind.CALL,
        "the shadow of a function, or of a table of functions: itself, as functions are called by comparing addresses",
    ),
    Word(
        "__enzyme_call_inactive",
        Kind.CALL,
        "calls through it are not read",
        True,
        "declare the function with __enzyme_inactivefn",
    ),
    Word(
        "__enzyme_error_estimate",
        Kind.CALL,
        "rounding errors are not estimated",
        True,
        "compute them from the gradient",
    ),
    Word(
        "__enzyme_iter",
        Kind.CALL,
        "iteration is not lifted out of a program",
        True,
        "write the loop",
    ),
    Word(
        "__enzyme_todense",
        Kind.CALL,
        "no sparse storage is derived",
        True,
        "use __enzyme_fwddiff with enzyme_width",
    ),
    Word(
        "__enzyme_post_sparse_todense",
        Kind.CALL,
        "no sparse storage is derived",
        True,
        "use __enzyme_fwddiff with enzyme_width",
    ),
    Word(
        "__enzyme_truncate_mem_func",
        Kind.CALL,
        "floats are not truncated",
        True,
        "write the function for the smaller type",
    ),
    Word(
        "__enzyme_truncate_op_func",
        Kind.CALL,
        "floats are not truncated",
        True,
        "write the function for the smaller type",
    ),
    Word("__enzyme_truncate_mem_value", Kind.CALL, "floats are not truncated", True, "use a cast"),
    Word("__enzyme_expand_mem_value", Kind.CALL, "floats are not truncated", True, "use a cast"),
    Word("__enzyme_get_trace", Kind.CALL, "no probabilistic programs", True, ""),
    # Types are found from how memory is used; what stays unknown is refused.
    Word("__enzyme_double", Kind.HINT_CALL, "not needed: types are found from how memory is used"),
    Word("__enzyme_float", Kind.HINT_CALL, "not needed: types are found from how memory is used"),
    Word("__enzyme_integer", Kind.HINT_CALL, "not needed: types are found from how memory is used"),
    Word("__enzyme_pointer", Kind.HINT_CALL, "not needed: types are found from how memory is used"),
    # Markers: what the next argument is.
    Word("enzyme_const", Kind.MARKER, "the next argument is constant"),
    Word("enzyme_dup", Kind.MARKER, "the next argument is followed by its shadow"),
    Word(
        "enzyme_dupnoneed", Kind.MARKER, "so, and the primal's memory need not be right afterwards"
    ),
    Word("enzyme_out", Kind.MARKER, "the adjoint of the next argument, a number, is returned"),
    Word(
        "enzyme_dupv",
        Kind.MARKER,
        "bytes between shadows, argument, first shadow: `enzyme_width` shadows in a row",
    ),
    Word("enzyme_dupnoneedv", Kind.MARKER, "both"),
    Word("enzyme_width", Kind.MARKER, "the number that follows: so many shadows for each argument"),
    Word("enzyme_vector", Kind.MARKER, "in a batch: one value of the next argument for each set"),
    Word("enzyme_scalar", Kind.MARKER, "in a batch: one value of the next argument for all sets"),
    Word(
        "enzyme_buffer",
        Kind.MARKER,
        "in a batch: bytes between values, pointer to the first; each set gets its address",
    ),
    # Markers: what is returned.
    Word("enzyme_primal_return", Kind.MARKER, "the primal's result is returned too, as the first"),
    Word("enzyme_const_return", Kind.MARKER, "the result has no derivative"),
    Word("enzyme_active_return", Kind.MARKER, "reverse mode starts from the result; the default"),
    Word("enzyme_dup_return", Kind.MARKER, "in forward mode: the result's tangent; the default"),
    Word("enzyme_noret", Kind.MARKER, "the primal's result is not returned"),
    # Markers: the tape, and how.
    Word("enzyme_tape", Kind.MARKER, "what follows points to the tape, or to memory for it"),
    Word("enzyme_allocated", Kind.MARKER, "what follows is the size of the tape's memory"),
    Word("enzyme_strong_zero", Kind.MARKER, "a zero adjoint times infinity is zero"),
    Word(
        "enzyme_nofree",
        Kind.MARKER,
        "a tape is freed when it has been used",
        True,
        "run the augmented call again for a second reverse call",
    ),
    Word(
        "enzyme_byref",
        Kind.MARKER,
        "its size follows: the next argument, which the primal takes by value, is given by its address;"
        " its shadow, if it has one, by value",
    ),
    Word(
        "enzyme_interleave",
        Kind.MARKER,
        "shadows lie one behind the other",
        True,
        "use enzyme_dupv",
    ),
    Word(
        "enzyme_runtime_activity",
        Kind.MARKER,
        "which memory is constant is settled when the program is compiled",
        True,
        "mark the argument enzyme_const, or give all that is mixed with it a shadow of its own",
    ),
    Word("enzyme_truncate", Kind.MARKER, "floats are not truncated", True, ""),
    # Declarations: globals that hold functions or addresses.
    Word("__enzyme_inactivefn", Kind.DECLARATION, "the functions have no derivative"),
    Word(
        "__enzyme_inactive_global",
        Kind.DECLARATION,
        "what is stored in the globals has no derivative",
    ),
    Word(
        "__enzyme_function_like",
        Kind.DECLARATION,
        "a function and the name of one of the C library that it is differentiated as",
    ),
    Word(
        "__enzyme_register_gradient",
        Kind.DECLARATION,
        "function, augmented form, reverse form: " + _REGISTERED,
    ),
    Word(
        "__enzyme_register_derivative", Kind.DECLARATION, "function, forward form: " + _REGISTERED
    ),
    Word(
        "__enzyme_register_splitderivative",
        Kind.DECLARATION,
        "function, augmented form, forward form that takes the tape: the rule of forward modes",
    ),
    Word(
        "__enzyme_allocation_like",
        Kind.DECLARATION,
        "function, operand with the size, alignment, function that frees: both are differentiated"
        " through their bodies, so they must be defined",
    ),
    Word("__enzyme_nofree", Kind.DECLARATION, "not needed: nothing is freed before its last use"),
    Word(
        "__enzyme_shouldrecompute",
        Kind.DECLARATION,
        "not needed: what is kept and what is computed again is planned as a whole",
    ),
    # Attributes of functions, also as __attribute__((annotate("..."))).
    Word("enzyme_inactive", Kind.ATTRIBUTE, "as __enzyme_inactivefn, or __enzyme_inactive_global"),
    Word("enzyme_math", Kind.ATTRIBUTE, "as __enzyme_function_like, with the name behind ="),
    Word(
        "enzyme_function_like", Kind.ATTRIBUTE, "as __enzyme_function_like, with the name behind ="
    ),
    Word("enzyme_nofree", Kind.ATTRIBUTE, "not needed"),
    Word("enzyme_shouldrecompute", Kind.ATTRIBUTE, "not needed"),
    Word("enzyme_notypeanalysis", Kind.ATTRIBUTE, "not needed: types are found in bodies"),
    Word("enzyme_no_escaping_allocation", Kind.ATTRIBUTE, "not needed"),
    Word("enzyme_ReadOnlyOrThrow", Kind.ATTRIBUTE, "not needed: bodies are looked at"),
    Word("enzyme_LocalReadOnlyOrThrow", Kind.ATTRIBUTE, "not needed: bodies are looked at"),
    Word("enzyme_type", Kind.ATTRIBUTE, "not needed: types are found from how memory is used"),
    Word("enzyme_elementwise_read", Kind.ATTRIBUTE, "not needed: bodies are looked at"),
    Word("enzyme_preserve_primal", Kind.ATTRIBUTE, "not needed: primals are never changed"),
    # Metadata.
    Word("enzyme_derivative", Kind.METADATA, "of a function: as __enzyme_register_derivative"),
    Word(
        "enzyme_augment",
        Kind.METADATA,
        "of a function, with enzyme_gradient: as __enzyme_register_gradient",
    ),
    Word("enzyme_gradient", Kind.METADATA, "of a function, with enzyme_augment"),
    Word(
        "enzyme_inactive",
        Kind.METADATA,
        "of a function or global: as the attribute; of a call: as of its function",
    ),
    Word(
        "enzyme_splitderivative",
        Kind.METADATA,
        "of a function, with enzyme_augment: as __enzyme_register_splitderivative",
    ),
    Word(
        "enzyme_shadow",
        Kind.METADATA,
        "of a global: the global with its shadow, which begins as the program left it",
    ),
)

CALLS = {w.name: w for w in WORDS if w.kind is Kind.CALL}
HINT_CALLS = {w.name: w for w in WORDS if w.kind is Kind.HINT_CALL}
MARKERS = {w.name: w for w in WORDS if w.kind is Kind.MARKER}
DECLARATIONS = {w.name: w for w in WORDS if w.kind is Kind.DECLARATION}
ATTRIBUTES = {w.name: w for w in WORDS if w.kind is Kind.ATTRIBUTE}
METADATA = {w.name: w for w in WORDS if w.kind is Kind.METADATA}

_STEM = re.compile(r"__enzyme_\w+")


def _longest(symbol: str, words: dict[str, Word]) -> Word | None:
    found = _STEM.search(symbol)
    if found is None:
        return None
    name = found.group()
    fitting = [w for w in words if name.startswith(w)]
    return words[max(fitting, key=len)] if fitting else None


def call_word(symbol: str) -> Word | None:
    """The call that a symbol asks for.

    >>> call_word("_Z24__enzyme_augmentfwd_goodPv").name, call_word("square")
    ('__enzyme_augmentfwd', None)
    """
    return _longest(symbol, CALLS)


def hint_word(symbol: str) -> Word | None:
    """The statement of a type that a symbol makes when it is called."""
    return _longest(symbol, HINT_CALLS)


def declaration_word(symbol: str) -> Word | None:
    """What a global of this name declares.

    >>> declaration_word("__enzyme_inactive_global_state").name
    '__enzyme_inactive_global'
    """
    return _longest(symbol, DECLARATIONS)
