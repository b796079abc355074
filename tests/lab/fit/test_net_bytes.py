"""`heapscope fit --chip`: code in RAM and tables against the heap that a firmware has."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from typer.testing import CliRunner

from heapscope import fit
from heapscope.answers.fit import heap_code, verdict
from heapscope.answers.fit.firmware_heap import read_firmware_heap
from heapscope.cli.app import app
from heapscope.cli.schemas import schema_of
from heapscope.config.chip_data import read_chip
from heapscope.memory.layout.chips import chip_names
from heapscope.memory.layout.versions import chip_minors
from heapscope.trace.loss import Loss

MakeTrace = Callable[..., Path]

STORY = ["t net", "a 1 1000", "a 2 20000", "f 1", "a 3 1500", "r 3 2500", "f 2"]
BUILT = "CONFIG_COMPILER_OPTIMIZATION_SIZE=y\nCONFIG_COMPILER_OPTIMIZATION_ASSERTIONS_DISABLE=y\n"

LOSS = Loss(
    event=1,
    time=None,
    events_after=0,
    events_missing=1,
    end_known=True,
    reasons=(),
    figures=0,
    withheld=0,
    marks={},
)

MAP = (Path(__file__).parent / "app.map").read_text(encoding="utf-8")


def run(*args: object) -> tuple[int, str, str]:
    """Exit code, standard output, standard error."""
    done = CliRunner().invoke(app, ["fit", *map(str, args)], env={"COLUMNS": "200"})
    assert "Traceback" not in done.output
    return done.exit_code, done.stdout, done.stderr


def rows(*args: object) -> list[dict[str, Any]]:
    code, out, err = run(*args, "--json", "-")
    assert (code, err) == (0, "")
    document: list[dict[str, Any]] = json.loads(out)
    schema = schema_of("fit")
    jsonschema.Draft202012Validator(schema).validate(document)
    return document


def net_of(*args: object) -> dict[str, Any]:
    (net,) = [row["net"] for row in rows(*args) if "net" in row]
    assert isinstance(net, dict)
    return net


def part(net: dict[str, Any], name: str) -> dict[str, Any]:
    (result,) = [part for part in net["parts"] if part["part"] == name]
    assert isinstance(result, dict)
    return result


def config(tmp_path: Path, *lines: str, built: str = BUILT) -> Path:
    path = tmp_path / "sdkconfig"
    path.write_text(built + "".join(f"CONFIG_{line}\n" for line in lines), encoding="utf-8")
    return path


@pytest.fixture
def codes(monkeypatch: pytest.MonkeyPatch) -> Callable[[tuple[int, int], int], None]:
    """codes((LEAST, MOST), OWN): bytes in IRAM of every heap of an SDK that is not in ROM, and of
    ours, with 100 of either in RAM and 200 beside a ROM's."""

    def set_to(sdk: tuple[int, int], own: int) -> None:
        def of_sdk(*_: object, in_rom: bool, **__: object) -> heap_code.HeapCode:
            iram = heap_code.Between(200, 200) if in_rom else heap_code.Between(*sdk)
            return heap_code.HeapCode(iram=iram, ram=heap_code.Between(100, 100))

        def of_ours(*_: object, in_flash: bool, **__: object) -> heap_code.HeapCode:
            iram = heap_code.NONE if in_flash else heap_code.Between(own, own)
            return heap_code.HeapCode(iram=iram, ram=heap_code.Between(100, 100))

        monkeypatch.setattr(verdict, "sdk_code", of_sdk)
        monkeypatch.setattr(verdict, "own_code", of_ours)

    return set_to


def test_the_allocators_are_the_chips_own_and_ours(make_trace: MakeTrace) -> None:
    result = rows(make_trace(*STORY), "--chip", "esp32c3", "--idf", "5.5")
    assert [row["allocator"] for row in result] == ["idf-5.5", "heapscope"]
    assert ["net" in row for row in result] == [False, True]
    named = rows(make_trace(*STORY), "--chip", "esp32c3", "--idf", "5.5", "--allocator", "umm")
    assert [row["allocator"] for row in named] == ["umm", "idf-5.5", "heapscope"]


def test_without_a_chip_nothing_is_stated_of_net_bytes(make_trace: MakeTrace) -> None:
    assert not any("net" in row for row in rows(make_trace(*STORY), "--allocator", "heapscope"))


def test_the_net_is_what_the_pool_gains_less_what_code_costs(
    make_trace: MakeTrace, codes: Callable[..., None]
) -> None:
    codes((7000, 7000), 9000)
    net = net_of(make_trace(*STORY), "--chip", "esp32c3", "--idf", "5.5")
    pool, code = part(net, "pool"), part(net, "code")
    assert pool["gain_least"] == pool["before_least"] - pool["after_least"]
    assert (code["gain_least"], code["gain_most"], code["counts"]) == (-2000, -2000, True)
    assert part(net, "variables")["gain_least"] == 0
    least, most = (sum(part[f"gain_{end}"] for part in net["parts"]) for end in ("least", "most"))
    assert (net["net_least"], net["net_most"]) == (least - 511, most + 511)
    assert net["verdict"] == "does not pay"
    assert "does not pay on an ESP32-C3 under ESP-IDF 5.5: it costs" in net["sentence"]


def test_less_code_pays(make_trace: MakeTrace, codes: Callable[..., None]) -> None:
    codes((9000, 9000), 3000)
    net = net_of(make_trace(*STORY), "--chip", "esp32c3", "--idf", "5.5")
    assert net["verdict"] == "pays"
    assert 0 < net["net_least"] < net["net_most"]
    assert " pays on an ESP32-C3" in net["sentence"]


def test_a_range_with_both_signs_depends_and_a_map_settles_it(
    make_trace: MakeTrace, codes: Callable[..., None], tmp_path: Path
) -> None:
    codes((2000, 12000), 7000)
    trace, chip = make_trace(*STORY), ("--chip", "esp32c3", "--idf", "5.5")
    net = net_of(trace, *chip)
    assert net["verdict"] == "depends"
    assert net["net_least"] < 0 < net["net_most"]
    assert "--map" in net["open_questions"][0]
    (tmp_path / "app.map").write_text(MAP, encoding="utf-8", newline="\n")
    settled = net_of(trace, *chip, "--map", tmp_path / "app.map")
    code = part(settled, "code")
    assert (code["before_least"], code["before_most"]) == (0x1000, 0x1000)
    assert part(settled, "variables")["before_least"] == 0x10
    tables = part(settled, "other tables")
    assert (tables["before_least"], tables["after_least"]) == (
        tables["before_most"],
        tables["after_most"],
    )
    assert (settled["verdict"], settled["open_questions"]) == ("does not pay", [])


@pytest.mark.parametrize("chip", ["esp32c2", "esp32c6", "esp32h2"])
def test_an_allocator_in_rom_has_no_code(
    make_trace: MakeTrace, codes: Callable[..., None], chip: str
) -> None:
    codes((7000, 7000), 9000)
    net = net_of(make_trace(*STORY), "--chip", chip, "--idf", "5.5")
    code = part(net, "code")
    assert net["in_rom"]
    assert (code["before_least"], code["before_most"], code["counts"]) == (0, 200, True)
    assert (code["gain_least"], code["gain_most"]) == (-9000, -8800)
    assert any("in ROM costs no code" in note for note in net["notes"])


def test_a_build_without_the_rom_has_the_releases_allocator(
    make_trace: MakeTrace, codes: Callable[..., None], tmp_path: Path
) -> None:
    codes((7000, 7000), 9000)
    file = config(tmp_path, "HEAP_TLSF_USE_ROM_IMPL=n")
    net = net_of(make_trace(*STORY), "--chip", "esp32c6", "--idf", "5.5", "--sdkconfig", file)
    assert (net["before"], net["in_rom"]) == ("idf-5.5", False)
    assert part(net, "code")["before_least"] == 7000


@pytest.mark.cells(2)
@pytest.mark.parametrize("chip", [name for name in chip_names() if not read_chip(name).preview])
def test_the_heap_is_in_rom_where_the_chips_file_has_one(chip: str) -> None:
    for idf in chip_minors(read_chip(chip)):
        if idf[0] in "56":
            firmware_heap = read_firmware_heap(chip=chip, idf=idf)
            assert firmware_heap.in_rom == (read_chip(chip).rom is not None)
            assert firmware_heap.iram_is_apart == (chip == "esp32")


def test_iram_of_the_esp32_is_no_heap(make_trace: MakeTrace, codes: Callable[..., None]) -> None:
    codes((7000, 7000), 90_000)
    net = net_of(make_trace(*STORY), "--chip", "esp32", "--idf", "5.5")
    code = part(net, "code")
    assert (code["gain_least"], code["counts"]) == (-83_000, False)
    counted = [each for each in net["parts"] if each["counts"]]
    assert len(counted) == 3
    assert net["net_least"] == sum(each["gain_least"] for each in counted)
    assert net["net_most"] == sum(each["gain_most"] for each in counted)
    assert any("IRAM is memory of its own" in note for note in net["notes"])


def test_iram_that_can_be_requested_by_bytes_may_count(
    make_trace: MakeTrace, codes: Callable[..., None], tmp_path: Path
) -> None:
    codes((9000, 9000), 1000)
    lines = ("FREERTOS_UNICORE=y", "ESP32_IRAM_AS_8BIT_ACCESSIBLE_MEMORY=y")
    chip = ("--chip", "esp32", "--idf", "5.1", "--sdkconfig", config(tmp_path, *lines))
    net = net_of(make_trace(*STORY), *chip)
    tables = part(net, "other tables")
    apart = tables["gain_most"] - tables["gain_least"]
    assert net["net_most"] - net["net_least"] == 8000 + apart


def test_code_in_flash_costs_no_ram(
    make_trace: MakeTrace, codes: Callable[..., None], tmp_path: Path
) -> None:
    codes((7000, 7000), 9000)
    file = config(tmp_path, "HEAP_PLACE_FUNCTION_INTO_FLASH=y")
    net = net_of(make_trace(*STORY), "--chip", "esp32c3", "--idf", "5.5", "--sdkconfig", file)
    code = part(net, "code")
    assert (code["before_most"], code["after_most"], code["gain_least"]) == (0, 0, 0)
    assert net["net_least"] == sum(each["gain_least"] for each in net["parts"])


@pytest.mark.parametrize(
    ("lines", "question"),
    [
        (("HEAP_TASK_TRACKING=y",), "task tracking was not measured: --map"),
        (("HEAP_TRACING_DEST=y", "HEAP_TRACING_STANDALONE=y"), "Heap tracing adds code"),
        (("COMPILER_OPTIMIZATION_NONE=y",), "without optimisation"),
    ],
)
def test_a_figure_that_is_not_known_is_no_verdict(
    make_trace: MakeTrace, tmp_path: Path, lines: tuple[str, ...], question: str
) -> None:
    file = config(tmp_path, *lines, built="")
    net = net_of(make_trace(*STORY), "--chip", "esp32c3", "--idf", "5.5", "--sdkconfig", file)
    assert (net["verdict"], net["net_least"], net["net_most"]) == ("unknown", None, None)
    assert any(question in each for each in net["open_questions"])
    code, out, _ = run(make_trace(*STORY), "--chip", "esp32c3", "--idf", "5.5", "--sdkconfig", file)
    assert code == 0
    assert "It is not known whether" in out
    assert "not known" in out


def test_an_sdkconfig_narrows_how_the_code_is_compiled(
    make_trace: MakeTrace, tmp_path: Path
) -> None:
    chip = ("--chip", "esp32c3", "--idf", "5.5")
    any_build = part(net_of(make_trace(*STORY), *chip), "code")
    one = part(net_of(make_trace(*STORY), *chip, "--sdkconfig", config(tmp_path)), "code")
    for end in ("before", "after"):
        assert any_build[f"{end}_least"] <= one[f"{end}_least"] <= one[f"{end}_most"]
        assert one[f"{end}_most"] < any_build[f"{end}_most"]


def test_an_sdkconfig_tells_the_chip_and_the_release(make_trace: MakeTrace, tmp_path: Path) -> None:
    head = "# Espressif IoT Development Framework (ESP-IDF) 5.2.7 Project Configuration\n"
    file = config(tmp_path, 'IDF_TARGET="esp32s3"', built=head)
    net = net_of(make_trace(*STORY), "--sdkconfig", file)
    assert (net["chip"], net["idf"], net["before"]) == ("esp32s3", "5.2.7", "idf-5.2")


def test_poisoning_is_compared_with_poisoning(make_trace: MakeTrace, tmp_path: Path) -> None:
    file = config(tmp_path, "HEAP_CORRUPTION_DETECTION=y", "HEAP_POISONING_LIGHT=y")
    result = rows(make_trace(*STORY), "--chip", "esp32c3", "--idf", "5.5", "--sdkconfig", file)
    assert [row["allocator"] for row in result] == ["idf-5.5+light", "heapscope+light"]


def test_a_trace_without_a_pool_has_no_verdict(make_trace: MakeTrace) -> None:
    """The same holds of one that lost events, whose pools are lower bounds."""
    firmware = read_firmware_heap(chip="esp32", idf="4.4")
    before, after = fit(make_trace(*STORY), allocator=(firmware.before, firmware.after))
    assert verdict.net_bytes(firmware, before, after).verdict != "unknown"
    for worse in (replace(after, pool=None), replace(after, loss=LOSS)):
        net = verdict.net_bytes(firmware, before, worse)
        assert (net.verdict, net.net_least) == ("unknown", None)
        assert "no smallest pool" in net.open_questions[0]


def test_the_measured_tables_hold_what_is_published_of_them() -> None:
    """An ESP32-C3 with 5.4.1 gets 6,524 to 7,144 bytes when its heap goes to flash, some of the C
    library's among them (espressif/esp-matter, docs/en/optimizations.rst at 017c4d40b2f1)."""
    builds = [heap_code.Compiled(level="size", asserts=asserts) for asserts in (False, True)]
    least, most = (
        heap_code.sdk_code("riscv", "5.4", build, poisoning="none", in_rom=False)
        for build in builds
    )
    assert least is not None
    assert most is not None
    assert least.iram.least < 6524 < most.iram.most
    for row in heap_code._table("sdk"):
        assert int(row["iram_least"]) <= int(row["iram_most"])


@pytest.mark.parametrize("arch", ["riscv", "xtensa"])
def test_the_drop_in_is_known_for_every_release_that_is_compared(arch: str) -> None:
    build = heap_code.Compiled(level="debug", asserts=True)
    for idf in heap_code.releases_measured():
        for poisoning in ("none", "light", "comprehensive"):
            for owners in (False, True):
                result = heap_code.own_code(
                    arch, idf, build, poisoning=poisoning, owners=owners, in_flash=False
                )
                assert result is not None
                assert 0 < result.iram.least <= result.iram.most


@pytest.mark.parametrize(
    ("args", "message", "remedy"),
    [
        (["--idf", "5.5"], "--idf without a chip", "add --chip"),
        (["--map", "app.map"], "--map without a chip", "add --chip"),
        (["--chip", "esp32z"], "unknown chip 'esp32z'", "valid: "),
        (["--chip", "esp32c6", "--idf", "4.4"], "ESP-IDF 4.4", "give --idf with one of"),
        (["--chip", "esp32c3", "--task", "net"], "--task and --chip", "leave one"),
        (["--chip", "esp32c3", "--sdkconfig", "gone"], "gone", "check the path"),
        (["--chip", "esp32c3", "--sdkconfig", "other"], "CONFIG_IDF_TARGET", "leave --chip out"),
        (
            ["--chip", "esp32c3", "--idf", "5.5", "--map", "none.map"],
            "nothing of libheap.a",
            "give",
        ),
        (
            ["--chip", "esp32c3", "--idf", "5.5", "--map", "ours.map"],
            "Heapscope's heap already",
            "g",
        ),
    ],
)
def test_bad_input_says_what_to_do(
    make_trace: MakeTrace,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    args: list[str],
    message: str,
    remedy: str,
) -> None:
    trace = make_trace(*STORY)
    monkeypatch.chdir(tmp_path)
    Path("other").write_text('CONFIG_IDF_TARGET="esp32s3"\n', encoding="utf-8")
    Path("none.map").write_text(MAP.replace("libheap", "libheat"), encoding="utf-8")
    Path("ours.map").write_text(MAP.replace("text.malloc", "text.hs_heap"), encoding="utf-8")
    code, out, err = run(trace, *args)
    assert (code, out) == (2, "")
    assert message in " ".join(err.split())
    assert "remedy: " in err
    assert remedy in " ".join(err.partition("remedy: ")[2].split())
