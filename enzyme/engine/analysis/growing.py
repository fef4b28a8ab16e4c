"""Objects that grow: the functions that know how, in a derivative and in a program that it is part of."""

from __future__ import annotations

from enzyme.engine.analysis.known_functions import lookup_known
from enzyme.engine.ir.instructions import Call
from enzyme.engine.ir.module import Module

KINDS = ("items", "resize", "insert")

# What the front end writes for lists and dictionaries; each is the same in all programs, whatever they hold.
SHARED = frozenset(
    """
    enzyme_items enzyme_resize enzyme_new enzyme_methods enzyme_find enzyme_insert enzyme_place enzyme_key
    enzyme_table enzyme_next enzyme_list_end enzyme_list_free enzyme_dict_end enzyme_dict_free enzyme_hash
    enzyme_clear_behind enzyme_last enzyme_remove enzyme_regrow enzyme_used_as_key_double enzyme_used_as_key_float
    """.split()
)

# What ends an object that owns memory and refers to other objects.  Told that its size is zero, it frees the memory
# and lets go of nothing.
ENDS = frozenset({"enzyme_list_end", "enzyme_dict_end"})


def release_calls(module: Module) -> None:
    """After differentiation nothing keeps these functions from being inlined."""
    for function in module.functions.values():
        row = lookup_known(function)
        if row is not None and row.kind in KINDS and not function.is_declaration:
            function.suffix = "nounwind" + " alwaysinline" * (row.kind == "items")


def share_calls(module: Module) -> None:
    """A derivative that will be differentiated is linked with others, which share these functions by their names."""
    shared = {module.functions[name] for name in SHARED if name in module.functions}
    for function in shared:
        if not function.is_declaration:
            function.prefix = "linkonce_odr"
    for function in module.functions.values():
        for call in function.instructions():
            if isinstance(call, Call) and call.callee in shared:
                call.cc = ""
