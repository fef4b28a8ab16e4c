"""Numba's private parts: whatever of numba may change without notice is touched here and nowhere else.

A name that begins with an underscore, an attribute that is replaced, an offset in a structure of numba's run time, a
class of numba's compiler: other modules import well named functions and constants from these.

* `probes`: what is assumed, tested once per process; a probe that fails says what changed in numba;
* `patches`: the attributes of numba that are replaced, for as long as our target compiles;
* `layouts`: where the structures of numba's run time keep what;
* `code`: code libraries and execution engine;
* `compilers`: target, contexts, dispatchers, lowering;
* `programs`: numba's IR of functions, stencils, ufuncs and models of values;
* `functions`: numba's functions behind its overloads.

Nothing of this happens to numba when the package is imported: `patches.installed` is the first use.
"""
