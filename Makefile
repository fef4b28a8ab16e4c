# `make demo` and `make test` each start from a bare checkout: python3.11 and make are enough.
# The demo installs wheels only; the tests also build finitediff, which needs a C compiler.

# Byte code is kept: tests start hundreds of processes that import the same modules.
unexport PYTHONDONTWRITEBYTECODE

PYTHON ?= python3
VENV ?= .venv
# Test workers; `make test WORKERS=0` runs in one process.
WORKERS ?= 2
PYTEST_ARGS ?=
BENCH_ARGS ?=
# How many random programs `make fuzz` differentiates, and the seed of the first.
COUNT ?= 10000
SEED ?= 0
# How hard `make properties` looks for counter-examples.
FUZZ_EXAMPLES ?= 2000

BIN := $(VENV)/bin
STAMPS := $(VENV)/.stamps
# What is imported is compiled to byte code then; most never is.
INSTALL := pip install --quiet --disable-pip-version-check --no-compile
PIP := $(BIN)/python -m $(INSTALL)
THIN_PIP := $(VENV)/thin/bin/python -m $(INSTALL)

.PHONY: help demo test quick nightly poison downstream lint format snapshots bench fuzz properties exhaustive
.PHONY: interop interop-thin site gallery clean

help:
	@echo "make demo    fit the Lotka-Volterra equations to 21 years of lynx and hare"
	@echo "make test    the test suite, doctests included; of large tables the share of the day (ALL_TESTS=1 for all)"
	@echo "make poison  the test suite with memory that tells when it is read before it is written"
	@echo "make quick   a few tests of every file, in a minute or so"
	@echo "make nightly the whole test suite, nothing left out, all derivatives compiled as for users, all IR verified"
	@echo "make downstream  the tests of examples/downstream against an installed wheel"
	@echo "make lint    ruff, mypy, import layers"
	@echo "make snapshots  write the stored derivatives of small functions again, for a review of the difference"
	@echo "make bench   gradients against primals (BENCH_ARGS='--programs lorenz')"
	@echo "make fuzz    random programs (COUNT=$(COUNT) SEED=$(SEED)); what fails is made small and stored"
	@echo "make properties  the property tests with many more examples"
	@echo "make exhaustive  all modes with all kinds of arguments and all options"
	@echo "make interop  the tests of SciPy, PyTorch, JAX, TensorFlow, PyTensor and others around them, in an environment of their own"
	@echo "make interop-thin  a few of them, of PyTorch and JAX alone"
	@echo "make site    the documentation as web pages in site/; a warning is an error"
	@echo "make gallery  run the programs of examples/gallery, which check themselves and draw pictures"
	@echo "make clean   remove the environment and all caches"

demo: $(STAMPS)/examples
	$(BIN)/python examples/lotka_volterra.py

test: $(STAMPS)/dev
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal $(PYTEST_ARGS)

quick: $(STAMPS)/dev
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal --sample $(PYTEST_ARGS)

nightly: export ALL_TESTS = 1
nightly: export ALL_OPTIMISED = 1
nightly: export ALL_VERIFIED = 1
nightly: export ALL_FUSED = 1
nightly: export ALL_BENCHMARKS = 1
nightly: test

# Fresh and freed memory read as NaN (PYTEST_ARGS=tests/memory for a part of the suite).
poison: $(STAMPS)/dev
	$(BIN)/python -m tests.memory.poison -n $(WORKERS) $(PYTEST_ARGS)

# An environment that knows nothing of this checkout but the wheel made from it.
downstream: $(STAMPS)/venv
	rm -rf $(VENV)/downstream $(VENV)/wheel build examples/downstream/build
	$(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir $(VENV)/wheel .
	$(PYTHON) -m venv $(VENV)/downstream
	wheel=$$(echo $(abspath $(VENV))/wheel/*.whl); \
	  $(VENV)/downstream/bin/python -m pip install --quiet --disable-pip-version-check \
	  "enzyme-autodiff[testutils] @ file://$$wheel" "heatline[test] @ file://$(CURDIR)/examples/downstream"
	cd examples/downstream && $(abspath $(VENV))/downstream/bin/python -m pytest -n $(WORKERS) -p no:cacheprovider

lint: $(STAMPS)/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(STAMPS)/dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# The numbers are checked all the same: a derivative that is wrong is not stored.
snapshots: $(STAMPS)/dev
	UPDATE_SNAPSHOTS=1 $(BIN)/python -m pytest -q tests/snapshots $(PYTEST_ARGS)
	-git status --short tests/snapshots

bench: $(STAMPS)/bench
	$(BIN)/python -m benchmarks $(BENCH_ARGS)

fuzz: $(STAMPS)/dev
	$(BIN)/python -m tests.fuzz.long_run --count $(COUNT) --seed $(SEED) --jobs $(WORKERS)

properties: $(STAMPS)/dev
	FUZZ_EXAMPLES=$(FUZZ_EXAMPLES) HYPOTHESIS_PROFILE=fuzz \
	  $(BIN)/python -m pytest -n $(WORKERS) -m hypothesis tests $(PYTEST_ARGS)

exhaustive: $(STAMPS)/dev
	$(BIN)/python -m tests.crossing --jobs $(WORKERS)
	EXHAUSTIVE=1 $(BIN)/python -m pytest -q -n $(WORKERS) --dist worksteal tests/special_points tests/disk/test_disk_callers.py tests/functional/test_functional_table.py \
		tests/support/test_support_functional.py tests/linalg tests/scipy_functions tests/frontdoor/test_frontdoor_c.py \
		tests/frontdoor/test_frontdoor_blas.py tests/frontdoor/test_frontdoor_clang.py

# The batteries of all hosts, in an environment of their own: PyTorch takes some room.
interop: VENV = .venv-interop
interop:
	$(MAKE) --no-print-directory VENV=$(VENV) $(VENV)/.stamps/interop
	ALL_TESTS=1 OPENBLAS_NUM_THREADS=1 $(VENV)/bin/python -m pytest -n $(WORKERS) tests/interop enzyme/interop \
		tests/test_documents.py -k "interop or hosts" $(PYTEST_ARGS)

# Values, derivatives of first and second order, batches, loops and errors, in a minute of one core; PyTorch and
# JAX must be there. The requirements alone are installed: other checks build the package in this folder meanwhile.
THIN_TORCH := battery[list] transforms[square] exceptions_pass_through mistakes[elsewhere]
THIN_JAX := battery[while] transforms[scan] exceptions_become_errors_of_xla[jit] keywords_defaults_and_constants
interop-thin: $(STAMPS)/thin
	$(VENV)/thin/bin/python -c 'import torch, jax; print("torch", torch.__version__, "jax", jax.__version__)'
	ALL_TESTS=1 OPENBLAS_NUM_THREADS=1 $(VENV)/thin/bin/python -m pytest -p no:cacheprovider \
		$(patsubst %,'tests/interop/test_interop_torch.py::test_%',$(THIN_TORCH)) \
		$(patsubst %,'tests/interop/test_interop_jax.py::test_%',$(THIN_JAX)) $(PYTEST_ARGS)

# Links and references are checked; examples are run by the tests.
site: $(STAMPS)/docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

gallery: $(STAMPS)/examples
	$(BIN)/python -m tools.gallery

clean:
	rm -rf $(VENV) build dist site *.egg-info .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# One stamp per set of extras: the demo must not wait for the tools of the tests.
$(STAMPS)/venv:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=python3.11 ...")'
	$(PYTHON) -m venv $(VENV)
	@mkdir -p $(STAMPS)
	@touch $@

$(STAMPS)/examples: pyproject.toml | $(STAMPS)/venv
	$(PIP) -e '.[examples]'
	@touch $@

$(STAMPS)/bench: pyproject.toml | $(STAMPS)/venv
	$(PIP) -e '.[bench]'
	@touch $@

$(STAMPS)/docs: pyproject.toml | $(STAMPS)/venv
	$(PIP) -e '.[docs]'
	@touch $@

$(STAMPS)/interop: pyproject.toml | $(STAMPS)/venv
	$(PIP) torch==2.13.0+cpu || true  # else the default build, which is larger
	$(PIP) tensorflow-cpu || true  # for processors, which is smaller
	$(PIP) -e '.[test,torch,jax,fft,pymc,dask,ray,arrays]'
	@touch $@

$(STAMPS)/thin: pyproject.toml | $(STAMPS)/venv
	$(PYTHON) -m venv $(VENV)/thin
	$(THIN_PIP) torch==2.13.0+cpu || $(THIN_PIP) torch==2.13.0
	$(THIN_PIP) pytest hypothesis $$($(PYTHON) -c 'import tomllib; \
		project = tomllib.load(open("pyproject.toml", "rb"))["project"]; \
		print(*project["dependencies"], *project["optional-dependencies"]["jax"])')
	@touch $@

$(STAMPS)/dev: pyproject.toml | $(STAMPS)/venv
	$(PIP) -e '.[dev,test,testutils]'
	@touch $@
