"""Annotations: the three forms, the table of construction rules, and what messages say."""

import copy
import enum
import gc
import pickle
import weakref
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

import enzymecore as ec
from enzymecore import (
    Active,
    BatchDuplicated,
    BatchDuplicatedFunc,
    BatchDuplicatedNoNeed,
    BatchMixedDuplicated,
    Const,
    Duplicated,
    DuplicatedNoNeed,
    MixedDuplicated,
    batch_size,
    eltype,
    typeof,
)

SHADOWED = [Duplicated, DuplicatedNoNeed]
BATCHED = [BatchDuplicated, BatchDuplicatedNoNeed]


class Point(NamedTuple):
    x: Any
    y: Any


@dataclass
class Model:
    weights: Any
    bias: float = 0.0


@dataclass(frozen=True)
class Pair:
    count: int
    value: float


class Color(enum.Enum):
    RED = 1


def make_two():
    return (1.0, 2.0)


def ref(x):
    holder = np.empty((), object)
    holder[()] = x
    return holder


def instances():
    x, dx = np.ones(3), np.zeros(3)
    return [
        Const(x),
        Active(2.0),
        Duplicated(x, dx),
        DuplicatedNoNeed(x, dx),
        BatchDuplicated(x, (dx, dx)),
        BatchDuplicatedNoNeed(x, (dx,)),
        MixedDuplicated((1.0, x), ref((0.0, dx))),
        BatchMixedDuplicated((1.0, x), (ref((0.0, dx)), ref((0.0, dx)))),
        BatchDuplicatedFunc[float, 2, make_two](1.0),
        Duplicated(Duplicated(1.0, 2.0), Duplicated(3.0, 4.0)),
    ]


@pytest.mark.parametrize("annotation", instances(), ids=lambda a: type(a).__name__)
def test_every_annotation(annotation):
    assert isinstance(annotation, ec.Annotation)
    with pytest.raises(AttributeError, match="immutable"):
        annotation.val = 1
    with pytest.raises(AttributeError):
        annotation.other = 1
    with pytest.raises(AttributeError, match="immutable"):
        del annotation.val
    assert not hasattr(annotation, "__dict__")
    for twin in (pickle.loads(pickle.dumps(annotation)), copy.deepcopy(annotation)):
        assert type(twin) is type(annotation)
        assert typeof(twin) is typeof(annotation)
    cls = typeof(annotation)
    assert isinstance(annotation, cls)
    assert issubclass(cls, type(annotation))
    assert eltype(cls) == eltype(annotation) == typeof(annotation.val)
    assert pickle.loads(pickle.dumps(cls)) is cls
    assert type(annotation).__name__ in repr(annotation)


def test_annotation_is_abstract():
    with pytest.raises(ec.ActivityError, match="abstract"):
        ec.Annotation(1.0)


def test_parametrised_classes():
    T = typeof(np.zeros(3))
    assert Duplicated[T] is Duplicated[T]
    assert Duplicated[T] is not DuplicatedNoNeed[T]
    assert BatchDuplicated[T, 2] is BatchDuplicated[T, 2]
    assert BatchDuplicated[T, 2] is not BatchDuplicated[T, 3]
    assert issubclass(Duplicated[T], Duplicated)
    assert not issubclass(Duplicated[T], Duplicated[float])
    assert len({Duplicated[T], Duplicated[T], Const[T]}) == 2
    assert eltype(Duplicated[T]) == T
    assert Duplicated[T].eltype == T
    assert batch_size(BatchDuplicated[T, 2]) == 2
    assert repr(Duplicated[T]) == "Duplicated[float64[::1]]"
    assert repr(BatchDuplicated[float, 2]) == "BatchDuplicated[float64, 2]"
    assert Active[float] is Active[np.float64] is Active[typeof(1.0)] is Active[np.dtype("f8")]
    assert Active[(float, int)] is Active[typeof((1.0, 2))]


def test_instances_have_the_bare_class():
    made = Duplicated[float](1.0, 2.0)
    assert type(made) is Duplicated
    assert isinstance(made, Duplicated[float])
    assert not isinstance(made, Duplicated[int])
    assert not isinstance(made, Const[float])
    assert isinstance(BatchDuplicated(1.0, (1.0,)), BatchDuplicated[float, 1])
    assert not isinstance(BatchDuplicated(1.0, (1.0,)), BatchDuplicated[float, 2])


def test_parametrised_constructor_checks_types():
    with pytest.raises(ec.ShadowTypeError, match="float32"):
        Duplicated[np.float32](1.0, 2.0)
    with pytest.raises(TypeError, match="int64"):
        Duplicated[float](1.0, 2, check=False)
    with pytest.raises(ec.BatchSizeError, match="3 shadows, not 1"):
        BatchDuplicated[float, 3](1.0, (1.0,))
    frozen = np.zeros(2)
    frozen.flags.writeable = False
    assert Duplicated[typeof(frozen)](frozen, np.zeros(2)).val is frozen


def test_parameters_that_are_refused():
    with pytest.raises(TypeError, match="typeof"):
        Duplicated[1.0]
    with pytest.raises(ec.ActivityError, match="T, N"):
        BatchDuplicated[float]
    with pytest.raises(ec.BatchSizeError):
        BatchDuplicated[float, -1]
    with pytest.raises(ec.ActivityError, match="int"):
        BatchDuplicated[float, 1.5]
    with pytest.raises(ec.ActivityError, match="already"):
        Duplicated[float][float]


def test_parametrised_classes_are_not_kept_alive():
    def function():
        return 1.0

    cls = Const[typeof(function)]
    assert Const[typeof(function)] is cls
    watch = weakref.ref(function)
    del cls, function
    gc.collect()
    assert watch() is None


def test_eltype_and_batch_size_refuse():
    with pytest.raises(ec.ActivityError, match="bare class"):
        eltype(Duplicated)
    with pytest.raises(ec.ActivityError, match=r"Const\(x\)"):
        eltype(1.0)
    for x in (Duplicated(1.0, 1.0), Duplicated, Const[float], 3):
        with pytest.raises(ec.ActivityError, match="no batch size"):
            batch_size(x)
    with pytest.raises(ec.ActivityError, match="bare class"):
        batch_size(BatchDuplicated)


def test_const_of_classes():
    assert typeof(Const(int)) is Const[typeof(int)]
    assert repr(typeof(Const(int))) == "Const[type[int]]"
    assert typeof(Const(np.dtype("f4"))) is typeof(Const(np.float32))


# --- Active ----------------------------------------------------------------------------------


@pytest.mark.parametrize("x", [3, np.int32(3), np.uint8(3), 3.0])
def test_active_converts_integers(x):
    assert typeof(Active(x).val) == typeof(1.0)
    assert Active(x).val == 3.0


@pytest.mark.parametrize("x", [True, np.True_])
def test_active_converts_bools(x):
    assert typeof(Active(x).val) == typeof(1.0)
    assert Active(x).val == 1.0


@pytest.mark.parametrize("x", [np.float32(3), np.float16(3), 1j, np.complex64(1j), np.float64(2)])
def test_active_keeps_the_width(x):
    assert Active(x).val is x


@pytest.mark.parametrize(
    "x", [(1, 2.2), Point(1, 2.0), Pair(3, 1.2), None, "text", (1.0, np.ones(2))]
)
def test_active_takes_other_immutable_values_as_they_are(x):
    assert Active(x).val is x


@pytest.mark.parametrize(
    "x",
    [
        np.zeros(3),
        np.zeros(()),
        np.zeros((2, 2), int),
        [1.0],
        [1, 2],
        {"a": 1.0},
        {1.0},
        bytearray(b"x"),
        Model(np.zeros(2)),
    ],
    ids=lambda x: type(x).__name__,
)
def test_active_refuses_mutable_containers(x):
    with pytest.raises(ec.ActivityError) as caught:
        Active(x)
    text = str(caught.value)
    assert "Duplicated(x, make_zero(x))" in text
    assert "Const(x)" in text
    assert isinstance(caught.value, TypeError)


# --- congruence ------------------------------------------------------------------------------

TYPE_MISMATCH = [
    (1.0, 1, "", ("float64", "int64", "1.0")),
    (1.0, np.float32(1), "", ("float64", "float32")),
    (np.zeros(3), np.zeros(3, "f4"), "", ("dtype", "float64", "float32")),
    (np.zeros(3), [0.0] * 3, "", ("ndarray", "list")),
    ((1.0, 2.0), (1.0, 2), "[1]", ("float64", "int64")),
    ((1.0,), (1.0, 2.0), "", ("length",)),
    (Point(1.0, (2.0,)), Point(1.0, (2,)), ".y[0]", ("int64",)),
    (Point(1.0, 2.0), (1.0, 2.0), "", ("Point", "tuple")),
    ({"w": [1.0]}, {"w": [1]}, "['w'][0]", ("int64",)),
    (Model(np.zeros(2)), Model(np.zeros(2, "f4")), ".weights", ("float32",)),
    (1.0, None, "", ("none",)),
    (Duplicated(1.0, 1.0), Const(1.0), "", ("Duplicated", "Const")),
]
LAYOUT_MISMATCH = [
    (np.zeros(3), np.zeros(2), "", ("shape", "(3,)", "(2,)")),
    (np.zeros(3), np.zeros((3, 1)), "", ("shape", "(3, 1)")),
    (np.zeros((2, 3)), np.zeros((2, 3), order="F"), "", ("strides", "C order", "F order")),
    (np.zeros(6)[::2], np.zeros(3), "", ("(16,)", "(8,)")),
    ([1.0], [1.0, 2.0], "", ("length", "1", "2")),
    ((1.0, [np.zeros(3)]), (1.0, [np.zeros(4)]), "[1][0]", ("(4,)",)),
    ({"a": 1.0}, {"b": 1.0}, "", ("keys", "a", "b")),
    (Point(np.zeros(2), 1.0), Point(np.zeros(3), 1.0), ".x", ("shape",)),
]


@pytest.mark.parametrize("cls", SHADOWED)
@pytest.mark.parametrize(("x", "dx", "path", "words"), TYPE_MISMATCH)
def test_type_mismatch(cls, x, dx, path, words):
    with pytest.raises(ec.ShadowTypeError) as caught:
        cls(x, dx)
    assert isinstance(caught.value, TypeError)
    assert caught.value.path == path
    for word in (*words, path):
        assert word in str(caught.value)
    assert cls(x, dx, check=False).dval is dx
    assert not ec.congruent(x, dx)


@pytest.mark.parametrize("cls", SHADOWED)
@pytest.mark.parametrize(("x", "dx", "path", "words"), LAYOUT_MISMATCH)
def test_layout_mismatch(cls, x, dx, path, words):
    with pytest.raises(ec.ShadowLayoutError) as caught:
        cls(x, dx)
    assert isinstance(caught.value, ValueError)
    assert caught.value.path == path
    for word in (*words, path):
        assert word in str(caught.value)
    assert cls(x, dx, check=False).dval is dx


@pytest.mark.parametrize(
    ("x", "dx"),
    [
        (1.0, np.float64(2.0)),
        (1, 2),
        ("1.0", "1.0"),
        (None, None),
        (np.zeros((2, 3), order="F"), np.ones((2, 3), order="F")),
        (np.zeros((4, 4))[1:3, 1:3], np.ones((4, 4))[:2, :2]),
        (np.zeros(()), np.ones(())),
        (np.zeros((0, 3)), np.zeros((0, 3), order="F")),
        (np.zeros((3, 1)), np.zeros((3, 2))[:, :1].copy(order="F")),
        ((1.0, "a", np.zeros(2)), (0.0, "b", np.zeros(2))),
        (np.array([1.0, None], object), np.array([2.0, None], object)),
        (Model([1.0]), Model([2.0])),
        (len, max),
    ],
)
def test_congruent_pairs(x, dx):
    assert Duplicated(x, dx).dval is dx


def test_same_object_is_a_legal_shadow():
    x = np.zeros(3)
    assert Duplicated(x, x).dval is x
    assert BatchDuplicated(x, (x, x)).dval == (x, x)


def test_cycles_are_compared():
    x, dx = [1.0], [2.0]
    x.append(x)
    dx.append(dx)
    assert Duplicated(x, dx).val is x
    dx[0] = 2
    with pytest.raises(ec.ShadowTypeError):
        Duplicated(x, dx)


def test_congruent_is_extensible():
    class Sparse:
        def __init__(self, rows):
            self.rows = rows

    ec.congruent.register(Sparse, lambda x, y: x.rows == y.rows or "sparsity pattern")
    try:
        assert Duplicated(Sparse([1]), Sparse([1]))
        with pytest.raises(ec.ShadowLayoutError, match="sparsity pattern"):
            Duplicated(Sparse([1]), Sparse([2]))
    finally:
        ec.congruent.unregister(Sparse)


@pytest.mark.parametrize("format", ["csr", "csc", "coo"])
def test_sparse_matrices_need_the_same_pattern(format):
    sparse = pytest.importorskip("scipy.sparse")
    x = sparse.coo_array(np.array([[5.0, 0.0, 6.0]])).asformat(format)
    shadow = ec.make_zero(x)
    assert shadow.nnz == 2
    assert not shadow.toarray().any()
    Duplicated(x, shadow)
    dropped = sparse.coo_array(np.array([[0.0, 0.0, 1.0]])).asformat(format)
    with pytest.raises(ec.ShadowLayoutError, match="sparsity pattern"):
        Duplicated(x, dropped)


# --- batch and mixed -------------------------------------------------------------------------


@pytest.mark.parametrize("cls", BATCHED)
def test_batches(cls):
    x = np.zeros(2)
    assert batch_size(cls(x, (np.ones(2),))) == 1
    assert batch_size(cls(x, ())) == 0
    with pytest.raises(ec.ActivityError, match="tuple of shadows"):
        cls(x, [np.zeros(2), np.zeros(2)])
    with pytest.raises(ec.ActivityError, match="tuple"):
        cls(x, np.zeros(2), check=False)
    with pytest.raises(ec.ShadowLayoutError, match="shadow 1 differs"):
        cls(x, (np.zeros(2), np.zeros(3)))
    assert cls(x, (np.zeros(3),), check=False)


def test_mixed():
    x = np.zeros(2)
    MixedDuplicated((1.0, x), ref((0.0, np.zeros(2))))
    MixedDuplicated((1.0, x), [(0.0, np.zeros(2))])
    MixedDuplicated(2.0, np.array([0.0]))
    with pytest.raises(ec.ActivityError, match="Ref"):
        MixedDuplicated((1.0, x), (0.0, np.zeros(2)))
    with pytest.raises(ec.ShadowTypeError):
        MixedDuplicated((1.0, x), ref((0, np.zeros(2))))
    with pytest.raises(ec.ShadowLayoutError):
        BatchMixedDuplicated((1.0, x), (ref((0.0, np.zeros(3))),))
    assert isinstance(MixedDuplicated(2.0, np.array(0.0)), MixedDuplicated[float])


def test_batch_duplicated_func():
    cls = BatchDuplicatedFunc[float, 2, make_two]
    assert ec.get_func(cls) is make_two
    assert ec.get_func(cls(3.0)) is make_two
    assert batch_size(cls(3.0)) == batch_size(cls) == 2
    assert not hasattr(cls(3.0), "dval")
    with pytest.raises(ec.ActivityError, match="parameters"):
        BatchDuplicatedFunc(3.0)
    with pytest.raises(ec.ActivityError):
        ec.get_func(BatchDuplicatedFunc)


# --- memory of shadows -----------------------------------------------------------------------


def test_overlap():
    x = np.zeros(6)
    assert ec.shadow_overlaps_primal(Duplicated(x, np.zeros(6))) is None
    assert ec.shadow_overlaps_primal(Duplicated(x, x)) is None
    assert ec.shadow_overlaps_primal(Const(x)) is None
    assert ec.shadow_overlaps_primal(Duplicated(1.0, 1.0)) is None
    assert ec.shadow_overlaps_primal(Duplicated(x, x[:])) is not None
    assert ec.shadow_overlaps_primal(Duplicated(x[::2], x[1::2])) is None
    assert ec.shadow_overlaps_primal(Duplicated((1.0, x), (1.0, x))) is None
    y = np.zeros(6)
    message = ec.shadow_overlaps_primal(BatchDuplicated((x, y), ((np.zeros(6), x), (x, y))))
    assert message == "the shadow 0 at [1] shares memory with the primal at [0]"


def test_read_only_shadow():
    frozen = np.zeros(3)
    frozen.flags.writeable = False
    assert ec.shadow_not_writable(Duplicated(np.zeros(3), frozen))
    assert ec.shadow_not_writable(Duplicated(frozen, np.zeros(3))) is None
    assert ec.shadow_not_writable(Duplicated(frozen, frozen)) is None
    message = ec.shadow_not_writable(Duplicated([np.zeros(3)], [frozen]))
    assert message == "the shadow at [0] is a read-only array"
