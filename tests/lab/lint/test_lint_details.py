"""Which line is blamed, what a range with an unknown condition allows, and hostile files."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heapscope.config.config import Config, read_config
from heapscope.config.expression import parse
from heapscope.config.option import Option, Range
from heapscope.config.tables import option_table
from heapscope.errors import InputError
from heapscope.lint import values
from heapscope.lint.find import lint
from heapscope.lint.fix import fragment, mend
from heapscope.lint.sarif import annotation_lines, sarif

MakeConfig = Callable[..., Config]


def test_a_line_that_says_the_default_is_not_blamed(configure: MakeConfig) -> None:
    config = configure("ESP_WIFI_STATIC_RX_BUFFER_NUM=10 ESP_WIFI_RX_BA_WIN=14")
    (found,) = [each for each in lint(config).findings if each.rule == "W4"]
    assert found.line == 2


def test_of_two_files_the_one_that_counts_is_blamed(configure: MakeConfig) -> None:
    config = configure("ESP_WIFI_RX_BA_WIN=9", "LWIP_TCP_MSS=1440 ESP_WIFI_RX_BA_WIN=40")
    first = lint(config).findings[0]
    assert (first.rule, Path(first.file).name, first.line) == ("W1", "sdkconfig.defaults1", 2)


def test_a_line_that_goes_takes_what_follows_from_it_along(configure: MakeConfig) -> None:
    """Without PSRAM, which the chip has not, dynamic buffers are fine."""
    config = configure("SPIRAM=y ESP_WIFI_DYNAMIC_TX_BUFFER=y", chip="esp32c3")
    assert {"chip", "W10"} <= {each.rule for each in lint(config).findings}
    text = fragment(config, mend(config))
    assert "take CONFIG_SPIRAM out of" in text
    assert "STATIC_TX_BUFFER" not in text


def test_what_a_rule_says_of_a_line_is_not_said_again(configure: MakeConfig) -> None:
    config = configure("LWIP_TCPIP_CORE_LOCKING_INPUT=y")
    assert [each.rule for each in lint(config).findings] == ["L15"]


def test_an_unknown_condition_allows_both_ranges(
    configure: MakeConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    wide = Range(when=parse("NOBODY_KNOWS"), low=0, high=100, rule="range", source="")
    narrow = Range(low=0, high=10, rule="range", source="")
    option = Option(name="SIZE", kind="int", defaults={}, source="", ranges=(wide, narrow))
    monkeypatch.setattr(values, "option_table", lambda: {"SIZE": option})
    assert not list(values.value_findings(configure("SIZE=50")))
    (found,) = values.value_findings(configure("SIZE=101"))
    assert "0..100 or 0..10" in found.message
    (found,) = values.value_findings(configure("SIZE=50 NOBODY_KNOWS=n"))
    assert found.write == ("CONFIG_SIZE=10",)


@pytest.mark.parametrize(
    ("text", "write"),
    [
        ("LWIP_TCP_MSS=0x5a0", "CONFIG_LWIP_TCP_MSS=1440"),
        ('LWIP_TCP_MSS="1440"', "CONFIG_LWIP_TCP_MSS=1440"),
        ("LWIP_TCP_MSS=1440#comment", "CONFIG_LWIP_TCP_MSS=1440"),
        ("LWIP_IPV6=Y", "CONFIG_LWIP_IPV6=y"),
        ('LWIP_IPV6="n"', "CONFIG_LWIP_IPV6=n"),
        ("LWIP_TCP_MSS=many", None),
        ("LWIP_IPV6=2", None),
    ],
)
def test_a_value_of_another_type_is_written_as_it_was_meant(
    configure: MakeConfig, text: str, write: str | None
) -> None:
    (found,) = [each for each in lint(configure(text)).findings if each.rule == "type"]
    assert found.write == (() if write is None else (write,))


def test_an_equals_sign_with_blanks_is_named_with_the_line_to_write(
    configure: MakeConfig,
) -> None:
    with pytest.raises(InputError, match="line 1: no option") as caught:
        configure("CONFIG_LWIP_TCP_MSS = 1440\n")
    assert caught.value.remedy == "write CONFIG_LWIP_TCP_MSS=1440, without blanks"
    with pytest.raises(InputError, match="line 2: no option") as caught:
        configure("#\n  CONFIG_LWIP_TCP_MSS=1440\n")
    assert caught.value.remedy == "write CONFIG_LWIP_TCP_MSS=1440, without blanks"


def test_what_is_left_out_and_out_of_range_is_taken_out(configure: MakeConfig) -> None:
    """Every line of the option is taken out; the mending lines of other options stay."""
    config = configure(
        "MBEDTLS_DYNAMIC_FREE_CA_CERT=y SPIRAM_MALLOC_ALWAYSINTERNAL=131073 "
        "SPIRAM_MALLOC_ALWAYSINTERNAL=131073",
        idf="4.2",
    )
    text = fragment(config, mend(config))
    assert "#   take CONFIG_SPIRAM_MALLOC_ALWAYSINTERNAL out of" in text
    assert ", line 2\n" in text
    assert ", line 3\n" in text
    assert "\nCONFIG_SPIRAM_MALLOC_ALWAYSINTERNAL" not in text
    assert "\nCONFIG_MBEDTLS_DYNAMIC_BUFFER=y\n" in text


@pytest.mark.parametrize(
    "mended", ["MBEDTLS_DYNAMIC_FREE_CA_CERT=y", "MBEDTLS_SSL_MAX_CONTENT_LEN=8192"]
)
def test_a_line_that_goes_leaves_what_mends_others(configure: MakeConfig, mended: str) -> None:
    config = configure(f"{mended} ETH_DMA_TX_BUFFER_NUM=0", chip="esp32s3")
    text = fragment(config, mend(config))
    assert "take CONFIG_ETH_DMA_TX_BUFFER_NUM out of" in text
    assert "\nCONFIG_ETH_DMA_TX_BUFFER_NUM" not in text
    assert "\nCONFIG_MBEDTLS_" in text


def test_a_mended_value_is_in_range_itself(configure: MakeConfig) -> None:
    config = configure("MBEDTLS_SSL_OUT_CONTENT_LEN=0 MBEDTLS_SSL_MAX_CONTENT_LEN=511")
    text = fragment(config, mend(config))
    assert "=511" not in text
    assert "\nCONFIG_MBEDTLS_SSL_IN_CONTENT_LEN=512\n" in text
    assert "\nCONFIG_MBEDTLS_SSL_OUT_CONTENT_LEN=512\n" in text


def test_lines_of_a_fragment_do_not_contradict_each_other(configure: MakeConfig) -> None:
    """Up to 4.3, static buffers cannot be had off where malloc uses PSRAM."""
    for more in ("ESP_WIFI_STATIC_TX_BUFFER=n", "ESP_WIFI_AMPDU_RX_ENABLED=y"):
        config = configure(f"SPIRAM=y SPIRAM_IGNORE_NOTFOUND=y {more}", idf="4.2")
        lines = fragment(config, mend(config)).splitlines()
        names = [line.partition("=")[0] for line in lines if line.startswith("CONFIG_")]
        assert len(names) == len(set(names))


def test_a_repeated_line_can_be_left_out_as_well(configure: MakeConfig) -> None:
    found = lint(configure("ETH_DMA_RX_BUFFER_NUM=5 ETH_DMA_RX_BUFFER_NUM=6", chip="esp32c3"))
    assert [each.rule for each in found.findings if each.hard] == ["depends", "duplicate"]


NAMES = st.sampled_from([*list(option_table())[::40], "SPIRAM", "LWIP_WND_SCALE", "X", "LWIP_X"])
TEXTS = st.one_of(
    st.sampled_from(["y", "n", "0", "1", "-1", "65535", "999999999999999999", '"', '""', "0x"]),
    st.text(st.characters(exclude_characters="\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"), max_size=8),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(NAMES, TEXTS), max_size=12), st.sampled_from(["esp32", "esp32c6"]))
def test_any_values_are_judged_and_mended(
    tmp_path_factory: pytest.TempPathFactory, pairs: list[tuple[str, str]], chip: str
) -> None:
    """No fault, no line break in an annotation, and no error that the fragment brings in."""
    file = tmp_path_factory.mktemp("any") / "sdkconfig.defaults"
    body = "".join(f"CONFIG_{name}={text}\n" for name, text in pairs)
    file.write_bytes(body.encode("utf-8", "replace"))
    try:
        config = read_config([file], chip=chip, sdk="5.5")
    except InputError:
        assert not pairs
        return
    result = lint(config)
    assert len(sarif(result)["runs"][0]["results"]) == len(result.findings)
    assert all("\n" not in line for line in annotation_lines(result))
    last = file.with_name("fix.defaults")
    last.write_text(fragment(config, mend(config)) + "CONFIG_MY_OWN=y\n", encoding="utf-8")
    mended = lint(read_config([file, last], chip=chip, sdk="5.5"))
    assert not [each for each in mended.findings if each.hard and each.file == str(last)]


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    file = tmp_path_factory.mktemp("any") / "sdkconfig"
    file.write_bytes(content)
    with suppress(InputError):
        lint(read_config([file], chip="esp32", sdk="5.5"))
