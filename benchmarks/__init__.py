"""Benchmarks: `python -m benchmarks --help`.

`families` holds the programs with adjoints written by hand and versions for JAX, `measure` the clock, `report` the
tables, `page` and `charts` what is kept of a whole run, `growth` cost against size, `ablation` the order of
optimisation and differentiation, `startup` what a first call costs in a fresh process, `calls` what every other does,
`factorisations` linear algebra beside JAX.

What is compared is code, not how many processors a machine has: libraries get one thread each, unless the environment
says otherwise.
"""

import os

for _name, _value in {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
}.items():
    os.environ.setdefault(_name, _value)
