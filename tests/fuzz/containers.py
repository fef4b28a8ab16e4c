"""Tuples, lists, dictionaries, records, objects, optional values, strings."""

from __future__ import annotations

from tests.fuzz.expressions import Scope
from tests.fuzz.statements import Feature, Made, Statements


def pick(w: Statements, s: Scope, kind: str) -> str | None:
    """One of the things of this kind, if there is one."""
    return w.one(s.of(kind)) if s.of(kind) else None


# --- tuples ---------------------------------------------------------------------------------------


def triple(w: Statements, s: Scope) -> Made:
    """Three floats, which may be bound again."""
    old = pick(w, s, "triple")
    parts = [f"{w.bounded(s)} * 1.0", f"{w.leaf(s)} * 1.0", f"{w.leaf(s)} * 1.0"]
    if old and w.chance(50):
        return [w.one([f"{old} = ({', '.join(parts)})", f"{old} = {old}[1:] + {old}[:1]"])], s
    p = w.name("p")
    atoms = [f"{p}[0]", f"{p}[{w.index(s, 3)}]", f"{p}[-1]"]
    return [f"{p} = ({', '.join(parts)})"], s.plus("triple", p, atoms=atoms)


def triple_items(w: Statements, s: Scope) -> Made:
    """A loop over a homogeneous tuple."""
    p = pick(w, s, "triple") or f"({w.leaf(s)} * 1.0, {w.leaf(s)} * 1.0, 0.3)"
    e = w.name("e")
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
    old = pick(w, s, "point")
    if old and w.chance(50):
        again = f"{old} = Point({old}.v, {w.bounded(s)} * 1.0)"
        use = f"{w.one(s.scalars)} = norm({old})"
        return [w.one([again, use])], s
    q = w.name("q")
    lines = [f"{q} = Point({w.bounded(s)} * 1.0, {w.leaf(s)} * 1.0)"]
    return lines, s.plus("point", q, atoms=[f"{q}.u", f"{q}.v", f"{q}[1]"])


# --- lists ----------------------------------------------------------------------------------------


def new_list(w: Statements, s: Scope) -> Made:
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
    name = pick(w, s, "list")
    if name is None:
        return new_list(w, s)
    form = w.one(["append", "pop", "index", "pile", "total", "reverse", "extend"])
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
    name, e = pick(w, s, "list"), w.name("e")
    if name is None:
        return [f"for {e} in [{w.leaf(s)} * 1.0, {w.leaf(s)} * 1.0]:"], s.plus(atoms=[e])
    return [f"for {e} in {name}:"], s.without(name).plus(atoms=[e])


def list_of_arrays(w: Statements, s: Scope) -> Made:
    """Not a typed list: the engine refuses those of arrays."""
    name, v = w.name("l"), w.one(s.vectors)
    lines = [f"{name} = [{v}.copy(), {v}[::-1].copy()]"]
    return lines, s.plus("arrays", name, vectors=[f"{name}[0]", f"{name}[-1]"])


def array_append(w: Statements, s: Scope) -> Made:
    name = pick(w, s, "arrays")
    if name is None:
        return list_of_arrays(w, s)
    return [f"{name}.append({name}[-1].copy())"], s


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
    reads = [f"{name}.get({w.index(s, 3)}, {w.leaf(s)} * 1.0)"]
    test = f"{w.index(s, 3)} in {name}"
    return lines, s.plus("dict", name, places=[f"{name}[0]"], atoms=reads, tests=[test])


def dict_change(w: Statements, s: Scope) -> Made:
    name = pick(w, s, "dict")
    if name is None:
        return new_dict(w, s)
    form = w.one(["insert", "insert", "count", "spread"])
    k = w.index(s, 7)
    if form == "insert":
        return [f"{name}[{k}] = {w.bounded(s)}"], s
    if form == "count":
        e = w.leaf(s)
        return [f"{name}[{k}] = 0.5 * {name}.get({k}, {e} * 1.0) + 0.5 * {w.leaf(s)}"], s
    return [f"{w.one(s.scalars)} = spread({name}, {w.leaf(s)})"], s


def dict_items(w: Statements, s: Scope) -> Made:
    name = pick(w, s, "dict")
    if name is None:
        return list_items(w, s)
    e, k = w.name("e"), w.name("k")
    inside = s.without(name)
    if w.chance(30):
        return [f"for {e} in {name}.values():"], inside.plus(atoms=[e])
    return [f"for {k}, {e} in {name}.items():"], inside.plus(atoms=[e], integers=[k])


# --- records and objects --------------------------------------------------------------------------


def records(w: Statements, s: Scope) -> Made:
    name = w.name("rec")
    row, i = w.index(s, 3), w.name("i")
    lines = [
        f"{name} = np.zeros(3, ENTRY)",
        f"for {i} in range(3):",
        f"    {name}[{i}].a = {w.bounded(s.plus(integers=[i], positions=[i]))}",
        f"    {name}[{i}].n = {i}",
    ]
    places = [f"{name}[{row}].a", f"{name}.a[1]", f"{name}[1].b[{w.index(s, 3)}]"]
    return lines, s.plus(
        "records", name, places=places, wild=[f"{name}.a.sum()"], tests=[f"{name}[{row}].n > 0"]
    )


def record_change(w: Statements, s: Scope) -> Made:
    name = pick(w, s, "records")
    if name is None:
        return records(w, s)
    if w.chance(50):
        return [f"fill({name}, {w.leaf(s)})"], s
    row = w.name("row")
    lines = [f"{row} = {name}[{w.index(s, 3)}]", f"{row}.a = {w.bounded(s)}"]
    return lines, s.plus(places=[f"{row}.a", f"{row}.b[1]"])


def instance(w: Statements, s: Scope) -> Made:
    name = w.name("box")
    lines = [f"{name} = Box({w.bounded(s)} * 1.0)"]
    read = f"{name}.read({w.leaf(s)} * 1.0)"
    return lines, s.plus(
        "box", name, vectors=[f"{name}.w"], places=[f"{name}.c", f"{name}.w[1]"], atoms=[read]
    )


def method(w: Statements, s: Scope) -> Made:
    name = pick(w, s, "box")
    if name is None:
        return instance(w, s)
    return [f"{name}.push({w.bounded(s)} * 1.0)"], s


# --- optional values and strings ------------------------------------------------------------------


def optional(w: Statements, s: Scope) -> Made:
    o = w.name("o")
    lines = w.one(
        [
            [f"{o} = None", f"if {w.condition(s)}:", f"    {o} = {w.bounded(s)} * 1.0"],
            [f"{o} = maybe({w.leaf(s)} * 1.0, {w.leaf(s)} * 1.0)"],
        ]
    )
    lines += [f"if {o} is not None:", f"    {w.element(s)} = math.sin({o})"]
    return lines, s.plus(tests=[f"{o} is None"])


def label(w: Statements, s: Scope) -> Made:
    name = w.name("label")
    lines = [f'{name} = "up" if {w.condition(s)} else "down"']
    return lines, s.plus(tests=[f'{name} == "up"'], integers=[f"len({name})"])


FEATURES = [
    Feature(triple),
    Feature(triple_items, loop=True),
    Feature(mixed_tuple),
    Feature(arrays_in_tuple),
    Feature(named_tuple),
    Feature(named_tuple),
    Feature(new_list),
    Feature(list_change),
    Feature(list_change),
    Feature(list_items, loop=True),
    Feature(list_of_arrays),
    Feature(array_append),
    Feature(optional),
    Feature(label),
    Feature(records),
    Feature(record_change),
    Feature(instance),
    Feature(method),
    Feature(new_dict),
    Feature(dict_change),
    Feature(dict_change),
    Feature(dict_items, loop=True),
]
