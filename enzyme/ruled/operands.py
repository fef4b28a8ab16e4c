"""A call of a function with rules, as its rule sees it: annotations, return activity, configuration."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numba
from numba.core import types

from enzyme.contract.kinds import BATCH, MIXED
from enzyme.engine.analysis.kinds import Activity
from enzyme.engine.synthesis.ruled import RuledCall
from enzyme.errors import (
    ActivityError,
    CustomRuleError,
    MixedReturnException,
    NonConstantKeywordArgException,
)
from enzyme.frontend.leaves import Leaf, LeafKind, Parameter, is_fixed
from enzyme.frontend.registration import type_for_cpu
from enzyme.frontend.target import StayingCall
from enzyme.ruled.choice import STAR_ARGUMENTS, keyword_names
from enzyme.typed.annotations import AnnotationType
from enzyme.typed.refs import RefType
from enzyme_rules import FwdConfig, RevConfig
from enzyme_rules.registry import Rule, rules_of
from enzymecore import (
    Active,
    BatchDuplicated,
    BatchDuplicatedNoNeed,
    BatchMixedDuplicated,
    Const,
    Duplicated,
    DuplicatedNoNeed,
    MixedDuplicated,
    as_type,
)


@dataclass(frozen=True)
class Operand:
    """One argument: its place, name and type, and the parameters that it is passed in with their activities.

    The arguments that the function takes as ``*args`` are one each. `default` holds the value of an argument that the
    call leaves out.
    """

    index: int
    name: str
    type: types.Type
    parameters: tuple[tuple[Parameter, Activity], ...]
    cls: Any
    width: int
    default: tuple[Any] | None = None

    def holds(self, parameter: Parameter) -> bool:
        """Is the parameter a part of this argument?"""
        return any(parameter == p for p, _ in self.parameters)

    @property
    def lane(self) -> types.Type:
        """Numba's type of its shadow in one lane."""
        return RefType(self.type) if self.cls in MIXED else self.type

    @property
    def annotation(self) -> AnnotationType:
        """Numba's type of the annotation that the rule gets."""
        shadow: Any = None
        if self.cls not in (Const, Active):
            shadow = self.lane if self.width == 1 else types.UniTuple(self.lane, self.width)
        return AnnotationType(self.cls, self.type, shadow)

    @property
    def adjoint(self) -> types.Type:
        """What a reverse rule returns for it."""
        if self.cls is not Active:
            return types.none
        return self.type if self.width == 1 else types.UniTuple(self.type, self.width)


class Call:
    """One call in one mode."""

    def __init__(self, call: StayingCall, asked: RuledCall, forward: bool) -> None:
        self.staying = call
        self.asked = asked
        self.forward = forward
        self.width = asked.width
        function = call.compiled.function()
        assert function is not None  # its caller refers to it
        self.function: Any = function
        self.restype = call.compiled.restype
        self.name = self.function.py_func.__qualname__

    @property
    def parameters(self) -> Iterator[tuple[Parameter, Activity]]:
        return zip(self.staying.abi.parameters, self.asked.activities, strict=True)

    @cached_property
    def operands(self) -> tuple[Operand, ...]:
        compiled = self.staying.compiled
        inactive = rules_of(self.function).inactive_arguments
        found: list[Operand] = []
        for argument, whole in enumerate(compiled.argtypes):
            every = tuple((p, a) for p, a in self.parameters if p.argument == argument)
            known = argument < len(compiled.names)
            stem = compiled.names[argument] if known else f"argument {argument}"
            for name, ty, mine in _members(stem, whole, every):
                omitted = isinstance(ty, types.Omitted)
                constant = stem in inactive or is_fixed(ty)
                cls = Const if constant else self._class(name, mine)
                given = numba.typeof(ty.value) if omitted else type_for_cpu(ty)
                default = (ty.value,) if omitted else None
                found.append(Operand(len(found), name, given, mine, cls, self.width, default))
        return tuple(found)

    def _class(self, name: str, parts: tuple[tuple[Parameter, Activity], ...]) -> Any:
        shadows = [p for p, a in parts if a.has_shadow and p.leaf.differentiable]
        active = [p for p, a in parts if a is Activity.ACTIVE]
        if not shadows and not active:
            return Const
        if any(
            p.leaf.differentiable and p.leaf.kind is LeafKind.DATA and not a.has_shadow
            for p, a in parts
        ):
            raise ActivityError(
                what=f"argument {name} of {self.name}, which has rules, holds constant memory and derivatives",
                why="the rule gets a shadow of all its memory, and constant memory has none",
                todo=(
                    "pass the parts as arguments of their own",
                    "or give the memory a shadow, with Duplicated(x, make_zero(x))",
                ),
            )
        numbers = any(p.leaf.kind is LeafKind.FLOAT for p, _ in parts)
        if shadows and numbers and not self.forward:
            return MixedDuplicated if self.width == 1 else BatchMixedDuplicated
        if active:
            return Active
        return Duplicated if self.width == 1 else BatchDuplicated

    @cached_property
    def _by_keyword(self) -> tuple[Operand, ...]:
        """Keyword arguments, those too that the call leaves out."""
        names = keyword_names(self.function)
        return tuple(o for o in self.operands if o.name in names)

    @cached_property
    def keywords(self) -> tuple[Operand, ...]:
        """Arguments that can only be passed by keyword; they must be constant."""
        found = tuple(o for o in self._by_keyword if o.default is None)
        for operand in found:
            if operand.cls is not Const:
                raise NonConstantKeywordArgException(
                    what=f"keyword argument {operand.name} of {self.name}, which has rules, carries a derivative",
                    why="rules return derivatives of positional arguments only",
                    todo=(
                        f"declare it constant: enzyme_rules.inactive_kwarg({self.name}, {operand.name!r})",
                        "or make it a positional parameter",
                    ),
                    keyword=operand.name,
                )
        return found

    @cached_property
    def positional(self) -> tuple[Operand, ...]:
        return tuple(o for o in self.operands if o not in self._by_keyword)

    def passed_to(self, rule: Rule) -> tuple[Operand, ...]:
        """The arguments in the order of the rule's parameters: those of ``*args`` come last."""
        fixed = len(rule.pattern.arguments)
        by_name = {o.name: o for o in self.keywords}
        keywords = tuple(by_name[name] for name, _ in rule.pattern.keywords)
        return (*self.positional[:fixed], *keywords, *self.positional[fixed:])

    # The result -------------------------------------------------------------------------------------

    @property
    def results(self) -> int | None:
        """How many are returned in a tuple; None for a single one, not in a tuple."""
        return len(self.restype) if isinstance(self.restype, types.BaseTuple) else None

    @property
    def _returned(self) -> list[Leaf]:
        return [leaf for _, leaf in self.staying.abi.returned]

    @property
    def owns_memory(self) -> bool:
        return any(leaf.kind is LeafKind.MEMINFO for leaf in self._returned)

    @property
    def result_has_shadow(self) -> bool:
        """Is there a buffer for the result's shadow, or adjoint?"""
        return self.asked.activities[0].has_shadow

    @property
    def result_is_active(self) -> bool:
        return self.result_has_shadow and any(leaf.differentiable for leaf in self._returned)

    @property
    def returns_memory(self) -> bool:
        return any(leaf.differentiable and leaf.kind.is_memory for leaf in self._returned)

    @property
    def needs_primal(self) -> bool:
        """Must the rule return the primal? Memory is always given back, in place of an unread result its shadow."""
        if self.restype == types.none:
            return False
        shadow = self.result_is_active and self.returns_memory
        return self.asked.needs_primal or (self.owns_memory and not shadow)

    @cached_property
    def return_class(self) -> Any:
        """The return activity, a bare class."""
        if isinstance(self.restype, types.Optional):
            raise CustomRuleError(
                what=f"{self.name}, which has rules, returns a value or None",
                why="a rule has to return one type on all paths",
                todo="return a number that stands for None, as NaN",
            )
        if not self.result_is_active:
            return Const
        if not self.forward:
            numbers = any(
                leaf.differentiable and leaf.kind is LeafKind.FLOAT for leaf in self._returned
            )
            if numbers and self.returns_memory:
                raise MixedReturnException(
                    what=f"{self.name}, which has rules, returns floats and memory together",
                    todo="return the array alone, or the floats alone, or a float as np.array([x])",
                )
            if numbers:
                return Active
        needed = self.asked.needs_primal
        if self.width > 1:
            return BatchDuplicated if needed else BatchDuplicatedNoNeed
        return Duplicated if needed else DuplicatedNoNeed

    @property
    def return_activity(self) -> Any:
        """The parametrised class that the rule gets as RT."""
        return described(self.return_class, self.restype, self.width)

    @cached_property
    def config(self) -> FwdConfig | RevConfig:
        shadow = self.result_is_active and self.return_class is not Active
        if self.forward:
            return FwdConfig(
                self.needs_primal, shadow, self.width, strong_zero=self.asked.strong_zero
            )
        changed = [
            p
            for n, p in enumerate(self.staying.abi.parameters)
            if n in self.asked.overwritten and p.leaf.kind.is_memory
        ]
        overwritten = (False, *(any(map(o.holds, changed)) for o in self.positional))
        return RevConfig(
            self.needs_primal,
            shadow,
            self.width,
            overwritten,
            strong_zero=self.asked.strong_zero,
        )

    def chosen_by(self, kind: str) -> tuple[Any, ...]:
        """What decides which rule the call gets."""
        return (
            kind,
            self.function,
            self.return_activity,
            [described(o.cls, o.type, self.width) for o in self.positional],
            {o.name: described(o.cls, o.type, self.width) for o in self.keywords},
            self.width,
            self.results,
        )


def _members(
    name: str, ty: types.Type, parts: tuple[tuple[Parameter, Activity], ...]
) -> Iterator[tuple[str, types.Type, tuple[tuple[Parameter, Activity], ...]]]:
    """An argument alone, or the members of ``*args``, which numba passes as one tuple."""
    if not isinstance(ty, STAR_ARGUMENTS):
        yield name, ty, parts
        return
    for k, member in enumerate(ty.types):
        yield f"{name}[{k}]", member, tuple((p, a) for p, a in parts if p.leaf.path[0] == k)


def described(cls: Any, ty: types.Type, width: int) -> Any:
    """A parametrised annotation class."""
    of = as_type(types.unliteral(ty))
    return cls[(of, width) if cls in BATCH else of]
