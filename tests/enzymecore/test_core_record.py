"""Records behave as frozen data classes do."""

import copy
import pickle
from dataclasses import (
    FrozenInstanceError,
    astuple,
    dataclass,
    field,
    fields,
    is_dataclass,
    replace,
)

import pytest

from enzymecore.record import record


@record
class Quick:
    x: int
    items: tuple = ()
    seen: list = field(default_factory=list, repr=False, compare=False)


@dataclass(frozen=True)
class Usual:
    x: int
    items: tuple = ()
    seen: list = field(default_factory=list, repr=False, compare=False)


@record(kw_only=True)
class Base:
    a: int = 1

    def __post_init__(self):
        if self.a < 0:
            raise ValueError(self.a)


@record(kw_only=True)
class Other(Base):
    b: int = 2

    def __repr__(self):
        return "other"


@pytest.mark.parametrize(
    "ask",
    [
        lambda cls: cls(1) == cls(1, (), [3]),
        lambda cls: cls(1) == cls(2),
        lambda cls: cls(1) == (1, (), []),
        lambda cls: hash(cls(1)) == hash(cls(1, (), [3])),
        lambda cls: repr(cls(1, (2,))).partition("(")[2],
        lambda cls: replace(cls(1), items=(5,)) == cls(1, (5,)),
        lambda cls: astuple(cls(1, (2,), [3])),
        lambda cls: [f.name for f in fields(cls)],
        lambda cls: is_dataclass(cls),
        lambda cls: cls.__match_args__,
        lambda cls: pickle.loads(pickle.dumps(cls(1, (2,), [3]))) == cls(1, (2,)),
        lambda cls: pickle.loads(pickle.dumps(cls(1, (2,), [3]))).seen,
        lambda cls: copy.deepcopy(cls(1)) is cls(1),
        lambda cls: cls(1).seen is cls(1).seen,
    ],
)
def test_they_do_what_frozen_data_classes_do(ask):
    assert ask(Quick) == ask(Usual)


@pytest.mark.parametrize("name", ["x", "items", "seen", "unknown"])
@pytest.mark.parametrize("cls", [Quick, Usual])
def test_no_attribute_can_be_set_or_deleted(cls, name):
    made = cls(1)
    with pytest.raises(FrozenInstanceError):
        setattr(made, name, 2)
    with pytest.raises(FrozenInstanceError):
        delattr(made, name)
    assert made == cls(1)


def test_they_inherit_fields_and_keep_what_a_class_writes_itself():
    assert (Other().a, Other(a=3, b=4).b) == (1, 4)
    assert repr(Other()) == "other"
    assert repr(Base()) == "Base(a=1)"
    assert Other() != Base()
    assert hash(Other()) == hash(Other())
    with pytest.raises(ValueError, match="-1"):
        Other(a=-1)
    with pytest.raises(TypeError):
        Other(1)
