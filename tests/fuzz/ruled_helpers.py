"""Functions with rules for generated programs; see `helpers`."""

from __future__ import annotations

RULED = {
    "bent": """\
@njit
def bent(p, q):
    return math.sin(p) * q
easy_rule(bent, (lambda omega, p, q: math.cos(p) * q, lambda omega, p, q: math.sin(p)))
""",
    "stir": """\
@njit
def stir(v, p):
    for i in range(len(v)):
        v[i] = math.sin(v[i] * p)
@augmented_primal(stir)
def stir_augmented(config, func, RT, v, p):
    old = v.val.copy()
    func.val(v.val, p.val)
    return AugmentedReturn(None, None, old)
@njit
def stir_back(d, old, p):
    total = p * 0
    for i in range(len(old)):
        slope = math.cos(old[i] * p) * d[i]
        total += old[i] * slope
        d[i] = p * slope
    return total
@reverse(stir)
def stir_reverse(config, func, dret, tape, v, p):
    if config.width == 1:
        t = stir_back(v.dval, tape, p.val)
    elif config.width == 2:
        t = (stir_back(v.dval[0], tape, p.val), stir_back(v.dval[1], tape, p.val))
    elif config.width == 3:
        t = (stir_back(v.dval[0], tape, p.val), stir_back(v.dval[1], tape, p.val), stir_back(v.dval[2], tape, p.val))
    else:
        t = (stir_back(v.dval[0], tape, p.val), stir_back(v.dval[1], tape, p.val),
             stir_back(v.dval[2], tape, p.val), stir_back(v.dval[3], tape, p.val))
    if isinstance(p, Active):
        return (None, t)
    return (None, None)
""",
    "spun": """\
@njit
def spun(v, p):
    made = np.empty_like(v)
    for i in range(len(v)):
        made[i] = math.sin(p * v[len(v) - 1 - i])
    return made
@njit
def spun_by_v(omega, v, p):
    slopes = np.zeros((len(v), len(v)), v.dtype)
    for i in range(len(v)):
        slopes[i, len(v) - 1 - i] = p * math.cos(p * v[len(v) - 1 - i])
    return slopes
@njit
def spun_by_p(omega, v, p):
    slopes = np.empty_like(v)
    for i in range(len(v)):
        slopes[i] = v[len(v) - 1 - i] * math.cos(p * v[len(v) - 1 - i])
    return slopes
easy_rule(spun, (spun_by_v, spun_by_p))
""",
}
