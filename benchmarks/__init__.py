"""Benchmarks: `python -m benchmarks --help`.

`programs` and `models` hold the functions, `measure` the clock, `report` the tables, `startup` what a first
call costs in a fresh process, `jax_programs` the same functions for JAX where it is installed.
"""
