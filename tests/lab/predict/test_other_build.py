"""A file of a build that cannot be of the configuration is reported, and nothing else is."""

from __future__ import annotations

from dataclasses import replace

import pytest

from heapscope.config.config import settle
from heapscope.config.read_file import ConfigFile
from heapscope.forecast.predict.memory_scene import MemoryScene, minor_of_config
from heapscope.forecast.predict.other_build import differs_from_use
from heapscope.memory.static.use import Section, SectionPiece, StaticUse


def use_of(archive: str, size: int, role: str) -> StaticUse:
    return StaticUse(
        file="app.map",
        form="linker map",
        sections=(Section(name=role, kind="IRAM", role=role, size=size),),
        pieces=(SectionPiece(section=0, size=size, component=archive),),
    )


@pytest.mark.parametrize(
    ("archive", "size", "role", "option", "value"),
    [
        ("libbtdm_app.a", 9_000, "code", "BT_ENABLED", False),
        ("liblwip.a", 12_000, "code", "LWIP_IRAM_OPTIMIZATION", False),
        ("libfreertos.a", 12_500, "code", "FREERTOS_PLACE_FUNCTIONS_INTO_FLASH", True),
    ],
)
def test_what_no_such_build_links_is_named(
    archive: str, size: int, role: str, option: str, value: bool
) -> None:
    for given, wrong in ((value, True), (not value, False)):
        config = settle((), chip="esp32", sdk="5.5").changed_to({option: given})
        scene = MemoryScene(config=config, minor=minor_of_config(config))
        notes = list(differs_from_use(use_of(archive, size, role), scene))
        assert bool(notes) == wrong, (option, given)
        if wrong:
            stated = "y" if value else "n"
            assert f"CONFIG_{option}={stated}" in notes[0]
            assert f"{size:,} bytes" in notes[0]


def test_a_few_bytes_contradict_nothing() -> None:
    config = settle((), chip="esp32", sdk="5.5")
    scene = MemoryScene(config=config, minor=minor_of_config(config))
    for archive in ("libbtdm_app.a", "liblwip.a", "libfreertos.a", "libmain.a"):
        assert not list(differs_from_use(use_of(archive, 500, "code"), scene))
    data = use_of("liblwip.a", 12_000, "data")  # lwIP's data lies in RAM in any build
    assert not list(differs_from_use(data, scene))


def scene_of(text: str, *, chip: str = "esp32", idf: str = "5.5") -> MemoryScene:
    file = ConfigFile(name="f", text=text)
    config = settle((file,), chip=chip, sdk=idf)
    return MemoryScene(config=config, minor=minor_of_config(config, idf))


def whole(*more: str) -> StaticUse:
    """A map of ESP-IDF 5.5 and two cores, with more objects; "-X" leaves X out."""
    named = [
        "libfreertos.a tasks.c.obj",
        "libheap.a tlsf.c.obj",
        "libesp_mm.a esp_cache_utils.c.obj",
        "libesp_system.a s_ipc_task_handle",
        "libesp_system.a call_start_cpu1",
    ]
    kept = [each for each in named if f"-{each.split()[1]}" not in more]
    kept += [each for each in more if not each.startswith("-")]
    return StaticUse(
        file="app.map",
        form="linker map",
        sections=(Section(name="code", kind="IRAM", role="code", size=4 * len(kept)),),
        pieces=tuple(
            SectionPiece(section=0, size=4, component=archive, symbol=symbol)
            for archive, symbol in map(str.split, kept)
        ),
    )


ONE_CORE = "-s_ipc_task_handle"
POISON = "libheap.a multi_heap_poisoning.c.obj"


@pytest.mark.parametrize(
    ("text", "right", "wrong", "say"),
    [
        ("", (), (ONE_CORE,), "no code of a second core, and the latter has CONFIG_FREERTOS_UNI"),
        ("CONFIG_FREERTOS_UNICORE=y\n", (ONE_CORE,), (), "code of a second core, and"),
        ("", (), ("libesp_psram.a esp_psram.c.obj",), "code of PSRAM, and the latter"),
        ("CONFIG_SPIRAM=y\n", ("libesp_psram.a esp_psram.c.obj",), (), "no code of PSRAM, and"),
        ("", (), (POISON,), "code of heap poisoning, and the latter has CONFIG_HEAP_POISONING_DIS"),
        ("CONFIG_HEAP_POISONING_LIGHT=y\n", (POISON,), (), "no code of heap poisoning, and"),
        ("", (), ("-esp_cache_utils.c.obj",), "no libesp_mm.a, and the latter has ESP-IDF 5.5"),
    ],
)
def test_what_each_such_build_has_and_no_other_is_named(
    text: str, right: tuple[str, ...], wrong: tuple[str, ...], say: str
) -> None:
    assert not list(differs_from_use(whole(*right), scene_of(text)))
    (note,) = differs_from_use(whole(*wrong), scene_of(text))
    assert f"it has {say}" in note


def test_archives_of_a_later_release_are_named() -> None:
    gpio = whole("libesp_driver_gpio.a gpio.c.obj")
    assert not list(differs_from_use(gpio, scene_of("", idf="5.3")))
    (note,) = differs_from_use(gpio, scene_of("", idf="5.2"))
    assert "it has libesp_driver_gpio.a, and the latter has ESP-IDF 5.2" in note


def test_an_elf_tells_the_cores_by_a_symbol() -> None:
    def elf(*symbols: str) -> StaticUse:
        pieces = tuple(SectionPiece(section=0, size=4, symbol=each) for each in symbols)
        return replace(whole(), form="ELF", pieces=pieces)

    one, two = elf("call_start_cpu0"), elf("call_start_cpu0", "call_start_cpu1")
    unicore = scene_of("CONFIG_FREERTOS_UNICORE=y\n")
    assert not list(differs_from_use(two, scene_of("")))
    assert not list(differs_from_use(one, unicore))
    assert "no code of a second core" in next(differs_from_use(one, scene_of("")))
    assert "code of a second core" in next(differs_from_use(two, unicore))
    assert not list(differs_from_use(elf("main"), unicore))  # stripped of most
