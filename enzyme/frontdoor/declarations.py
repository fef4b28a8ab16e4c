"""Reads what a program declares to Enzyme about its functions and globals, and takes it out of the module.

Four forms say the same: globals with names as ``__enzyme_inactivefn_f`` that hold addresses, attributes of functions,
annotations of C (``__attribute__((annotate("enzyme_inactive")))``), and metadata. What is read here is gone from the
module; what is left is found by `annotations.refuse_unread`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from enzyme.engine.ir.instructions import Call
from enzyme.engine.ir.module import Function, Module
from enzyme.engine.ir.values import (
    ConstAggregate,
    ConstExpr,
    ConstString,
    GlobalAlias,
    GlobalVariable,
    Value,
)
from enzyme.frontdoor import attributes
from enzyme.frontdoor.failures import FrontDoorError
from enzyme.frontdoor.given_shadows import given_shadows
from enzyme.frontdoor.split_forward import compose
from enzyme.frontdoor.surface import Word, declaration_word

_USED = ("llvm.used", "llvm.compiler.used")


@dataclass(slots=True)
class Declarations:
    """`gradients` maps a function to its augmented and its reverse form, `derivatives` to its forward form,
    `like` to the name of a function of the C library, `shadows` a global to that of its derivatives.
    `inactive_calls` are single calls."""

    inactive: dict[Function, None] = field(default_factory=dict)
    inactive_calls: dict[Call, None] = field(default_factory=dict)
    inactive_globals: dict[GlobalVariable, None] = field(default_factory=dict)
    like: dict[Function, str] = field(default_factory=dict)
    gradients: dict[Function, tuple[Function, Function]] = field(default_factory=dict)
    derivatives: dict[Function, Function] = field(default_factory=dict)
    shadows: dict[GlobalVariable, GlobalVariable] = field(default_factory=dict)
    inlined: dict[Function, None] = field(default_factory=dict)

    def add_forward(self, primal: Function, forward: Function) -> None:
        """Keep the rule of forward mode of a function, which can be one only."""
        if primal in self.derivatives:
            raise FrontDoorError(
                where=f"in @{primal.name}",
                what=f"two derivatives of forward mode are declared for @{primal.name}",
                todo="declare one",
            )
        self.derivatives[primal] = forward


def read_declarations(module: Module) -> Declarations:
    """Everything that is declared in the module, which forgets it."""
    found = Declarations()
    for name, variable in list(module.globals.items()):
        word = declaration_word(name)
        if word is None or not isinstance(variable, GlobalVariable):
            continue
        _Reader(variable, word, found).read()
        _forget(module, variable)
    attributes.read_annotations(module, found)
    attributes.read_attributes(module, found)
    attributes.read_metadata(module, found)
    found.shadows.update(given_shadows(module))
    _check(found)
    return found


def _check(found: Declarations) -> None:
    """Two declarations of one function that contradict each other are an error, not a matter of order."""
    for function in found.inactive:
        for other, shown in (
            (found.gradients, "has a gradient"),
            (found.derivatives, "has a derivative"),
            (found.like, "is like another function"),
        ):
            if function in other:
                raise FrontDoorError(
                    where=f"in @{function.name}",
                    what=f"@{function.name} is declared inactive, and {shown}",
                    todo="declare one of both",
                )


class _Reader:
    """Reads one global."""

    def __init__(self, variable: GlobalVariable, word: Word, found: Declarations) -> None:
        self.variable = variable
        self.word = word
        self.found = found
        self.items = list(_items(variable.initializer)) if variable.initializer is not None else []

    def fail(self, what: str, todo: str = "") -> FrontDoorError:
        return FrontDoorError(where=f"in @{self.variable.name}", what=what, todo=todo or ())

    def read(self) -> None:
        if self.word.refused:
            raise FrontDoorError(
                where=f"in @{self.variable.name}",
                what=f"@{self.variable.name} is not supported",
                why=self.word.meaning,
                todo=self.word.todo or (),
            )
        if self.variable.initializer is None:
            raise self.fail(
                "the declaration has no initializer: it is only read where it is defined"
            )
        _READERS[self.word.name](self)

    def functions(self, counts: tuple[int, ...] = ()) -> list[Function]:
        """All items, which are functions; `counts` are how many there may be."""
        found = [item for item in self.items if isinstance(item, Function)]
        if len(found) < len(self.items) or (counts and len(found) not in counts) or not found:
            expected = " or ".join(map(str, counts)) if counts else "some"
            raise self.fail(
                f"the declaration must hold the addresses of {expected} function(s) of the module",
                "initialize it with constants: void *name[] = {(void *)f, ...}",
            )
        return found

    def inactive_functions(self) -> None:
        self.found.inactive.update(dict.fromkeys(self.functions()))

    def inactive_globals(self) -> None:
        for item in self.items:
            if not isinstance(item, GlobalVariable):
                raise self.fail("the declaration must hold addresses of globals of the module")
            self.found.inactive_globals[item] = None

    def like(self) -> None:
        if len(self.items) == 2 and isinstance(self.items[0], Function):
            text = string_of(self.items[1])
            if text:
                self.found.like[self.items[0]] = text
                return
        raise self.fail(
            'the declaration must hold a function and a name: {(void *)f, (void *)"log1p"}'
        )

    def gradient(self) -> None:
        primal, augmented, reverse = self.functions((3,))
        self.found.gradients[primal] = augmented, reverse

    def derivative(self) -> None:
        primal, forward = self.functions((2,))
        self.found.add_forward(primal, forward)

    def split_derivative(self) -> None:
        primal, augmented, forward = self.functions((3,))
        self.found.add_forward(primal, compose(primal, augmented, forward))

    def allocation(self) -> None:
        items = self.items
        named = (
            [item for item in (items[0], items[-1]) if isinstance(item, Function)] if items else []
        )
        if len(items) != 4 or len(named) != 2:
            raise self.fail(
                "the declaration must hold a function, the number of the operand with the size, an alignment,"
                " and a function that frees"
            )
        for function in named:
            if function.is_declaration and function.name not in ("malloc", "free"):
                raise self.fail(
                    f"@{function.name} is only declared",
                    "link its body into the module, or call malloc and free",
                )
            self.found.inlined[function] = None

    def hint(self) -> None:
        self.functions()


_READERS = {
    "__enzyme_inactivefn": _Reader.inactive_functions,
    "__enzyme_inactive_global": _Reader.inactive_globals,
    "__enzyme_function_like": _Reader.like,
    "__enzyme_register_gradient": _Reader.gradient,
    "__enzyme_register_derivative": _Reader.derivative,
    "__enzyme_register_splitderivative": _Reader.split_derivative,
    "__enzyme_allocation_like": _Reader.allocation,
    "__enzyme_nofree": _Reader.hint,
    "__enzyme_shouldrecompute": _Reader.hint,
}


def _items(value: Value) -> Iterator[Value]:
    """What the initializer of a global holds, without casts and structure."""
    if isinstance(value, ConstAggregate):
        for element in value.elements:
            yield from _items(element)
    elif isinstance(value, ConstExpr) and value.opcode in ("bitcast", "inttoptr", "addrspacecast"):
        yield from _items(value.operands[0])
    elif isinstance(value, GlobalAlias):
        yield from _items(value.aliasee)
    else:
        yield value


def string_of(value: Value) -> str:
    """The text of a global that holds a string of C; "" of anything else."""
    if isinstance(value, GlobalVariable) and isinstance(value.initializer, ConstString):
        return value.initializer.text[2:-1].partition("\\00")[0]
    return ""


def _forget(module: Module, variable: GlobalVariable) -> None:
    """Take a global out of the module, and out of the list of those to keep."""
    if variable.users:
        user = next(iter(variable.users))
        raise FrontDoorError(
            where=f"in @{user.function.name}",
            what=f"@{variable.name} is used as a value; it can only be declared",
        )
    del module.globals[variable.name]
    for name in _USED:
        kept = module.globals.get(name)
        if isinstance(kept, GlobalVariable) and isinstance(kept.initializer, ConstAggregate):
            attributes.keep_elements(module, kept, lambda e: variable not in list(_items(e)))
