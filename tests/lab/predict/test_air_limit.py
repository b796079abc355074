"""Nothing that is predicted passes the air, or falls below zero, whatever the configuration is."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise

import pytest

from heapscope.base.errors import InputError
from heapscope.forecast.predict.constants import read_constants
from heapscope.forecast.predict.environment import Environment, on_channel, seen_in
from heapscope.forecast.predict.guess import predicted_throughput
from heapscope.forecast.predict.radio import RAW_MBPS, air_limit, before_air, through_air
from heapscope.forecast.predict.software import KNOTS, year_of
from heapscope.forecast.predict.wifi_table import METRICS, Knobs, chips, lab, ranks

RELEASES = [(3, 3), (4, 1), (4, 4), (5, 0), (5, 1), (5, 3), (5, 5), (6, 0), (7, 2), None]


def some_knobs(draw: random.Random) -> Knobs:
    chip = draw.choice(list(chips().values()))
    return Knobs(
        chip=chip.name,
        psram=draw.choice(chip.psram),
        static_rx=draw.randint(1, 128),
        dynamic_rx=draw.choice([0, 1, 6, 32, 1024]),
        tx_buffers=draw.choice([1, 6, 32, 128]),
        tx_static=draw.random() < 0.5,
        rx_ba_win=draw.choice([0, 2, 6, 32, 64]),
        tcp_snd_buf=draw.choice([1, 1440, 5760, 65535, 1 << 20]),
        tcp_wnd=draw.choice([1, 1440, 5760, 65535, 1 << 20]),
        wifi_iram=draw.random() < 0.5,
        wifi_rx_iram=draw.random() < 0.5,
        lwip_iram=draw.random() < 0.5,
        icache_kb=draw.choice([0, 8, 16, 32, 64]),
        mhz=draw.choice([0, 80, 160, 240]),
        tx_ba_win=draw.choice([0, 2, 6, 32, 64]),
        single_core=draw.random() < 0.3,
        optimized=draw.random() < 0.5,
        core_locking=draw.random() < 0.5,
        year=year_of(draw.choice(RELEASES)),
        band_ghz=5 if chip.has_5_ghz and draw.random() < 0.5 else 2.4,
        width_mhz=draw.choice([0, 20]),
    )


@pytest.mark.cells(60)
@pytest.mark.parametrize("seed", range(300))
def test_no_prediction_is_above_the_air_or_below_zero(seed: int) -> None:
    draw = random.Random(seed)
    knobs = some_knobs(draw)
    constants = read_constants()
    place = Environment(
        place=draw.choice(["shielded", "air"]),
        round_trip_ms=draw.choice([0, 0, 300]),
        loss=draw.choice([0, 0, 0.3]),
    )
    guesses = predicted_throughput(
        [(knobs, metric) for metric in METRICS],
        constants.names,
        constants.throughput,
        constants.widths,
    )
    for metric, shielded in zip(METRICS, guesses, strict=True):
        guess = seen_in(place, knobs, metric, shielded)
        most = min(air_limit(knobs, metric).mbps, RAW_MBPS)
        (low_95, high_95), (low_80, high_80) = guess.band(0.95), guess.band(0.8)
        assert 0 < low_95 <= low_80 <= guess.mbps() <= high_80 <= high_95 <= most


def test_every_published_figure_is_below_its_limit() -> None:
    for row in (*ranks(), *lab()):
        for metric, mbps in row.throughput.items():
            assert mbps < air_limit(row.knobs, metric).mbps, (row.id, metric)


def test_the_limits_are_those_of_the_standard() -> None:
    """Worked out by another hand, of UDP: 1,472 bytes of payload in each frame."""
    reported = {(0, 6): 103.0, (0, 16): 124.2, (20, 6): 57.6, (20, 16): 63.8, (20, 32): 65.9}
    base = replace(ranks()[0].knobs, width_mhz=0)
    for (width, frames), mbps in reported.items():
        knobs = replace(base, width_mhz=width, tx_ba_win=frames)
        assert air_limit(knobs, "udp_tx").mbps == pytest.approx(mbps, rel=0.005)
    alone = replace(base, tx_ba_win=0)
    assert air_limit(alone, "udp_tx").mbps == pytest.approx(43.3, rel=0.005)
    assert air_limit(base, "udp_tx").mbps == RAW_MBPS
    assert air_limit(replace(base, tx_ba_win=6), "tcp_tx").mbps < 103
    c2 = next(row.knobs for row in ranks() if row.knobs.chip == "esp32c2")
    assert air_limit(c2, "udp_rx").mbps < 72.2


@pytest.mark.parametrize("sharpness", [1.5, 3.0, 12.0])
def test_the_corner_is_below_both_and_can_be_undone(sharpness: float) -> None:
    for processor in (1e-6, 1.0, 60.0, 131.0, 1e9):
        seen = through_air(processor, 130.0, sharpness)
        assert 0 < seen <= min(processor, 130.0)
        if processor < 200:
            assert before_air(seen, 130.0, sharpness) == pytest.approx(processor)
    with pytest.raises(ValueError, match="carries 130"):
        before_air(130.0, 130.0, sharpness)


def test_a_band_grows_with_the_time_to_what_was_measured() -> None:
    constants = read_constants()
    row = next(row for row in ranks() if row.knobs.chip == "esp32s3")

    def width(year: float) -> float:
        (guess,) = predicted_throughput(
            [(replace(row.knobs, year=year), "udp_tx")],
            constants.names,
            constants.throughput,
            constants.widths,
        )
        return guess.width

    for before, after in pairwise([row.knobs.year, KNOTS[-1], KNOTS[-1] + 1, KNOTS[-1] + 3]):
        assert width(before) < width(after)


def test_a_band_grows_where_options_are_outside_the_published_rows() -> None:
    constants = read_constants()
    row = next(row for row in ranks() if row.id == "esp32-minimum")

    def width(knobs: Knobs) -> float:
        (guess,) = predicted_throughput(
            [(knobs, "tcp_tx")], constants.names, constants.throughput, constants.widths
        )
        return guess.width

    assert width(replace(row.knobs, tcp_snd_buf=1440)) > 2 * width(row.knobs)


def test_5_ghz_and_narrow_channels_are_for_chips_that_have_them() -> None:
    c5 = next(row.knobs for row in lab() if row.knobs.chip == "esp32c5")
    assert on_channel(Environment(band_ghz=5), c5).band_ghz == 5
    with pytest.raises(InputError, match="no radio for 5 GHz"):
        on_channel(Environment(band_ghz=5), ranks()[0].knobs)
    c2 = next(row.knobs for row in ranks() if row.knobs.chip == "esp32c2")
    with pytest.raises(InputError, match="no channels of 40 MHz"):
        on_channel(Environment(width_mhz=40), c2)
    with pytest.raises(InputError, match="a band of 6 GHz"):
        Environment(band_ghz=6)
