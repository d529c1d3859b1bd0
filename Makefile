# zhist: the only build file.   make help   lists what there is.
#
#   make            the program, build/zhist        make demo     see it work, about a minute
#   make check      all tests (T=name: one)         make lint     clang-tidy, cppcheck, shellcheck
#   make bench      speed beside fio, dd, bonnie++  make static   one static binary
#   make simulate   how often verdicts are wrong, TIMES=20 as many series as in make check
#   make install    PREFIX=/usr/local DESTDIR=      make deps     what is missing, through apt
#   make check-zfs  ZHIST_ZFS=POOL/DATASET: tests on real OpenZFS, see CONTRIBUTING.md
#
#   SAN=address,undefined | thread   with sanitizers, in build/SAN     WERROR=1   warnings are errors

VERSION := 0.1.0
PREFIX ?= /usr/local
CC ?= cc
AR ?= ar
PKG_CONFIG ?= pkg-config
PKGS := sqlite3 yaml-0.1 libmd liburing

MAKEFLAGS += -j$(shell nproc 2>/dev/null || echo 1)
# V=1 prints commands; else one word and the file.
Q = $(if $(V),,@echo "  $(@F)"; )
comma := ,
B := build$(if $(SAN),/$(subst $(comma),-,$(SAN)))

CFLAGS ?= -O2 -g
WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wundef \
        -Wformat=2 -Wpointer-arith -Wcast-qual -Wwrite-strings -Wdouble-promotion \
        $(if $(WERROR),-Werror)
HARDEN := $(if $(SAN),-fno-omit-frame-pointer,-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2) \
          -fstack-protector-strong -fPIE
ALL_CFLAGS = -std=c11 -pthread -MMD -MP -Iinclude -I$(B) -include zhist/banned.h \
             -D_XOPEN_SOURCE=700 $(WARN) $(HARDEN) $(if $(SAN),-fsanitize=$(SAN)) \
             $(PKG_CFLAGS) $(CFLAGS)
PKG_CFLAGS = $(shell $(PKG_CONFIG) --cflags $(PKGS) 2>/dev/null)
LIBS = $(shell $(PKG_CONFIG) --libs $(PKGS) 2>/dev/null) -lRmath -lm
ALL_LDFLAGS = -pie -Wl,-z,relro,-z,now -Wl,--as-needed $(if $(SAN),-fsanitize=$(SAN)) $(LDFLAGS)

# A platform is chosen by file name: foo_linux.c beside its twin foo_other.c.
OS := $(if $(filter Linux,$(shell uname -s)),linux,other)
NOT_OS := $(if $(filter linux,$(OS)),other,linux)

SRC := $(filter-out %_$(NOT_OS).c,$(wildcard src/*/*.c))
OBJ := $(SRC:%.c=$(B)/%.o)
EMBEDDED := $(wildcard sql/migrate/*.sql sql/views.sql sql/store/*.sql sql/show/*.sql \
            reports/*.sql profiles/*.yaml)
UNITS := $(patsubst tests/%.c,$(B)/tests/%,$(wildcard tests/unit_*.c))

.PHONY: all help deps demo simulate check check-zfs bench lint install static clean fuzz
.DELETE_ON_ERROR:
.SECONDARY:
all: $(B)/zhist

$(B)/zhist: $(B)/src/main.o $(B)/libzhist.a
	$(Q)$(CC) $(CFLAGS) $(ALL_LDFLAGS) -o $@ $^ -pthread $(LIBS)

# Installs what is missing, once, and when there is more to install; `make deps` looks again.
build/deps: tests/deps.sh
	@sh tests/deps.sh build
	@mkdir -p build && touch $@
deps:
	sh tests/deps.sh build
	sh tests/deps.sh check

# Everything but main: what the program and the unit tests link.
$(B)/libzhist.a: $(OBJ) $(B)/embed.o
	$(Q)rm -f $@ && $(AR) rcs $@ $^

# Other flags or another version: everything is compiled anew.
$(B)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(CC) $(ALL_CFLAGS) $(VERSION)' | cmp -s - $@ || echo '$(CC) $(ALL_CFLAGS) $(VERSION)' >$@
FORCE:

$(B)/%.o: %.c $(B)/flags | build/deps
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -DZHIST_VERSION='"$(VERSION)"' -c -o $@ $<

$(B)/embed.c: sql/embed.sh $(EMBEDDED)
	@mkdir -p $(@D)
	$(Q)sh sql/embed.sh $(EMBEDDED) >$@
$(B)/embed.o: $(B)/embed.c
	$(Q)$(CC) $(ALL_CFLAGS) -c -o $@ $<
$(B)/embed.c: | build/deps

# Asks real compressors, which the program itself does not need.
$(B)/tests/unit_fill: private LIBS += -llz4 -lzstd -lz

$(B)/tests/%: tests/%.c tests/check.h $(B)/libzhist.a $(B)/flags | build/deps-check
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $< $(B)/libzhist.a -pthread $(LIBS)


# ---- what one does with it ----------------------------------------------------------------------

build/deps-%: tests/deps.sh | build/deps
	@sh tests/deps.sh $*
	@mkdir -p build && touch $@

check: $(B)/zhist $(B)/made_up $(B)/tests/scenes $(UNITS) | build/deps-check
	@sh tests/run.sh $(B) $(T)

# On a machine with ZFS, or with ZHIST_LAB in guests (which have no libraries: the static binary).
check-zfs: $(B)/zhist $(if $(ZHIST_LAB),build/static/zhist) | build/deps-check
	@sh tests/zfs/check.sh $(B) $(T)

demo: $(B)/zhist $(B)/made_up
	@sh tests/demo.sh $(B)

TIMES ?= 20
simulate: $(B)/tests/unit_simulate
	$< $(TIMES)

bench: $(B)/zhist $(B)/bench_fill $(B)/bench_meter $(B)/bench_split $(B)/tests/scenes | build/deps-bench
	@sh tests/bench/bench.sh $(B) $(WHAT)
$(B)/bench_%: tests/bench/%.c $(B)/libzhist.a
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ -pthread $(LIBS)

lint: | build/deps-lint
	@sh tests/lint.sh

# Coverage-guided, a minute each: needs clang and its fuzzer runtime (libclang-rt-dev). What a
# target needs beside src/base, and what it starts from:
fuzz_src_profile := $(wildcard src/profile/*.c)
fuzz_src_zpool := $(wildcard src/zfs/*.c)
fuzz_from_profile := tests/data/profiles
fuzz_from_json := tests/data/zfs
fuzz_from_zpool := tests/data/zfs
fuzz: $(patsubst tests/fuzz_%.c,fuzz-%,$(wildcard tests/fuzz_*.c))
fuzz-%: tests/fuzz_%.c | build/deps
	@mkdir -p build/fuzz/$*-seen
	clang -g -O1 -DFUZZER -fsanitize=fuzzer,address,undefined -std=c11 -D_XOPEN_SOURCE=700 \
	    -include zhist/banned.h -Iinclude $(PKG_CFLAGS) -o build/fuzz/$* $< $(fuzz_src_$*) \
	    $(patsubst %,src/base/%.c,base random_$(OS) unit text digest model json) $(LIBS)
	build/fuzz/$* -max_total_time=60 -max_len=65536 build/fuzz/$*-seen $(fuzz_from_$*)

# glibc static, with the .a files of the libraries. The linker warns that SQLite may call dlopen:
# it does so for extensions, which are switched off.
static: build/static/zhist
	@ls -l build/static/zhist
build/static/zhist: $(filter-out $(B)/tests/%,$(SRC)) src/main.c build/embed.c | build/deps
	@mkdir -p $(@D)
	$(Q)$(CC) -std=c11 -pthread -Iinclude -Ibuild -include zhist/banned.h -D_XOPEN_SOURCE=700 \
	    -DZHIST_VERSION='"$(VERSION)"' $(WARN) -O2 -fstack-protector-strong -static -s \
	    -ffunction-sections -fdata-sections -Wl,--gc-sections -o $@ $(SRC) src/main.c \
	    build/embed.c $(shell $(PKG_CONFIG) --static --libs $(PKGS) 2>/dev/null) -lRmath -lm

install: $(B)/zhist
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/zhist/profiles
	install -m 755 $(B)/zhist $(DESTDIR)$(PREFIX)/bin/zhist
	install -m 644 profiles/*.yaml $(DESTDIR)$(PREFIX)/share/zhist/profiles

clean:
	rm -rf build

help:
	@sed -n '2,/^$$/s/^# \{0,1\}//p' Makefile

$(B)/made_up: tests/made_up.c $(B)/libzhist.a
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $< $(B)/libzhist.a -pthread $(LIBS)

-include $(OBJ:.o=.d) $(B)/src/main.d $(B)/embed.d $(B)/made_up.d $(UNITS:=.d)
