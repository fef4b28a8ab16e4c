"""An object that was just made, and that nobody will get, is given back without a look at what it holds."""

from __future__ import annotations

import ctypes

from numba.core.runtime import _nrt_python

from enzyme.frontend import arena
from tests.programs.memory import live_memory

END = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p)


def test_what_would_end_an_object_does_not_run():
    ended = []
    end = END(lambda *_: ended.append(True))
    make = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_size_t, END)(
        _nrt_python.c_helpers["MemInfo_alloc_dtor"]
    )
    module = arena.register()
    discard = module.function("enzyme_discard", None, ctypes.c_void_p, ctypes.c_int64)
    release_many = module.function("enzyme_release_many", None, ctypes.c_void_p, ctypes.c_int64)
    before = live_memory()
    discard(make(8, end), 1)
    assert not ended
    release_many(make(8, end), 1)
    assert ended == [True]
    discard(None, 1)
    assert live_memory() == before
