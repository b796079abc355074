"""Every kind of page, made from committed traces, logs and seeds, so that each is the same on every
machine: what is looked at in test_looks.py and test_pictures.py."""

from __future__ import annotations

import contextlib
import json
import random
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sample_trace import sample_trace
from typer.testing import CliRunner

from heapscope.cli.app import app
from heapscope.fleet.sweep.answer import SweepResult
from heapscope.forecast.ladder.difference import Ladder

sys.path.append(str(Path(__file__).resolve().parents[1] / "studies"))

from sample_experiment import plain

__all__ = ["KINDS", "Kind"]

ROOT = Path(__file__).resolve().parents[2]
CAPTURED = ROOT / "studies" / "workloads" / "captured"
GATEWAY = CAPTURED / "mix_gateway.hst.zst"
BOOT_LOG = ROOT / "studies" / "workloads" / "mix" / "boot.txt"
FIRMWARE = ROOT / "studies" / "workloads" / "static" / "firmware.elf"
MEMORY = ROOT / "tests" / "lab" / "image" / "captured" / "c3_comprehensive.3fc8c600.zst"
LEAKING = ROOT / "tests" / "lab" / "capture" / "logs" / "esp32s3_v5.5_leaks.log"
NEED = 16717
PAGE = "page.html"

TASKS = ("tls", "script", "a_task_with_a_name_of_some_length", "wifi")
SITES = (
    "main;app_start;tls_connect;ssl_setup",
    "main;app_start;tls_connect;x509_parse_certificate_chain_of_the_server",
    "main;script_run;js_object",
    "main;script_run;js_string",
    "wifi_task;rx;pbuf_alloc",
)


@dataclass(frozen=True)
class Kind:
    """A page, made into a folder by `make`, which gives its path."""

    name: str
    verb: str  # the command that writes such pages
    make: Callable[[Path], Path]


def run(folder: Path, *words: object) -> None:
    """Runs a command in the folder, beside copies of its files: a page tells their paths."""
    for word in words:
        if isinstance(word, Path):
            shutil.copy(word, folder)
    with contextlib.chdir(folder):
        names = [word.name if isinstance(word, Path) else str(word) for word in words]
        done = CliRunner().invoke(app, names)
    if done.exit_code != 0:
        raise RuntimeError(f"heapscope {words[0]}: {done.output}")


def report(folder: Path, *words: object) -> Path:
    """Without the engine, whose section is that of the explorer."""
    run(folder, "report", *words, "--embed-limit", 0, "-o", PAGE)
    return folder / PAGE


def uneventful(folder: Path) -> Path:
    return report(folder, CAPTURED / "demo.hst.zst", "--chip", "esp32", "--idf", "5.5")


def needs(folder: Path) -> Path:
    memory = ("--boot-log", BOOT_LOG, "--idf", "4.3.2", "--elf", FIRMWARE)
    return report(folder, GATEWAY, *memory, "--need", NEED, "--remedies")


def failing(folder: Path, *words: object) -> Path:
    names = {"tasks": TASKS, "sites": SITES, "mark": "reconnect", "program": "made by hand"}
    (folder / "failing.hst").write_bytes(sample_trace(**names))
    return report(folder, "failing.hst", "--pool", "100KB", *words)


def explained(folder: Path) -> Path:
    return failing(folder, "--need", NEED, "--remedies", "--plan")


def unexplained(folder: Path) -> Path:
    return failing(folder, "--no-remedies")


def imported(folder: Path) -> Path:
    run(folder, "import", "--from", "esp-idf", LEAKING, "-o", "leaks.hst")
    return report(folder, "leaks.hst", "--boot-log", LEAKING)


def compared(folder: Path) -> Path:
    memory = ("--boot-log", BOOT_LOG, "--need", NEED)
    return report(folder, GATEWAY, *memory, "--idf", "4.2", "--idf", "4.3.2", "--idf", "5.5")


def explorer(folder: Path) -> Path:
    run(folder, "report", "-o", PAGE)
    return folder / PAGE


def staircase(folder: Path) -> Path:
    from heapscope.render.page.parts import parts_html
    from heapscope.render.text.ladder import ladder_parts

    document = json.loads(Path(__file__).with_name("staircase.json").read_text(encoding="utf-8"))
    text = parts_html("sdkconfig -> @5.1", ladder_parts(Ladder.from_json(document)))
    (folder / PAGE).write_text(text, encoding="utf-8")
    return folder / PAGE


def ram(folder: Path) -> Path:
    run(folder, "ram", FIRMWARE, "--chip", "esp32", "--idf", "5.5", "-o", PAGE)
    return folder / PAGE


def image(folder: Path) -> Path:
    shutil.copy(MEMORY, folder)  # the page shows the name that it is given
    run(folder, "image", f"{MEMORY.name}@0x3fc8c600", "-o", PAGE)
    return folder / PAGE


def device_log(folder: Path) -> Path:
    """A leak of ten days, with the dates of two needs."""
    draw = random.Random(7)
    lines = [
        f"I ({hour * 3_600_000 + 1000}) app: free heap "
        f"{120_000 - 190 * hour - draw.randrange(900)}, "
        f"largest free block {90_000 - 180 * hour - draw.randrange(700)}\n"
        for hour in range(240)
    ]
    (folder / "device.log").write_text("".join(lines), encoding="utf-8")
    run(folder, "log", "device.log", "--need", NEED, "--need", 32768, "-o", PAGE)
    return folder / PAGE


def sweep(folder: Path) -> Path:
    from heapscope.cli.verbs.sweep import write_page

    document = json.loads(Path(__file__).with_name("sweep.json").read_text(encoding="utf-8"))
    write_page(SweepResult.from_json(document), folder / PAGE)
    return folder / PAGE


def experiment(folder: Path) -> Path:
    return book(folder, 1)


def experiments(folder: Path) -> Path:
    return book(folder, 2)


def book(folder: Path, count: int) -> Path:
    from heapscope_studies.page.chapters import experiment_html

    (folder / PAGE).write_text(experiment_html(plain()[:count]), encoding="utf-8")
    return folder / PAGE


KINDS = (
    Kind("uneventful", "report", uneventful),
    Kind("needs", "report", needs),
    Kind("explained", "report", explained),
    Kind("unexplained", "report", unexplained),
    Kind("imported", "report", imported),
    Kind("compared", "report", compared),
    Kind("explorer", "report", explorer),
    Kind("staircase", "compare", staircase),
    Kind("ram", "ram", ram),
    Kind("image", "image", image),
    Kind("log", "log", device_log),
    Kind("sweep", "sweep", sweep),
    Kind("experiment", "experiment", experiment),
    Kind("experiments", "experiment", experiments),
)
