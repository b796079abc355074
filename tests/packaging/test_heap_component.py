"""The component that takes the place of ESP-IDF's heap, as far as it goes without ESP-IDF:
configured by CMake with stand-ins for ESP-IDF's functions and folders, with options from the
component's Kconfig read by Espressif's own reader, compiled for 32 bits, linked to a program and
run; and what of it can be called while the flash cache is off is what its linker fragment places
into IRAM."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile

ROOT = Path(__file__).resolve().parents[2]
STAND_IN = Path(__file__).parent / "stand_ins" / "esp_idf_heap"
COMPONENT = ROOT / "device" / "compat" / "esp_idf" / "heap"

ALL = (
    "HEAP_POISONING_COMPREHENSIVE",
    "HEAP_TASK_TRACKING",
    "HEAP_TRACK_DELETED_TASKS",
    "HEAP_TRACING_STANDALONE",
    "HEAP_USE_HOOKS",
    "HEAP_ABORT_WHEN_ALLOCATION_FAILS",
)
CHOICES: dict[str, tuple[str, ...]] = {"plain": (), "all": ALL}
SAID = {
    "plain": "plain guard 0 owners 0 kinds 8 stack 32768\n",
    "all": "overflow found guard 1 owners 1 kinds 8 stack 32768\nMemory allocation failed\n",
}


def configured(chosen: tuple[str, ...], folder: Path) -> dict[str, str]:
    """Writes sdkconfig.h and options.cmake of a project whose sdkconfig sets these; what is set."""
    reader = pytest.importorskip("esp_kconfiglib")
    (folder / "Kconfig").write_text(f'source "{COMPONENT / "Kconfig"}"\n', encoding="utf-8")
    lines = "".join(f"CONFIG_{name}=y\n" for name in chosen)
    (folder / "sdkconfig").write_text(lines, encoding="utf-8")
    config = reader.Kconfig(str(folder / "Kconfig"))
    config.load_config(str(folder / "sdkconfig"))
    config.write_autoconf(str(folder / "sdkconfig.h"))
    values = {symbol.name: symbol.str_value for symbol in config.unique_defined_syms}
    on = [f'set(CONFIG_{name} "{value}")\n' for name, value in values.items() if value != "n"]
    (folder / "options.cmake").write_text("".join(on), encoding="utf-8")
    return values


def build(cmake, folder: Path, target: str) -> None:
    where = (f"-DREPOSITORY={ROOT}", f"-DOPTIONS={folder / 'options.cmake'}", f"-DTARGET={target}")
    cmake("-S", STAND_IN, "-B", folder / "build", "-DCMAKE_C_COMPILER_WORKS=ON", *where)
    cmake("--build", folder / "build", "-j2")


@pytest.mark.parametrize("name", CHOICES)
def test_a_program_runs_on_it(cmake, cc, tmp_path: Path, name: str) -> None:
    (tmp_path / "probe.c").write_text("int main(void) { return 0; }\n", encoding="utf-8")
    cc("-m32", tmp_path / "probe.c", "-o", tmp_path / "probe")  # Debian package: gcc-multilib
    values = configured(CHOICES[name], tmp_path)
    assert all(values[option] == "y" for option in CHOICES[name])
    build(cmake, tmp_path, "esp32c3")
    ran = subprocess.run([tmp_path / "build" / "consumer"], capture_output=True, text=True)
    assert (ran.stdout, ran.returncode) == (SAID[name], 3 if name == "all" else 0)
    what_allocates_and_frees_is_in_iram(read(tmp_path), placed(values), name)


# ---- what is placed into IRAM ------------------------------------------------------------------

#: Where calls come from while the flash cache may be off, and what is called by its address: from
#: the regions' configuration, the guard's, and the tracer.
ROOTS = (
    *("heap_caps_malloc", "heap_caps_calloc", "heap_caps_realloc", "heap_caps_free"),
    *("heap_caps_malloc_default", "heap_caps_realloc_default", "heap_caps_aligned_alloc"),
    *("heap_caps_malloc_prefer", "heap_caps_realloc_prefer", "heap_caps_calloc_prefer"),
    *("multi_heap_malloc", "multi_heap_realloc", "multi_heap_free", "multi_heap_aligned_alloc"),
    *(
        "heapscope_esp_heaps_lock",
        "heapscope_esp_heaps_unlock",
        "heapscope_esp_task_now",
        "told",
        "tracer",
    ),
)

Place = tuple[str, int]  #: an object and the number of a section of it


@dataclass
class Code:
    """The sections of an archive's objects."""

    names: dict[Place, str]
    calls: dict[Place, list[Place | str]]  #: what each refers to; outside of the object, by name
    homes: dict[str, Place]  #: of functions and variables


def read(folder: Path) -> Code:
    code = Code({}, {}, {})
    for path in sorted((folder / "build").rglob("__idf_heap.dir/**/*.o")):
        name = path.name.split(".")[0]
        assert (name, 0) not in code.names, f"two objects are named {name}"
        with path.open("rb") as file:
            read_object(ELFFile(file), name, code)
    return code


def read_object(elf: ELFFile, name: str, code: Code) -> None:
    symbols = list(elf.get_section_by_name(".symtab").iter_symbols())
    for symbol in symbols:
        if isinstance(symbol["st_shndx"], int) and symbol.name:
            code.homes.setdefault(symbol.name, (name, symbol["st_shndx"]))
    for index, section in enumerate(elf.iter_sections()):
        code.names[name, index] = section.name
        code.calls.setdefault((name, index), [])
        if section["sh_type"] in ("SHT_REL", "SHT_RELA"):
            to = code.calls.setdefault((name, section["sh_info"]), [])
            for relocation in section.iter_relocations():
                symbol = symbols[relocation["r_info_sym"]]
                inside = isinstance(symbol["st_shndx"], int)
                to.append((name, symbol["st_shndx"]) if inside else symbol.name)


def reached(code: Code) -> set[str]:
    """Functions, as `object:function`."""
    seen: set[Place] = set()
    todo = [code.homes[root] for root in ROOTS if root in code.homes]
    while todo:
        at = todo.pop()
        if at not in seen:
            seen.add(at)
            for to in code.calls[at]:
                if isinstance(to, tuple) or to in code.homes:
                    todo.append(to if isinstance(to, tuple) else code.homes[to])
    return {
        f"{name}:{code.names[name, index].removeprefix('.text.')}"
        for name, index in seen
        if code.names[name, index].startswith(".text.")
    }


def placed(values: dict[str, str]) -> set[str]:
    """The fragment's entries under this configuration: objects, and functions as above."""
    text = (COMPONENT / "linker.lf").read_text(encoding="utf-8")
    entries: set[str] = set()
    holds: list[tuple[int, bool]] = []  # the conditions around a line: their indents
    for line in text.partition("entries:\n")[2].splitlines():
        indent = len(line) - len(line.lstrip())
        if not line.strip():
            continue
        holds = [(at, true) for at, true in holds if at < indent]
        if condition := re.fullmatch(r"if (.*):", line.strip()):
            terms = [term.split(" = ") for term in condition[1].split(" || ")]
            holds.append((indent, any(values[name] == value for name, value in terms)))
        else:
            entry = re.fullmatch(r"([\w:]+) \(noflash\)", line.strip())
            assert entry is not None, line
            if all(true for _, true in holds):
                entries.add(entry[1])
    return entries


def what_allocates_and_frees_is_in_iram(code: Code, entries: set[str], name: str) -> None:
    found = reached(code)
    assert len(found) > 50
    left = {one for one in found if one not in entries and one.split(":")[0] not in entries}
    assert not left
    # Nothing is placed there for nothing; esp_has() may be inlined.
    objects = {one.split(":")[0] for one in found}
    unused = {one for one in entries if ":" not in one and one not in objects}
    assert not unused
    functions = {f"{at[0]}:{function}" for function, at in code.homes.items()}
    assert {one for one in entries if ":" in one} - functions <= {"heap_caps_query:esp_has"}


def test_the_whole_heap_can_be_placed_into_flash(tmp_path: Path) -> None:
    assert placed(configured(("HEAP_PLACE_FUNCTION_INTO_FLASH",), tmp_path)) == set()


# ---- what must not be --------------------------------------------------------------------------


def test_the_heap_of_the_rom_cannot_be_chosen(tmp_path: Path) -> None:
    values = configured(("HEAP_TLSF_USE_ROM_IMPL", "HEAP_TRACING_TOHOST"), tmp_path)
    assert values["HEAP_TLSF_USE_ROM_IMPL"] == "n"
    assert values["HEAP_TRACING_OFF"] == "y"
    assert "ROM" not in (tmp_path / "sdkconfig.h").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("target", "option", "message"),
    [
        ("linux", "", "leave it out of EXTRA_COMPONENT_DIRS"),
        ("esp32c3", "set(CONFIG_HEAP_TLSF_USE_ROM_IMPL y)", "set it to n"),
        ("esp32z9", "", "no such file or folder"),
    ],
)
def test_what_cannot_be_built_is_told(
    cmake, tmp_path: Path, target: str, option: str, message: str
) -> None:
    (tmp_path / "options.cmake").write_text(option, encoding="utf-8")
    with pytest.raises(AssertionError) as caught:
        build(cmake, tmp_path, target)
    assert message in " ".join(str(caught.value).split())


def test_every_option_that_the_heap_asks_for_is_in_the_kconfig(tmp_path: Path) -> None:
    known = set(configured((), tmp_path))
    sources = [*(COMPONENT.parent / "src").glob("*"), *(COMPONENT.parent / "include").glob("*.h")]
    asked: set[str] = set()
    for source in sources:
        asked |= set(re.findall(r"\bCONFIG_(HEAP_\w+)", source.read_text(encoding="utf-8")))
    assert asked <= known | {"HEAP_TRACE_HASH_MAP"}  # documented as not there
    assert "HEAP_POISONING_LIGHT" in asked
