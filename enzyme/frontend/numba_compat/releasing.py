"""Functions that release what they hold when a function that they call raises.

Where a callee raises, numba returns at once, and keeps a reference to every array that a variable holds. Here such
exits lead to one block that releases what the variables hold; numba writes zeros into those that it has deleted.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, misc"

from __future__ import annotations

from typing import Any

from numba.core.callconv import RETCODE_NONE, RETCODE_OK, RETCODE_STOPIT, CPUCallConv
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import register_pass
from numba.core.cpu import CPUContext
from numba.core.lowering import Lower
from numba.core.typed_passes import NativeLowering

from enzyme.frontend.numba_compat.compilers import is_cpu_context
from enzyme.frontend.numba_compat.probes import (
    expect_attributes,
    expect_parameters,
    overriding,
    probe,
)

_NO_ERRORS = (RETCODE_OK, RETCODE_NONE, RETCODE_STOPIT)


@overriding("_return_errcode_raw")
class _Convention(CPUCallConv):
    """Errors of one function leave through its `leave`; functions that are compiled meanwhile leave as ever."""

    def __init__(self, context: Any, lower: Any) -> None:
        super().__init__(context)
        self._lower = lower

    def _return_errcode_raw(self, builder: Any, code: Any) -> None:
        if builder.function is self._lower.function and code not in _NO_ERRORS:
            self._lower.leave(builder, code)
        else:
            super()._return_errcode_raw(builder, code)


@overriding("call_conv")
class _Context(CPUContext):
    """Numba's context, with a convention of its own."""

    @property
    def call_conv(self) -> Any:
        return self.convention


@overriding("init post_lower _disable_sroa_like_opt")
class _Lower(Lower):
    def init(self) -> None:
        super().init()
        self._exit: Any = None
        self._code: Any = None
        # What a generator holds, its finaliser releases.
        if not self.func_ir.func_id.is_generator and is_cpu_context(self.context):
            self.context = self.context.subtarget()
            self.context.__class__ = _Context
            self.context.convention = _Convention(self.context, self)

    @property
    def _disable_sroa_like_opt(self) -> bool:
        """Variables in registers cannot be read in another block."""
        return isinstance(self.context, _Context) or super()._disable_sroa_like_opt

    def leave(self, builder: Any, code: Any) -> None:
        """End a block with an error."""
        if self._exit is None:
            with builder.goto_entry_block():
                self._code = builder.alloca(code.type, name="error")
            self._exit = builder.append_basic_block("release")
        builder.store(code, self._code)
        builder.branch(self._exit)

    def post_lower(self) -> None:
        if self._exit is not None:
            with self.builder.goto_block(self._exit):
                models = self.context.data_model_manager
                for name, place in self.varmap.items():
                    if models[self.typeof(name)].contains_nrt_meminfo():
                        self.decref(self.typeof(name), self.builder.load(place))
                self.builder.ret(self.builder.load(self._code))
        super().post_lower()


@register_pass(mutates_CFG=True, analysis_only=False)
class _Lowering(NativeLowering):
    _name = "lowering_that_releases"

    @property
    def lowering_class(self) -> Any:
        return _Lower


class ReleasingCompiler(CompilerBase):
    """Numba's passes, with lowering as above; what runs in parallel is left to numba."""

    def define_pipelines(self) -> list[Any]:
        made = DefaultPassBuilder.define_nopython_pipeline(self.state)
        made.passes = [
            (_Lowering if step is NativeLowering else step, words) for step, words in made.passes
        ]
        made.finalize()
        return [made]


@probe
def lowering() -> None:
    """What is overridden in numba's lowering."""
    expect_parameters(CPUCallConv, "_return_errcode_raw", "self builder code")
    expect_parameters(Lower, "init", "self")
    expect_parameters(Lower, "post_lower", "self")
    expect_attributes(CPUContext, "call_conv subtarget")
    expect_attributes(Lower, "_disable_sroa_like_opt typeof decref")
    expect_attributes(DefaultPassBuilder, "define_nopython_pipeline")
