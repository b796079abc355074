"""The crate: packed by cargo, tested as it was packed, and in an async firmware in emulation, whose
recording is replayed."""

from __future__ import annotations

import re
import shutil
import subprocess
import tarfile
from bisect import bisect_right
from collections.abc import Callable
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from needs import need_program
from recording.rust_tools import ROOT, Cargo, build_for_chip, need_cargo, need_cargo_of_chips
from typer.testing import CliRunner

from heapscope.cli.app import app
from heapscope.cli.verbs.replay import replay
from heapscope.native.reader import NameTable, NativeReader
from heapscope.trace.feed import read_trace
from heapscope.trace.info import read_info

from .test_packages import names, pack

DEVICE = ROOT / "device"
FIRMWARE = ROOT / "emulation" / "rust"
PRINTED = re.compile(rb"\nheap (\d+) (\d+) free (\d+) minimum (\d+) lost (\d+)\n$")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that becomes the crate."""
    packages = tmp_path_factory.mktemp("packages")
    pack(packages, "--url", "https://example.org/heapscope")
    return packages / "rust" / "heapscope"


@pytest.fixture(scope="module")
def cargo(folder: Path) -> Cargo:
    found = need_cargo()
    found.fetch(folder)
    return found


@pytest.fixture(scope="module")
def crate(
    cargo: Cargo, folder: Path, version: str, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """The crate as someone gets it from a registry."""
    target = tmp_path_factory.mktemp("target")
    cargo("package", "--offline", "--allow-dirty", cwd=folder, CARGO_TARGET_DIR=str(target))
    unpacked = tmp_path_factory.mktemp("crate")  # all of its files are of one old date
    with tarfile.open(target / "package" / f"heapscope-{version}.crate") as opened:
        opened.extractall(unpacked, filter="data")
    return unpacked / f"heapscope-{version}"


def test_the_crate_has_the_sources_of_the_device_library(folder: Path, version: str) -> None:
    packed = names(folder)
    for part in ("heap", "recorder", "trace"):
        sources = {f"device/src/{part}/{name}" for name in names(DEVICE / "src" / part)}
        assert sources <= packed
    manifest = (folder / "Cargo.toml").read_text("utf-8")
    assert manifest.startswith("[package]")
    assert f'version = "{version}"' in manifest
    assert 'repository = "https://example.org/heapscope"' in manifest
    assert {"LICENSE", "README.md", "build.rs"} <= packed


@pytest.mark.slow
def test_the_packed_crate_passes_its_own_tests(
    cargo: Cargo, crate: Path, tmp_path: Path, seed: int
) -> None:
    trace = tmp_path / "T.hst"
    more = {"HEAPSCOPE_TRACE": str(trace), "HEAPSCOPE_SEED": str(seed)}
    more["CARGO_TARGET_DIR"] = str(tmp_path / "target")
    cargo("test", "--offline", "--features", "std", cwd=crate, **more)
    info = read_info(trace)
    assert info.events.failed == 1
    assert info.events.total > 4 * 500 * 2
    assert info.word_size == 8
    assert {one.name for one in info.tasks} == {"main", "outer", "inner", "worker"}
    assert info.metadata["program"] == "recording 1"


@pytest.mark.slow
def test_callers_without_frame_pointers_are_refused(
    cargo: Cargo, crate: Path, tmp_path: Path
) -> None:
    more = {"CARGO_TARGET_DIR": str(tmp_path), "RUSTFLAGS": ""}
    stated = cargo.refused("build", "--offline", "--features", "callers", cwd=crate, **more)
    assert "force-frame-pointers=yes" in stated


# ---- in emulation ----


@pytest.fixture(scope="module")
def firmware(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The firmware's sources, with the packed crate."""
    project = tmp_path_factory.mktemp("firmware") / "gateway"
    shutil.copytree(FIRMWARE, project, ignore=shutil.ignore_patterns("target"))
    manifest = project / "Cargo.toml"
    text = manifest.read_text("utf-8")
    assert "../../device/packages/rust" in text
    manifest.write_text(text.replace("../../device/packages/rust", str(folder)), "utf-8")
    need_cargo_of_chips().fetch(project)
    return project


def run(program: Path, folder: Path) -> tuple[Path, list[int]]:
    """The recording, and what the firmware printed behind it."""
    qemu = need_program("qemu-system-riscv32", package="qemu-system-misc")
    line = folder / "line"
    command = [qemu, "-M", "virt", "-bios", "none", "-display", "none", "-monitor", "none"]
    command += ["-icount", "shift=0,sleep=off", "-serial", f"file:{line}", "-kernel", str(program)]
    done = subprocess.run(command, capture_output=True, check=False, timeout=300)
    data = line.read_bytes()
    assert done.returncode == 0, data[-200:]
    match = PRINTED.search(data)
    assert match is not None
    trace = folder / "T.hst"
    trace.write_bytes(data[: match.start()])
    return trace, [int(one) for one in match.groups()]


def layout_of(folder: Path, allocator: str, start: int, size: int) -> Path:
    result = folder / "layout.toml"
    text = f'allocator = "{allocator}"\n[[region]]\nstart = {start}\nsize = {size}\n'
    result.write_text(text, encoding="utf-8")
    return result


@pytest.mark.slow
@pytest.mark.parametrize(
    ("features", "allocator"),
    [
        ((), "heapscope"),
        (("llff",), "linked_list_allocator"),
        (("tlsf",), "embedded-alloc-tlsf"),
        (("talc",), "talc-5"),
        (("buddy",), "buddy_system_allocator"),
    ],
)
def test_a_replay_of_an_async_firmware_meets_each_address(
    firmware: Path, tmp_path: Path, features: tuple[str, ...], allocator: str
) -> None:
    program = build_for_chip(need_cargo_of_chips(), firmware, features=features)
    trace, (start, size, free, minimum, lost) = run(program, tmp_path)
    info = read_info(trace)
    assert lost == 0
    assert {one.name for one in info.tasks} == {"main", "sensor", "collector", "client"}
    assert info.events.failed == 1
    assert info.events.aligneds > 300
    result = replay(trace, layout=layout_of(tmp_path, allocator, start, size))
    [region], summary = result.regions, result.summary
    assert free in (0, region.reported_free)  # 0: the heap does not say
    assert minimum in (0, region.reported_minimum_free)
    assert summary.address_compared > 15_000
    assert summary.address_matched == summary.address_compared
    assert summary.recorded_failures_fit == 0
    others = ("--allocator", "linked_list_allocator", "--allocator", "talc-5")
    done = CliRunner().invoke(
        app, ["compare", str(trace), "--layout", str(tmp_path / "layout.toml"), *others]
    )
    assert done.exit_code == 0, done.output


def functions_of(program: Path) -> Callable[[int], str]:
    """The name of the function that an address lies in; "": it lies in none."""
    with program.open("rb") as file:
        symbols = ELFFile(file).get_section_by_name(".symtab").iter_symbols()
        rows = [(one["st_value"], one["st_size"], one.name) for one in symbols if one["st_size"]]
    rows.sort()

    def name(address: int) -> str:
        start, size, found = rows[bisect_right(rows, (address, 1 << 32, "")) - 1]
        return found if address <= start + size else ""

    return name


@pytest.mark.slow
def test_the_callers_of_a_firmware_are_functions_of_it(firmware: Path, tmp_path: Path) -> None:
    program = build_for_chip(need_cargo_of_chips(), firmware, features=("callers",))
    trace, _ = run(program, tmp_path)
    functions = functions_of(program)
    with NativeReader() as reader:
        read_trace(trace, reader)
        sites = [site or b"" for site in reader.names(NameTable.SITE).values()]
    stacks = [[functions(int(one, 16)) for one in site.split(b";")] for site in sites]
    assert len(stacks) > 50
    assert all(all(stack) for stack in stacks)
    text = " ".join(name for stack in stacks for name in stack)
    assert "serde_json" in text
    assert "collector" in text
    assert CliRunner().invoke(app, ["leaks", str(trace)]).exit_code == 0
    addresses = [one.decode() for site in sites for one in site.split(b";")]
    command = ["riscv64-unknown-elf-addr2line", "-Cfe", str(program), *addresses]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "main.rs:" in lines


# ---- its pages ----


@pytest.mark.slow
def test_the_programs_of_the_guide_run(cargo: Cargo, folder: Path, tmp_path: Path) -> None:
    text = (ROOT / "docs" / "guide" / "rust.md").read_text("utf-8")
    text += (folder / "README.md").read_text("utf-8")
    blocks = re.findall(r"^```rust\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert len(blocks) == 4
    (tmp_path / "Cargo.toml").write_text(
        '[package]\nname = "guide"\nversion = "0.1.0"\nedition = "2021"\n[workspace]\n'
        f'[dependencies]\nheapscope = {{ path = "{folder}", features = ["std"] }}\n'
    )
    for number, block in enumerate(blocks):
        source = tmp_path / "src" / "bin" / f"block{number}.rs"
        source.parent.mkdir(parents=True, exist_ok=True)
        main = "" if "fn main()" in block else "\nfn main() {}\n"
        source.write_text(f"#![allow(dead_code)]\n{block}{main}", "utf-8")
    cargo("build", "--offline", cwd=tmp_path)
    for number in range(len(blocks)):
        cargo("run", "--offline", "--bin", f"block{number}", cwd=tmp_path)
