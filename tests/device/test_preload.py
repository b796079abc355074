"""Real programs of this system run with our malloc in the place of their C library's."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from needs import c_compiler, cxx_compiler

ROOT = Path(__file__).parents[2]
DEVICE = ROOT / "device"
LIBC = DEVICE / "compat" / "libc"
ARENAS = DEVICE / "compat" / "arenas"

#: At its end a program says how much of our memory it had used, so that nothing else was tested.
WITNESS = """
#include <stdio.h>
#include <stdlib.h>
#include "heapscope_libc.h"
static size_t began;
__attribute__((constructor)) static void begin(void) { began = hs_libc_free_size(); }
__attribute__((destructor)) static void end(void)
{
    const char *name = getenv("HS_WITNESS");
    FILE *file = name != NULL ? fopen(name, "w") : NULL;
    if (file != NULL) {
        fprintf(file, "%d %d", began > hs_libc_minimum_free(), (int)hs_libc_check(NULL));
        fclose(file);
    }
}
void hs_libc_refused(void *block)
{
    fprintf(stderr, "refused: %p\\n", block);
    abort();
}
"""

PLUS = """
#include <cstdio>
#include <map>
#include <string>
#include <vector>
int main()
{
    std::map<std::string, std::vector<int>> words;
    for (int i = 0; i < 20000; i++) {
        words["word " + std::to_string(i % 500)].push_back(i);
    }
    struct alignas(64) wide { char bytes[64]; };
    auto *wides = new wide[10];
    bool aligned = reinterpret_cast<unsigned long>(wides) % 64 == 0;
    delete[] wides;
    bool failed = false;
    try {
        volatile std::size_t size = std::size_t(-1) / 2;
        char *volatile block = new char[size];
        delete[] block;
    } catch (const std::bad_alloc &) {
        failed = true;
    }
    std::printf("%zu %d %d\\n", words.size() + words["word 7"].size(), aligned, failed);
}
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("preload")
    (folder / "witness.c").write_text(WITNESS, encoding="utf-8")
    sources = [*(DEVICE / "src" / "heap").glob("*.c"), *LIBC.glob("*.c"), *ARENAS.glob("*.c")]
    sources += [DEVICE / "port" / "posix" / "port.c", folder / "witness.c"]
    flags = ["-std=gnu11", "-O2", "-fPIC", "-shared", "-fno-builtin", "-DHS_ARENAS_MAX=64"]
    flags += ["-DHS_LIBC_MEMORY=HS_LIBC_PAGES", f"-I{DEVICE / 'include'}"]
    flags += [f"-I{LIBC}", f"-I{ARENAS}"]
    built = folder / "libheapscope_malloc.so"
    command = [*c_compiler(), *flags, *map(str, sources), "-o", str(built), "-pthread"]
    subprocess.run(command, check=True)
    return built


def same(library: Path, tmp_path: Path, command: list[str], given: str = "") -> str:
    """A program's output with our malloc, which equals that with its own."""
    witness = tmp_path / "witness"
    ours = {**os.environ, "LD_PRELOAD": str(library), "HS_WITNESS": str(witness)}
    texts = []
    for environment in ({**os.environ}, ours):
        done = subprocess.run(
            command, input=given, capture_output=True, text=True, env=environment, check=False
        )
        assert (done.returncode, done.stderr) == (0, ""), command
        texts.append(done.stdout)
    assert texts[0] == texts[1]
    assert witness.read_text() == "1 0"
    return texts[1]


@pytest.mark.slow
def test_ls_and_sort(library: Path, tmp_path: Path) -> None:
    assert "device" in same(library, tmp_path, ["ls", "-lR", str(ROOT / "device")])
    lines = "".join(f"{i * 7919 % 100003}\n" for i in range(50000))
    same(library, tmp_path, ["sort", "--numeric-sort"], lines)
    same(library, tmp_path, ["sort", "--parallel=4", "-S", "8M"], lines)


@pytest.mark.slow
def test_python_with_threads_and_processes(library: Path, tmp_path: Path) -> None:
    script = """
import json, re, subprocess, sys, threading
def work():
    for i in range(30):
        assert json.loads(json.dumps(list(range(2000))))[-1] == 1999
        re.sub("a+", "b", "a" * 5000 + "c")
threads = [threading.Thread(target=work) for _ in range(4)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print(subprocess.run(["echo", "child"], capture_output=True, text=True).stdout, end="")
print(sum(len(str(n)) for n in range(200000)), len(bytearray(40_000_000 // 2)))
"""
    # Python's own small-object allocator is told to leave all to malloc.
    python = ["env", "PYTHONMALLOC=malloc", sys.executable, "-I", "-c", script]
    assert same(library, tmp_path, python) == "child\n1088890 20000000\n"


@pytest.mark.slow
def test_new_and_delete_of_a_program_in_c_plus_plus(library: Path, tmp_path: Path) -> None:
    plus = cxx_compiler()
    (tmp_path / "plus.cc").write_text(PLUS, encoding="utf-8")
    program = tmp_path / "plus"
    subprocess.run([*plus, "-O1", "-std=c++17", tmp_path / "plus.cc", "-o", program], check=True)
    assert same(library, tmp_path, [str(program)]) == "540 1 1\n"
