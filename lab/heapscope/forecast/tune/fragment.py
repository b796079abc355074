"""Lines for sdkconfig.defaults, each with its reason above it: Kconfig knows no comment behind a
value."""

from __future__ import annotations

from collections.abc import Iterator

from heapscope.forecast.predict.memory_states import IRAM, PSRAM
from heapscope.forecast.tune.answer import ChangedKnob, TuneResult
from heapscope.forecast.tune.memory import FREE
from heapscope.forecast.tune.options import option_values

_UNITS = {FREE: "KB free", IRAM: "KB of IRAM", PSRAM: "KB of PSRAM"}
_LEAST = 0.05  # of a KB or Mbit/s: less counts as no effect


def fragment(result: TuneResult) -> str:
    """The sdkconfig fragment of a result that has a configuration."""
    return "\n".join(_text(result)) + "\n"


def effect_text(change: ChangedKnob) -> str:
    """ "+9.6 KB free, -1.2 Mbit/s tcp_rx": what the change of this knob alone does."""
    parts = []
    for metric, value in change.effect.items():
        if abs(value) >= _LEAST:
            parts.append(f"{value:+.1f} {_UNITS.get(metric, f'Mbit/s {metric}')}")
    return ", ".join(parts) or "no predicted effect of its own"


def _text(result: TuneResult) -> Iterator[str]:
    assert result.best is not None
    yield "# By `heapscope tune`: give this file last, or paste its lines."
    yield f"# {result.chip}, PSRAM {result.psram}, ESP-IDF {result.sdk}. Predicted (80 % band):"
    low, high = result.best.low_80, result.best.high_80
    for metric, middle in result.best.median.items():
        unit = "KB" if metric == FREE else "Mbit/s"
        yield f"#   {metric} {middle:.1f} {unit} ({low[metric]:.1f} to {high[metric]:.1f})"
    if not result.changes and not result.traded:
        yield "# Nothing to change."
    for change in result.changes:
        before = option_values(result.chip, change.knob, change.old)
        after = option_values(result.chip, change.knob, change.new)
        yield ""
        yield (f"# {change.label}: {change.before} -> {change.after}: {effect_text(change)}")
        if change.breaks_if_put_back:
            yield f"# (as before it would break rule {', '.join(change.breaks_if_put_back)})"
        for name, value in after.items():
            if before.get(name) != value:
                yield result.line(name, value)
    yield from _tls(result)
    written: set[str] = set()  # options that two trades need
    for trade in result.traded:
        ends = f"{trade.gain_low / 1024:.1f} to {trade.gain_high / 1024:.1f}"
        yield ""
        yield f"# {trade.text}: {trade.gain / 1024:+.1f} KB free ({ends}){trade.elsewhere}"
        yield f"# loses: {trade.loses}"
        for name, value in trade.values.items():
            if name not in written:
                written.add(name)
                yield result.line(name, value)
    for each in result.companions:
        yield ""
        yield f"# follows: {each.reason}"
        yield result.line(each.option, each.value)


def _tls(result: TuneResult) -> Iterator[str]:
    choice = result.tls
    if choice is None or not choice.lines:
        return
    saved = (choice.now.internal_bytes - choice.best.internal_bytes) / 1024
    yield ""
    yield (
        f"# TLS, {choice.sessions} at once: {choice.best.name}: {saved:+.1f} KB free, against "
        f"{choice.now.name}"
    )
    for each in choice.best.asks:
        yield f"# needs {each}"
    for name, value in choice.lines.items():
        yield result.line(name, value)
