"""Names of other packages: what is said leads to something that is there."""

from __future__ import annotations

import ast
import importlib
import re
from pathlib import Path

import pytest

import enzyme
import enzyme.api
from enzyme.spellings import HERE, SWITCHES


@pytest.mark.parametrize("name", HERE)
def test_hint(name):
    assert name not in enzyme.__all__
    with pytest.raises(AttributeError, match=f"{name!r}; in place of it there is"):
        getattr(enzyme, name)
    for found in re.findall(r"`([\w.]+)`", HERE[name]):
        module, _, attribute = found.rpartition(".")
        assert hasattr(importlib.import_module(module or "enzyme"), attribute)


@pytest.mark.parametrize("name", SWITCHES)
def test_switches_of_enzyme(name):
    """Each is there, or said to be something else; what stands in backquotes is there."""
    for asked in (name, f"set_{name}"):
        with pytest.raises(AttributeError, match="in place of it there is") as caught:
            getattr(enzyme.api, asked)
        for here in re.findall(r"`(\w+)`", str(caught.value)):
            assert hasattr(enzyme.api, here) or hasattr(enzyme, here)


def test_no_hint():
    with pytest.raises(AttributeError, match=r"no attribute 'nonsense'$"):
        _ = enzyme.nonsense


def test_every_name_is_there():
    for name in enzyme.__all__:
        assert getattr(enzyme, name) is not None
    assert sorted(set(enzyme.__all__)) == sorted(enzyme.__all__)


@pytest.mark.parametrize("module", [enzyme, enzyme.api], ids=lambda module: module.__name__)
def test_names_loaded_late_stand_in_the_code(module):
    """Checkers of types and the reference follow imports, and know of no `__getattr__`."""
    tree = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))
    [block] = [node for node in tree.body if isinstance(node, ast.If)]
    assert ast.unparse(block.test) == "TYPE_CHECKING"
    found = {
        alias.name: node.module
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert set(found) == {*module._HOMES, *getattr(module, "_ELSEWHERE", ())}
    for name, home in found.items():
        assert getattr(importlib.import_module(home), name) is getattr(module, name)
        assert name in module.__all__
