"""Names of other packages: what is said leads to something that is there."""

from __future__ import annotations

import importlib
import re

import pytest

import enzyme
from enzyme.spellings import HERE


@pytest.mark.parametrize("name", HERE)
def test_hint(name):
    assert name not in enzyme.__all__
    with pytest.raises(AttributeError, match=f"{name!r}; in place of it there is"):
        getattr(enzyme, name)
    for found in re.findall(r"`([\w.]+)`", HERE[name]):
        module, _, attribute = found.rpartition(".")
        assert hasattr(importlib.import_module(module or "enzyme"), attribute)


def test_no_hint():
    with pytest.raises(AttributeError, match=r"no attribute 'nonsense'$"):
        _ = enzyme.nonsense


def test_every_name_is_there():
    for name in enzyme.__all__:
        assert getattr(enzyme, name) is not None
    assert sorted(set(enzyme.__all__)) == sorted(enzyme.__all__)
