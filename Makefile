# make demo      check a real training program on a simulated V100 (creates .venv first if it is missing)
# make test      lint, types and the tests that are quick (tests/rings.py)
# make test-most  also a sixth of the slow ones: what CI runs
# make test-all  all of them
# make test-changed BASE=main  the tests that can be affected by what changed since a revision
# make bench     the speed and memory of `check`, as ratios
# make bench-watch what an answer of `check --watch` costs beside the first
# make bench-run what `miscast run` costs while all is well; bench-policy, bench-lint, bench-explain likewise
# make fidelity  what `check` says, against real torch on random calls; SAMPLES=n of them
# make bench-wild  scripts of other packages: to the end, false alarms, time beside the real run
# make bench-settings  `lint`'s table and errors, against trainings by the real libraries
# make faults    faults in correct programs: found, located, mended? PROGRAMS=n of them
# make bench-mutants  do the tests notice a change of what judges and tells?
# make bench-numerics  who finds programs that lose numbers in silence
# make house     how dense the code is, beside code bases that read well
# make site      the documentation as a site, in site/; needs no torch
# make docs      the pages that are generated from the code
# make sessions  every session that a page shows, also those that take minutes; PAGES="docs/fix.md …" for some

PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11 python3.10; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null && { echo $$p; break; }; done)
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
MACHINE ?= v100-32
JOBS ?= auto
SAMPLES ?= 20000
PROGRAMS ?= 200
BASE ?= main
TESTS = $(BIN)/python -m pytest -q -n $(JOBS) --dist worksteal
MYPY = $(BIN)/mypy --strict --no-error-summary
TYPES_AND_TESTS = $(MYPY) & types=$$!; $(TESTS) $(1); tests=$$?; wait $$types && exit $$tests
TESTED_WITH = $(VENV)/.triton $(VENV)/.clusters $(VENV)/.integrations $(LITERALS)
LITERALS = src/miscast/explanation/literals.json

.PHONY: demo test test-most test-all test-changed lint types bench fidelity faults house site docs sessions clean
.DELETE_ON_ERROR:

demo: $(VENV)/.demo
	@$(BIN)/miscast check --machine $(MACHINE) examples/sdxl_fp16.py; rc=$$?; \
	if [ $$rc -eq 1 ]; then echo "(exit code 1: Miscast found the mistakes of this example, as intended)"; else exit $$rc; fi

test: lint $(TESTED_WITH)
	@echo "== types, and quick tests"
	@$(call TYPES_AND_TESTS,--ring quick)

test-most: lint $(TESTED_WITH) $(VENV)/.site
	@echo "== types, and tests, of the slow ones a sixth"
	@$(call TYPES_AND_TESTS,--ring ci)

test-all: lint $(TESTED_WITH) $(VENV)/.site
	@echo "== types, and all tests"
	@$(call TYPES_AND_TESTS)

test-changed: $(TESTED_WITH) $(VENV)/.site
	@$(TESTS) --changed-since $(BASE) || [ $$? -eq 5 ]  # 5: no test is affected

lint: $(VENV)/.test
	@echo "== lint"
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --quiet --check . || { echo "run: $(BIN)/ruff format ." >&2; exit 1; }
	@$(BIN)/python benchmarks/house.py --check

types: $(VENV)/.test
	@echo "== types"
	@$(MYPY)

bench: $(VENV)/.test
	@$(BIN)/python benchmarks/check.py

bench-settings: $(VENV)/.settings
	@PATH=$(CURDIR)/$(VENV)/settings/bin:$$PATH $(VENV)/settings/bin/python benchmarks/settings.py --write

bench-%: $(VENV)/.test
	@$(BIN)/python benchmarks/$*.py

fidelity: $(VENV)/.test
	@$(BIN)/python benchmarks/fidelity.py --samples $(SAMPLES) --write

faults: $(VENV)/.timm
	@$(BIN)/python benchmarks/faults.py --programs $(PROGRAMS) --write

house: $(VENV)/.models
	@PYTHONPATH=$(VENV)/models $(BIN)/python benchmarks/house.py --write

site: $(VENV)/.site
	@NO_MKDOCS_2_WARNING=1 PYTHONPATH=$(VENV)/site $(BIN)/python -m mkdocs build --strict --quiet
	@echo "site/index.html"

docs: $(VENV)/.test
	@$(BIN)/python docs/generate.py

sessions: $(VENV)/.test
	@OMP_NUM_THREADS=1 $(BIN)/python docs/blocks.py $(PAGES)

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache

# A stamp per set of packages, so that a second run installs nothing.
$(VENV)/.made:
	@test -n "$(PYTHON)" || { echo "miscast: needs Python 3.10 or newer; say which with 'make PYTHON=/path/to/python3 …'" >&2; exit 2; }
	@echo "== $(PYTHON) -m venv $(VENV)"
	@$(PYTHON) -m venv $(VENV) 2>/dev/null || $(PYTHON) -m virtualenv -q $(VENV) || \
	{ echo "miscast: '$(PYTHON) -m venv' fails here; on Debian and Ubuntu: apt-get install python3-venv" >&2; exit 2; }
	@touch $@

$(VENV)/.demo $(VENV)/.test: $(VENV)/.%: $(VENV)/.made pyproject.toml constraints.txt
	@echo "== installing for '$*' (once; torch is the large one)"
	@$(PIP) install -qq --constraint constraints.txt --editable '.[$*]'
	@touch $@

# Each build of a wheel makes it, too, an editable one once.
$(LITERALS): hatch_build.py src/miscast/explanation/template.py $(wildcard src/miscast/explanation/patterns/*.py) | $(VENV)/.test
	@$(BIN)/python hatch_build.py

# In a folder of its own, which only its tests see: torch and transformers behave otherwise where Triton is installed.
$(VENV)/.triton: $(VENV)/.made
	@echo "== installing triton for its tests (once)"
	@$(PIP) install -qq --no-deps --upgrade --target $(VENV)/triton triton==3.9.0
	@touch $@

# In a folder of their own, which only their tests see: libraries look for Ray, and take it where they find it.
$(VENV)/.clusters: $(VENV)/.made
	@echo "== installing Ray and Dask for their tests (once)"
	@$(PIP) install -qq --upgrade --target $(VENV)/clusters ray==2.60.0 distributed==2026.8.0
	@touch $@

# In a folder of their own, so that tests do not see them. docs/reference.py needs Rich and
# msgspec; mkdocstrings formats signatures by Ruff.
$(VENV)/.site: $(VENV)/.made
	@echo "== installing MkDocs (once)"
	@$(PIP) install -qq --no-compile --upgrade --constraint constraints.txt --target $(VENV)/site \
	mkdocs==1.6.1 mkdocs-material==9.8.2 'mkdocstrings[python]==1.0.8' mkdocstrings-python==2.0.11 griffelib==2.4.1 \
	rich msgspec ruff
	@touch $@

# In a folder of their own, which only their tests see: transformers and others look for trackers and for Lightning, and
# take them where they find them. Without what they need besides: torch is here, and nothing is sent.
$(VENV)/.integrations: $(VENV)/.made
	@echo "== installing Lightning, Keras, trackers and others for their tests (once)"
	@$(PIP) install -qq --no-deps --upgrade --target $(VENV)/integrations \
	lightning==2.6.6 lightning-utilities==0.15.3 torchmetrics==1.9.0 \
	tensorboard==2.21.0 absl-py==2.5.1 protobuf==7.36.2 \
	wandb==0.31.0 xxhash==4.1.0 platformdirs==4.14.8 gitpython==3.2.1 gitdb==4.0.12 smmap==5.0.3 \
	mlflow-skinny==3.17.2 cachetools==7.3.3 databricks-sdk==0.162.0 google-auth==2.63.0 pyasn1==0.6.5 \
	pyasn1-modules==0.4.2 opentelemetry-api==1.45.2 opentelemetry-sdk==1.45.2 opentelemetry-proto==1.45.2 \
	opentelemetry-semantic-conventions==0.66b2 sqlparse==0.6.1 python-dotenv==1.2.4 fastapi==0.165.0 \
	starlette==1.10.0 uvicorn==0.54.0 \
	pre-commit==4.7.0 cfgv==3.5.0 identify==2.6.20 nodeenv==1.12.0 virtualenv==21.15.11 distlib==0.4.4 \
	python-discovery==1.9.6 \
	keras==3.15.1 namex==0.1.0 optree==0.20.0 h5py==3.16.0 ml-dtypes==0.6.0 \
	opacus==1.6.0 opt-einsum==3.4.0 scipy==1.17.1 torchao==0.18.0 hqq==0.2.8.post1 termcolor==3.3.0
	@touch $@

$(VENV)/.models: $(VENV)/.test
	@echo "== installing what the code is measured against (once)"
	@$(PIP) install -qq --no-deps --upgrade --target $(VENV)/models attrs httpx rich structlog
	@touch $@

# In an environment of its own: transformers and accelerate behave otherwise where DeepSpeed and TRL are installed.
$(VENV)/.settings: $(VENV)/.made pyproject.toml constraints.txt benchmarks/settings/requirements.txt
	@echo "== installing trainers for the benchmark of settings (once)"
	@$(PYTHON) -m venv $(VENV)/settings
	@$(VENV)/settings/bin/python -m pip --disable-pip-version-check install -qq --constraint constraints.txt hatchling setuptools torch
	@DS_BUILD_OPS=0 $(VENV)/settings/bin/python -m pip --disable-pip-version-check install -qq --no-build-isolation \
	--constraint constraints.txt --requirement benchmarks/settings/requirements.txt --editable '.[torch]'
	@touch $@

# In a folder of their own: torchvision's wheel does not load beside a torch for the CPU, and transformers takes it where
# it finds it. The two versions belong to the torch of constraints.txt.
$(VENV)/.timm: $(VENV)/.test
	@echo "== installing timm for the benchmark (once)"
	@$(PIP) install -qq --no-deps --upgrade --target $(VENV)/timm timm==1.0.31 torchvision==0.28.0
	@touch $@
