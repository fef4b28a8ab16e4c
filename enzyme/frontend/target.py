"""From a Python function and argument types to the LLVM text that the engine differentiates.

The whole program becomes one module in which everything but the entry is internal, optimised by
`backend.passes.optimise_before_ad`.  Numba's errors (typing, unsupported features) pass through
as they are.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

import itertools
import re
import time
import warnings
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import llvmlite.binding as llvm
from numba import njit
from numba.core import types
from numba.core.errors import NumbaDebugInfoWarning
from numba.extending import is_jitted

from enzyme.backend import host, passes
from enzyme.backend.call_sites import check_calls
from enzyme.engine.analysis.modref import Summaries
from enzyme.engine.analysis.written import written_by
from enzyme.engine.derivatives.blas.known import settled
from enzyme.engine.derivatives.complex import power_declarations
from enzyme.engine.derivatives.integer_powers import declarations as integer_power_declarations
from enzyme.engine.derivatives.known_roots import KNOWN_LENGTH, KNOWN_ROOT
from enzyme.engine.derivatives.stated import declarations
from enzyme.engine.ir.known_function import KnownFunction
from enzyme.engine.ir.module import MAKES_CONSTANTS, MOVES_HOUSE, Function
from enzyme.engine.ir.parser import parse_module
from enzyme.engine.ir.printer import print_module
from enzyme.engine.preprocess.likely_sizes import make_for_likely_sizes, may_have_likely_sizes
from enzyme.engine.preprocess.square_arrays import make_for_squares, may_be_for_squares
from enzyme.engine.preprocess.stack_arrays import may_move, move_to_stack
from enzyme.engine.synthesis.arena import GROWTH_BY_COPYING
from enzyme.errors import CompilationException
from enzyme.frontend import (
    abi,
    c_functions,
    convolutions,
    expression_functions,
    factorisations,
    function_values,
    linear_algebra,
    marks,
    names,
    registration,
    singular_points,
    typed_dicts,
    typed_lists,
)
from enzyme.frontend.numba_compat import code
from enzyme.frontend.numba_compat.compilers import (
    Dispatcher,
    can_compile,
    cpu_target,
    make_ready,
    refresh,
)
from enzyme.frontend.numba_compat.layouts import MEMINFO, PAYLOAD, placed
from enzyme.frontend.runtime_model import NUMBA
from enzyme.support.collector import resting
from enzyme.support.watching import reached

# Declared, not defined: reference counting opaque visible as calls by name.  The attributes hold
# for numba's definitions, but `nomerge` is ours: one call for a constant and an active object, on a
# chosen pointer, would need a shadow for both. The data pointer sits behind refcount, destructor
# and its info. The functions of the C library set no errno that anybody reads.
_PRELUDE = placed(
    """
declare void @NRT_incref(ptr) #0
declare void @NRT_decref(ptr) #1
define linkonce_odr ptr @NRT_MemInfo_data_fast(ptr %info) #2 {
  %slot = getelementptr inbounds i8, ptr %info, i64 $meminfo_data
  %data = load ptr, ptr %slot, align 8
  ret ptr %data
}
declare double @hypot(double, double) #3
declare float @hypotf(float, float) #3
declare double @atan2(double, double) #3
declare float @atan2f(float, float) #3
declare noalias ptr @NRT_Allocate(i64)
declare void @NRT_Free(ptr)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare i64 @llvm.umin.i64(i64, i64)
declare i64 @llvm.usub.sat.i64(i64, i64)
define linkonce_odr ptr @NRT_MemInfo_varsize_realloc(ptr %info, i64 %size) #2 {
entry:
  %new = call ptr @NRT_Allocate(i64 %size)
  %none = icmp eq ptr %new, null
  br i1 %none, label %out, label %move
move:
  %slot = getelementptr inbounds i8, ptr %info, i64 $meminfo_data
  %old = load ptr, ptr %slot, align 8
  %size.at = getelementptr inbounds i8, ptr %info, i64 $meminfo_size
  %had = load i64, ptr %size.at, align 8
  %kept = call i64 @llvm.umin.i64(i64 %had, i64 %size)
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %new, ptr align 8 %old, i64 $payload_dirty, i1 false) #4
  %new.dirty = getelementptr inbounds i8, ptr %new, i64 $payload_dirty
  %old.dirty = getelementptr inbounds i8, ptr %old, i64 $payload_dirty
  %dirty = load i8, ptr %old.dirty, align 8
  store i8 %dirty, ptr %new.dirty, align 8
  %new.narrow = getelementptr inbounds i8, ptr %new, i64 $payload_narrow
  %old.narrow = getelementptr inbounds i8, ptr %old, i64 $payload_narrow
  %short = icmp ult i64 %kept, $payload_items
  br i1 %short, label %few, label %items
few:
  %few.length = call i64 @llvm.usub.sat.i64(i64 %kept, i64 $payload_narrow)
  call void @llvm.memcpy.p0.p0.i64(ptr %new.narrow, ptr %old.narrow, i64 %few.length, i1 false) #4
  br label %done
items:
  call void @llvm.memcpy.p0.p0.i64(ptr %new.narrow, ptr %old.narrow, i64 $payload_gap, i1 false) #4
  %new.items = getelementptr inbounds i8, ptr %new, i64 $payload_items
  %old.items = getelementptr inbounds i8, ptr %old, i64 $payload_items
  %items.length = sub nuw i64 %kept, $payload_items
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %new.items, ptr align 8 %old.items, i64 %items.length, i1 false) #4
  br label %done
done:
  store ptr %new, ptr %slot, align 8
  store i64 %size, ptr %size.at, align 8
  call void @NRT_Free(ptr %old)
  br label %out
out:
  ret ptr %new
}
attributes #0 = { noinline nomerge nounwind willreturn nofree norecurse memory(argmem: readwrite) }
attributes #1 = { noinline nomerge nounwind }
attributes #2 = { alwaysinline nounwind willreturn }
attributes #3 = { nounwind willreturn memory(none) }
""",
    meminfo=MEMINFO,
    payload=PAYLOAD,
)
for _root in (KNOWN_ROOT, KNOWN_LENGTH):
    _PRELUDE += f"declare double @{_root}(double, double) #3\n"
_PRELUDE += f"attributes #4 = {{ {MOVES_HOUSE} }}\n"
_VARIABLE_RECORD = re.compile(r"^ *#dbg_\w+\(.*\n", re.MULTILINE)
assert singular_points.det is not None  # registered by being imported
assert convolutions.correlate_core is not None
assert expression_functions.diff is not None
assert factorisations.qr is not None
_serial = itertools.count()
_NO_NAMES: dict[str, str] = {}
_MODULES = "__enzyme_modules__"


@dataclass(frozen=True)
class StayingCall:
    """A function whose calls are in the program, but not its code: `how` it is differentiated is not ours to say.

    `attributes` are LLVM's of its parameters, `effects` those of the function, `written` the parameters whose memory it
    may change, `surely_written` those whose memory it does, `captured` those whose addresses others may know of then,
    `symbol` what it is called in the program. Reference counts do not count as such there, as they do for LLVM.
    """

    compiled: registration.Compiled
    how: str
    abi: abi.Abi
    attributes: tuple[str, ...]
    effects: str
    written: frozenset[int]
    surely_written: frozenset[int]
    captured: frozenset[int]
    symbol: str


# How calls of functions are differentiated that were declared inactive.
INACTIVE = "inactive"
# What becomes of calls of a function: "" like all others, else the reason why they stay.
OpaqueCallPolicy = Callable[[registration.Compiled], str]


def no_opaque_calls(compiled: registration.Compiled) -> str:
    """Differentiate what every function does."""
    return ""


@dataclass(frozen=True)
class PrimalModule:
    """One compiled primal.

    `text` is the module before AD, optimised; `entry` its only external function, with numba's
    calling convention `i32 entry(ptr retptr, ptr excinfo, flattened arguments...)`.
    `argtypes` are the types the function was compiled for (defaults folded in), which differ from
    those asked for when the dispatcher has fixed signatures. Where the result is `optional`, numba's status says that
    it is None, and `restype` is the type of what it is otherwise. `keepalive` holds what the code
    refers to by address (environments, constant arrays). `outside` has the names of symbols that are found outside the
    module by those that they bear in it (`frontend.names`). `staying` are the functions that are called and not
    defined, because `opaque` said so, `reached` all functions of the user's in the program.
    """

    name: str
    text: str
    entry: str
    argtypes: tuple[types.Type, ...]
    restype: types.Type
    abi: abi.Abi
    optional: bool
    options: dict[str, Any]
    function: Any
    stages: dict[str, float]
    requested: tuple[types.Type, ...] = ()
    fastmath: Any = None
    functions: tuple[tuple[types.FunctionType, Any], ...] = ()
    outside: dict[str, str] = field(default_factory=dict)
    staying: tuple[StayingCall, ...] = ()
    reached: tuple[weakref.ref[Any], ...] = field(repr=False, compare=False, default=())
    opaque: OpaqueCallPolicy = field(repr=False, compare=False, default=no_opaque_calls)
    keepalive: tuple[Any, ...] = field(repr=False, compare=False, default=())

    @property
    def py_func(self) -> Callable[..., Any]:
        return self.function.py_func  # type: ignore[no-any-return]


def as_dispatcher(func: Any) -> Dispatcher:
    """`func` itself when jitted, else the jitted form of a plain Python function."""
    if is_jitted(func):
        return func
    if not callable(func):
        raise TypeError(f"expected a function, got {type(func).__name__}")
    return njit(func)


@resting()
def compile_primal(
    func: Any,
    argtypes: Sequence[types.Type],
    *,
    debug: bool = False,
    fastmath: Any = None,
    functions: Sequence[tuple[types.FunctionType, Any]] = (),
    optimise: Callable[[str], str] = passes.optimise_before_ad,
    opaque: OpaqueCallPolicy = no_opaque_calls,
) -> PrimalModule:
    """Compile `func` (a dispatcher or a Python function) for `argtypes`.

    `debug` keeps line numbers (`frontend.locate`); `fastmath`, when given, replaces the option of
    `func` and of every function it calls. `functions` are those that arguments hold as values, with
    their types. `parallel=True` is compiled serially.

    All modes start from the same module, so it is kept with the dispatcher of our target.
    """
    begin = time.perf_counter()
    overrides: dict[str, Any] = {}
    if debug:
        overrides["debug"] = True
    if fastmath is not None:
        overrides["fastmath"] = frozenset(fastmath) if isinstance(fastmath, set) else fastmath
    original = as_dispatcher(func)
    make_ready(original)
    with registration.compiling(overrides):
        mine = registration.for_target(original)
        asked = tuple(map(registration.type_for_target, argtypes))
        cres = _compile(mine, asked)
        kept = mine.__dict__.setdefault(_MODULES, {})
        given = [function_values.describe(f, ty, registration.for_target) for ty, f in functions]
        parts = _linked(mine.targetctx, cres.library, given)
        found = [
            part.compiled
            for part in parts
            if isinstance(part, registration.SourceLibrary) and part.compiled is not None
        ]
        reasons = [(c, opaque(c)) for c in found if c.symbol != cres.fndesc.llvm_func_name]
        reasons = [(c, how) for c, how in reasons if how]
        key = (optimise, tuple(cres.signature.args), tuple((c.symbol, how) for c, how in reasons))
        known = None if functions else kept.get(key)
        if known is not None:
            return replace(known, requested=tuple(argtypes), opaque=opaque)
        staying = tuple(_staying(mine.targetctx, c, how) for c, how in reasons)
        constant = [c.symbol for c in staying if _writes_constants(c)]
        staying = tuple(c for c in staying if c.symbol not in constant)
        module = whole_program(parts, cres.fndesc.llvm_func_name, staying)
        _define_containers(module)
        plain, outside = names.settle_names(module)
        entry = plain.get(cres.fndesc.llvm_func_name, cres.fndesc.llvm_func_name)
        staying = tuple(replace(c, symbol=plain.get(c.symbol, c.symbol)) for c in staying)
        module.name = entry
        unoptimised = names.merged(str(module), plain)
        for symbol in constant:
            unoptimised = _marked(unoptimised, plain.get(symbol, symbol))
        check_calls(unoptimised)
    typed = time.perf_counter()
    reached("typing_lowering", "", None, lambda: unoptimised)
    text, stages = _optimised(unoptimised, optimise)
    restype = cres.signature.return_type
    optional = isinstance(restype, types.Optional)
    restype = restype.type if optional else restype
    made = PrimalModule(
        name=mine.py_func.__qualname__,
        text=text,
        entry=entry,
        argtypes=tuple(cres.signature.args),
        restype=restype,
        abi=abi.describe(mine.targetctx, cres.signature.args, restype, cres.fndesc.args),
        optional=optional,
        options=dict(mine.targetoptions),
        function=original,
        stages={"typing_lowering": typed - begin, **stages},
        requested=tuple(argtypes),
        fastmath=fastmath,
        functions=tuple(functions),
        outside=outside,
        staying=staying,
        reached=_reached(found),
        opaque=opaque,
        keepalive=(cres, mine),
    )
    if not functions:
        kept[key] = made
    return made


def _optimised(text: str, optimise: Callable[[str], str]) -> tuple[str, dict[str, float]]:
    """The module before AD, and the seconds that each stage took."""
    begin = time.perf_counter()
    text = optimise(text)
    known = settled(text)
    if known is not text:
        text = passes.simplify_again(known)
    if "#dbg_" in text:  # where variables live is of no use here
        text = _VARIABLE_RECORD.sub("", text)
    optimised = time.perf_counter()
    text = _with_likely_sizes(text)
    done = time.perf_counter()
    reached("stack_arrays", "", None, lambda: text)
    return text, {"optimise_before_ad": optimised - begin, "stack_arrays": done - optimised}


def recompile_with_debug(primal: PrimalModule) -> PrimalModule:
    """The same primal with line numbers. Instruction names differ from those of `primal.text`."""
    with warnings.catch_warnings():  # of array expressions, which have no source
        warnings.simplefilter("ignore", NumbaDebugInfoWarning)
        return compile_primal(
            primal.function,
            primal.requested,
            debug=True,
            fastmath=primal.fastmath,
            functions=primal.functions,
            opaque=primal.opaque,
        )


def _reached(found: Sequence[registration.Compiled]) -> tuple[weakref.ref[Any], ...]:
    """The functions of a program, those that numba inlined too."""
    reached: list[weakref.ref[Any]] = []
    for compiled in found:
        reached.append(compiled.function)
        function = compiled.function()
        if function is not None:
            reached += map(weakref.ref, marks.inlined_in(function.py_func))
    return tuple(reached)


def _with_likely_sizes(text: str) -> str:
    """The module with second bodies for likely sizes, and with small arrays moved to the stack; simplified once more if
    there were any."""
    module = None
    if may_be_for_squares(text):
        module = parse_module(text, NUMBA)
        if make_for_squares(module):
            text, module = passes.simplify_again(print_module(module)), None
    if may_have_likely_sizes(text, NUMBA):
        module = module or parse_module(text, NUMBA)
        if make_for_likely_sizes(module):
            text, module = passes.simplify_again(print_module(module)), None
    if not may_move(text, NUMBA):
        return text
    module = module or parse_module(text, NUMBA)
    return passes.simplify_again(print_module(module)) if move_to_stack(module) else text


def _compile(mine: Any, argtypes: tuple[types.Type, ...]) -> Any:
    """Compile result for `argtypes`; a dispatcher with fixed signatures picks the best one."""
    try:
        return _compiled(mine, argtypes)
    except ImportError as error:
        if "scipy" not in str(error):
            raise
        raise CompilationException(
            what=f"{mine.__name__} uses linear algebra, which numba takes from SciPy, and SciPy is not there",
            todo="pip install 'enzyme-autodiff[linalg]'",
        ) from error


def _compiled(mine: Any, argtypes: tuple[types.Type, ...]) -> Any:
    _, folded = mine.fold_argument_types(argtypes, {})
    folded = tuple(folded)
    if can_compile(mine):
        mine.compile(folded)
    elif folded not in mine.overloads:
        found = types.Dispatcher(mine).get_call_type(mine.typingctx, folded, {})
        if found is None:
            raise TypeError(
                f"No matching definition for argument type(s) {', '.join(map(str, folded))}"
            )
        folded = tuple(found.args)
    return mine.overloads[folded]


_ATTRIBUTES = re.compile(r"captures\([^)]*\)|\b(?:noalias|nocapture|readonly|readnone|writeonly)\b")


def _staying(context: Any, compiled: registration.Compiled, how: str) -> StayingCall:
    """A function with rules as its callers see it; what it does to memory is read off its own code."""
    described = abi.describe(context, compiled.argtypes, compiled.restype, compiled.names)
    primal = compile_primal(compiled.function(), compiled.argtypes)
    function, summary, surely_written = _effects_of(primal)
    # The places of result and exception are written by a rule even where the function leaves them alone.
    attributes = ("noalias writeonly captures(none)",) * 2 + tuple(
        "readnone captures(none)"
        if p.leaf.kind is abi.LeafKind.OPAQUE and p.llvm == "ptr"
        else " ".join(_ATTRIBUTES.findall(a.attributes))
        for p, a in zip(described.parameters[2:], function.args[2:], strict=True)
    )
    written = summary.writes | {0, 1}
    effects = function.attribute_texts()
    return StayingCall(
        compiled,
        how,
        described,
        attributes,
        effects,
        written,
        surely_written,
        summary.captures,
        compiled.symbol,
    )


def _writes_constants(call: StayingCall) -> bool:
    """Does an inactive function clear shadows? Then its code is in the program, as that of one that makes constants."""
    return call.how == INACTIVE and any(numbers_in(call.abi.parameters, call.surely_written))


def _marked(text: str, symbol: str) -> str:
    """The program, where a function is not inlined, and is known to make constants."""
    start = re.search(rf'^define [^@]*@"?{re.escape(symbol)}"?\(', text, re.MULTILINE)
    assert start is not None, symbol
    end, depth = start.end(), 1
    while depth:
        depth += {"(": 1, ")": -1}.get(text[end], 0)
        end += 1
    return f"{text[:end]} noinline {MAKES_CONSTANTS}{text[end:]}"


def numbers_in(
    parameters: Sequence[abi.Parameter], written: Iterable[int]
) -> Iterator[abi.Parameter]:
    """Those of the parameters that are written which lead to numbers with derivatives."""
    for n in sorted(written):
        p = parameters[n]
        if p.leaf.kind.is_memory and p.leaf.differentiable:
            yield p


def parameters_written(
    function: Any, argtypes: Sequence[types.Type]
) -> tuple[Sequence[abi.Parameter], frozenset[int]]:
    """The parameters of a function in compiled code, and those whose memory it changes."""
    primal = compile_primal(function, argtypes)
    return primal.abi.parameters, _effects_of(primal)[2]


def _effects_of(primal: PrimalModule) -> tuple[Function, KnownFunction, frozenset[int]]:
    """The function of a program, what it may do to memory, reference counts aside, and the parameters whose memory it
    changes for certain: calls of who knows what are left out there."""
    module = parse_module(primal.text, NUMBA)
    function, summaries = module.functions[primal.entry], Summaries(module, own_frees=True)
    return function, summaries.of_function(function), written_by(function, summaries).parameters


def _declaration(call: StayingCall) -> str:
    parameters = ", ".join(
        f"{p.llvm} {words}" for p, words in zip(call.abi.parameters, call.attributes, strict=True)
    )
    return f'declare i32 @"{call.symbol}"({parameters}) #1\n'


def whole_program(
    parts: Sequence[Any], entry: str, staying: Sequence[StayingCall] = ()
) -> llvm.ModuleRef:
    """One module with all libraries in `parts` but those of functions that are only to be called; all but `entry`
    internal."""
    host.initialise()
    left_out = {call.symbol for call in staying}
    parts = [
        part
        for part in parts
        if getattr(part, "compiled", None) is None or part.compiled.symbol not in left_out
    ]
    modules = [_module_of(part) for part in parts if part.name != code.RUNTIME_LIBRARY]
    known = declarations() + power_declarations() + integer_power_declarations()
    known += c_functions.declarations(modules)
    text = _PRELUDE + known + "".join(map(_declaration, staying))
    program = llvm.parse_assembly(text)
    program.triple = host.triple()
    program.data_layout = code.generator_layout(registration.enzyme_target.target_context.codegen())
    program.name = entry
    defined: set[str] = set()
    for module in modules:
        for function in module.functions:
            if function.is_declaration or function.linkage == llvm.Linkage.internal:
                continue
            if function.name in defined:
                function.linkage = "linkonce_odr"
            else:
                function.linkage = "external"
            defined.add(function.name)
        program.link_in(module)
    linear_algebra.define_in(program)
    for function in program.functions:
        if not function.is_declaration and function.name != entry:
            function.linkage = "internal"
    for variable in program.global_variables:
        if variable.linkage == llvm.Linkage.common:  # environments: drop those nobody reads
            variable.linkage = "linkonce_any"
    program.verify()
    return program


def _module_of(part: Any) -> llvm.ModuleRef:
    """A copy of the module of a library."""
    if isinstance(part, registration.SourceLibrary):
        return code.finished_module(part).clone()
    return code.module_for_linking(part).clone()


def _linked(
    context: Any,
    library: registration.SourceLibrary,
    functions: Sequence[function_values.FunctionValue],
) -> list[Any]:
    """All libraries of a program; functions that are values may call values of their own."""
    code.finish(library)
    parts = library.closure()
    while True:
        choosing = function_values.define_calls(context, parts, functions)
        if choosing is None:
            return parts
        found = {id(part): part for part in [*parts, *choosing.closure()]}
        del found[id(choosing)]
        if len(found) == len(parts):
            return [*parts, choosing]
        parts = list(found.values())


def _define_containers(module: llvm.ModuleRef) -> None:
    """Give typed lists and dictionaries functions that can be differentiated."""
    symbols = [f.name for f in module.functions]
    program = "".join(f"@{name}\n" for name in symbols)
    for text in (typed_lists.definitions(program), typed_dicts.definitions(program)):
        if not text:
            continue
        defining = llvm.parse_assembly(text)
        defining.triple, defining.data_layout = module.triple, module.data_layout
        defined = [function.name for function in defining.functions if not function.is_declaration]
        present = {f.name: f for f in module.functions if not f.is_declaration}
        for name in defined:
            defining.get_function(name).linkage = "external"
            if name in present:  # in a derivative, which is part of the program
                present[name].linkage = "external"
                defining.get_function(name).linkage = "linkonce_odr"
        module.link_in(defining)
        for name in defined:
            module.get_function(name).linkage = "internal"
        module.verify()
        symbols = [f.name for f in module.functions]
    renamed = [name for name in symbols if name.rpartition(".")[0] in NUMBA.shared]
    assert not renamed, f"the engine would not know {renamed}"


def source_library(
    text: str, symbol: str, linked: Sequence[Any] = (), outside: Mapping[str, str] = _NO_NAMES
) -> tuple[str, registration.SourceLibrary]:
    """A derivative as part of a program that is differentiated: its symbol, made unique, and a library, which
    links others. `outside` has the names of what it does not define itself (`frontend.names`).

    Nothing is optimised yet.
    """
    # Without the right to ignore the sign of zeros: LLVM takes a branch between x and -x for |x| with it, of which the
    # derivative at zero is that of neither side.
    lines = (line if line[:1] == "@" else line.replace(" nsz ", " ") for line in text.split("\n"))
    module = passes.parse("\n".join(lines))
    names.restore_names(module, outside)
    if any(function.name == "enzyme_grow" for function in module.functions):
        growth = llvm.parse_assembly(GROWTH_BY_COPYING)
        growth.triple, growth.data_layout = module.triple, module.data_layout
        module.link_in(growth)
    linear_algebra.define_kernels_in(module, text)
    passes.isolate(module, symbol)
    for function in module.functions:
        if function.name in NUMBA.shared and not function.is_declaration:
            function.linkage = "linkonce_odr"
    unique = f"enzyme.nested.{next(_serial)}.{symbol}"
    module.get_function(symbol).name = unique
    codegen = registration.enzyme_target.target_context.codegen()
    library = codegen.create_library(unique)
    library.add_llvm_module(module)
    for other in linked:
        library.add_linking_library(other)
    library.finalize()
    return unique, library


def show(func: Any, *argtypes: types.Type) -> str:
    """Print (and return) the IR that the engine would see for `func(*argtypes)`."""
    text = compile_primal(func, argtypes).text
    print(text)
    return text


def cpu_context() -> Any:
    """Numba's own target context, in which thunks run."""
    context = cpu_target.target_context
    refresh(context, context.refresh)
    return context
