"""Errors: parts and text, builtin bases, pickling; source locations."""

import inspect
import pickle

import pytest

import enzyme.errors as errors
from enzyme.source import SourceLoc, excerpt, read_line, underline
from enzymecore.errors import EnzymeError, Location

CLASSES = [
    cls for cls in vars(errors).values() if inspect.isclass(cls) and issubclass(cls, BaseException)
]
BASES = {
    "EnzymeRuntimeException": RuntimeError,
    "EnzymeRuntimeActivityError": RuntimeError,
    "EnzymeConstStorageError": ValueError,
    "EnzymeMutabilityException": TypeError,
    "EnzymeNoDerivativeError": NotImplementedError,
    "IllegalTypeAnalysisException": TypeError,
    "EnzymeInternalError": RuntimeError,
    "EnzymeNonScalarReturnException": ValueError,
    "NonInferredActiveReturn": TypeError,
    "ThunkCallError": TypeError,
    "CustomRuleError": TypeError,
    "ForwardRuleReturnError": TypeError,
    "AugmentedRuleReturnError": TypeError,
    "ReverseRuleReturnError": TypeError,
    "NonConstantKeywordArgException": ValueError,
    "MixedReturnException": TypeError,
    "CompilationException": EnzymeError,
    "ActivityError": TypeError,
    "BatchSizeError": ValueError,
    "ModeError": TypeError,
    "ShadowTypeError": TypeError,
    "ShadowLayoutError": ValueError,
    "ImmutableZeroError": ValueError,
    "IRParseError": ValueError,
    "IRVerifyError": ValueError,
}


def test_every_class_has_its_builtin_base():
    for name, base in BASES.items():
        assert issubclass(getattr(errors, name), base), name
    assert {cls.__name__ for cls in CLASSES} >= set(BASES)
    assert set(errors.__all__) >= {cls.__name__ for cls in CLASSES}


def test_errors_of_indices_are_those_of_python():
    error = errors.OutOfBoundsError(4, 3, 1)
    for each in (error, pickle.loads(pickle.dumps(error))):
        assert isinstance(each, IndexError)
        assert str(each) == "index 4 is out of bounds for axis 1 with size 3"


@pytest.mark.parametrize(
    "cls", [c for c in CLASSES if c.__name__ != "OutOfBoundsError"], ids=lambda cls: cls.__name__
)
def test_every_class_has_parts_and_is_picklable(cls):
    assert issubclass(cls, EnzymeError)
    plain = cls("it went wrong")
    assert str(plain) == plain.what == "it went wrong"
    error = cls(
        where=SourceLoc("model.py", 41, 0, "loss"),
        what="what",
        why="why",
        todo=("first", "second"),
        ir="define void @f()",
    )
    for each in (error, pickle.loads(pickle.dumps(error))):
        assert type(each) is cls
        assert each.where == SourceLoc("model.py", 41, 0, "loss")
        assert (each.what, each.why, each.todo) == ("what", "why", ("first", "second"))
        assert each.show_ir() == "define void @f()"
        assert str(each).splitlines() == [
            "model.py:41, in loss",
            "what",
            "  why: why",
            "  what to do:",
            "    - first",
            "    - second",
        ]
        assert "define" not in str(each)


def test_details_become_attributes():
    error = errors.EnzymeConstStorageError("x", argument="tmp", store="a.py:3")
    assert (error.argument, error.store) == ("tmp", "a.py:3")
    assert pickle.loads(pickle.dumps(error)).argument == "tmp"


def test_parse_error_shows_the_line():
    error = errors.IRParseError("unknown instruction", line=7, text="  frob i32", column=3)
    assert (error.line, error.text, error.column) == (7, "  frob i32", 3)
    assert str(error) == "IR line 7:\n  frob i32\n  ^\nunknown instruction"
    assert pickle.loads(pickle.dumps(error)).line == 7
    assert str(errors.IRParseError("empty")) == "empty"


def test_source_line_in_messages(tmp_path):
    file = tmp_path / "model.py"
    file.write_text("def loss(s):\n    y = special.zeta(s, 1.0)\n    return y\n")
    loc = SourceLoc(str(file), 2, 9, "loss")
    assert isinstance(loc, Location)
    assert read_line(loc) == "    y = special.zeta(s, 1.0)"
    shown = f"{file}:2:9, in loss\n    y = special.zeta(s, 1.0)\n        ^^^^^^^^^^^^"
    assert excerpt(loc) == loc.excerpt() == shown
    error = errors.EnzymeNoDerivativeError(where=loc, what="no derivative of 'zeta'", symbol="zeta")
    assert str(error) == f"{shown}\nno derivative of 'zeta'"
    packed = pickle.dumps(error)
    file.unlink()
    assert str(pickle.loads(packed)) == str(error)


def test_source_that_cannot_be_read():
    assert excerpt(SourceLoc("nowhere.py", 3)) == "nowhere.py:3"
    assert read_line(SourceLoc("nowhere.py", 0)) == ""
    assert str(SourceLoc("nowhere.py", 0)) == "nowhere.py"


def test_underline():
    assert underline("\tx = 1\ty", 8) == "    x = 1\ty\n         \t^"
    assert underline("x = 1", 99) == "    x = 1"
    assert underline("x = 1", 3) == "    x = 1\n      ^"
