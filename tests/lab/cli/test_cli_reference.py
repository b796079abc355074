"""The examples in the documentation of the command line work."""

from __future__ import annotations

import gzip
import re
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer
from needs import c_compiler
from tests.lab.cli.things import image
from tests.lab.image.dumps import printed
from tests.lab.leaks.test_states import dump
from tests.lab.ram.test_ram_answer import build
from tests.lab.static.conftest import MAP
from tests.lab.static.test_static_image import esp32

from heapscope.cli.app import app
from heapscope.cli.schemas import schema_names, schema_of

Run = Callable[..., Any]
#: A recording with ESP-IDF's module of heap events and one allocation.
SYSTEMVIEW = b"; SystemView\n;\n" + bytes(10) + b"\x0a\x00"
SYSTEMVIEW += b"\x16\x01\x80\x04\x1eSystemView Heap Tracing Module\x00"
SYSTEMVIEW += b"\x80\x04\x06\x80\x80\xec\xff\x03\x10\x01"
REFERENCE = Path(__file__).resolve().parents[3] / "docs" / "reference" / "cli.md"


def test_every_verb_has_a_schema_for_its_json() -> None:
    group: Any = typer.main.get_command(app)
    for verb in group.list_commands(None):
        kinds = [name for name in schema_names() if name == verb or name.startswith(f"{verb}-")]
        assert kinds, verb
        assert all(map(schema_of, kinds)), verb


def examples() -> list[str]:
    matches = re.findall(r"^  (heapscope .*)$", REFERENCE.read_text(encoding="utf-8"), re.MULTILINE)
    # No device is plugged in, and none connects; tests/lab/translate records a program first.
    return [
        one
        for one in dict.fromkeys(matches)
        if not re.search(r"/dev/|gdb:|(?:tcp|udp):(?://)?\d| translate ", one)
    ]


def test_there_are_examples() -> None:
    assert len(examples()) >= 12


def build_firmware() -> None:
    """A program of this machine with an allocator of its own."""
    text = "void *pvPortMalloc(unsigned long); void vPortFree(void *); static char one[64];"
    text += "void *pvPortMalloc(unsigned long n) { return n > 64 ? 0 : one; }"
    text += "void vPortFree(void *p) { (void)p; } int main(void) { vPortFree(pvPortMalloc(8)); }"
    command = [*c_compiler(), "-x", "c", "-", "-o", "firmware"]
    subprocess.run(command, input=text.encode(), check=True)


def memory_images() -> None:
    """Writes the memory of a device, core dumps of it, and a log of its blocks."""
    import zstandard

    captured = REFERENCE.parents[2] / "tests" / "lab" / "image" / "captured"
    core, memory = (
        zstandard.ZstdDecompressor().decompressobj().decompress((captured / name).read_bytes())
        for name in ("c3_none.core.zst", "c3_none.3fc8c400.zst")
    )
    for name in ("coredump.bin", "morning.core", "evening.core"):
        Path(name).write_bytes(core)
    for name in ("dram.bin", "0x3fc80000.raw"):
        Path(name).write_bytes(bytes(0xC400) + memory)
    Path("rtc.bin").write_bytes(bytes(8192))
    Path("dump.log").write_text("\n".join(dump([64] * count) for count in (1, 5)), "utf-8")
    Path("crash.log").write_bytes(printed(core))
    Path("build").mkdir(exist_ok=True)
    Path("build/app.elf").write_bytes(Path("firmware.elf").read_bytes())


def build_folders() -> None:
    """Builds as ESP-IDF leaves them, and a map without its folder."""
    for name in ("build", "before/build", "after/build"):
        Path(name).mkdir(parents=True)
        build(Path(name), esp32(bluetooth="after" not in name), text=MAP)
    Path("app.map").write_text(MAP, encoding="utf-8")
    memory = '[[memory]]\nstart = %#x\nsize = %#x\nkind = "%s"\n'
    memories = ((0x3FFAE000, 0x52000, "DRAM"), (0x40080000, 0x20000, "IRAM"))
    Path("board.toml").write_text(
        'name = "my board"\n' + "".join(memory % each for each in memories), encoding="utf-8"
    )


def logs_of_weeks() -> None:
    """A log in rotated files, the logs of several devices, and the same as a table."""
    lines = [f"I ({3_600_000 * hour}) mon: free heap: {90_000 - hour}\n" for hour in range(60)]
    Path("device.log.2.gz").write_bytes(gzip.compress("".join(lines[:20]).encode()))
    Path("device.log.1").write_text("".join(lines[20:40]), encoding="utf-8")
    Path("device.log").write_text("".join(lines[40:]), encoding="utf-8")
    Path("logs").mkdir()
    rows = ["device,build,time,free\n"]
    for device in range(4):
        Path(f"logs/device{device}.log").write_text("".join(lines), encoding="utf-8")
        rows += [f"d{device},1.{device % 2},{3600 * hour},{90_000 - hour}\n" for hour in range(60)]
    Path("fleet.csv").write_text("".join(rows), encoding="utf-8")


@pytest.mark.cells(25)
@pytest.mark.parametrize(
    "example",
    [
        # All experiments are computed for tests/studies once, which see them written.
        pytest.param(one, marks=pytest.mark.slow if "experiment all" in one else ())
        for one in examples()
    ],
)
def test_examples_of_the_help_work(example: str, hst: Path, run: Run) -> None:
    import zstandard

    text = Path("events.txt").read_bytes()
    Path("events.txt.zst").write_bytes(zstandard.ZstdCompressor().compress(text))
    Path("boot.txt").write_text(
        "I (0) boot.esp32: chip\n" + Path("boot.txt").read_text(encoding="utf-8"), encoding="utf-8"
    )
    for name in ("device.log", "crash.log", "old.log", "new.log", "monday.log", "tuesday.log"):
        Path(name).write_bytes(Path("boot.txt").read_bytes())
    Path("device.log.gz").write_bytes(gzip.compress(Path("boot.txt").read_bytes()))
    firmware = REFERENCE.parents[2] / "studies" / "workloads" / "static" / "firmware.elf"
    Path("firmware.elf").write_bytes(firmware.read_bytes())
    if "./firmware" in example:
        build_firmware()
    calls = REFERENCE.parents[2] / "studies" / "workloads" / "captured"
    for name, captured in (
        ("call", "ice_default"),
        ("other", "ice_plain"),
        ("day", "tenants_at_default"),
    ):
        packed = (calls / f"{captured}.hst.zst").read_bytes()
        Path(f"{name}.hst").write_bytes(
            zstandard.ZstdDecompressor().decompressobj().decompress(packed)
        )
    log = REFERENCE.parents[2] / "tests" / "lab" / "pools" / "pjsua.log"
    Path("heap.svdat").write_bytes(SYSTEMVIEW)
    Path("pjsua.log").write_bytes(log.read_bytes())
    linked = REFERENCE.parents[2] / "tests" / "lab" / "fit" / "app.map"
    if re.match("heapscope (image|leaks)", example):
        memory_images()
    if re.search(r"device\.log\.1| logs |fleet\.csv", example):
        logs_of_weeks()
    if "heapscope ram" in example:
        build_folders()
    else:
        Path("build").mkdir(exist_ok=True)
        Path("build/app.map").write_bytes(linked.read_bytes())
        Path("build/app.bin").write_bytes(image())
    Path("known.txt").write_text("task=net\n", encoding="utf-8")
    rule = '[[rule]]\ntask = "net"\nmax = 64\nregion = "%s"\n'
    kind = "pool" if "--pool" in example else "D/IRAM"
    Path("rules.toml").write_text(rule % kind, encoding="utf-8")
    iperf = "Client connecting to 10.0.0.2, TCP port 5001\n"
    iperf += "[  3]  0.0-10.0 sec  24.5 MBytes  20.6 Mbits/sec\n"
    budgets = '[memory]\nchip = "esp32"\n[budget]\nmin_free = "1KB"\n[[run]]\ntrace = "%sT.hst"\n'
    Path("budgets").mkdir()
    Path("heapscope.toml").write_text(budgets % "", encoding="utf-8")
    Path("budgets/heapscope.toml").write_text(budgets % "../", encoding="utf-8")
    if "--baseline" in example:
        assert run("check", "--json", "main.json").code == 0
    Path("iperf.log").write_text(iperf, encoding="utf-8")
    Path("steps.txt").write_text("CONFIG_LWIP_TCP_MSS=536\n", encoding="utf-8")
    for name in ("sdkconfig", "sdkconfig.old", "sdkconfig.defaults", "sdkconfig.release"):
        chip = "esp32c3" if "app.map" in example else "esp32"
        target = "" if "--chip" in example else f'CONFIG_IDF_TARGET="{chip}"\n'
        Path(name).write_text(f"{target}CONFIG_HEAP_TASK_TRACKING=y\n", encoding="utf-8")
    Path("T2.hst").write_bytes(Path("other.hst").read_bytes())  # another recording
    for name in ("before", "after"):
        Path(f"{name}.hst").write_bytes(hst.read_bytes())
        if f"{name}.json" in example:
            run("replay", hst, "--pool", "64KB", "--json", f"{name}.json")
    if "heapscope sweep" in example:
        plan = 'traces = "T.hst"\n[[grid]]\npool = ["64KB", "96KB"]\n'
        Path("plan.toml").write_text(plan, encoding="utf-8")
    if "sweep show" in example:
        assert run("sweep", "plan.toml").code == 0
    done = run(*shlex.split(example)[1:])
    # Standard output is the program's where it runs.
    recorded = "heapscope record" in example and "--wrap" not in example
    assert done.code == 0
    assert recorded or done.err == ""
    assert done.err if recorded and "--json -" not in example else done.out


def test_every_verb_shows_its_help(run: Run) -> None:
    group: Any = typer.main.get_command(app)
    for verb in group.list_commands(None):
        done = run(verb, "--help")
        assert done.code == 0
        assert f"Usage: heapscope {verb}" in done.out or f"{verb} [OPTIONS]" in done.out
        assert "Examples:" in done.out
