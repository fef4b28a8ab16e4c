"""What one process keeps on disk another one takes, and nobody is harmed by what else is in the folder."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numba import njit

import enzyme
from enzyme import Active, Const, Duplicated, Reverse, autodiff
from enzyme.disk import store as stores
from enzyme.disk.store import Store

pytestmark = [
    pytest.mark.unverified,  # who looks at stages gets them, and nothing from disk
    pytest.mark.rotating(14),
]
ROOT = Path(enzyme.__file__).resolve().parent.parent


def run(kept: Path, program: str, *arguments: str, folder: Path = ROOT) -> dict:
    path = os.pathsep.join([str(ROOT), *filter(None, sys.path)])
    environment = {**os.environ, "ENZYME_CACHE_DIR": str(kept), "PYTHONPATH": path}
    done = subprocess.run(
        [sys.executable, "-m", program, *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_second_process_takes_everything_and_computes_the_same(tmp_path):
    first, second = (run(tmp_path, "tests.disk.kept_programs") for _ in range(2))
    assert first["taken"] == 0
    (reason,) = first[
        "not kept"
    ]  # what takes a typed dictionary out of its object is compiled in each process
    assert [text[:19] for text in (reason, *second["not kept"])] == ["of_dict is not kept"] * 2
    assert second["taken"] >= 29
    assert second["results"] == first["results"]


LEAN = """
import json, sys
import numpy as np
from numba import njit
from enzyme import Active, Duplicated, Reverse, autodiff

@njit
def f(x):
    return (x * x).sum()

x, dx = np.ones(3), np.zeros(3)
autodiff(Reverse, f, Active, Duplicated(x, dx))
compiler = {"enzyme.api.compile", "enzyme.engine.synthesis.driver", "enzyme.engine.derivatives.catalogue"}
print(json.dumps({"dx": dx.tolist(), "imported": sorted(compiler & set(sys.modules))}))
"""


def test_a_process_that_takes_a_derivative_does_not_import_the_compiler(tmp_path):
    (tmp_path / "lean.py").write_text(LEAN)
    first, second = (run(tmp_path / "kept", "lean", folder=tmp_path) for _ in range(2))
    assert first["dx"] == second["dx"] == [2.0, 2.0, 2.0]
    assert len(first["imported"]) == 3
    assert second["imported"] == []


@pytest.fixture
def kept(tmp_path):
    yield enzyme.cache(tmp_path / "kept")
    enzyme.cache(None)


@pytest.fixture
def said(caplog):
    caplog.set_level(logging.DEBUG, logger="enzyme")
    return lambda text: [r.getMessage() for r in caplog.records if text in r.getMessage()]


def scaled(factor):
    @njit
    def function(x):
        return factor * x * x

    return function


def slope(factor):
    ((found,),) = autodiff(Reverse, scaled(factor), Active, Active(1.0))
    return found


def derivative_in(folder: Path) -> Path:
    """The entry of a derivative: pieces have a name behind their digest."""
    (found,) = (p for p in folder.iterdir() if p.name.count(".") == 1)
    return found


def test_equal_programs_share_an_entry_and_others_do_not(kept, said):
    assert slope(3.0) == 6.0
    assert not said("taken from disk")
    assert slope(3.0) == 6.0
    assert len(said("taken from disk")) == 1
    assert slope(4.0) == 8.0
    assert len(said("taken from disk")) == 1


DAMAGE = {
    "cut": lambda path: path.write_bytes(path.read_bytes()[:-7]),
    "empty": lambda path: path.write_bytes(b""),
    "another mark": lambda path: path.write_bytes(b"x" + path.read_bytes()[1:]),
    "another byte": lambda path: path.write_bytes(path.read_bytes()[:-1] + b"?"),
    "writable by others": lambda path: path.chmod(0o666),
    "a link": lambda path: (path.rename(path.with_name("moved")), path.symlink_to("moved")),
    "a folder": lambda path: (path.unlink(), path.mkdir()),
    "a pipe": lambda path: (path.unlink(), os.mkfifo(path)),
    "under another name": lambda path: (
        Store(path.parent).write("0" * 64, b"content"),
        os.replace(path.with_name("0" * 64 + ".derivative"), path),
    ),
    "another class": lambda path: Store(path.parent).write(
        path.name.partition(".")[0], b"cnumpy\narray\n."
    ),
    "a command": lambda path: Store(path.parent).write(
        path.name.partition(".")[0], b"cbuiltins\neval\n(V1/0\ntR."
    ),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_what_cannot_be_trusted_is_compiled_around(kept, said, damage):
    assert slope(3.0) == 6.0
    DAMAGE[damage](derivative_in(kept))
    assert slope(3.0) == 6.0
    assert not said("taken from disk")


def test_a_file_is_no_folder(tmp_path):
    place = tmp_path / "file"
    place.write_text("no folder")
    with pytest.raises(NotADirectoryError, match="file is a file; give a folder"):
        enzyme.cache(place)
    assert slope(3.0) == 6.0


def test_a_folder_that_cannot_be_written(tmp_path, said):
    place = tmp_path / "folder"
    enzyme.cache(place)
    place.rmdir() if place.exists() else None
    place.write_text("in its way")
    try:
        assert slope(3.0) == 6.0
    finally:
        enzyme.cache(None)
    assert said("nothing is kept")


def test_a_symbol_that_is_not_there(kept, said, monkeypatch):
    """An entry that calls what this process has not is not loaded: LLVM would end the process."""
    assert slope(3.0) == 6.0
    monkeypatch.setattr("enzyme.frontend.thunks.Needs.provide", lambda self: ["missing"])
    assert slope(3.0) == 6.0


def test_the_oldest_go_first(tmp_path):
    store = Store(tmp_path, most_bytes=400)
    keys = [f"{k:064x}" for k in range(8)]
    (tmp_path / "mine.derivative").write_bytes(bytes(1000))
    for k, key in enumerate(keys):
        store.write(key, bytes(100))
        os.utime(tmp_path / f"{key}.derivative", (k, k))
        if k == 3:
            assert store.read(keys[2]) is not None  # is used, and stays
    left = [k for k, key in enumerate(keys) if store.read(key) is not None]
    assert (tmp_path / "mine.derivative").exists()
    assert left == [2, 7]
    assert stores.MOST_BYTES > 1 << 20


def test_many_processes_at_once(kept):
    children = []
    for _ in range(16):
        child = os.fork()
        if child == 0:
            code = 1
            try:
                code = 0 if slope(3.0) == 6.0 and slope(5.0) == 10.0 else 2
            finally:
                os._exit(code)
        children.append(child)
    assert [os.waitstatus_to_exitcode(os.waitpid(c, 0)[1]) for c in children] == [0] * 16
    assert not list(kept.glob("*.unfinished"))


def test_a_global_value_that_changed_after_it_was_compiled(kept, said):
    scope: dict = {"njit": njit, "factor": 2.0}
    exec("@njit\ndef inner(x): return factor * x\n@njit\ndef outer(x): return inner(x) * x", scope)
    assert autodiff(Reverse, scope["inner"], Active, Active(3.0)) == ((2.0,),)
    scope["factor"] = 5.0  # numba goes on with what it has compiled
    ((found,),) = autodiff(Reverse, scope["outer"], Active, Active(3.0))
    assert found in (12.0, 30.0)
    assert said("changed after it was compiled")
    assert len(list(p for p in kept.iterdir() if p.name.count(".") == 1)) == 1


def test_what_was_compiled_before_anything_was_kept(tmp_path, said):
    function = scaled(3.0)
    autodiff(Reverse, function, Active, Active(1.0))
    x, dx = np.ones(2), np.zeros(2)
    enzyme.cache(tmp_path)
    try:
        autodiff(Reverse, njit(lambda x: function(x[0])), Active, Duplicated(x, dx))
    finally:
        enzyme.cache(None)
    assert dx.tolist() == [6.0, 0.0]
    assert said("compiled before anything was kept")


def test_functions_with_a_cache_are_kept_in_the_users_folder(tmp_path, monkeypatch, said):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    function = njit(cache=True)(lambda x, y: x * y)
    assert autodiff(Reverse, function, Active, Active(2.0), Const(3.0)) == ((3.0, None),)
    assert autodiff(Reverse, njit(lambda x: x), Active, Active(2.0)) == ((1.0,),)
    assert len([p for p in (tmp_path / "enzyme-autodiff").iterdir() if p.name.count(".") == 1]) == 1
    enzyme.cache(False)
    try:
        again = njit(cache=True)(lambda x, y: x * y)
        assert autodiff(Reverse, again, Active, Active(2.0), Const(3.0)) == ((3.0, None),)
    finally:
        enzyme.cache(None)
    assert not said("taken from disk")


ADDRESSES = {
    "strided": np.arange(10.0)[::2],
    "large": np.ones(1 << 18),
}


@pytest.mark.parametrize("name", ADDRESSES)
def test_arrays_that_numba_refers_to_by_address(kept, said, name):
    """It copies small contiguous ones into the code; with others code runs in no other process."""
    table = ADDRESSES[name]
    expected = 2.0 * table[1]
    function = njit(lambda x: x * x * table[1])
    assert autodiff(Reverse, function, Active, Active(1.0)) == ((expected,),)
    assert said("refers to by its address")
    assert not [p for p in kept.glob("*") if p.name.count(".") == 1]
