"""Old names, with inversion, and what each SDK version calls an option."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from heapscope.config import renames
from heapscope.config.config import read_config
from heapscope.config.renames import NewName, OldName, newest, renamed_in, spelled_in
from heapscope.config.tables import CHIPS, SDKS, rows
from heapscope.lint.find import lint
from heapscope.lint.finding import spelled
from heapscope.lint.fix import fragment, mend


@pytest.mark.parametrize(
    ("old", "chip", "new"),
    [
        ("TCP_MSS", "esp32", "LWIP_TCP_MSS"),
        ("ESP32_WIFI_RX_BA_WIN", "esp32", "ESP_WIFI_RX_BA_WIN"),
        ("SPIRAM_SUPPORT", "esp32", "SPIRAM"),
        ("ESP32_SPIRAM_SUPPORT", "esp32", "SPIRAM"),
        ("ESP32S2_SPIRAM_SUPPORT", "esp32s2", "SPIRAM"),
        ("ESP32C3_MEMPROT_FEATURE", "esp32c3", "ESP_SYSTEM_MEMPROT"),
        ("WIFI_LWIP_ALLOCATION_FROM_SPIRAM_FIRST", "esp32", "SPIRAM_TRY_ALLOCATE_WIFI_LWIP"),
        ("LWIP_TCP_MSS", "esp32", "LWIP_TCP_MSS"),
        ("NEVER_HEARD_OF", "esp32", "NEVER_HEARD_OF"),
    ],
)
def test_the_newest_name(old: str, chip: str, new: str) -> None:
    assert newest(old, chip) == NewName(name=new)


@pytest.mark.parametrize(
    ("name", "chip", "sdk", "called"),
    [
        ("ESP_WIFI_RX_BA_WIN", "esp32", "4.2", "ESP32_WIFI_RX_BA_WIN"),
        ("ESP_WIFI_RX_BA_WIN", "esp32c3", "4.3.2", "ESP32_WIFI_RX_BA_WIN"),
        ("ESP_WIFI_RX_BA_WIN", "esp32", "5.5", "ESP_WIFI_RX_BA_WIN"),
        ("SPIRAM", "esp32", "4.2", "ESP32_SPIRAM_SUPPORT"),
        ("SPIRAM", "esp32s2", "4.3.2", "ESP32S2_SPIRAM_SUPPORT"),
        ("SPIRAM", "esp32", "5.5", "SPIRAM"),
        ("ESP_SYSTEM_MEMPROT", "esp32c3", "5.5", "ESP_SYSTEM_MEMPROT_FEATURE"),
        ("ESP_SYSTEM_MEMPROT", "esp32c3", "head-2026-07", "ESP_SYSTEM_MEMPROT"),
        ("LWIP_TCP_MSS", "esp32", "4.2", "LWIP_TCP_MSS"),
    ],
)
def test_what_a_version_calls_it(name: str, chip: str, sdk: str, called: str) -> None:
    assert spelled_in(name, chip, sdk).name == called


def test_an_old_name_is_one_only_where_the_version_says_so() -> None:
    assert renamed_in("ESP32_WIFI_RX_BA_WIN", "esp32", "4.2") is None
    assert renamed_in("ESP32_WIFI_RX_BA_WIN", "esp32", "5.5") == NewName(name="ESP_WIFI_RX_BA_WIN")
    assert renamed_in("TCP_MSS", "esp32", "4.2") == NewName(name="LWIP_TCP_MSS")


@pytest.mark.parametrize("chip", CHIPS)
def test_every_rename_ends(chip: str) -> None:
    for row in rows("renames"):
        last = newest(row["old"], chip).name
        assert newest(last, chip).name == last
        for sdk in SDKS:
            assert spelled_in(last, chip, sdk).name


@pytest.fixture
def upside_down(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A rename with inversion: today's lists have none, ESP-IDF's format does."""
    more = OldName(
        sdks=("head-2026-07",), chip="", old="LWIP_NO_IPV6", new="LWIP_IPV6", inverted=True
    )
    known = renames._renames()
    caches = (renames._by_old, renames._by_new)
    monkeypatch.setattr(renames, "_renames", lambda: (*known, more))
    for cache in caches:
        cache.cache_clear()
    yield
    for cache in caches:
        cache.cache_clear()


@pytest.mark.usefixtures("upside_down")
def test_inversion(tmp_path: Path) -> None:
    file = tmp_path / "sdkconfig"
    file.write_text("CONFIG_LWIP_NO_IPV6=y\nCONFIG_LWIP_IPV4=n\n", encoding="utf-8")
    config = read_config([file], chip="esp32", sdk="head-2026-07")
    assert config.value("LWIP_IPV6") is False
    assert config.settings["LWIP_IPV6"].inverted
    (old,) = [each for each in lint(config).findings if each.rule == "old-name"]
    assert old.write == ("CONFIG_LWIP_IPV6=n",)
    assert "the opposite" in old.message
    assert "CONFIG_LWIP_IPV4=y" in fragment(config, mend(config))
    before = read_config([file], chip="esp32", sdk="5.5")
    assert spelled(before, "LWIP_IPV6", True) == "CONFIG_LWIP_NO_IPV6=n"
    file.write_text("# CONFIG_LWIP_NO_IPV6 is not set\n", encoding="utf-8")
    assert read_config([file], chip="esp32", sdk="head-2026-07").value("LWIP_IPV6") is True
