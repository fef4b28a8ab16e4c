"""What numba's arrays can do: views, masks, fancy indices, functions of numpy, iteration."""

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
    lines = [f"{name} = {w.one([f'{grid}.T', f'np.transpose({grid})'])}"]
    return lines, s.plus(places=[f"{name}[{w.index(s, 4)}, {w.index(s, 3)}]", f"{name}[0, 1]"])


def overlapping(w: Statements, s: Scope) -> Made:
    v, a, b, i = w.one(s.vectors), w.name("ahead"), w.name("behind"), w.name("i")
    inner = s.plus(integers=[i], atoms=[f"{b}[{i}]"])
    return [
        f"{a}, {b} = {v}[1:], {v}[:-1]",
        f"for {i} in range(4):",
        f"    {a}[{i}] = {b}[{i}] * 0.5 + 0.5 * {w.leaf(inner)}",
    ], s.plus(places=[f"{a}[{w.index(s, 4)}]", f"{b}[-1]"])


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
    return [f"{name} = np.zeros(())", f"{name}[()] = {w.bounded(s)}"], s.plus(
        places=[f"{name}[()]"]
    )


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


def fancy_read(w: Statements, s: Scope) -> Made:
    name, k = w.name("picked"), w.index(s, 5)
    lines = [f"{name} = {w.one(s.vectors)}[np.array([3, {k}, 0, 0, 4])]"]
    return lines, s.plus(vectors=[name])


def fancy_write(w: Statements, s: Scope) -> Made:
    return [f"{w.one(s.vectors)}[np.array([1, {w.index(s, 5)}])] = {w.leaf(s)}"], s


# --- functions of numpy ---------------------------------------------------------------------------


def whole(w: Statements, s: Scope) -> Made:
    """A new vector."""
    v, u, name = w.one(s.vectors), w.one(s.vectors), w.name("made")
    how = w.one(
        [
            f"np.roll({v}, {w.index(s, 3)})",
            f"np.where({v} > {w.leaf(s)}, {v}, {u})",
            f"np.clip({v}, -0.4, 0.6)",
            f"np.concatenate(({v}[:2], {u}[2:]))",
            f"np.linspace({w.leaf(s)}, {w.leaf(s)}, 5)",
            f"squash({v}, {w.one([u, '0.2'])})",
        ]
    )
    return [f"{name} = {how}"], s.plus(vectors=[name])


def ordered(w: Statements, s: Scope) -> Made:
    """A new vector, sorted."""
    v, name = w.one(s.vectors), w.name("sorted")
    how = w.one([f"np.sort({v})", f"{v}[np.argsort({v})]"])
    lines = [f"{name} = {how}"]
    s = s.plus(vectors=[name])
    if w.chance(40):
        k = w.name("k")
        lines.append(f"{k} = np.searchsorted({name}, {w.leaf(s)})")
        s = s.plus(integers=[k])
    return lines, s


def poured(w: Statements, s: Scope) -> Made:
    """An array of another length or of large values, which goes into a vector."""
    v, u = w.one(s.vectors), w.one(s.vectors)
    how = w.one(
        [
            f"np.diff({v})",
            f"np.cumsum({v})",
            f"np.cumprod({v})",
            f"np.outer({v}, {u})[1]",
            f"np.convolve({v}, {u}[:3])",
            f"np.concatenate(({v}, {u}[1:3]))",
        ]
    )
    return [f"pour({w.one(s.vectors)}, {how})"], s


def reduced(w: Statements, s: Scope) -> Made:
    """A number from an array."""
    v, name = w.one(s.vectors), w.name("r")
    how = w.one(
        [
            f"{v}.prod()",
            f"{v}.min()",
            f"{v}.max()",
            f"{v}.mean()",
            f"{w.one(s.grids)}.sum()",
            f"{v}.var()",
            f"np.array([{w.leaf(s)}, {w.leaf(s)}, 9.0]).std()",
            f"np.interp({w.leaf(s)}, np.array([-1.0, 0.1, 2.0]), {v}[:3].astype(np.float64))",
        ]
    )
    return [f"{name} = {how}"], s.plus(wild=[name])


def dot(w: Statements, s: Scope) -> Made:
    g, v, i, j = w.one(s.grids), w.one(s.vectors), w.name("i"), w.name("j")
    total = w.name("dot")
    return [
        f"for {i} in range(3):",
        f"    {total} = 0.0",
        f"    for {j} in range(4):",
        f"        {total} += {g}[{i}, {j}] * {v}[{j}]",
        f"    {w.element(s.plus(positions=[i]))} = math.sin({total})",
    ], s


# --- iteration ------------------------------------------------------------------------------------


def items(w: Statements, s: Scope) -> Made:
    """Loops over the items of arrays."""
    e, i = w.name("e"), w.name("i")
    v, g = w.one(s.vectors), w.one(s.grids)
    form = w.one(["plain", "enumerate", "zip", "flat", "ndenumerate", "nditer", "ndindex"])
    if form == "plain":
        return [f"for {e} in {v}:"], s.plus(atoms=[e])
    if form == "enumerate":
        return [f"for {i}, {e} in enumerate({v}):"], s.plus(atoms=[e], positions=[i], integers=[i])
    if form == "zip":
        f = w.name("e")
        return [f"for {e}, {f} in zip({v}, {w.one(s.vectors)}):"], s.plus(atoms=[e, f])
    if form == "flat":
        return [f"for {e} in {g}.flat:"], s.plus(atoms=[e])
    if form == "nditer":  # numpy follows the memory of a view that is reversed
        return [f"for {e} in np.nditer({w.one(s.owned)}):"], s.plus(atoms=[f"{e}.item()"])
    j = w.name("j")
    inner = s.plus(rows=[i], columns=[j], integers=[i, j])
    if form == "ndindex":
        return [f"for {i}, {j} in np.ndindex(3, 4):"], inner
    return [f"for ({i}, {j}), {e} in np.ndenumerate({g}):"], inner.plus(atoms=[e])


# --- other kinds of numbers -----------------------------------------------------------------------


def complex_number(w: Statements, s: Scope) -> Made:
    z = w.name("z")
    e, f = w.expression(s, 1), w.leaf(s)
    lines = [f"{z} = complex({e}, 1.5 + {f} * {f})"]
    form = w.one(["product", "quotient", "conjugate", "power"])
    lines.append(
        {
            "product": f"{z} = {z} * complex({w.leaf(s)}, 0.4)",
            "quotient": f"{z} = complex(0.5, {w.leaf(s)}) / {z}",
            "conjugate": f"{z} = {z}.conjugate() + 0.5j * {z}",
            "power": f"{z} = {z} * {z} + 1j * {w.leaf(s)}",
        }[form]
    )
    return lines, s.plus(wild=[f"{z}.real", f"{z}.imag", f"(abs({z}) ** 2)"])


def complex_array(w: Statements, s: Scope) -> Made:
    z, i = w.name("z"), w.name("i")
    inner = s.plus(positions=[i], integers=[i])
    return [
        f"{z} = np.zeros(5, np.complex128)",
        f"for {i} in range(5):",
        f"    {z}[{i}] = complex({w.leaf(inner)}, {w.leaf(inner)}) * (1.0 + 0.5j)",
    ], s.plus(atoms=[f"{z}[{w.index(s, 5)}].real"], wild=[f"({z}[1] * {z}[2]).imag"])


def rounded(w: Statements, s: Scope) -> Made:
    h, i = w.name("h"), w.name("i")
    return [
        f"{h} = np.zeros(5, np.float32)",
        f"for {i} in range(5):",
        f"    {h}[{i}] = {w.bounded(s.plus(positions=[i], integers=[i]))}",
    ], s.plus(vectors=[h])


def missing(w: Statements, s: Scope) -> Made:
    """An array filled with nan, in part overwritten."""
    m, i, test = w.name("m"), w.name("i"), w.one(["math", "np"])
    inner = s.plus(positions=[i], integers=[i])
    return [
        f"{m} = np.full(5, np.nan)",
        f"{m}[1] = {w.bounded(s)}",
        f"for {i} in range(5):",
        f"    if {w.condition(inner)}:",
        f"        {m}[{i}] = {w.bounded(inner)}",
        f"    if not {test}.isnan({m}[{i}]):",
        f"        {w.element(inner)} = {m}[{i}] * 0.9",
    ], s


FEATURES = [
    Feature(items, loop=True),
    Feature(items, loop=True),
    Feature(overlapping),
    Feature(dot),
    Feature(missing),
    Feature(transposed),
    Feature(ravelled),
    Feature(reshaped),
    Feature(solid),
    Feature(single_item),
    Feature(complex_number),
    Feature(complex_array),
    Feature(rounded),
    Feature(mask_read),
    Feature(mask_write, dear=True),
    Feature(fancy_read),
    Feature(fancy_write, dear=True),
    Feature(reduced),
    Feature(whole),
    Feature(poured),
    Feature(ordered, dear=True),
]
