"""Broken in the experiment on the published ladder of a TLS client."""

from __future__ import annotations

from mutant import Mutant

LADDER = "studies/heapscope_studies/tls_ladder"
TEST = "tests/studies/test_tls_ladder.py"

TLS_LADDER = (
    Mutant(
        "gain of a single core",
        "the cache that becomes heap counts twice",
        "lab/heapscope/forecast/ladder/compared.py::static_gain",
        "(then.iram - was.iram)",
        "0",
        TEST,
    ),
    Mutant(
        "gain of the dynamic buffers",
        "the client stays the one without them",
        f"{LADDER}/steps.py::_DYNAMIC",
        'client="tls_study_dynamic_{curve}"',
        "client=_OUT.client",
        TEST,
    ),
    Mutant(
        "gain of the minimal network",
        "the network stays the default one",
        f"{LADDER}/steps.py::_NETWORK",
        'network="tls_study_net_minimal",',
        "",
        TEST,
    ),
    Mutant(
        "gain of RTC memory",
        "the step has the options of the one before it",
        f"{LADDER}/steps.py::_RTC",
        "paragraphs=5",
        "paragraphs=4",
        TEST,
    ),
    Mutant(
        "gain of the buffers in IRAM",
        "they stay in DRAM",
        f"{LADDER}/compose.py::composed",
        'events["caps"][large] = capabilities.IRAM_EIGHT_BIT',
        'events["caps"][large] = 0',
        TEST,
    ),
    Mutant(
        "slow-down of the buffers in IRAM",
        "aligned words trap too",
        f"{LADDER}/cost.py::slow_down",
        "words = sums.pop(_WORD, 0)",
        "words = sums.get(_WORD, 0)",
        TEST,
    ),
    Mutant(
        "one trace of three tasks",
        "a handshake takes no time",
        f"{LADDER}/compose.py::_spans",
        'when[f"answered {number}"], when[f"computed {number}"]',
        'when[f"answered {number}"], when[f"answered {number}"]',
        TEST,
    ),
    Mutant(
        "peaks of the client",
        "a block has the bytes that were asked for",
        f"{LADDER}/compose.py::composed",
        'merged["size"] = (merged["size"] + (WORD - 1)) // WORD * WORD',
        'merged["size"] = merged["size"]',
        TEST,
    ),
    Mutant(
        "both curves",
        "the second curve's rows are the first's",
        f"{LADDER}/ladder.py::climb",
        "step.client.format(curve=curve)",
        "step.client.format(curve=CURVES[0])",
        TEST,
    ),
)
