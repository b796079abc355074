"""Values that no file says: by chip, PSRAM and SDK, through choices and conditions."""

from __future__ import annotations

from pathlib import Path

import pytest

from heapscope.base.errors import InputError
from heapscope.config.config import Config, read_config
from heapscope.config.value import Value


def built(path: Path, text: str, *, chip: str = "esp32", sdk: str = "5.5") -> Config:
    file = path / "sdkconfig"
    file.write_text("".join(f"CONFIG_{each}\n" for each in text.split()), encoding="utf-8")
    return read_config([file], chip=chip, sdk=sdk)


@pytest.mark.parametrize(
    ("text", "chip", "sdk", "name", "value"),
    [
        ("MY=y", "esp32", "5.5", "ESP_WIFI_STATIC_RX_BUFFER_NUM", 10),
        ("MY=y", "esp32c2", "5.5", "ESPTOOLPY_FLASHFREQ_60M", True),
        ("MY=y", "esp32", "5.5", "ESPTOOLPY_FLASHFREQ_40M", True),
        ("MY=y", "esp32s3", "5.5", "ESPTOOLPY_FLASHFREQ_40M", False),
        ("MY=y", "esp32", "5.5", "ESP_WIFI_DYNAMIC_TX_BUFFER", True),
        ("MY=y", "esp32c3", "5.5", "FREERTOS_UNICORE", True),
        ("MY=y", "esp32", "5.5", "ESP_SYSTEM_SINGLE_CORE_MODE", False),
        ("FREERTOS_UNICORE=y", "esp32", "5.5", "ESP_SYSTEM_SINGLE_CORE_MODE", True),
        ("MY=y", "esp32c3", "5.5", "IDF_TARGET_ESP32C3", True),
        ("MY=y", "esp32c3", "5.5", "IDF_TARGET", "esp32c3"),
        # With PSRAM, and then not for Wi-Fi after all.
        ("SPIRAM=y", "esp32", "5.5", "SPIRAM_USE_MALLOC", True),
        ("SPIRAM=y", "esp32", "5.5", "SPIRAM_MALLOC_RESERVE_INTERNAL", 32768),
        ("MY=y", "esp32", "5.5", "SPIRAM_MALLOC_RESERVE_INTERNAL", None),
        (
            "SPIRAM=y SPIRAM_TRY_ALLOCATE_WIFI_LWIP=y",
            "esp32s3",
            "5.5",
            "ESP_WIFI_STATIC_RX_BUFFER_NUM",
            16,
        ),
        ("SPIRAM=y SPIRAM_TRY_ALLOCATE_WIFI_LWIP=y", "esp32s3", "5.5", "ESP_WIFI_RX_BA_WIN", 16),
        (
            "SPIRAM=y SPIRAM_TRY_ALLOCATE_WIFI_LWIP=y",
            "esp32s3",
            "5.5",
            "ESP_WIFI_CACHE_TX_BUFFER_NUM",
            32,
        ),
        (
            "SPIRAM=y SPIRAM_TRY_ALLOCATE_WIFI_LWIP=y",
            "esp32s3",
            "5.5",
            "LWIP_TCP_OOSEQ_MAX_PBUFS",
            0,
        ),
        (
            "SPIRAM=y SPIRAM_TRY_ALLOCATE_WIFI_LWIP=y",
            "esp32s3",
            "5.5",
            "ESP_WIFI_STATIC_TX_BUFFER",
            True,
        ),
        (
            "SPIRAM=y SPIRAM_TRY_ALLOCATE_WIFI_LWIP=y",
            "esp32s3",
            "5.5",
            "ESP_WIFI_DYNAMIC_TX_BUFFER",
            False,
        ),
        ("SPIRAM=y SPIRAM_TRY_ALLOCATE_WIFI_LWIP=n", "esp32", "5.5", "ESP_WIFI_RX_BA_WIN", 6),
        ("SPIRAM=y SPIRAM_IGNORE_NOTFOUND=y", "esp32", "5.5", "ESP_WIFI_RX_BA_WIN", 6),
        ("SPIRAM=y SPIRAM_USE_CAPS_ALLOC=y", "esp32", "4.2", "ESP_WIFI_RX_BA_WIN", 6),
        (
            "ESP32_SPIRAM_SUPPORT=y SPIRAM_TRY_ALLOCATE_WIFI_LWIP=y",
            "esp32",
            "4.2",
            "ESP_WIFI_RX_BA_WIN",
            16,
        ),
        ("SPIRAM=y BT_ENABLED=y", "esp32", "5.5", "ESP_WIFI_IRAM_OPT", False),
        ("SPIRAM=y BT_ENABLED=y", "esp32s3", "5.5", "ESP_WIFI_IRAM_OPT", True),
        ("SPIRAM=y", "esp32", "5.5", "SPIRAM_CACHE_WORKAROUND", True),
        ("SPIRAM=y ESP32_REV_MIN_3=y", "esp32", "5.5", "SPIRAM_CACHE_WORKAROUND", False),
        # Choices: the last y; a default that is said to be off leaves nothing known.
        ("HEAP_POISONING_LIGHT=y", "esp32", "5.5", "HEAP_POISONING_DISABLED", False),
        (
            "HEAP_POISONING_COMPREHENSIVE=y HEAP_POISONING_LIGHT=y",
            "esp32",
            "5.5",
            "HEAP_POISONING_COMPREHENSIVE",
            False,
        ),
        # The option that it depends on is off.
        ("LWIP_TCP_QUEUE_OOSEQ=n", "esp32", "5.5", "LWIP_TCP_OOSEQ_MAX_PBUFS", None),
        ("MBEDTLS_ASYMMETRIC_CONTENT_LEN=n", "esp32", "5.5", "MBEDTLS_SSL_MAX_CONTENT_LEN", 16384),
        # An option that only other chips have; one that nothing is known of.
        ("MY=y", "esp32", "5.5", "ESP32S3_DATA_CACHE_32KB", False),
        ("MY=y", "esp32", "5.5", "NOBODY_KNOWS", None),
        ("MY=y", "esp32", "5.5", "MY", None),
    ],
)
def test_values(
    tmp_path: Path, text: str, chip: str, sdk: str, name: str, value: Value | None
) -> None:
    result = built(tmp_path, text, chip=chip, sdk=sdk).value(name)
    assert (type(result), result) == (type(value), value)


def test_given_and_changed(tmp_path: Path) -> None:
    config = built(
        tmp_path,
        "LWIP_TCP_MSS=1440 LWIP_MAX_SOCKETS=4 ESP_WIFI_RX_BA_WIN=16 "
        "SPIRAM=y SPIRAM_TRY_ALLOCATE_WIFI_LWIP=y",
    )
    assert config.given("LWIP_TCP_MSS")
    assert not config.changed("LWIP_TCP_MSS")
    assert config.changed("LWIP_MAX_SOCKETS")
    assert config.default("LWIP_MAX_SOCKETS") == 10
    assert not config.changed("ESP_WIFI_RX_BA_WIN")  # 16 is the default with PSRAM
    assert not config.given("LWIP_IPV6")
    assert not config.changed("LWIP_IPV6")


def test_a_choice_is_changed_by_any_of_its_members(tmp_path: Path) -> None:
    config = built(tmp_path, "HEAP_POISONING_LIGHT=y")
    assert config.default("HEAP_POISONING_LIGHT") is False
    assert config.default("HEAP_POISONING_DISABLED") is True


def test_copies_with_other_values(tmp_path: Path) -> None:
    config = built(tmp_path, "SPIRAM=y SPIRAM_TRY_ALLOCATE_WIFI_LWIP=y LWIP_TCP_MSS=1300")
    assert config.value("ESP_WIFI_RX_BA_WIN") == 16
    other = config.changed_to({"SPIRAM": False, "LWIP_TCP_MSS": 1400})
    assert other.value("ESP_WIFI_RX_BA_WIN") == 6
    assert other.value("LWIP_TCP_MSS") == 1400
    assert config.value("LWIP_TCP_MSS") == 1300
    assert config.without(["LWIP_TCP_MSS"]).value("LWIP_TCP_MSS") == 1440
    both = config.changed_to({"HEAP_POISONING_LIGHT": True}).changed_to(
        {"HEAP_POISONING_COMPREHENSIVE": True}
    )
    assert both.value("HEAP_POISONING_LIGHT") is False


def test_a_line_that_kconfig_leaves_out_has_no_value(tmp_path: Path) -> None:
    config = built(tmp_path, "SPIRAM_MALLOC_ALWAYSINTERNAL=4096 LWIP_TCP_MSS=9999")
    assert config.value("SPIRAM_MALLOC_ALWAYSINTERNAL") is None
    assert config.value("LWIP_TCP_MSS") == 1440
    assert config.bounds("LWIP_TCP_MSS") == (536, 1460)
    assert config.bounds("SPIRAM_MALLOC_ALWAYSINTERNAL") is None
    assert config.can_set("SPIRAM_MALLOC_ALWAYSINTERNAL") is False
    assert config.can_set("NOBODY_KNOWS") is None


@pytest.mark.parametrize(
    ("chip", "sdk", "release"),
    [
        ("esp32", "5.5.1", "5.5.5"),
        ("esp32", "v4.4.7", "4.4.8"),
        ("esp32", "5.1", "5.1.7"),
        ("esp32", "head-2026-07", "6.1-beta1"),
        ("esp32c3", "4.2", "4.3.7"),  # the nearest that has the chip
        ("esp32s31", "5.5", "6.1-beta1"),
    ],
)
def test_the_nearest_release_stands_for_a_version(chip: str, sdk: str, release: str) -> None:
    assert Config(chip=chip, sdk=sdk).table.release == release


def test_a_chip_that_no_release_has_is_named() -> None:
    with pytest.raises(InputError, match="esp33"):
        Config(chip="esp33", sdk="5.5").value("LWIP_TCP_MSS")
