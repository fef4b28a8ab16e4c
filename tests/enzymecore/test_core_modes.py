"""Modes: constants, modifiers, their identities, and what is refused."""

import itertools
import pickle
from types import SimpleNamespace

import pytest

import enzymecore as ec

REVERSE_MODES = [
    ec.ReverseMode(
        return_primal=p,
        holomorphic=h,
        err_if_func_written=e,
        err_if_const_written=c,
        runtime_activity=r,
        strong_zero=s,
        abi=abi,
    )
    for p, h, e, c, r, s in itertools.product((False, True), repeat=6)
    for abi in (ec.FFIABI, ec.InlineABI)
]
ALL_MODES = [
    ec.Forward,
    ec.ForwardWithPrimal,
    ec.Reverse,
    ec.ReverseWithPrimal,
    ec.ReverseHolomorphic,
    ec.ReverseHolomorphicWithPrimal,
    ec.ReverseSplitNoPrimal,
    ec.ReverseSplitWithPrimal,
]


def test_constants():
    assert ec.Forward == ec.ForwardMode()
    assert ec.ForwardWithPrimal == ec.ForwardMode(return_primal=True)
    assert ec.Reverse == ec.ReverseMode(return_primal=False)
    assert ec.ReverseWithPrimal == ec.ReverseMode(return_primal=True)
    assert ec.ReverseHolomorphic == ec.ReverseMode(holomorphic=True)
    assert ec.ReverseHolomorphicWithPrimal == ec.ReverseMode(holomorphic=True, return_primal=True)
    assert ec.ReverseSplitNoPrimal == ec.ReverseModeSplit(
        return_primal=False, return_shadow=True, width=0, modified_between=True
    )
    assert ec.ReverseSplitWithPrimal == ec.ReverseModeSplit(return_primal=True)
    assert len(set(ALL_MODES)) == len(ALL_MODES)


@pytest.mark.parametrize("mode", ALL_MODES, ids=repr)
def test_defaults(mode):
    assert mode.abi is ec.FFIABI is ec.DefaultABI
    assert not mode.runtime_activity
    assert not mode.strong_zero
    assert not mode.err_if_func_written
    assert mode.err_if_const_written


@pytest.mark.parametrize("mode", ALL_MODES, ids=repr)
def test_modes_are_immutable_hashable_picklable(mode):
    with pytest.raises(AttributeError):
        mode.abi = ec.InlineABI
    copy = pickle.loads(pickle.dumps(mode))
    assert copy == mode
    assert hash(copy) == hash(mode)
    assert eval(repr(mode), vars(ec)) == mode


@pytest.mark.parametrize("mode", REVERSE_MODES, ids=repr)
def test_split_and_combined_are_inverse(mode):
    assert ec.Combined(ec.Split(mode)) == mode
    assert ec.Split(mode).holomorphic == mode.holomorphic
    assert ec.Split(ec.Split(mode)) == ec.Split(mode)
    assert ec.Combined(mode) is mode


def test_split_of_the_constants():
    assert ec.Split(ec.Reverse) == ec.ReverseSplitNoPrimal
    assert ec.Split(ec.ReverseWithPrimal) == ec.ReverseSplitWithPrimal
    assert ec.Split(ec.ReverseHolomorphic).holomorphic
    split = ec.Split(ec.Reverse, False, 3, (True, False), True)
    assert (split.return_shadow, split.width, split.modified_between, split.shadow_init) == (
        False,
        3,
        (True, False),
        True,
    )


def test_primal():
    assert ec.NoPrimal(ec.WithPrimal(ec.Forward)) == ec.Forward
    assert ec.WithPrimal(ec.Forward) == ec.ForwardWithPrimal
    assert ec.WithPrimal(ec.ReverseSplitNoPrimal) == ec.ReverseSplitWithPrimal


SWITCHES = [
    (ec.set_err_if_func_written, ec.clear_err_if_func_written, "err_if_func_written"),
    (ec.set_runtime_activity, ec.clear_runtime_activity, "runtime_activity"),
    (ec.set_strong_zero, ec.clear_strong_zero, "strong_zero"),
]


@pytest.mark.parametrize("mode", ALL_MODES, ids=repr)
@pytest.mark.parametrize(("set_it", "clear_it", "name"), SWITCHES, ids=[s[2] for s in SWITCHES])
def test_set_then_clear_is_identity_and_disturbs_nothing(mode, set_it, clear_it, name):
    changed = set_it(mode)
    assert getattr(changed, name) is True
    assert clear_it(changed) == mode
    assert type(changed) is type(mode)
    assert changed.abi is mode.abi
    assert changed.return_primal == mode.return_primal


@pytest.mark.parametrize("mode", ALL_MODES, ids=repr)
def test_const_written_switch_is_on_by_default(mode):
    cleared = ec.clear_err_if_const_written(mode)
    assert not cleared.err_if_const_written
    assert ec.set_err_if_const_written(cleared) == mode


@pytest.mark.parametrize("mode", ALL_MODES, ids=repr)
def test_vector_math_is_on_by_default(mode):
    cleared = ec.clear_vector_math(mode)
    assert not cleared.vector_math and ec.set_vector_math(mode, cleared) == cleared
    assert ec.set_vector_math(cleared) == mode == ec.set_vector_math(mode, True)
    assert ec.set_vector_math(mode, False) == cleared


@pytest.mark.parametrize("mode", ALL_MODES, ids=repr)
@pytest.mark.parametrize(
    ("setter", "getter", "name"),
    [
        (ec.set_runtime_activity, ec.runtime_activity, "runtime_activity"),
        (ec.set_strong_zero, ec.strong_zero, "strong_zero"),
    ],
)
def test_four_forms(mode, setter, getter, name):
    on = setter(mode)
    assert getter(on)
    assert setter(mode, True) == on
    assert setter(on, False) == mode
    assert setter(mode, setter(ec.Reverse)) == on
    assert setter(on, ec.Forward) == mode
    config = SimpleNamespace(runtime_activity=False, strong_zero=False, needs_primal=True)
    assert setter(on, config) == mode
    setattr(config, name, True)
    assert setter(mode, config) == on
    assert getter(config)


def test_getters_of_classes_and_configs():
    assert not ec.needs_primal(ec.ReverseMode)
    assert not ec.runtime_activity(ec.ForwardMode)
    assert ec.needs_primal(SimpleNamespace(needs_primal=True))
    assert ec.needs_primal(ec.ReverseSplitWithPrimal)


def test_set_abi():
    for abi in (ec.FFIABI, ec.InlineABI, ec.NonGenABI):
        assert ec.set_abi(ec.set_strong_zero(ec.Reverse), abi).abi is abi
    with pytest.raises(ec.ModeError, match="subclass of ABI"):
        ec.set_abi(ec.Reverse, int)


def test_split_settings():
    assert ec.ReverseSplitWidth(ec.ReverseSplitWithPrimal, 3).width == 3
    changed = ec.ReverseSplitModified(ec.ReverseSplitWithPrimal, [False, True])
    assert changed.modified_between == (False, True)
    with pytest.raises(ec.ModeError, match=r"Split\(mode\)"):
        ec.ReverseSplitWidth(ec.Reverse, 3)
    with pytest.raises(ec.BatchSizeError, match="negative"):
        ec.ReverseSplitWidth(ec.ReverseSplitNoPrimal, -1)
    with pytest.raises(ec.ModeError, match="tuple of bools"):
        ec.ReverseSplitModified(ec.ReverseSplitNoPrimal, (0, 1))


def test_aliases():
    assert ec.with_primal is ec.WithPrimal
    assert ec.no_primal is ec.NoPrimal
    assert ec.split is ec.Split
    assert ec.combined is ec.Combined


def test_what_is_refused():
    with pytest.raises(ec.ModeError, match="only a reverse mode"):
        ec.Split(ec.Forward)
    with pytest.raises(ec.ModeError, match="only a reverse mode"):
        ec.Combined(ec.Forward)
    with pytest.raises(ec.ModeError, match=r"ForwardMode\(\)"):
        ec.WithPrimal(ec.ForwardMode)
    with pytest.raises(ec.ModeError, match="abstract"):
        ec.Mode()
    with pytest.raises(TypeError, match="cannot be read"):
        ec.set_strong_zero(ec.Forward, "yes")
