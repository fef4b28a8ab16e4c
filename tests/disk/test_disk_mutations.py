"""No change of a program, of a call or of what derivatives are made by leaves its digest as it was."""

from __future__ import annotations

import dataclasses
import itertools

import pytest

from enzyme.api import kept
from enzyme.disk import made_by
from enzyme.disk.files import in_folder
from enzyme.disk.fingerprint import Unknown
from enzymecore import Forward, Reverse, ReverseSplitWithPrimal
from tests.disk import mutations
from tests.disk.mutations import CHANGES, VALUES, WAYS, annotations, dispatcher, signature


def digest(function, call=None) -> str:
    return kept._digest_of(function, call or signature()).digest()


@pytest.mark.parametrize("way", WAYS)
def test_a_value_that_changes_changes_the_digest(way):
    for name, (old, new) in VALUES.items():
        before, again, after = (digest(dispatcher(WAYS[way], v)) for v in (old, old, new))
        assert before == again, f"{way}, {name}: not the same for the same program"
        assert before != after, f"{way}, {name}: the same for another program"


@pytest.mark.parametrize("change", CHANGES)
def test_a_program_that_changes_changes_the_digest(change):
    old, new = CHANGES[change]
    before, again, after = (digest(dispatcher(source)) for source in (old, old, new))
    assert before == again
    assert before != after


def test_each_call_has_a_digest_of_its_own():
    f = dispatcher("@njit\ndef f(x): return x")
    found: dict[str, str] = {}
    for name, annotation in annotations():
        mine = digest(f, signature(annotation, wanted=None))
        assert mine not in found, f"{name} is taken for {found.get(mine)}"
        found[mine] = name
    assert len(found) > 25


def test_each_setting_of_a_mode_has_a_digest_of_its_own():
    f = dispatcher("@njit\ndef f(x): return x")
    digests = []
    for mode in (Forward, Reverse, ReverseSplitWithPrimal):
        settings = [mode]
        for field in dataclasses.fields(mode):
            value = getattr(mode, field.name)
            if isinstance(value, bool):
                settings.append(dataclasses.replace(mode, **{field.name: not value}))
        digests += [
            digest(f, dataclasses.replace(signature(), mode=setting)) for setting in settings
        ]
        digests.append(digest(f, dataclasses.replace(signature(), mode=mode, width=2)))
    assert len(set(digests)) == len(digests) > 15


def test_the_table_is_long_enough():
    assert len(WAYS) * len(VALUES) + len(CHANGES) > 200


VERSIONS = {
    "python": ("sys", "version"),
    "numba": ("numba", "__version__"),
    "llvmlite": ("llvmlite", "__version__"),
    "numpy": ("np", "__version__"),
}


@pytest.mark.parametrize("name", VERSIONS)
def test_a_version_that_changes_changes_the_digest(name, monkeypatch):
    module, attribute = VERSIONS[name]
    before = made_by.digest()
    made_by.constant_part.cache_clear()
    monkeypatch.setattr(getattr(made_by, module), attribute, "0.0.1")
    try:
        assert made_by.digest() != before
    finally:
        monkeypatch.undo()
        made_by.constant_part.cache_clear()
    assert made_by.digest() == before


@pytest.mark.parametrize("name", ["cpu", "features", "triple"])
def test_a_processor_that_changes_changes_the_digest(name, monkeypatch):
    before = made_by.digest()
    made_by.constant_part.cache_clear()
    monkeypatch.setattr(made_by.host, name, lambda: "another")
    try:
        assert made_by.digest() != before
    finally:
        monkeypatch.undo()
        made_by.constant_part.cache_clear()


def test_a_file_of_the_library_that_changes_changes_the_digest(tmp_path):
    for package, size in itertools.product(("a", "b"), (1, 2)):
        (tmp_path / f"{package}.py").write_text("x" * size)
    before = list(in_folder(str(tmp_path), "package", (".py",)))
    (tmp_path / "a.py").write_text("y" * 3)
    assert list(in_folder(str(tmp_path), "package", (".py",))) != before


def test_a_switch_that_changes_changes_the_digest(monkeypatch):
    before = made_by.digest()
    monkeypatch.setenv("ENZYME_VECTOR_MATH", "0")
    other = made_by.digest()
    monkeypatch.setattr(made_by.config, "BOUNDSCHECK", 1)
    assert len({before, other, made_by.digest()}) == 3


UNKNOWN = {
    "jitclass": "from numba.experimental import jitclass\n@jitclass([('a', types.float64)])\nclass C:\n"
    "    def __init__(self): self.a = 1.0\n@njit\ndef f(x): return C().a * x",
    "exception in no module": "class E(Exception): pass\n@njit\ndef f(x):\n    if x > 1: raise E\n    return x",
    "stencil": "@stencil\ndef g(x): return x[0]\n@njit\ndef f(x): return g(x)",
    "object": "V = object()\n@njit\ndef f(x): return V",
    "pipeline": "from numba.core.compiler import CompilerBase\nclass C(CompilerBase): pass\n"
    "@njit(pipeline_class=C)\ndef f(x): return x",
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_what_content_does_not_tell_has_no_digest(name):
    with pytest.raises(Unknown):
        digest(mutations.dispatcher(UNKNOWN[name]))
