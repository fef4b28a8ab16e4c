"""Tuples, lists, dictionaries."""

from __future__ import annotations

from tests.fuzz.expressions import Scope
from tests.fuzz.statements import Feature, Made, Statements

# --- tuples ---------------------------------------------------------------------------------------


def triple(w: Statements, s: Scope) -> Made:
    """Three floats."""
    p = w.name("p")
    atoms = [f"{p}[0]", f"{p}[{w.index(s, 3)}]", f"{p}[-1]"]
    return [f"{p} = {three(w, s)}"], s.plus("triple", p, atoms=atoms)


def three(w: Statements, s: Scope) -> str:
    return f"({w.bounded(s)} * 1.0, {w.leaf(s)} * 1.0, {w.leaf(s)} * 1.0)"


def triple_again(w: Statements, s: Scope) -> Made:
    p, i = w.one(s.of("triple")), w.name("i")
    return w.one(
        [
            [f"{p} = {three(w, s)}"],
            [f"{p} = {p}[1:] + {p}[:1]"],
            [f"for {i} in range(3):", f"    {w.element(s.plus(integers=[i]))} = {p}[{i}] * 0.9"],
        ]
    ), s


def triple_items(w: Statements, s: Scope) -> Made:
    """A loop over a homogeneous tuple."""
    p, e = w.one(s.of("triple")), w.name("e")
    return [f"for {e} in {p}:"], s.plus(atoms=[e])


def mixed_tuple(w: Statements, s: Scope) -> Made:
    """An array, a number, a tuple."""
    p, v = w.name("p"), w.one(s.vectors)
    lines = [f"{p} = ({v}, {w.bounded(s)}, ({w.leaf(s)}, 2))"]
    return lines, s.plus(vectors=[f"{p}[0]"], atoms=[f"{p}[1]", f"{p}[2][0]", f"{p}[2][0]"])


def arrays_in_tuple(w: Statements, s: Scope) -> Made:
    """A homogeneous tuple of arrays, which an integer may index."""
    p, v = w.name("p"), w.one(s.vectors)
    return [f"{p} = ({v}.copy(), {v}.copy())"], s.plus(vectors=[f"{p}[1]", f"{p}[{w.index(s, 2)}]"])


def named_tuple(w: Statements, s: Scope) -> Made:
    q = w.name("q")
    lines = [f"{q} = Point({w.bounded(s)} * 1.0, {w.leaf(s)} * 1.0)"]
    return lines, s.plus("point", q, atoms=[f"{q}.u", f"{q}.v", f"{q}[1]"])


def point_again(w: Statements, s: Scope) -> Made:
    q = w.one(s.of("point"))
    again = f"{q} = Point({q}.v, {w.bounded(s)} * 1.0)"
    return [w.one([again, f"{w.one(s.scalars)} = norm({q})"])], s


# --- lists ----------------------------------------------------------------------------------------


def new_list(w: Statements, s: Scope) -> Made:
    """Items of double precision always: lists of one program that change must have items of one size."""
    name, v = w.name("l"), w.one(s.vectors)
    i = w.name("i")
    inside = s.plus(positions=[i], integers=[i])
    lines = w.one(
        [
            [f"{name} = [{w.bounded(s)} * 1.0, {w.leaf(s)} * 1.0]"],
            [f"{name} = [{w.leaf(inside)} * 1.0 for {i} in range(4)]"],
            [f"{name} = List()", f"{name}.append({w.bounded(s)} * 1.0)"],
            [f"{name} = List.empty_list(types.float64)", f"{name}.append({w.bounded(s)})"],
            [f"{name} = listed({v}, {w.leaf(s)})"],
        ]
    )
    places = [f"{name}[0]", f"{name}[-1]"]
    return lines, s.plus("list", name, places=places)


def list_change(w: Statements, s: Scope) -> Made:
    name = w.one(s.of("list"))
    form = w.one(["append", "pop", "index", "pop", "pile", "total", "reverse", "extend"])
    if form == "append":
        return [f"{name}.append({w.bounded(s)})"], s
    if form == "pop":
        return [f"if len({name}) > 1:", f"    {w.one(s.scalars)} = {name}.pop()"], s
    if form == "index":
        k = w.one(s.integers)
        return [f"{name}[{k} % len({name})] = {w.bounded(s)}"], s
    if form == "reverse":
        return [f"{name}.reverse()"], s
    if form == "extend":
        return [f"if len({name}) < 9:", f"    {name}.extend({name}[:1])"], s
    argument = f", {w.leaf(s)}" if form == "pile" else ""
    return [f"{w.one(s.scalars)} = {form}({name}{argument})"], s


def list_items(w: Statements, s: Scope) -> Made:
    name, e = w.one(s.of("list")), w.name("e")
    return [f"for {e} in {name}:"], s.without(name).plus(atoms=[e])


def list_of_arrays(w: Statements, s: Scope) -> Made:
    """Not a typed list: the engine refuses those of arrays."""
    name, v = w.name("l"), w.one(s.vectors)
    lines = [f"{name} = [{v}.copy(), {v}[::-1].copy()]"]
    return lines, s.plus("arrays", name, vectors=[f"{name}[0]", f"{name}[-1]"])


def array_append(w: Statements, s: Scope) -> Made:
    name = w.one(s.of("arrays"))
    return [f"{name}.append({name}[-1].copy())"], s


def list_of_pairs(w: Statements, s: Scope) -> Made:
    """A loop over tuples in a list."""
    name, e, f = w.name("l"), w.name("e"), w.name("e")
    numbers = [f"{w.leaf(s)} * 1.0" for _ in range(4)]
    return [
        f"{name} = [({numbers[0]}, {numbers[1]})]",
        f"{name}.append(({numbers[2]}, {numbers[3]}))",
        f"for {e}, {f} in {name}:",
    ], s.plus(atoms=[e, f, f"{name}[0][1]"])


def list_of_lists(w: Statements, s: Scope) -> Made:
    name, i, j = w.name("l"), w.name("i"), w.name("j")
    e = w.leaf(s.plus(integers=[i, j]))
    lines = [f"{name} = [[{e} * 1.0 for {j} in range(2)] for {i} in range(3)]"]
    place = f"{name}[{w.index(s, 3)}]"
    return lines, s.plus("list", f"{name}[1]", places=[f"{place}[0]", f"{place}[-1]"])


def list_surgery(w: Statements, s: Scope) -> Made:
    name = w.one(s.of("list"))
    form = w.one(["insert", "slice", "first", "sum"])
    if form == "insert":
        return [f"{name}.insert(0, {w.bounded(s)})"], s
    if form == "first":
        return [f"{name}.append({w.bounded(s)})", f"{w.one(s.scalars)} = {name}.pop(0)"], s
    if form == "sum":
        return [f"{w.one(s.scalars)} = math.sin(sum({name}))"], s
    other = w.name("l")
    lines = [f"{other} = {name}[{w.one(['::-1', '1:', ':1'])}]", f"{other}.append({w.leaf(s)})"]
    return lines, s.plus("list", other, places=[f"{other}[0]", f"{other}[-1]"])


# --- dictionaries ---------------------------------------------------------------------------------


def new_dict(w: Statements, s: Scope) -> Made:
    name, k = w.name("d"), w.one(s.integers)
    lines = w.one(
        [
            [f"{name} = Dict.empty(types.int64, types.float64)", f"{name}[0] = {w.bounded(s)}"],
            [f"{name} = {{0: {w.bounded(s)} * 1.0, {k} + 1: {w.leaf(s)} * 1.0}}"],
            [f"{name} = counted({w.one(s.vectors)})"],
        ]
    )
    # Times one: numba cannot put the optional number itself into a list that was sliced.
    reads = [f"({name}.get({w.index(s, 3)}, {w.leaf(s)} * 1.0) * 1.0)"]
    test = f"{w.index(s, 3)} in {name}"
    return lines, s.plus("dict", name, places=[f"{name}[0]"], atoms=reads, tests=[test])


def dict_change(w: Statements, s: Scope) -> Made:
    name = w.one(s.of("dict"))
    form = w.one(["insert", "insert", "count", "spread", "if there"])
    k = w.index(s, 7)
    if form == "insert":
        return [f"{name}[{k}] = {w.bounded(s)}"], s
    if form == "count":
        e = w.leaf(s)
        return [f"{name}[{k}] = 0.5 * {name}.get({k}, {e} * 1.0) + 0.5 * {w.leaf(s)}"], s
    if form == "if there":
        return [f"if {k} in {name}:", f"    {name}[{k}] *= 0.7"], s
    return [f"{w.one(s.scalars)} = spread({name}, {w.leaf(s)})"], s


def dict_items(w: Statements, s: Scope) -> Made:
    name = w.one(s.of("dict"))
    e, k = w.name("e"), w.name("k")
    inside = s.without(name)
    if w.chance(50):
        return [f"for {e} in {name}.values():"], inside.plus(atoms=[e])
    return [f"for {k}, {e} in {name}.items():"], inside.plus(atoms=[e], integers=[k])


def dict_of_names(w: Statements, s: Scope) -> Made:
    name = w.name("d")
    lines = [f'{name} = {{"up": {w.bounded(s)} * 1.0, "down": {w.leaf(s)} * 1.0}}']
    return lines, s.plus(places=[f'{name}["up"]', f'{name}["down"]'])


FEATURES = [
    Feature(triple, opens=True),
    Feature(triple_again, uses="triple"),
    Feature(triple_items, uses="triple", loop=True),
    Feature(mixed_tuple),
    Feature(arrays_in_tuple),
    Feature(named_tuple, opens=True),
    Feature(point_again, uses="point"),
    *[Feature(new_list, opens=True)] * 2,
    *[Feature(list_change, uses="list")] * 2,
    Feature(list_items, uses="list", loop=True),
    Feature(list_surgery, uses="list", dear=True),
    Feature(list_of_pairs, loop=True),
    Feature(list_of_lists),
    Feature(list_of_arrays, opens=True),
    Feature(array_append, uses="arrays"),
    *[Feature(new_dict, opens=True)] * 2,
    *[Feature(dict_change, uses="dict")] * 2,
    Feature(dict_items, uses="dict", loop=True),
    Feature(dict_of_names, dear=True),
]
