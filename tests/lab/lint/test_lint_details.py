"""Which line is blamed, forms of lines, what a fragment leaves alone, and hostile files."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heapscope.base.errors import InputError
from heapscope.config.config import Config, read_config
from heapscope.config.kconfig.table import RELEASES, chips_of, option_table
from heapscope.config.lint.find import lint
from heapscope.config.lint.fix import fragment, mend
from heapscope.config.lint.sarif import annotation_lines, sarif

MakeConfig = Callable[..., Config]


def test_a_line_that_says_the_default_is_not_blamed(configure: MakeConfig) -> None:
    config = configure("ESP_WIFI_STATIC_RX_BUFFER_NUM=10 ESP_WIFI_RX_BA_WIN=14")
    (result,) = [each for each in lint(config).findings if each.rule == "W4"]
    assert result.line == 2


def test_of_two_files_the_one_that_counts_is_blamed(configure: MakeConfig) -> None:
    config = configure("ESP_WIFI_RX_BA_WIN=9", "LWIP_TCP_MSS=1440 ESP_WIFI_RX_BA_WIN=32")
    first = lint(config).findings[0]
    assert (first.rule, Path(first.file).name, first.line) == ("W2", "sdkconfig.defaults1", 2)


def test_an_option_of_other_chips_condemns_nothing(configure: MakeConfig) -> None:
    """Without PSRAM, which the chip has not, dynamic buffers are fine."""
    config = configure("SPIRAM=y ESP_WIFI_DYNAMIC_TX_BUFFER=y", chip="esp32c3")
    assert [each.rule for each in lint(config).findings] == ["chip"]
    text = fragment(config, mend(config))
    assert "take CONFIG_SPIRAM out of" in text
    assert "STATIC_TX_BUFFER" not in text


def test_what_a_rule_says_of_a_line_is_not_stated_again(configure: MakeConfig) -> None:
    config = configure("LWIP_TCPIP_CORE_LOCKING_INPUT=y")
    assert [each.rule for each in lint(config).findings] == ["L15"]


def test_a_number_out_of_range_falls_back(configure: MakeConfig) -> None:
    """It does not stop the build, and the sentence says what Kconfig takes."""
    (result,) = lint(configure("ESP_WIFI_RX_BA_WIN=64")).findings
    assert (result.rule, result.severity) == ("W16", "K")
    assert result.message.endswith("takes the default with a message: 6")
    (result,) = lint(configure("ESP32_WIFI_RX_BA_WIN=64", idf="4.0.4")).findings
    assert result.message.endswith("takes the default without a word: 6")


@pytest.mark.parametrize(
    ("line", "idf", "rule", "write"),
    [
        ("ULP_COPROC_ENABLED=y", "4.4", "old-name", "CONFIG_ESP32_ULP_COPROC_ENABLED=y"),
        ("ULP_COPROC_ENABLED=n", "4.4", "old-name", "CONFIG_ESP32_ULP_COPROC_ENABLED=n"),
        ("ADC_DISABLE_DAC_OUTPUT=y", "4.4", "later-name", "CONFIG_ADC_DISABLE_DAC=y"),
        ("ESP32_ULP_COPROC_ENABLED=y", "5.5", "old-name", "CONFIG_ULP_COPROC_ENABLED=y"),
        ("ADC_DISABLE_DAC=n", "6.0", "old-name", "CONFIG_ADC_DISABLE_DAC_OUTPUT=n"),
    ],
)
def test_another_release_names_the_same_value(
    configure: MakeConfig, line: str, idf: str, rule: str, write: str
) -> None:
    """No release up to 6.1-beta1 turns a value around with a name."""
    (result,) = [each for each in lint(configure(line, idf=idf)).findings if each.rule == rule]
    assert result.write == (write,)


@pytest.mark.parametrize("line", ["LIBC_NEWLIB_NANO_FORMAT=y", "NEWLIB_NANO_FORMAT=y"])
def test_nano_formatting_is_each_releases_own(configure: MakeConfig, line: str) -> None:
    """5.5 has the new name, and takes the old one."""
    config = configure(line, idf="5.5.1")
    assert not [each for each in lint(config).findings if each.hard]
    assert config.value("LIBC_NEWLIB_NANO_FORMAT") is True
    assert "\nCONFIG_" not in fragment(config, mend(config))


@pytest.mark.parametrize("release", RELEASES)
def test_an_empty_value_turns_a_switch_off(configure: MakeConfig, release: str) -> None:
    config = configure("CONFIG_LWIP_IP_FORWARD=y\nCONFIG_LWIP_IP_FORWARD=\n", idf=release)
    if config.name_here("LWIP_IP_FORWARD"):
        assert config.value("LWIP_IP_FORWARD") is False
        assert not [each for each in lint(config).findings if each.rule == "type"]


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
    (result,) = [each for each in lint(configure(text)).findings if each.rule == "type"]
    assert result.write == (() if write is None else (write,))


@pytest.mark.parametrize(
    ("text", "why", "write"),
    [
        ("CONFIG_LWIP_TCP_MSS = 1440\n", "not an option line", ("CONFIG_LWIP_TCP_MSS=1440",)),
        ("#\nLWIP_TCP_MSS=1440\n", "not an option line", ("CONFIG_LWIP_TCP_MSS=1440",)),
        ("export CONFIG_LWIP_TCP_MSS=9\n", "not an option line", ("CONFIG_LWIP_TCP_MSS=9",)),
        ("?\n", "not an option line: '?'", ()),
        ("CONFIG_LWIP_IPV6\n", "not an option line", ()),
        ("\xff\n", "not UTF-8 text", ()),
    ],
)
def test_a_line_that_is_no_option_is_a_finding(
    tmp_path: Path, text: str, why: str, write: tuple[str, ...]
) -> None:
    file = tmp_path / "sdkconfig.defaults"
    file.write_bytes(text.encode("latin-1"))
    for release in ("4.1.4", "5.5.5", "6.0.2"):
        config = read_config([file], chip="esp32", sdk=release)
        (result,) = [each for each in lint(config).findings if each.severity == "K"]
        assert (result.rule, result.line) == ("malformed", text.count("\n"))
        assert why in result.message
        assert result.write == write


def test_an_indented_line_counts_since_4_1(tmp_path: Path) -> None:
    file = tmp_path / "sdkconfig.defaults"
    file.write_text("  CONFIG_LWIP_TCP_MSS=1400\n", encoding="utf-8")
    assert read_config([file], chip="esp32", sdk="5.5").value("LWIP_TCP_MSS") == 1400
    old = read_config([file], chip="esp32", sdk="4.0.4")
    assert old.value("LWIP_TCP_MSS") == 1440
    (result,) = lint(old).findings
    assert (result.rule, result.write) == ("malformed", ("CONFIG_LWIP_TCP_MSS=1400",))


def test_what_is_left_out_and_out_of_range_is_taken_out(configure: MakeConfig) -> None:
    """Every line of the option is taken out; the mending lines of other options stay."""
    config = configure(
        "LWIP_TCP_MSS=9999 SPIRAM_MALLOC_ALWAYSINTERNAL=131073 SPIRAM_MALLOC_ALWAYSINTERNAL=131073",
        idf="4.2",
    )
    text = fragment(config, mend(config))
    assert "#   take CONFIG_SPIRAM_MALLOC_ALWAYSINTERNAL out of" in text
    assert ", line 2\n" in text
    assert ", line 3\n" in text
    assert "\nCONFIG_SPIRAM_MALLOC_ALWAYSINTERNAL" not in text
    assert "\nCONFIG_LWIP_TCP_MSS=1460\n" in text


@pytest.mark.parametrize("mended", ["MBEDTLS_SSL_OUT_CONTENT_LEN=0", 'MBEDTLS_PSK_MODES="y"'])
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
    assert "\nCONFIG_MBEDTLS_SSL_OUT_CONTENT_LEN=512\n" in text


def test_lines_of_a_fragment_do_not_contradict_each_other(configure: MakeConfig) -> None:
    """Up to 4.3, static buffers cannot be had off where malloc uses PSRAM."""
    for more in ("ESP_WIFI_STATIC_TX_BUFFER=n", "ESP_WIFI_AMPDU_RX_ENABLED=y"):
        config = configure(f"SPIRAM=y SPIRAM_IGNORE_NOTFOUND=y {more}", idf="4.2")
        lines = fragment(config, mend(config)).splitlines()
        names = [line.partition("=")[0] for line in lines if line.startswith("CONFIG_")]
        assert len(names) == len(set(names))


def test_a_repeated_line_can_be_left_out_as_well(configure: MakeConfig) -> None:
    result = lint(configure("ETH_DMA_RX_BUFFER_NUM=5 ETH_DMA_RX_BUFFER_NUM=6", chip="esp32c3"))
    assert [each.rule for each in result.findings if each.hard] == ["duplicate", "depends"]


TEXTS = st.one_of(
    st.sampled_from(["y", "n", "0", "1", "-1", "65535", "999999999999999999", '"', '""', "0x", ""]),
    st.text(st.characters(exclude_characters="\0\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"), max_size=8),
)
OWN = ["SPIRAM", "LWIP_WND_SCALE", "X", "LWIP_X"]


@st.composite
def builds(draw: st.DrawFn) -> tuple[str, str, str]:
    """A release, one of its chips, and lines about some of its options."""
    release = draw(st.sampled_from(RELEASES))
    chip = draw(st.sampled_from(chips_of(release)))
    names = st.sampled_from([*list(option_table(release, chip).symbols), *OWN])
    pairs = draw(st.lists(st.tuples(names, TEXTS), max_size=12))
    return release, chip, "".join(f"CONFIG_{name}={text}\n" for name, text in pairs)


@given(builds())
def test_any_lines_are_judged_and_mended(
    tmp_path_factory: pytest.TempPathFactory, build: tuple[str, str, str]
) -> None:
    """No fault, no line break in an annotation, no error that the fragment brings in; and each
    line that Kconfig takes keeps its value, unless the build or the device would not do with it."""
    release, chip, body = build
    file = tmp_path_factory.mktemp("any") / "sdkconfig.defaults"
    file.write_bytes(body.encode("utf-8", "replace"))
    config = read_config([file], chip=chip, sdk=release)
    result = lint(config)
    assert len(sarif(result)["runs"][0]["results"]) == len(result.findings)
    assert all("\n" not in line for line in annotation_lines(result))
    fix = mend(config)
    last = file.with_name("fix.defaults")
    last.write_text(fragment(config, fix) + "CONFIG_MY_OWN=y\n", encoding="utf-8")
    then = read_config([file, last], chip=chip, sdk=release)
    mended = lint(then)
    assert not [each for each in mended.findings if each.hard and each.file == str(last)]
    needed = {
        config.name_here(name)
        for name, (_, match) in fix.values.items()
        if any(each.severity in "BR" for each in match)
    }
    for judged in config.judged:
        name = judged.setting.name
        if judged.fate.taken and not needed:
            assert then.values.text(name) == judged.fate.final, name


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    file = tmp_path_factory.mktemp("any") / "sdkconfig"
    file.write_bytes(content)
    with suppress(InputError):
        lint(read_config([file], chip="esp32", sdk="5.5"))
