"""`autodiff` of functions in LLVM IR: a call of ``__enzyme_*`` is written into the module, and lowered."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any

from enzyme.engine.ir.types import VOID, Type
from enzyme.errors import EnzymeError
from enzyme.llvm.modules import Function, ctype_of, machine_code, pass_as
from enzymecore import (
    Active,
    Annotation,
    BatchDuplicated,
    BatchDuplicatedNoNeed,
    Const,
    Duplicated,
    DuplicatedNoNeed,
    ForwardMode,
    ReverseMode,
)

_DUPLICATED = {
    Duplicated: "enzyme_dup",
    BatchDuplicated: "enzyme_dup",
    DuplicatedNoNeed: "enzyme_dupnoneed",
    BatchDuplicatedNoNeed: "enzyme_dupnoneed",
}
_RETURNS = (Active, Const, Duplicated, DuplicatedNoNeed, BatchDuplicated, BatchDuplicatedNoNeed)
# Settings of a mode that have no counterpart here: only their defaults are accepted.
_UNUSED = ("holomorphic", "check_nan", "runtime_activity")


def autodiff(mode: Any, f: Function, *args: Any) -> tuple[Any, ...]:
    """Differentiate a function in LLVM IR: ``autodiff(mode, f[, return_activity], *annotations)``.

    Parameters
    ----------
    mode
        `Forward`, `ForwardWithPrimal`, `Reverse` or `ReverseWithPrimal`.
    f
        A function of a module (`load`, `compile_c`).
    *args
        The return activity, if it is not what follows from the type of the result; then every argument in its
        annotation. Numbers are ``Active`` in reverse mode and ``Duplicated`` in forward mode, arrays
        ``Duplicated``; both may be ``Const``.

    Returns
    -------
    tuple
        As `enzyme.autodiff` does: in reverse mode the adjoints, one per argument, and the primal result if the mode
        says so; in forward mode the tangent, then the primal result with `ForwardWithPrimal`, or primal and
        tangent if the return activity is ``Duplicated``.

    Raises
    ------
    EnzymeError
        For misuse, and for programs that cannot be differentiated.

    Examples
    --------
    >>> import numpy as np
    >>> from enzyme.llvm import autodiff, load
    >>> from enzymecore import Active, Const, Duplicated, Forward, Reverse
    >>> module = load('''
    ... define double @scaled(ptr %x, double %a) {
    ...   %v = load double, ptr %x
    ...   %r = fmul double %v, %a
    ...   ret double %r
    ... }''')
    >>> x, dx = np.array([3.0]), np.zeros(1)
    >>> autodiff(Reverse, module.scaled, Active, Duplicated(x, dx), Active(2.0))
    ((None, 3.0),)
    >>> dx
    array([2.])
    >>> autodiff(Forward, module.scaled, Const(x), Duplicated(2.0, 1.0))
    (3.0,)
    """
    if not isinstance(f, Function):
        raise TypeError(f"autodiff of enzyme.llvm takes a function of a module, not {f!r}")
    returns, given = _split(f, args)
    request = _Request.of(mode, f, returns, given)
    return request.run(f, given)


def _split(f: Function, args: tuple[Any, ...]) -> tuple[Any, list[Annotation]]:
    """The return activity, if there is one, and the annotated arguments."""
    returns = None
    rest = list(args)
    if rest and isinstance(rest[0], type):
        returns = rest.pop(0)
        if returns not in _RETURNS:
            raise EnzymeError(f"the return activity must be an annotation, not {returns!r}")
    f.check_count(len(rest))
    for k, arg in enumerate(rest):
        if not isinstance(arg, Annotation):
            raise EnzymeError(
                what=f"argument {k} of {f.name} has no annotation",
                todo=("say Const(x), Active(x) or Duplicated(x, dx)",),
            )
    return returns, rest


@dataclass(frozen=True, slots=True)
class _Request:
    """What to compile: equal requests share code."""

    name: str
    forward: bool
    markers: tuple[str, ...]
    lanes: tuple[int, ...]
    width: int
    returns: bool
    primal: bool
    strong_zero: bool
    primal_first: bool

    @classmethod
    def of(cls, mode: Any, f: Function, returns: Any, given: list[Annotation]) -> _Request:
        if not isinstance(mode, ForwardMode | ReverseMode):
            raise EnzymeError(
                what=f"{mode!r} is not supported for functions in LLVM IR",
                todo=("use Forward or Reverse, with or without primal",),
            )
        for setting in _UNUSED:
            if getattr(mode, setting, False):
                raise EnzymeError(f"{setting} is not supported for functions in LLVM IR")
        forward = isinstance(mode, ForwardMode)
        markers, lanes, widths = [], [], set()
        for k, (annotation, type_) in enumerate(zip(given, f.parameters, strict=True)):
            marker = _marker(annotation, type_, forward, f"argument {k} of {f.name}")
            shadows = _shadows(annotation)
            markers.append(marker)
            lanes.append(len(shadows))
            if shadows:
                widths.add(len(shadows))
        if len(widths) > 1:
            raise EnzymeError("the arguments have different numbers of shadows")
        is_number = f.result.is_float
        wanted = is_number if returns is None else returns is not Const
        if wanted and not is_number:
            raise EnzymeError(f"{f.name} returns {f.result}, which has no derivative")
        if returns is not None and returns is not Const and (returns is Active) is forward:
            raise EnzymeError(f"a result cannot be {returns.__name__} in this mode")
        both = forward and returns in (Duplicated, BatchDuplicated)
        primal = (mode.return_primal or both) and f.result is not VOID
        width = widths.pop() if widths else 1
        return cls(
            f.name,
            forward,
            tuple(markers),
            tuple(lanes),
            width,
            wanted,
            primal,
            mode.strong_zero,
            both,
        )

    def run(self, f: Function, given: list[Annotation]) -> tuple[Any, ...]:
        native, kinds = self._compiled(f)
        passed = []
        for k, (annotation, type_) in enumerate(zip(given, f.parameters, strict=True)):
            shown = f"argument {k} of {f.name}"
            passed.append(pass_as(type_, annotation.val, shown))
            passed += [pass_as(type_, s, f"a shadow of {shown}") for s in _shadows(annotation)]
        values: list[Any] = []
        if kinds:
            result = type("Result", (ctypes.Structure,), {"_fields_": kinds})()
            native(*passed, ctypes.addressof(result))
            values = [getattr(result, name) for name, _ in kinds]
        else:
            native(*passed, None)
        primal = values.pop(0) if self.primal else None
        if self.forward:
            tangents: tuple[Any, ...] = ()
            if self.returns:
                tangents = (values[0] if not self._is_batch(given) else tuple(values),)
            if not self.primal:
                return tangents
            return (primal, *tangents) if self.primal_first else (*tangents, primal)
        adjoints = [self._adjoint(m, values, given) for m in self.markers]
        return (tuple(adjoints), primal) if self.primal else (tuple(adjoints),)

    def _adjoint(self, marker: str, values: list[Any], given: list[Annotation]) -> Any:
        if marker != "enzyme_out":
            return None
        found = tuple(values.pop(0) for _ in range(self.width))
        return found if self._is_batch(given) else found[0]

    def _is_batch(self, given: list[Annotation]) -> bool:
        return any(isinstance(a, BatchDuplicated | BatchDuplicatedNoNeed) for a in given)

    def _compiled(self, f: Function) -> tuple[Any, list[tuple[str, Any]]]:
        """The derivative as a function of ctypes, and the fields of its result."""
        known = f.module._derivatives.get(self)
        if known is None:
            results = self._results(f)
            compiled = machine_code(self._text(f, results))
            kinds = []
            for type_, lanes in zip(f.parameters, self.lanes, strict=True):
                kinds += [ctype_of(type_, f"a parameter of {f.name}")] * (1 + lanes)
            fields = [(f"r{k}", ctype_of(t, "a result")) for k, t in enumerate(results)]
            native = compiled.function(_ENTRY, None, *kinds, ctypes.c_void_p)
            known = f.module._derivatives[self] = (compiled, native, fields)
        return known[1], known[2]

    def _results(self, f: Function) -> list[Type]:
        results = [f.result] if self.primal else []
        if self.forward:
            return results + ([f.result] * self.width if self.returns else [])
        for type_, marker in zip(f.parameters, self.markers, strict=True):
            results += [type_] * (self.width if marker == "enzyme_out" else 0)
        return results

    def _text(self, f: Function, results: list[Type]) -> str:
        """The module with a function that asks for the derivative and stores what it returns."""
        parameters, operands = [], [f"ptr @{_quoted(f.name)}"]
        if self.width > 1:
            operands += ['metadata !"enzyme_width"', f"i32 {self.width}"]
        for said, word in (
            (self.primal, "enzyme_primal_return"),
            (not self.returns, "enzyme_const_return"),
            (self.strong_zero, "enzyme_strong_zero"),
        ):
            if said:
                operands.append(f'metadata !"{word}"')
        count = 0
        for type_, marker, lanes in zip(f.parameters, self.markers, self.lanes, strict=True):
            operands.append(f'metadata !"{marker}"')
            for _ in range(1 + lanes):
                parameters.append(f"{type_} %a{count}")
                operands.append(f"{type_} %a{count}")
                count += 1
        name = f"__enzyme_{'fwddiff' if self.forward else 'autodiff'}.from.python"
        result = "{ " + ", ".join(map(str, results)) + " }" if results else "void"
        left = "%r = " if results else ""
        lines = [
            f"declare {result} @{name}(...)",
            f"define void @{_ENTRY}({', '.join([*parameters, 'ptr %result'])}) {{",
            f"  {left}call {result} (...) @{name}({', '.join(operands)})",
            *([f"  store {result} %r, ptr %result"] if results else []),
            "  ret void",
            "}",
        ]
        return f.module.text + "\n" + "\n".join(lines) + "\n"


_ENTRY = "enzyme.from.python"


def _quoted(name: str) -> str:
    return f'"{name}"'


def _shadows(annotation: Annotation) -> tuple[Any, ...]:
    if isinstance(annotation, BatchDuplicated | BatchDuplicatedNoNeed):
        return annotation.dval
    if isinstance(annotation, Duplicated | DuplicatedNoNeed):
        return (annotation.dval,)
    return ()


def _marker(annotation: Annotation, type_: Type, forward: bool, shown: str) -> str:
    """What an annotation is called in C, if it fits the parameter."""
    kind = type(annotation)
    if kind is Const:
        return "enzyme_const"
    if kind is Active:
        if forward or not type_.is_float:
            why = "forward mode has no adjoints" if forward else f"it is a {type_}"
            raise EnzymeError(
                what=f"{shown} cannot be Active", why=why, todo=("use Duplicated(x, dx)",)
            )
        return "enzyme_out"
    marker = _DUPLICATED.get(kind)
    if marker is None:
        raise EnzymeError(f"{shown} cannot be {kind.__name__} for functions in LLVM IR")
    if not type_.is_pointer and not (forward and type_.is_float):
        raise EnzymeError(
            what=f"{shown} cannot be {kind.__name__}",
            why=f"it is a {type_}, passed by value",
            todo=("use Active(x)" if type_.is_float else "use Const(x)",),
        )
    return marker
