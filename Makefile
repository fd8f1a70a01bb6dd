# The commands of this tree; `make help` lists them. Everything is made below build*/ and .venv/.
JOBS   ?= $(shell nproc)
BIN    := .venv/bin
# One ninja for every call: two versions do not read each other's logs and would build all again.
NINJA  := $(or $(shell command -v ninja),$(CURDIR)/$(BIN)/ninja)
export NINJA

MESON  := $(BIN)/meson
SETUP  := -Dpython=enabled -Dtests=enabled -Dpython.install_env=prefix
# Two builds at a time of one folder would spoil it: the folder .venv is the lock.
LOCKED := flock .venv

.PHONY: help setup build demo test test-c test-python fuzz soak adversary asan asan-c tsan sanitize
.PHONY: stubs docs bench sweep wheel test-wheel test-pythons test-sdist test-arm test-musl check check-clang format clean

help:
	@echo 'make demo     build and run examples/paper.py'
	@echo 'make test     build and run all tests'
	@echo 'make build    build; .venv/bin/python imports the result'
	@echo 'make fuzz     a million random programs of views and writes, against NumPy'
	@echo 'make soak     patterns of use that goes on for days: what grows; SOAK_SECONDS=60 SOAK_DEVICE=host|cuda'
	@echo 'make adversary all calls with all hostile arguments, under ASan and UBSan'
	@echo 'make asan     C tests and a part of the Python tests under ASan and UBSan'
	@echo 'make tsan     C tests under TSan'
	@echo 'make sanitize C tests under ASan and UBSan, then under TSan'
	@echo 'make stubs    write the types (.pyi) of the package as it is; a test compares them'
	@echo 'make docs     build the site into build/docs/html'
	@echo 'make bench    measure against NumPy, write the figures and the chart of the site'
	@echo 'make sweep    look for operations, dtypes, layouts and sizes that are slower than in NumPy'
	@echo 'make wheel    dist/*.whl and the sdist; ARCHS="sm_80 sm_90" packs kernels compiled for these GPUs'
	@echo 'make test-wheel  install it into a fresh environment and try it; make test-sdist: the sdist'
	@echo 'make test-pythons  the wheel in an environment of each Python of this machine from 3.11 on'
	@echo 'make test-arm  the C tests for 64-bit Arm, under qemu; make test-musl: the library with musl'
	@echo 'make check    format, rules of Python, includes, imports, names, sizes'
	@echo 'make check-clang  build with clang, where a warning is an error, and run the C tests'
	@echo 'make format   clang-format and ruff our files in place'
	@echo 'make clean    remove all that was built'

setup:
	@tools/setup.sh

# $(call configure,FOLDER,OPTIONS)
configure = test -e $(1)/build.ninja || \
	$(MESON) setup $(1) --prefix=$(CURDIR)/$(1)/install $(SETUP) $(2)

build: setup
	@$(LOCKED) sh -c '$(call configure,build,) && $(NINJA) -C build -j $(JOBS)'
	@$(BIN)/python tools/develop.py build

demo: build
	$(BIN)/python examples/paper.py

test: test-c test-python

test-c: build
	$(MESON) test -C build --no-rebuild --print-errorlogs --suite c

test-python: test-c
	$(BIN)/python -m pytest -n $(JOBS) tests/python

fuzz: build
	TENORITE_PROGRAMS=1000000 $(BIN)/python -m pytest --timeout 0 tests/python/values/elementwise/test_hypothesis.py

# SOAK_SECONDS and SOAK_DEVICE (host, cuda, double) are read from the environment.
soak: build
	$(BIN)/python tools/soak --jobs $(JOBS)

# Sanitizers see the loops of one level; a build of all three would take their time three times.
SANITIZED := -Disa=v3 -Db_lundef=false -Doptimization=1 -Ddebug=true -Db_ndebug=false

asan-c: setup
	@$(LOCKED) sh -c '$(call configure,build-asan,$(SANITIZED) -Db_sanitize=address$(comma)undefined) \
		&& $(NINJA) -C build-asan -j $(JOBS)'
	$(MESON) test -C build-asan --no-rebuild --print-errorlogs --suite c

# The interpreter keeps what it allocates, so leaks are looked for in the C tests only.
WITH_ASAN = LD_PRELOAD=$$($${CC:-cc} -print-file-name=libasan.so) \
	ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 \
	PYTHONPATH=$$(echo $(CURDIR)/build-asan/install/lib/python3*/site-packages)

asan: asan-c
	@$(MESON) install -C build-asan --no-rebuild --quiet --tags package
	$(WITH_ASAN) TENORITE_ADVERSARY=0.02 TENORITE_DRAWN_CALLS=10000 $(BIN)/python -m pytest -p no:cacheprovider -m quick tests/python

adversary: asan-c
	@$(MESON) install -C build-asan --no-rebuild --quiet --tags package
	$(WITH_ASAN) TENORITE_ADVERSARY=1 $(BIN)/python -m pytest -p no:cacheprovider -n $(JOBS) --timeout 0 \
		tests/python/adversary

tsan: setup
	@$(LOCKED) sh -c '$(call configure,build-tsan,$(SANITIZED) -Dpython=disabled -Db_sanitize=thread) \
		&& $(NINJA) -C build-tsan -j $(JOBS)'
	$(MESON) test -C build-tsan --no-rebuild --print-errorlogs --suite c

sanitize: asan-c tsan

# The types that editors read, of the package as it is.
docs: build
	@$(BIN)/python -c 'import sphinx, furo, myst_parser, sphinx_copybutton' 2>/dev/null || \
		$(BIN)/python -m pip install -q 'sphinx>=8' furo myst-parser sphinx-copybutton
	$(BIN)/python docs/build.py build/docs
	$(BIN)/python tools/check_site.py build/docs/html

stubs: build
	$(BIN)/python tools/make_stubs.py

bench: build
	$(BIN)/python bench/run.py --json build/bench.json --site docs

# SWEEP="--filter 'max bool' --busy 1" and the like
sweep: build
	$(BIN)/python bench/sweep.py --json build/sweep.json --picture build/sweep.svg $(SWEEP)

# Architectures of GPUs whose kernels the wheel carries, compiled with the NVRTC of .venv.
ARCHS ?=
# The vector mathematics that the wheel carries; empty: none.
SLEEF ?= $(shell find /usr/lib /usr/local/lib /lib64 -name libsleef.so.3 2>/dev/null | head -n 1)

wheel: setup
	@# A build made before an option was added does not know it.
	@[ ! meson.options -nt build-wheel/meson-private/coredata.dat ] || rm -rf build-wheel
	@rm -rf build-wheel-plain dist/tenorite-* && mkdir -p dist
	PATH=$(CURDIR)/$(BIN):$$PATH $(BIN)/python -m pip wheel -q --no-deps --no-build-isolation \
		-w build-wheel-plain -Cbuild-dir=build-wheel -Ccompile-args=-j$(JOBS) \
		-Csetup-args=-Dkernel_archs=$(subst $(space),$(comma),$(strip $(ARCHS))) \
		-Csetup-args=-Dhost_kernels=true -Csetup-args=-Dsleef=$(SLEEF) .
	@# The tag says which systems it runs on.
	PATH=$(CURDIR)/$(BIN):$$PATH $(BIN)/python -m auditwheel -v repair -w dist build-wheel-plain/*.whl \
		2>build-wheel-plain/audit.log || { cat build-wheel-plain/audit.log; exit 1; }
	PATH=$(CURDIR)/$(BIN):$$PATH $(BIN)/python -c 'import mesonpy; mesonpy.build_sdist("dist")' \
		>build-wheel-plain/sdist.log || { cat build-wheel-plain/sdist.log; exit 1; }
	@ls dist/*

# The wheel, and on request what pip builds of the sdist, each in an environment of its own.
test-wheel: wheel
	$(BIN)/python tools/try_wheel.py dist/*.whl

# With each Python of this machine that the package supports.
test-pythons: wheel
	$(BIN)/python tools/try_wheel.py dist/*.whl --all

test-sdist: wheel
	$(BIN)/python tools/try_wheel.py dist/*.tar.gz

check: setup
	@PATH=$(CURDIR)/$(BIN):$$PATH tools/check

CLANG ?= $(or $(shell command -v clang-14),$(shell command -v clang))

check-clang: setup
	@[ -n "$(CLANG)" ] || { echo 'check-clang: no clang here; apt-get install clang-14' >&2; exit 1; }
	@CC=$(CLANG) $(LOCKED) sh -c '$(call configure,build-clang,-Dwerror=true -Doptimization=1) \
		&& $(NINJA) -C build-clang -j $(JOBS)'
	$(MESON) test -C build-clang --no-rebuild --print-errorlogs --suite c

# The C library and its tests for other systems: 64-bit Arm under qemu, and musl. No package of
# Debian has vector mathematics or BLAS for them here, so what needs those is skipped.
test-arm: setup
	@tools/setup_cross.sh aarch64 build-arm
	@$(LOCKED) sh -c '$(call configure,build-arm,--cross-file build-arm/cross.ini -Dpython=disabled) \
		&& $(NINJA) -C build-arm -j $(JOBS)'
	TENORITE_EMULATED=1 $(MESON) test -C build-arm --no-rebuild --print-errorlogs --suite c --num-processes $(JOBS) -t 10

test-musl: setup
	@tools/setup_cross.sh musl build-musl
	@$(LOCKED) sh -c '$(call configure,build-musl,--cross-file build-musl/cross.ini -Dpython=disabled \
		-Dtests=disabled -Disa=v2 -Doptimization=0) && $(NINJA) -C build-musl -j $(JOBS)'
	build-musl/examples/heat

format: setup
	@git ls-files '*.c' '*.h' '*.cu' '*.cuh' | xargs $(BIN)/clang-format -i
	@$(BIN)/ruff check --quiet --fix --exit-zero .
	@$(BIN)/ruff format --quiet .

clean:
	rm -rf build build-arm build-asan build-clang build-musl build-tsan build-wheel build-wheel-plain dist
	rm -f python/tenorite/lib python/tenorite/include python/tenorite/_core.abi3.so

comma := ,
space := $(subst ,, )
