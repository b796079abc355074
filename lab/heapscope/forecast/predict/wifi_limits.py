"""Limits that the driver's buffers, a socket's mailbox and modem sleep set: sentences that follow
from a configuration's own numbers, beside the throughput that is predicted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from heapscope.config.config import Config
from heapscope.forecast.predict.config_knobs import enabled
from heapscope.forecast.predict.environment import Environment, seen_in
from heapscope.forecast.predict.guess import Guess
from heapscope.forecast.predict.power_save import PowerSave
from heapscope.forecast.predict.wifi_table import Knobs

_FRAME = 1600  # bytes of a buffer: the guide's 1.6 KB
_WATCHDOGS = ("ESP_TASK_WDT_EN", "ESP_TASK_WDT")  # the second before 5.0
_DATAGRAM_KBIT = 1472 * 8 / 1000


def wifi_limits(
    config: Config,
    knobs: Knobs,
    shielded: Mapping[str, Guess],
    *,
    environment: Environment,
    power_save: Sequence[PowerSave],
    streams: int,
) -> tuple[str, ...]:
    """`shielded`: the throughput of one stream by metric, in a shielded box."""
    return (
        _peak(knobs),
        f"the radio has {knobs.static_rx} static buffers: of a burst of more frames the rest waits "
        "or is sent again, unless the driver empties them in time",
        *broken_limits(knobs, streams),
        *_mailbox(config, seen_in(environment, knobs, "udp_rx", shielded["udp_rx"])),
        *_asleep(knobs, shielded["tcp_rx"], environment, power_save),
        *_watched(config),
    )


def _watched(config: Config) -> Iterator[str]:
    """The guide's note beneath its tables."""
    option = next((each for each in _WATCHDOGS if enabled(config, each)), None)
    if option is not None:
        yield (
            f"the task watchdog ({option}) may report at such throughput: tasks of lower "
            "priority get no time then"
        )


def _peak(knobs: Knobs) -> str:
    """The guide's p = b_rx m_rx + b_tx m_tx."""
    sent = 0 if knobs.tx_static else knobs.tx_buffers
    if not knobs.dynamic_rx:
        return (
            "the driver's dynamic receive buffers have no limit: a burst may take all that is free"
        )
    return (
        f"the driver's dynamic buffers take {(knobs.dynamic_rx + sent) * _FRAME:,} B at most, "
        f"{knobs.dynamic_rx} to receive and {sent} to send of 1.6 KB; they share the heap with the "
        "program, and seldom are all in use at once"
    )


def broken_limits(knobs: Knobs, streams: int) -> tuple[str, ...]:
    """Limits that the configuration goes beyond. The guide: a window has 1 KB for each buffer
    behind it, about, which the rules W7 and W8 of lint take as 25 % at most; and windows are
    reduced in proportion to the number of streams."""
    sent = 0 if knobs.tx_static else knobs.tx_buffers
    ways = (
        ("LWIP_TCP_WND_DEFAULT", knobs.window_kb, knobs.dynamic_rx, "receive"),
        ("LWIP_TCP_SND_BUF_DEFAULT", knobs.send_kb, sent, "transmit"),
    )
    several = streams > 1
    return tuple(
        f"{streams if several else 'one'} stream{'s' * several}: {option}"
        f"{' of all together' * several} is more than {buffers} {way} buffers hold: "
        f"{1024 * buffers // streams:,} {'for each fits' if several else 'fits'} them"
        for option, each, buffers, way in ways
        if streams and buffers and 4 * each * streams > 5 * buffers
    )


def _mailbox(config: Config, udp_rx: Guess) -> Iterator[str]:
    size = config.value("LWIP_UDP_RECVMBOX_SIZE")
    if isinstance(size, int) and not isinstance(size, bool):
        away = size * _DATAGRAM_KBIT / udp_rx.mbps()
        yield (
            f"a UDP socket keeps {size} datagrams (LWIP_UDP_RECVMBOX_SIZE): at the predicted "
            f"throughput a task that does not read for {away:.1f} ms loses the next ones"
        )


def _asleep(
    knobs: Knobs, tcp_rx: Guess, environment: Environment, power_save: Sequence[PowerSave]
) -> Iterator[str]:
    """Between no wait, since the radio stays on while data comes, and one for each window."""
    awake = seen_in(environment, knobs, "tcp_rx", tcp_rx).mbps()
    for mode in power_save:
        if mode.mode.endswith("_modem") and mode.worst_delay_ms:
            later = environment.round_trip_ms + mode.worst_delay_ms
            waits = seen_in(replace(environment, round_trip_ms=later), knobs, "tcp_rx", tcp_rx)
            yield (
                f"{mode.mode}: TCP received is {waits.mbps():.1f} Mbit/s where each window waits "
                f"{mode.worst_delay_ms:,.0f} ms for a beacon, up to {awake:.1f} where the radio "
                "stays on while data comes"
            )
