"""A pool of its own for a test: the arena's functions, compiled over an allocator that counts, or fails, or both."""

from __future__ import annotations

import ctypes
import random

from enzyme.backend.jit import JittedModule
from enzyme.engine.synthesis import pool
from enzyme.engine.synthesis.arena import arena_text
from enzyme.frontdoor.c_library import C_LIBRARY

_C = ctypes.CDLL(None)
_WORD, _POINTER = ctypes.c_size_t, ctypes.c_void_p
_C.malloc.restype, _C.malloc.argtypes = _POINTER, [_WORD]
_C.free.argtypes = [_POINTER]
_C.malloc_usable_size.restype, _C.malloc_usable_size.argtypes = _WORD, [_POINTER]


class Grown(ctypes.Structure):
    _fields_ = [("memory", _POINTER), ("capacity", ctypes.c_int64)]


# Marks what each of many calls gets, and looks whether the marks stay: how often they do not.
_BUSY = """
define i64 @busy(i64 %mark, i64 %calls) {
entry:
  br label %call
call:
  %k = phi i64 [ 0, %entry ], [ %k.next, %call ]
  %wrong = phi i64 [ 0, %entry ], [ %wrong.next, %call ]
  %arena = call ptr @enzyme_open()
  %small = call ptr @enzyme_allocate(ptr %arena, i64 40)
  store volatile i64 %mark, ptr %small
  %medium = call ptr @enzyme_allocate(ptr %arena, i64 2000)
  store volatile i64 %mark, ptr %medium
  %large = call ptr @enzyme_allocate(ptr %arena, i64 300000)
  store volatile i64 %mark, ptr %large
  %small.now = load volatile i64, ptr %small
  %medium.now = load volatile i64, ptr %medium
  %large.now = load volatile i64, ptr %large
  %x = xor i64 %small.now, %mark
  %y = xor i64 %medium.now, %mark
  %z = xor i64 %large.now, %mark
  %xy = or i64 %x, %y
  %xyz = or i64 %xy, %z
  %bad = icmp ne i64 %xyz, 0
  %one = zext i1 %bad to i64
  %wrong.next = add i64 %wrong, %one
  call void @enzyme_close(ptr %arena, i1 false)
  %k.next = add i64 %k, 1
  %more = icmp ult i64 %k.next, %calls
  br i1 %more, label %call, label %out
out:
  ret i64 %wrong.next
}
"""


class Pool:
    """`left`: bytes that its allocator has yet, None for as many as there are; `now`: the time that it is told."""

    def __init__(self, *, counted: bool = False) -> None:
        self.left: int | None = None
        self.now = 1000
        self._kept = [
            ctypes.CFUNCTYPE(_POINTER, _WORD)(self._malloc),
            ctypes.CFUNCTYPE(None, _POINTER)(self._free),
            ctypes.CFUNCTYPE(_POINTER, _POINTER, _WORD)(self._realloc),
            ctypes.CFUNCTYPE(ctypes.c_int64, _POINTER)(lambda _: self.now),
        ]
        names = ("malloc", "free", "realloc", "time") if counted else ()
        text = arena_text(C_LIBRARY).replace("@enzyme_pool = internal", "@enzyme_pool =") + _BUSY
        addresses = dict(zip(names, (ctypes.cast(f, _POINTER).value for f in self._kept)))
        self.module = JittedModule(text, symbol_addresses=addresses)
        word = ctypes.c_int64
        self.open = self.module.function("enzyme_open", _POINTER)
        self.close = self.module.function("enzyme_close", None, _POINTER, ctypes.c_bool)
        self.allocate = self.module.function("enzyme_allocate", _POINTER, _POINTER, word)
        self.held = self.module.function("enzyme_held", word, _POINTER)
        self.bytes = self.module.function("enzyme_pool_bytes", word)
        self.empty = self.module.function("enzyme_empty_pool", word)
        self.bound = self.module.function("enzyme_bound_pool", None, word)
        self.busy = self.module.function("busy", word, word, word)
        self._grow = self.module.function("enzyme_grow", Grown, _POINTER, _POINTER, word, word)

    def grow(self, arena: int, old: int | None, capacity: int, size: int) -> tuple[int, int]:
        grown = self._grow(arena, old, capacity, size)
        return grown.memory, grown.capacity

    def reset(self) -> None:
        """As it was when it was made."""
        self.set_locks(0)
        self.left = None
        self.bound(pool.DEFAULT_BOUND)
        self.empty()

    def set_locks(self, state: int) -> None:
        """1 as by a thread that is stopped, or is not there after a fork."""
        begin = self.module.address("enzyme_pool")
        for k in range(pool.SETS):
            ctypes.c_int32.from_address(begin + k * pool._SET_BYTES).value = state

    def _malloc(self, size: int) -> int | None:
        if self.left is not None:
            if size > self.left:
                return None
            self.left -= size
        made: int | None = _C.malloc(size)
        if self.left is not None and made:
            self.left -= _C.malloc_usable_size(made) - size
        return made

    def _free(self, memory: int | None) -> None:
        if self.left is not None and memory:
            self.left += _C.malloc_usable_size(memory)
        _C.free(memory)

    def _realloc(self, old: int, size: int) -> int | None:
        made = self._malloc(size)
        if made:
            ctypes.memmove(made, old, min(size, _C.malloc_usable_size(old)))
            self._free(old)
        return made


def work(pool: Pool, seed: int, calls: int) -> None:
    """Derivatives at random: arenas that live for a while, with storage that is filled and looked at again."""
    chosen = random.Random(seed)
    alive: list[tuple[int, list[list[int]]]] = []

    def close() -> None:
        arena, storage = alive.pop(chosen.randrange(len(alive)))
        for address, size, _, mark in storage:
            assert ctypes.string_at(address, size) == bytes([mark]) * size
        pool.close(arena, False)

    for _ in range(calls):
        arena, storage = pool.open(), []
        alive.append((arena, storage))
        for _ in range(chosen.randrange(30)):
            mark = chosen.randrange(256)
            growing = [s for s in storage if s[2] and s[1] < 1 << 17]
            if growing and chosen.random() < 0.5:
                old = chosen.choice(growing)
                address, capacity = pool.grow(arena, old[0], old[1] // old[2], old[2])
                assert capacity > old[1] // old[2]
                assert ctypes.string_at(address, old[1]) == bytes([old[3]]) * old[1]
                storage.remove(old)
                entry = old[2]
                size = capacity * entry
            elif chosen.random() < 0.3:
                entry = chosen.choice([8, 24, 300, 2000])
                address, capacity = pool.grow(arena, None, 0, entry)
                size = capacity * entry
            else:
                entry, size = 0, int(2 ** chosen.uniform(0, 17))
                address = pool.allocate(arena, size)
            assert address and address % 16 == 0
            ctypes.memset(address, mark, size)
            storage.append([address, size, entry, mark])
        while len(alive) > 3:
            close()
    while alive:
        close()
