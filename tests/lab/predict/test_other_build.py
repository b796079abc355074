"""A file of a build that cannot be of the configuration is reported, and nothing else is."""

from __future__ import annotations

import pytest

from heapscope.config.config import settle
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
