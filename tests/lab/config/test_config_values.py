"""Values that no file says: by chip, PSRAM and SDK, through choices and conditions."""

from __future__ import annotations

from pathlib import Path

import pytest

from heapscope.config.config import Config, read_config
from heapscope.config.expression import names
from heapscope.config.tables import CHIPS, SDKS, choices, option_table, rows
from heapscope.config.value import Value


def made(path: Path, text: str, *, chip: str = "esp32", sdk: str = "5.5") -> Config:
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
        ("SPIRAM=y", "esp32s3", "5.5", "ESP_WIFI_STATIC_RX_BUFFER_NUM", 16),
        ("SPIRAM=y", "esp32s3", "5.5", "ESP_WIFI_RX_BA_WIN", 16),
        ("SPIRAM=y", "esp32s3", "5.5", "ESP_WIFI_CACHE_TX_BUFFER_NUM", 32),
        ("SPIRAM=y", "esp32s3", "5.5", "LWIP_TCP_OOSEQ_MAX_PBUFS", 0),
        ("SPIRAM=y", "esp32s3", "5.5", "ESP_WIFI_STATIC_TX_BUFFER", True),
        ("SPIRAM=y", "esp32s3", "5.5", "ESP_WIFI_DYNAMIC_TX_BUFFER", False),
        ("SPIRAM=y SPIRAM_TRY_ALLOCATE_WIFI_LWIP=n", "esp32", "5.5", "ESP_WIFI_RX_BA_WIN", 6),
        ("SPIRAM=y SPIRAM_IGNORE_NOTFOUND=y", "esp32", "5.5", "ESP_WIFI_RX_BA_WIN", 6),
        ("SPIRAM=y SPIRAM_USE_CAPS_ALLOC=y", "esp32", "4.2", "ESP_WIFI_RX_BA_WIN", 6),
        ("SPIRAM=y", "esp32", "4.2", "ESP_WIFI_RX_BA_WIN", 16),
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
        ("MY=y", "esp32", "5.5", "MY", True),
    ],
)
def test_values(
    tmp_path: Path, text: str, chip: str, sdk: str, name: str, value: Value | None
) -> None:
    found = made(tmp_path, text, chip=chip, sdk=sdk).value(name)
    assert (type(found), found) == (type(value), value)


def test_given_and_changed(tmp_path: Path) -> None:
    config = made(tmp_path, "LWIP_TCP_MSS=1440 LWIP_MAX_SOCKETS=4 SPIRAM=y ESP_WIFI_RX_BA_WIN=16")
    assert config.given("LWIP_TCP_MSS")
    assert not config.changed("LWIP_TCP_MSS")
    assert config.changed("LWIP_MAX_SOCKETS")
    assert config.default("LWIP_MAX_SOCKETS") == 10
    assert not config.changed("ESP_WIFI_RX_BA_WIN")  # 16 is the default with PSRAM
    assert not config.given("LWIP_IPV6")
    assert not config.changed("LWIP_IPV6")


def test_a_choice_is_changed_by_any_of_its_members(tmp_path: Path) -> None:
    config = made(tmp_path, "HEAP_POISONING_LIGHT=y")
    assert config.default("HEAP_POISONING_LIGHT") is False
    assert config.default("HEAP_POISONING_DISABLED") is True


def test_copies_with_other_values(tmp_path: Path) -> None:
    config = made(tmp_path, "SPIRAM=y LWIP_TCP_MSS=1300")
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


def test_the_tables_are_sound() -> None:
    table = option_table()
    assert len(table) > 2700
    for row in [*rows("defaults"), *rows("ranges")]:
        assert row["option"] in table or row["option"] in choices()
        assert set(row["sdks"].split()) <= set(SDKS)
        assert set(row["chips"].split()) <= set(CHIPS)
        assert row["source"].startswith("components/")
    for name, option in table.items():
        assert option.source
        assert set(option.defaults) <= set(CHIPS)
        assert option.since in ("", *SDKS)
        for limits in option.ranges:
            assert limits.low < limits.high
            assert option.kind == "int", name
    for choice in choices().values():
        assert set(choice.defaults.values()) <= set(choice.members) <= set(table)
        assert {str(each.value) for each in choice.defaults_if} <= set(choice.members)


def test_defaults_are_within_their_ranges() -> None:
    """A range that no default build keeps would be a wrong one."""
    wrong = []
    for option in option_table().values():
        for chip, value in option.defaults.items():
            fitting = [each for each in option.ranges if not each.chips or chip in each.chips]
            if fitting and not any(each.low <= int(value) <= each.high for each in fitting):
                wrong.append((option.name, chip, value))
    assert wrong == []


def test_conditions_of_the_tables_speak_of_known_options_or_of_the_chip() -> None:
    """Those that nothing is known of are facts about the chip or parts that the table has not."""
    used = {
        name
        for row in rows("defaults")
        for option in [*option_table().values()]
        if option.name == row["option"]
        for each in option.defaults_if
        if each.when is not None
        for name in names(each.when)
    }
    assert used <= set(option_table())
