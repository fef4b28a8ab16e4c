"""Records, jitclass instances, optional values, strings."""

from __future__ import annotations

from tests.fuzz.expressions import Scope
from tests.fuzz.statements import Feature, Made, Statements

# --- records and instances --------------------------------------------------------------------------


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
    name = w.one(s.of("records"))
    if w.chance(40):
        return [f"fill({name}, {w.leaf(s)})"], s
    if w.chance(30):
        return [f"{name}[{w.index(s, 3)}] = {name}[{w.index(s, 3)}]"], s
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
    name = w.one(s.of("box"))
    return [f"{name}.push({w.bounded(s)} * 1.0)"], s


def instances(w: Statements, s: Scope) -> Made:
    """Several, in a container."""
    name = w.name("boxes")
    two = f"Box({w.bounded(s)} * 1.0), Box({w.leaf(s)} * 1.0)"
    k = w.index(s, 2)
    lines = [f"{name} = {w.one([f'({two})', f'[{two}]'])}"]
    places = [f"{name}[{k}].c", f"{name}[1].w[{w.index(s, 5)}]"]
    return lines, s.plus("box", f"{name}[{k}]", places=places, vectors=[f"{name}[0].w"])


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


def optional_array(w: Statements, s: Scope) -> Made:
    o, v = w.name("o"), w.one(s.vectors)
    return [
        f"{o} = None",
        f"if {w.condition(s)}:",
        f"    {o} = {w.one([v, f'{v}.copy()'])}",
        f"if {o} is not None:",
        f"    {w.element(s)} = {o}[{w.position(s)}] * 0.9",
    ], s


def label(w: Statements, s: Scope) -> Made:
    name = w.name("label")
    return [
        f'{name} = "up" if {w.condition(s)} else "down"',
        f'if {name} == "{w.one(["up", "down"])}":',
        f"    {w.element(s)} = {w.bounded(s)}",
    ], s.plus(tests=[f'{name} == "up"'], integers=[f"len({name})"])


FEATURES = [
    Feature(optional),
    Feature(optional_array),
    Feature(label),
    Feature(records, opens=True),
    Feature(record_change, uses="records"),
    Feature(instance, opens=True),
    Feature(instances),
    Feature(method, uses="box"),
]
