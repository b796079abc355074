"""C programs with a main(), as written for the host, built for a chip and run in emulation.

The tests of tests/device run unchanged by this: `hosted/` is all of the C library that they need.
Their output goes to a buffer, and their end is read from memory, so nothing slows them down.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from emulation.build import COMMON, NO_CALLS, OPTIMISED, ZIG, fresh, put
from emulation.machine import PAGE, RETURN, Machine
from emulation.places import BUILD, HERE, ROOT, run
from emulation.symbols import arithmetic, undefined
from emulation.targets import Target, compiler, compiler_name, need_compiler

__all__ = ["Finished", "build_program", "device_sources", "link", "run_program"]

HOSTED = HERE / "hosted"
MEMORY, MEMORY_SIZE = 0x4000_0000, 0x1000_0000  #: HOSTED_MEMORY
OUTPUT = 65536  #: HOSTED_OUTPUT
ARGUMENTS = RETURN + PAGE
SECONDS = 300  #: longer than any program runs
SECTIONS = ("-ffunction-sections", "-fdata-sections")


@dataclass(frozen=True)
class Finished:
    """How a program ended: main's result or what it gave exit(), 134 for abort()."""

    code: int
    output: str


def device_sources() -> list[Path]:
    """All that ships, the drop-in interfaces and ports apart."""
    return sorted((ROOT / "device" / "src").rglob("*.c"))


#: Headers whose macros may be set on the compiler's command line.
CONFIGURED = ("config.h", "recorder.h", "recorder_port.h")


@cache
def headers() -> bytes:
    """A digest of all files that any source may include."""
    folders = (ROOT / "device", ROOT / "tests" / "device", ROOT / "tests" / "models", HERE)
    key = hashlib.sha256(Path(__file__).read_bytes())
    for folder in folders:
        for path in sorted(folder.rglob("*.h")):
            key.update(str(path).encode() + path.read_bytes())
    return key.digest()


def compile_one(target: Target, source: Path, flags: Sequence[str]) -> Path:
    """The object of one file, kept as long as nothing that it is made of changes."""
    key = hashlib.sha256(headers() + str(source).encode() + source.read_bytes())
    key.update("\0".join((*compiler(target), compiler_name(target), *flags)).encode())
    folder = BUILD / "objects" / f"{source.stem}-{key.hexdigest()[:20]}"
    if not folder.exists():
        own = fresh(folder)
        run(*compiler(target), *flags, "-c", source, "-o", own / f"{source.stem}.o")
        put(own, folder)
    return folder / f"{source.stem}.o"


@cache
def configuration() -> frozenset[str]:
    """The macros by which device/src is configured."""
    folder = ROOT / "device" / "include" / "heapscope"
    texts = [(folder / name).read_text(encoding="utf-8") for name in CONFIGURED]
    return frozenset(re.findall(r"^#(?:ifn?def|define) (HS_\w+)", "\n".join(texts), re.MULTILINE))


def concerns(flag: str, source: Path) -> bool:
    """A program's own flags do not reach device/src, so that its objects serve many
    programs; the configuration does."""
    if not source.is_relative_to(ROOT / "device" / "src"):
        return True
    macro = re.match(r"-D(\w+)", flag)
    if flag.startswith("-g"):
        return True
    return macro is not None and macro[1] in configuration()


def flags_for(target: Target, source: Path, level: str, extra: Sequence[str]) -> list[str]:
    flags = [level, *COMMON, *SECTIONS, *(() if target.by_gcc else ZIG)]
    flags += [flag for flag in extra if concerns(flag, source)]
    if source.parent == HOSTED:  # no loop becomes a call of itself
        flags += NO_CALLS if target.by_gcc else NO_CALLS[:1]
    if source.is_relative_to(ROOT / "tests"):  # tests keep their assert()s
        flags.append("-UNDEBUG")
    return [*flags, "-I", str(ROOT / "device" / "src"), "-isystem", str(HOSTED / "include")]


def objects(
    target: Target, sources: Sequence[Path], level: str, extra: Sequence[str]
) -> list[Path]:
    need_compiler(target)

    def one(source: Path) -> Path:
        return compile_one(target, source, flags_for(target, source, level, extra))

    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        return list(pool.map(one, sources))


@cache
def words_of(source: Path) -> frozenset[str] | None:
    """The words of lines that are not indented, among which are the names that a file defines.
    None: a macro makes its names."""
    text = source.read_text(encoding="utf-8")
    if re.search(r"^#define HS_NAME\b", text, re.MULTILINE):
        return None
    lines = re.findall(r"^[A-Za-z_].*", text, re.MULTILINE)
    return frozenset(re.findall(r"\w+", " ".join(lines)))


def missing(built: Sequence[Path], keep: Sequence[str]) -> set[str]:
    """The heap's names that these objects want and do not define. `__real_` is the linker's name of
    what the option --wrap replaces."""
    wanted = {name.removeprefix("__real_") for name in undefined(built, keep)}
    return {name for name in undefined(built, wanted) if name[:3] == "hs_"}


def needed_objects(
    target: Target, sources: Sequence[Path], level: str, flags: Sequence[str], keep: Sequence[str]
) -> list[Path]:
    """The objects of a program and of those files of device/src that it needs: the linker would
    leave out the others, and to compile them all takes longer than the program's own files. The
    text of a file tells what it may define, and its object what it does; where the texts tell of no
    file, the rest is compiled."""
    built = objects(target, sources, level, flags)
    chosen: dict[Path, Path] = {}
    rest = device_sources()
    while rest and (names := missing([*built, *chosen.values()], keep)):
        results = [(source, words_of(source)) for source in rest]
        more = [source for source, words in results if words is None or names & words] or rest
        chosen.update(zip(more, objects(target, more, level, flags), strict=True))
        rest = [source for source in rest if source not in chosen]
    return [*built, *(chosen[source] for source in sorted(chosen))]


def link(target: Target, built: Sequence[Path], output: Path, entry: str, *flags: str) -> None:
    """An image of these objects; what `entry` does not need is left out."""
    command = [OPTIMISED, "-nostdlib", "-static", f"-Wl,-T,{HERE / 'image.ld'},--gc-sections"]
    command += [f"-Wl,-e,{entry}", *flags]
    command += ["-no-pie", "-Wl,--build-id=none"] if target.by_gcc else []
    run(*compiler(target), *command, *built, *arithmetic(target, built), "-o", output)


def build_program(
    target: Target,
    sources: Sequence[Path],
    *,
    level: str = OPTIMISED,
    flags: Sequence[str] = (),
    keep: Sequence[str] = (),
    wrap: Sequence[str] = (),
) -> Path:
    """The ELF of a program, with what of device/src it uses. `flags`: for all of its files. `keep`:
    functions that are there to be called from outside. `wrap`: functions whose calls the linker
    sends to others, as its option --wrap does. MissingError: no such compiler."""
    own = [*sources, *sorted(HOSTED.glob("*.c"))]
    built = needed_objects(target, own, level, flags, keep)
    options = [*(f"-Wl,-u,{name}" for name in keep), *(f"-Wl,--wrap={name}" for name in wrap)]
    key = hashlib.sha256("\0".join((*map(str, built), *options)).encode())
    key.update((HERE / "image.ld").read_bytes())
    folder = BUILD / f"{sources[0].stem}-{target.name.replace(' ', '-')}-{key.hexdigest()[:16]}"
    if not folder.exists():
        place = fresh(folder)
        link(target, built, place / "program.elf", "hosted_start", *options)
        put(place, folder)
    return folder / "program.elf"


def run_program(target: Target, program: Path, *arguments: str, seconds: int = SECONDS) -> Finished:
    """Runs it to its end. FaultError: the processor would have raised an exception; RuntimeError:
    it did not end."""
    machine = Machine(target, program)
    machine.map(MEMORY, MEMORY_SIZE)
    machine.map(ARGUMENTS, PAGE)
    texts = [word.encode() + b"\0" for word in (program.parent.name, *arguments)]
    at = ARGUMENTS + 4 * (len(texts) + 1)
    vector = []
    for text in texts:
        machine.write(at, text)
        vector.append(at)
        at += len(text)
    machine.write(ARGUMENTS, b"".join(word.to_bytes(4, "little") for word in (*vector, 0)))
    back = RETURN | machine.kind.thumb
    machine.write(machine.symbols["hosted_return"], back.to_bytes(4, "little"))
    machine.call("hosted_start", len(texts), ARGUMENTS, seconds=seconds)

    def word(name: str) -> int:
        return int.from_bytes(machine.read(machine.symbols[name], 4), "little")

    written = word("hosted_written")
    output = machine.read(machine.symbols["hosted_output"], min(written, OUTPUT))
    text = output.decode(errors="replace") + ("\n[cut]\n" if written > OUTPUT else "")
    if not word("hosted_ended"):
        raise RuntimeError(f"{program.parent.name}: no end within {seconds} s\n{text}")
    return Finished(word("hosted_code"), text)
