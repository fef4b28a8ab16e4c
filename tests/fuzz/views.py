"""Arrays that share memory, parts of arrays, and loops over their items."""

from __future__ import annotations

from tests.fuzz.expressions import Scope
from tests.fuzz.statements import Feature, Made, Statements

# --- views ----------------------------------------------------------------------------------------


def reshaped(w: Statements, s: Scope) -> Made:
    base, grid = w.name("line"), w.name("grid")
    shape = w.one(["3, 4", "(3, 4)"])
    lines = [f"{base} = np.zeros(12)", f"{grid} = {base}.reshape({shape})"]
    return lines, s.plus(grids=[grid], places=[f"{base}[{w.index(s, 12)}]", f"{grid}[0, 1]"])


def ravelled(w: Statements, s: Scope) -> Made:
    line = w.name("line")
    how = w.one(["ravel", "flatten"])
    return [f"{line} = {w.one(s.grids)}.{how}()"], s.plus(
        places=[f"{line}[{w.index(s, 12)}]", f"{line}[5]"]
    )


def transposed(w: Statements, s: Scope) -> Made:
    name, grid = w.name("turned"), w.one(s.grids)
    lines = [f"{name} = {w.one([f'{grid}.T', f'np.transpose({grid})', f'{grid}.T.copy()'])}"]
    return lines, s.plus(places=[f"{name}[{w.index(s, 4)}, {w.index(s, 3)}]", f"{name}[0, 1]"])


def overlapping(w: Statements, s: Scope) -> Made:
    v, a, b, i = w.one(s.vectors), w.name("ahead"), w.name("behind"), w.name("i")
    inner = s.plus(integers=[i], atoms=[f"{b}[{i}]"])
    return [
        f"{a}, {b} = {v}[1:], {v}[:-1]",
        f"for {i} in range(4):",
        f"    {a}[{i}] = {b}[{i}] * 0.5 + 0.5 * {w.leaf(inner)}",
    ], s.plus(places=[f"{a}[{w.index(s, 4)}]", f"{b}[-1]"])


def part_of_grid(w: Statements, s: Scope) -> Made:
    name, g = w.name("part"), w.one(s.grids)
    how, rows, columns = w.one(
        [
            (f"{g}[:, 1:3]", 3, 2),
            (f"{g}[::-1, ::2]", 3, 2),
            (f"{g}[1:]", 2, 4),
            (f"{g}[1:].T", 4, 2),
        ]
    )
    places = [f"{name}[{w.index(s, rows)}, {w.index(s, columns)}]", f"{name}[1, 1]"]
    return [f"{name} = {how}"], s.plus(places=places)


def column(w: Statements, s: Scope) -> Made:
    """A column of a grid is assigned."""
    return [f"{w.one(s.grids)}[:, {w.index(s, 4)}] = {w.leaf(s)}"], s


def new_axis(w: Statements, s: Scope) -> Made:
    v, name = w.one(s.vectors), w.name("tall")
    how = w.one([f"{v}[:, None]", f"{w.one(s.owned)}.reshape(5, 1)"])
    return [f"{name} = {how}"], s.plus(places=[f"{name}[{w.index(s, 5)}, 0]"])


def solid(w: Statements, s: Scope) -> Made:
    name, i = w.name("cube"), w.name("i")
    places = [f"{name}[1, {w.index(s, 3)}, {w.index(s, 2)}]", f"{name}[0, 1, 1]"]
    lines = [
        f"{name} = np.zeros((2, 3, 2))",
        f"for {i} in range(3):",
        f"    {name}[{i} % 2, {i}, 1] = {w.bounded(s.plus(integers=[i]))}",
    ]
    return lines, s.plus(places=places, wild=[f"{name}[1].sum()", f"{name}[:, 1, 1].sum()"])


def single_item(w: Statements, s: Scope) -> Made:
    name = w.name("item")
    lines = [f"{name} = np.zeros(())", f"{name}[()] = {w.bounded(s)}"]
    return lines, s.plus(places=[f"{name}[()]"])


# --- masks and fancy indices ----------------------------------------------------------------------


def mask_read(w: Statements, s: Scope) -> Made:
    name, v = w.name("chosen"), w.one(s.vectors)
    lines = [f"{name} = {v}[{w.one(s.vectors)} > {w.leaf(s)}]"]
    return [*lines, f"if len({name}) > 1:", f"    {w.element(s)} = {name}[1] * 0.5"], s.plus(
        wild=[f"{name}.sum()"]
    )


def mask_write(w: Statements, s: Scope) -> Made:
    v = w.one(s.vectors)
    return [f"{v}[{w.one(s.vectors)} > {w.leaf(s)}] = {w.leaf(s)}"], s


def mask_kept(w: Statements, s: Scope) -> Made:
    """An array of booleans that decides later."""
    name, i = w.name("mask"), w.name("i")
    lines = [
        f"{name} = np.zeros(5, np.bool_)",
        f"for {i} in range(5):",
        f"    {name}[{i}] = {w.condition(s.plus(positions=[i]))}",
    ]
    return lines, s.plus(tests=[f"{name}[{w.index(s, 5)}]", f"{name}[2]"])


def fancy_read(w: Statements, s: Scope) -> Made:
    name, k = w.name("picked"), w.index(s, 5)
    lines = [f"{name} = {w.one(s.vectors)}[np.array([3, {k}, 0, 0, 4])]"]
    return lines, s.plus(vectors=[name])


def fancy_write(w: Statements, s: Scope) -> Made:
    return [f"{w.one(s.vectors)}[np.array([1, {w.index(s, 5)}])] = {w.leaf(s)}"], s


def table_of_indices(w: Statements, s: Scope) -> Made:
    name, i = w.name("order"), w.name("i")
    lines = [
        f"{name} = np.empty(5, np.int64)",
        f"for {i} in range(5):",
        f"    {name}[{i}] = ({w.one(['3', *s.integers])} * {i} + 1) % 5",
    ]
    k = f"{name}[{w.index(s, 5)}]"
    return lines, s.plus(integers=[k], positions=[k, f"{name}[{name}[1]]"])


# --- iteration ------------------------------------------------------------------------------------


def items(w: Statements, s: Scope) -> Made:
    """Loops over the items of arrays."""
    e, i = w.name("e"), w.name("i")
    v, g = w.one(s.vectors), w.one(s.grids)
    forms = ["plain", "enumerate", "zip", "rows", "flat", "ndenumerate", "nditer", "ndindex"]
    form = w.one(forms)
    if form == "plain":
        return [f"for {e} in {v}:"], s.plus(atoms=[e])
    if form == "enumerate":
        return [f"for {i}, {e} in enumerate({v}):"], s.plus(atoms=[e], positions=[i], integers=[i])
    if form == "zip":
        f = w.name("e")
        return [f"for {e}, {f} in zip({v}, {w.one(s.vectors)}):"], s.plus(atoms=[e, f])
    if form == "rows":
        return [f"for {e} in {g}:"], s.plus(places=[f"{e}[1]", f"{e}[{w.index(s, 4)}]"])
    if form == "flat":
        return [f"for {e} in {g}.flat:"], s.plus(atoms=[e])
    if form == "nditer":  # numpy follows the memory of a view that is reversed
        return [f"for {e} in np.nditer({w.one(s.owned)}):"], s.plus(atoms=[f"{e}.item()"])
    j = w.name("j")
    inner = s.plus(rows=[i], columns=[j], integers=[i, j])
    if form == "ndindex":
        return [f"for {i}, {j} in np.ndindex(3, 4):"], inner
    return [f"for ({i}, {j}), {e} in np.ndenumerate({g}):"], inner.plus(atoms=[e])


FEATURES = [
    *[Feature(items, loop=True)] * 3,
    Feature(overlapping),
    Feature(transposed),
    Feature(ravelled),
    Feature(reshaped),
    Feature(part_of_grid),
    Feature(new_axis),
    Feature(solid),
    Feature(single_item),
    Feature(column, dear=True),
    Feature(mask_kept),
    Feature(table_of_indices),
    Feature(mask_read),
    Feature(mask_write, dear=True),
    Feature(fancy_read),
    Feature(fancy_write, dear=True),
]
