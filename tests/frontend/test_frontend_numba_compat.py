"""Numba's private parts: what is assumed of them is tested, and numba is another one only while our target compiles."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from llvmlite import ir
from llvmlite import ir as llvmir
from numba import literal_unroll, njit, objmode, types
from numba.core import cpu, dispatcher, errors, inline_closurecall, ir_utils, postproc, typing
from numba.core.codegen import CPUCodeLibrary, JITCodeLibrary
from numba.cpython import slicing
from numba.experimental import structref
from numba.np.ufunc import array_exprs
from numba.np.ufunc.dufunc import DUFunc
from numba.stencils.stencil import StencilFunc

import enzyme
from enzyme import Active, Reverse, autodiff
from enzyme.errors import UnsupportedNumbaError
from enzyme.frontend.numba_compat import (
    code,
    compilers,
    entries,
    late,
    layouts,
    patches,
    probes,
    programs,
    releasing,
    runtime,
)
from enzyme.frontend.registration import enzyme_target
from enzyme.frontend.target import compile_primal

pytestmark = pytest.mark.rotating(27)

ROOT = Path(enzyme.__file__).resolve().parent.parent
INTP = llvmir.IntType(64)
PACKAGES = ("enzyme", "enzymecore", "enzyme_rules", "enzyme_testutils")


# Probes -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("probe", probes.PROBES, ids=lambda probe: probe.__name__)
def test_every_probe_passes(probe):
    probe()


def _other_steps(monkeypatch):
    """A class of numba's in which a method has another parameter."""
    monkeypatch.setattr(patches.Lower, "lower_inst", lambda self, inst, debug: None)


def _items(layout, **offsets):
    return lambda monkeypatch: [monkeypatch.setitem(layout, k, v) for k, v in offsets.items()]


def _gone(owner, name):
    return lambda monkeypatch: monkeypatch.delattr(owner, name)


def _other(owner, name, value):
    return lambda monkeypatch: monkeypatch.setattr(owner, name, value)


def _keep_old(func_ir, name, value):
    func_ir._definitions[name] = [value, 3]


class _Plain:
    """Has nothing of what numba's objects have."""

    def __init__(self, *args, **kwargs):
        pass


class _Untyped(_Plain):
    _typed = _numba_type_ = None

    def __init__(self, *args):
        pass


# By probe: how to break its assumption, and a part of the sentence that says so.
BROKEN = [
    (
        "contexts",
        _other(cpu.CPUContext, "cast", lambda self, x: x),
        "CPUContext.cast of numba takes self, x now",
    ),
    (
        "counters",
        _gone(ir_utils, "_the_max_label"),
        "numba.core.ir_utils of numba has no _the_max_label",
    ),
    (
        "counters",
        _other(ir_utils, "_unique_var_count", [0]),
        "counts variables and labels otherwise",
    ),
    (
        "refreshing",
        _other(late, "cpu_target", SimpleNamespace(target_context=0, typing_context=0)),
        "int of numba has no refresh any more",
    ),
    ("counters", _other(errors, "loc_info", None), "keeps the place of errors otherwise"),
    (
        "dispatchers",
        _other(compilers, "_Compiler", _Plain),
        "_Plain of numba has no _customize_flags",
    ),
    ("dispatchers", _other(compilers, "CFunc", _Plain), "_Plain of numba has no _sig"),
    (
        "libraries",
        _gone(CPUCodeLibrary, "_get_module_for_linking"),
        "has no _get_module_for_linking any more",
    ),
    (
        "libraries",
        _other(code, "RUNTIME_LIBRARY", "x"),
        "is not called x any more",
    ),
    ("libraries", _other(code, "DYNAMIC_GLOBALS", "x"), "symbols of addresses do not begin with x"),
    (
        "symbols",
        _other(code, "default_mangler", lambda *a, **k: "f"),
        "other names of symbols: f for m.f",
    ),
    ("symbols", _other(code, "ENVIRONMENT", "x"), "names of environments begin otherwise"),
    *(
        ("typed_list", _items(layouts.LIST, **{name: at}), f"does not have {name} at offset {at}")
        for name, at in [
            ("length", 8),
            ("bytes", 0),
            ("room", 24),
            ("mutable", 32),
            ("retain", 40),
            ("release", 24),
            ("items", 32),
        ]
    ),
    (
        "typed_list",
        _items(layouts.LIST, list_size=96),
        "a typed list of numba's is not 96 bytes long",
    ),
    ("typed_list", _other(layouts, "_container_functions", {}), "no C function list_new any more"),
    *(
        (
            "typed_dictionary",
            _items(layouts.TABLE, **{name: at}),
            f"does not have {said} at offset {at}",
        )
        for name, said, at in [
            ("room", "room", 24),
            ("used", "used", 24),
            ("key_bytes", "key bytes", 16),
            ("value_bytes", "value bytes", 24),
        ]
    ),
    (
        "typed_dictionary",
        _items(layouts.DICT, count=8),
        "a typed dictionary of numba's does not have count",
    ),
    ("typed_dictionary", _items(layouts.TABLE, methods=64, table_size=96), "are not at offset 64"),
    (
        "typed_dictionary",
        _items(layouts.TABLE, release=80),
        "functions for items of a typed dictionary",
    ),
    ("typed_dictionary", _items(layouts.ENTRY, key=16), "is not a hash, a key and a value"),
    ("typed_dictionary", _items(layouts.ENTRY, to_value=23), "is not a hash, a key and a value"),
    ("typed_dictionary", _items(layouts.ITERATOR, iterator_size=40), "is not 40 bytes long"),
    ("counted_object", _items(layouts.MEMINFO, data=16), "does not have data at offset 16"),
    ("counted_object", _items(layouts.MEMINFO, size=24), "does not have size at offset 24"),
    ("counted_object", _items(layouts.MEMINFO, count=32), "does not have count at offset 32"),
    ("counted_object", _items(layouts.MEMINFO, end=8), "does not have end at offset 8"),
    *(
        (
            "allocator_of_an_object",
            _items(table, **{name: at}),
            "asks the allocator of an object otherwise",
        )
        for table, name, at in [
            (runtime.INTERFACE, "allocate_external", 0),
            (layouts.ALLOCATOR, "opaque", 8),
        ]
    ),
    *(
        (
            "reflected_list",
            _items(layouts.PAYLOAD, **{name: at}),
            f"does not have items behind {said} bytes",
        )
        for name, at, said in [("items", 32, 32), ("narrow", 24, 24), ("dirty", 8, 24)]
    ),
    (
        "lowering",
        _other(releasing.Lower, "post_lower", lambda self, x: None),
        "Lower.post_lower of numba takes self, x now",
    ),
    ("definitions", _other(programs, "define", _keep_old), "definitions of variables otherwise"),
    (
        "models",
        _other(programs, "members", lambda model: []),
        "fields otherwise",
    ),
    (
        "typed_containers",
        _gone(structref.StructRefProxy, "_meminfo"),
        "StructRefProxy of numba has no _meminfo",
    ),
    (
        "typed_containers",
        _other(programs, "List", _Untyped),
        "numba.typed._Untyped has no _opaque any more",
    ),
    (
        "what_enzymecore_asks_for",
        _gone(structref, "new"),
        "numba.experimental.structref has no new any more",
    ),
    ("ufuncs_and_stencils", _gone(DUFunc, "_install_type"), "DUFunc of numba has no _install_type"),
    (
        "ufuncs_and_stencils",
        _other(StencilFunc, "__init__", _Plain.__init__),
        "stencils have no _typingctx",
    ),
    (
        "array_expressions",
        _gone(array_exprs, "_lower_array_expr"),
        "array_exprs of numba has no _lower_array_expr",
    ),
    (
        "patched",
        _other_steps,
        "Lower.lower_inst of numba takes self, inst, debug now, not self, inst",
    ),
    ("patched", _gone(types.Dispatcher, "get_call_type"), "inherits get_call_type now"),
    (
        "patched",
        _gone(typing.context.BaseContext, "resolve_static_getitem"),
        "no resolve_static_getitem",
    ),
    (
        "patched",
        _gone(inline_closurecall, "_created_inlined_var_name"),
        "no _created_inlined_var_name",
    ),
    (
        "wrappers_of_functions",
        _other(entries.PyCallWrapper, "__init__", lambda self, context: None),
        "PyCallWrapper.__init__ of numba takes self, context now",
    ),
    (
        "wrappers_of_functions",
        _other(entries, "members", lambda model: []),
        "numba's arrays have no meminfo any more",
    ),
]


@pytest.mark.parametrize(
    ("name", "change", "sentence"), BROKEN, ids=lambda x: x if isinstance(x, str) else ""
)
def test_a_probe_says_what_changed(name, change, sentence, monkeypatch):
    (probe,) = (p for p in probes.PROBES if p.__name__ == name)
    change(monkeypatch)
    with pytest.raises(UnsupportedNumbaError) as caught:
        probe()
    said = caught.value.what
    assert sentence in said
    assert "\n" not in said and len(said) < 150


OVERRIDING = [p for p in probes.PROBES if hasattr(p, "overriding")]


@pytest.mark.parametrize("probe", OVERRIDING, ids=lambda probe: probe.overriding.__name__)
def test_a_method_that_numba_drops_is_told(probe, monkeypatch):
    for name in probe.names:
        with monkeypatch.context() as context:
            for base in probe.overriding.__mro__[1:]:
                if name in base.__dict__:
                    context.delattr(base, name)
            with pytest.raises(UnsupportedNumbaError, match=f"of numba has no {name} any more"):
                probe()


def test_every_probe_has_been_broken():
    names = {probe.__name__ for probe in probes.PROBES}
    assert len(names) == len(probes.PROBES)
    assert names == {name for name, _, _ in BROKEN} | {probe.__name__ for probe in OVERRIDING}


# What numba asks again and again ------------------------------------------------------------------


class _Known:
    """A context that knows one registry, and its typing context one of its own."""

    def __init__(self, typing_context=None):
        names = compilers.imputils.RegistryLoader.registry_items
        names += compilers.typing.templates.RegistryLoader.registry_items
        self.registry = type("Registry", (), {name: [] for name in names})
        self._registries = {self.registry: None}
        self.typing_context = typing_context


@pytest.mark.parametrize(
    ("kind", "typing_context"),
    [("functions", False), ("casts", False), ("functions", True), ("globals", True)],
)
def test_a_context_is_refreshed_once_something_was_registered(kind, typing_context):
    context, done = _Known(_Known()), []
    for registered in range(3):
        for _ in range(2):
            compilers.refresh(context, lambda: done.append(None))
        assert len(done) == registered + 1
        owner = context.typing_context if typing_context else context
        getattr(owner.registry, kind).append(None)


def _resolved(function, *argtypes):
    """How often numba looks for the implementation of a call in a compilation for our target."""
    found = []

    def counting(get_call_type):
        def counted(self, context, args, kws):
            found.append((self, args))
            return get_call_type(self, context, args, kws)

        return counted

    with pytest.MonkeyPatch.context() as monkeypatch:
        resolve = types.BaseFunction.get_call_type
        monkeypatch.setattr(types.BaseFunction, "get_call_type", counting(resolve))
        compile_primal(function, argtypes)
    return found


def many_products(x):
    y = x * x
    for _ in range(3):
        y = y * x * y
    return y * x


def test_a_call_is_resolved_once_in_a_function():
    found = [args for _, args in _resolved(many_products, types.float64) if len(args) == 2]
    assert found.count((types.float64, types.float64)) == 1


@njit(fastmath=True)
def fast_sum(x):
    return x + 3.0


@njit
def both_sums(x):
    return (x + 5.0) * fast_sum(x) * (x + 7.0)


def test_what_is_remembered_is_of_one_function():
    """The options of a function that is called are others, and a list gets its type while types are inferred."""
    text = compile_primal(both_sums, (types.float64,)).text
    assert len(re.findall(r"fadd fast double %arg.x, 3.0", text)) == 1
    assert len(re.findall(r"fadd double %arg.x, [57].0", text)) == 2

    def append(x):
        items = []
        for k in range(3):
            items.append(k * x)
        return items[0] + items[-1]

    assert autodiff(Reverse, append, Active, Active(2.0)) == ((2.0,),)


def test_which_variables_live_is_not_looked_for_after_each_pass(monkeypatch):
    """Only where they are deleted; before that there is nobody to ask."""
    found = []
    look = postproc.analysis.compute_live_variables
    monkeypatch.setattr(
        postproc.analysis, "compute_live_variables", lambda *args: found.append(1) or look(*args)
    )
    compile_primal(lambda x: x * x if x > 0.0 else x, (types.float64,))
    assert 1 <= len(found) <= 3  # of ten passes


def test_a_numba_that_does_something_else_after_a_pass_does_it():
    def run(self, emit_dels=False, extend_lifetimes=False):
        self.func_ir.more = 1

    assert patches._without_entry_variables(run) is run
    run = postproc.PostProcessor.run
    assert patches._without_entry_variables(run) is not run


def unrolled(x):
    total = 0.0
    for factor in literal_unroll((1, 2.5, True)):
        total += factor * x
    for k in literal_unroll((3, 0.5)):
        total *= k
    return total


def items(x):
    for k in range(3):
        y = x * k
        yield y * y


generated = njit(items)


def of_generator(x):
    total = 0.0
    for y in generated(x):
        total += y
    return total


def through_python(x):
    with objmode(y="float64"):
        y = 3.0
    for _ in range(2):
        with objmode(z="float64"):
            z = 2.0 * y
        y += z
    return y * x


@pytest.mark.parametrize(
    ("function", "slope"), [(unrolled, 4.5 * 1.5), (of_generator, 20.0), (through_python, 27.0)]
)
def test_what_asks_which_variables_live(function, slope):
    """Loops that are unrolled, generators, and blocks in object mode."""
    ((found,),) = autodiff(Reverse, function, Active, Active(2.0))
    assert found == slope


ARRAY = types.Array(types.float64, 2, "C")


@pytest.mark.parametrize(
    "ty",
    [
        types.float64,
        ARRAY,
        types.Optional(ARRAY),
        types.Tuple([types.int64, ARRAY, types.Tuple([ARRAY, types.complex64])]),
        types.UniTuple(types.float64, 3),
        types.ListType(ARRAY),
        types.unicode_type,
    ],
    ids=str,
)
def test_references_are_counted_as_numba_counts_them(ty):
    context = enzyme_target.target_context.subtarget(enable_nrt=True)

    def counted(cls):
        module = ir.Module()
        value = context.get_value_type(ty)
        function = ir.Function(module, ir.FunctionType(ir.VoidType(), [value]), "f")
        builder = ir.IRBuilder(function.append_basic_block())
        found = cls(context, True).get_meminfos(builder, ty, function.args[0])
        written = sum(len(block.instructions) for block in function.blocks)
        return [each for each, _ in found], written

    (theirs, before), (ours, after) = counted(compilers.NRTContext), counted(compilers.Counts)
    assert theirs == ours
    assert after <= before
    assert after < before or ty not in (ARRAY, types.UniTuple(types.float64, 3))


def test_sizes_of_types_are_those_of_llvm():
    context = enzyme_target.target_context
    kinds = [ir.IntType(8), ir.LiteralStructType([ir.IntType(8), ir.DoubleType()])]
    kinds.append(ir.LiteralStructType([kinds[1], ir.ArrayType(ir.IntType(8).as_pointer(), 3)]))
    assert [context.get_abi_sizeof(ty) for _ in range(2) for ty in kinds] == 2 * [1, 16, 40]


def test_a_function_that_is_gone_is_told():
    with pytest.raises(UnsupportedNumbaError, match="listobject has no _list_grow any more"):
        probes.private("numba.typed.listobject", "_list_grow")


def test_the_first_use_fails_and_the_next_one_too(monkeypatch):
    monkeypatch.setattr(probes, "_passed", False)
    monkeypatch.setitem(layouts.LIST, "items", 56)
    f = njit(lambda x: x * x)
    for _ in range(2):
        with pytest.raises(UnsupportedNumbaError, match="does not have items at offset 56"):
            autodiff(Reverse, f, Active, Active(3.0))
    monkeypatch.undo()
    assert autodiff(Reverse, f, Active, Active(3.0)) == ((6.0,),)


def test_probes_run_once(monkeypatch):
    calls = []
    monkeypatch.setattr(probes, "PROBES", [lambda: calls.append(1)])
    monkeypatch.setattr(probes, "_passed", False)
    for _ in range(3):
        autodiff(Reverse, njit(lambda x: x * x), Active, Active(3.0))
    assert calls == [1]


def test_probes_compile_nothing(monkeypatch):
    monkeypatch.setattr(dispatcher.Dispatcher, "compile", None)
    monkeypatch.setattr(JITCodeLibrary, "finalize", None)
    for probe in probes.PROBES:
        probe()


# Patches ------------------------------------------------------------------------------------------

# Prints what in numba is a function of ours: attributes of its modules, of its classes, and of its typing context.
SCAN = """
import sys, types
def changed():
    ours = ("/enzyme/", "/enzymecore/", "/enzyme_rules/", "/enzyme_testutils/")
    found = set()
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] not in ("numba", "llvmlite") or module is None:
            continue
        owners = [module, *(v for v in list(vars(module).values()) if isinstance(v, type))]
        for owner in owners:
            home = getattr(owner, "__module__", None) or owner.__name__
            if home.partition(".")[0] not in ("numba", "llvmlite"):
                continue
            for attribute, value in list(vars(owner).items()):
                value = getattr(value, "__func__", value)
                code = getattr(value, "__code__", None)
                if isinstance(code, types.CodeType) and any(p in code.co_filename for p in ours):
                    found.add(f"{owner.__name__}.{attribute}")
    import numba
    from numba.core.registry import cpu_target
    from numba.core.rewrites import rewrite_registry
    for rewrites in rewrite_registry.rewrites.values():
        found |= {r.__name__ for r in rewrites if not r.__module__.startswith("numba")}
    context = cpu_target.typing_context
    return found | {k for k, v in vars(context).items() if isinstance(v, types.FunctionType)}
"""
SCOPE: dict[str, object] = {}
exec(SCAN, SCOPE)


def _run(program):
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_importing_patches_nothing():
    """Nor does what was compiled stay behind in numba: while our target compiles, and only then, it is another one."""
    program = f"""{SCAN}
import numba
from numba import njit
from enzyme import Active, Reverse, autodiff
import enzyme.api, enzyme.compiled, enzyme_testutils
from enzyme.frontend.numba_compat import patches, probes
print(sorted(changed()), probes._passed)
assert autodiff(Reverse, njit(lambda x: x * x), Active, Active(3.0)) == ((6.0,),)
print(sorted(changed()), probes._passed)
with patches.installed():
    print(sorted(changed()))
print(sorted(changed()))
"""
    before, after, inside, outside = _run(program).splitlines()
    assert before == "['refresh'] False"  # once: numba is told of `enzyme.compiled` when it asks
    assert after == "[] True"
    assert outside == "[]"
    names = sorted(f"{p.owner.__name__}.{p.name}" for p in patches.PATCHES)
    assert inside == str(names)


def test_patches_end_with_the_outermost_compilation_and_after_errors():
    originals = [getattr(p.owner, p.name) for p in patches.PATCHES]

    def now():
        return [getattr(p.owner, p.name) for p in patches.PATCHES]

    with pytest.raises(ZeroDivisionError), patches.installed():
        with patches.installed():
            assert not set(now()) & set(originals)
        assert not set(now()) & set(originals)
        raise ZeroDivisionError
    assert now() == originals


def test_types_in_brackets_change_numba_once_they_are_used():
    program = f"""{SCAN}
from numba import float64, njit
from enzyme import Active, Reverse, autodiff
@njit
def f(x):
    return Active[float64](x).val
print(changed())
assert f(3.0) == 3.0
print(changed())
"""
    assert _run(program).splitlines() == ["{'refresh'}", "{'resolve_static_getitem'}"]


# Compilations that have nothing to do with derivatives --------------------------------------------

UNRELATED = """
import itertools
import numpy as np
from numba import float64, njit, types
from numba.core import bytecode, ir_utils
from numba.experimental import jitclass

bytecode.FunctionIdentity._unique_ids = itertools.count(1000)

def helper(x, n):
    return x * n + 1.0

inlined = njit(inline="always")(helper)
called = njit("float64(float64,float64)")(helper)
other = njit("float64(float64,float64)")(lambda x, n: x - n)

def loops(x, k):
    pair, total = (1.5, 2.5), 0.0
    for i in range(x.size):
        total += inlined(x[i], pair[1]) + pair[0]
        x[i] = total
    return total + pair[k % 2]

def chosen(c, x):
    f = (called, other)[c]
    return f(x, 2.0)

def sums(n):
    squares = [i * i for i in range(n)]
    return len(squares) + squares[0]

@jitclass([("a", float64)])
class Scale:
    def __init__(self, a):
        self.a = a
    def of(self, x):
        return self.a * x

def method(s, x):
    return s.of(x) + s.a

PROGRAMS = [
    (loops, (types.float64[::1], types.int64)),
    (chosen, (types.int64, types.float64)),
    (sums, (types.int64,)),
    (method, (Scale.class_type.instance_type, types.float64)),
]
"""
COMPARED = (
    UNRELATED
    + """
import re, hashlib
def texts():
    ir_utils._unique_var_count, ir_utils._the_max_label._value = 0, 0
    for function, argtypes in PROGRAMS:
        made = njit(error_model="numpy")(function)
        made.compile(argtypes)
        (llvm,), (asm,) = made.inspect_llvm().values(), made.inspect_asm().values()
        for text in (llvm, asm):
            # Addresses, of this process, and numbers of functions that are compiled once
            yield re.sub(r"(?:picklebuf|pickledata)\\.\\d+|(?:0x|_23)[0-9a-f]{6,}|\\b\\d{9,}\\b", "ADDRESS", text)
for text in texts():
    print(len(text), hashlib.sha256(text.encode()).hexdigest())
"""
)
USED = """
import numpy as np
from numba import float64, njit
from enzyme import Active, Duplicated, Forward, Reverse, autodiff, explain
@njit
def cubes(x):
    total = 0.0
    for i in range(x.size):
        total += x[i] ** 3
    return total
@njit
def inside(x, dx):
    autodiff(Reverse, cubes, Active, Duplicated(x, dx))
    return Active[float64](x[0]).val
x, dx = np.arange(3.0), np.zeros(3)
autodiff(Reverse, cubes, Active, Duplicated(x, dx))
assert inside(x, dx) == 0.0 and dx[2] == 24.0
"""


def test_code_without_derivatives_is_the_same_to_the_byte():
    alone, beside = _run(COMPARED), _run(USED + COMPARED)
    assert alone.count("\n") == 8
    assert alone == beside


def _bounds_of_a_slice():
    function = llvmir.Function(
        llvmir.Module(), llvmir.FunctionType(INTP, [INTP] * 4), name="bounds"
    )
    builder = llvmir.IRBuilder(function.append_basic_block())
    names = ("start", "stop", "step", "size")
    found = SimpleNamespace(**dict(zip(names, function.args, strict=True)))
    slicing.fix_slice(builder, found, found.size)
    builder.ret(found.start)
    return str(function)


def test_bounds_of_slices_stay_the_same_for_others():
    alone = _bounds_of_a_slice()
    with patches.installed():
        assert _bounds_of_a_slice() == alone


def test_loops_of_ufuncs_stay_the_same_for_others(monkeypatch):
    reached = []
    monkeypatch.setattr(patches.npyimpl, "numpy_ufunc_kernel", lambda *args: reached.append(args))
    monkeypatch.setattr(patches, "check", lambda: None)
    given = [SimpleNamespace(), *range(5)]
    with patches.installed():
        patches.npyimpl.numpy_ufunc_kernel(*given)
    assert reached == [tuple(given)]


@pytest.mark.parametrize("name", ["loops", "chosen", "sums", "method"])
def test_compilations_without_derivatives_call_nothing_of_the_library(name):
    """But numba asks every template for the type of `x[i]`, our three too; where `i` is a constant, the one patch that
    stays once annotation classes were used in jitted code."""
    program = f"""{USED}{UNRELATED}
import gc, os, sys
import enzyme
HOME = os.path.dirname(os.path.dirname(enzyme.__file__))
OURS = tuple(os.path.join(HOME, p) + os.sep for p in {PACKAGES!r})
seen = []
def profile(frame, event, arg):
    if event == "call" and frame.f_code.co_filename.startswith(OURS):
        seen.append(frame.f_code.co_qualname)
((function, argtypes),) = (p for p in PROGRAMS if p[0].__name__ == {name!r})
made = njit(function)
gc.disable()
sys.setprofile(profile)
made.compile(argtypes)
sys.setprofile(None)
print(*seen)
"""
    templates = {"_Parameters.generic", "_Read.generic", "_Written.generic"}
    bare = _run(program.replace("@njit\ndef inside", "def inside")).split()
    assert set(bare) <= templates
    called = _run(program).split()
    assert set(called) - templates <= {"without_types_as_indices.<locals>.resolve_static_getitem"}


def test_methods_of_numba_are_kept_apart():
    """Numba interns the type of a bound method by its function: each target has functions of its own."""
    array = types.Array(types.float64, 1, "C")
    contexts = compilers.cpu_target.typing_context, enzyme_target.typing_context

    def functions(context):
        context.refresh()
        templates = list(context._get_attribute_templates(array))
        known = [(t._attr, programs.overloaded_method(t)) for t in templates if hasattr(t, "_attr")]
        return {name: function for name, function in known if function is not None}

    theirs, ours = map(functions, contexts)
    assert theirs.keys() == ours.keys() and {"copy", "sum"} & theirs.keys()
    assert not any(theirs[name] is ours[name] for name in theirs)
