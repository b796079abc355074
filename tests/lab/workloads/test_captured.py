"""The memory that the programs were seen to need, from the captured traces themselves."""

from __future__ import annotations

import re

import pytest

from .conftest import REALLOC, ROOT, WORKLOADS, Recording, read_recording

#: Bytes asked of mbedtls_calloc: at most in a handshake, and right after it.
HANDSHAKES = {
    "tls228_rsa_16k_16k": (51915, 42235),
    "tls228_rsa_16k_2k": (37579, 27899),
    "tls228_rsa_4k_4k": (27339, 17659),
    "tls228_rsa_16k_16k_var": (51915, 42235),
    "tls228_rsa_16k_2k_var": (37579, 13563),
    "tls228_rsa_16k_2k_dyn": (15694, 1025),
    "tls228_ec_16k_16k": (44906, 37618),
    "tls228_ec_16k_2k": (30570, 23282),
    "tls228_ec_4k_4k": (20330, 13042),
    "tls228_ec_16k_16k_var": (44906, 37618),
    "tls228_ec_16k_2k_var": (30570, 8946),
    "tls228_ec_16k_2k_dyn": (11597, 1025),
    "tls35_rsa_16k_16k": (50243, 43311),
    "tls35_rsa_16k_2k": (35907, 28975),
    "tls35_rsa_4k_4k": (25667, 18735),
    "tls35_rsa_16k_2k_dyn": (13966, 1097),
    "tls35_ec_16k_16k": (43814, 37678),
    "tls35_ec_16k_2k": (29478, 23342),
    "tls35_ec_4k_4k": (19238, 13102),
    "tls35_ec_16k_2k_dyn": (10998, 1097),
}


def captured(name: str) -> Recording:
    return read_recording(WORKLOADS / "captured" / f"{name}.hst.zst")


@pytest.mark.cells(6)
@pytest.mark.parametrize("name", HANDSHAKES)
def test_a_handshake_takes_and_leaves_what_the_guide_says(name: str) -> None:
    trace = captured(name)
    live = trace.live()
    first, last = trace.place("connect 5"), trace.place("connected 5")
    peak, after = int(live[first : last + 1].max()), int(live[last])
    assert (peak, after) == HANDSHAKES[name]
    guide = (ROOT / "docs" / "guide" / "workloads.md").read_text(encoding="utf-8")
    assert re.search(rf"`{name}`.*\| {peak:,} \| {after:,} \|".replace(",", " "), guide)
    assert int(live[-1]) == 0
    assert trace.tasks == (b"tls",)


@pytest.mark.parametrize("keys", ["rsa", "ec"])
@pytest.mark.parametrize("release", ["tls228", "tls35"])
def test_a_smaller_buffer_saves_its_own_bytes_and_nothing_else(release: str, keys: str) -> None:
    full, small, least = (
        HANDSHAKES[f"{release}_{keys}_{sizes}"] for sizes in ("16k_16k", "16k_2k", "4k_4k")
    )
    assert [a - b for a, b in zip(full, small, strict=True)] == [14336, 14336]
    assert [a - b for a, b in zip(full, least, strict=True)] == [24576, 24576]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "saved"),
    [
        ("tls228_rsa_16k_2k", 20141),
        ("tls228_ec_16k_2k", 13132),
        ("tls35_rsa_16k_2k", 18397),
        ("tls35_ec_16k_2k", 11968),
    ],
)
def test_dynamic_buffers_lower_the_peak_and_what_stays(name: str, saved: int) -> None:
    plain, dynamic = (int(captured(name + kind).live().max()) for kind in ("", "_dyn"))
    assert plain - dynamic == saved
    assert dynamic < HANDSHAKES[f"{name}_dyn"][1] + 16384 + 100  # one record of 16 KB, no more
    guide = (ROOT / "docs" / "guide" / "tls-buffers.md").read_text(encoding="utf-8")
    row = rf"`{name}`.*\| {plain:,} \| {dynamic:,} \| {saved:,} \|".replace(",", " ")
    assert re.search(row, guide)


def test_the_price_of_dynamic_buffers_in_allocations_is_what_the_guide_says() -> None:
    guide = (ROOT / "docs" / "guide" / "tls-buffers.md").read_text(encoding="utf-8")
    for what, first, last in (
        ("a handshake", "connect", "connected"),
        ("seven exchanges, 62 KB in all", "connected", "closed"),
    ):
        row = f"| allocations of {what} |"
        for kind in ("", "_dyn"):
            trace = captured(f"tls228_rsa_16k_2k{kind}")
            counts = [trace.requests(f"{first} {n}", f"{last} {n}") for n in range(1, 6)]
            row += f" {sum(counts) / 5:,.0f} |".replace(",", " ")
        assert row in guide


@pytest.mark.parametrize("name", HANDSHAKES)
def test_only_variable_buffers_below_a_record_refuse_it(name: str) -> None:
    refused = [mark for mark in captured(name).marks if mark is not None and b"refused" in mark]
    assert refused == ([b"answer of 8000 refused: -0x7100"] * 5 if "16k_2k_var" in name else [])


def test_the_client_is_the_one_of_the_older_recording_but_for_two_certificates() -> None:
    """tls_rsa_cli was recorded elsewhere, with three authorities where this client has one."""
    sizes = captured("tls228_rsa_16k_16k").events["size"]
    older = captured("tls_rsa_cli").events["size"]
    handshake = slice(int((sizes == 16717).argmax()), int((sizes == 16717).argmax()) + 100)
    moved = int((older == 16717).argmax()) - handshake.start
    assert (sizes[handshake] == older[handshake.start + moved : handshake.stop + moved]).all()


def test_duktape_asks_for_what_it_was_measured_to_ask() -> None:
    trace = captured("script_json")
    live = trace.live()
    created = trace.place("heap created")
    assert int(live[created]) == 67732
    assert int((trace.events["kind"][:created] < REALLOC).sum()) == 1560
    assert trace.requests("filled", "encoded") == 14429


def test_the_mix_holds_three_tasks_of_which_one_keeps_its_objects() -> None:
    trace = captured("mix_gateway")
    assert trace.tasks == (b"app", b"script", b"tls")
    assert int(trace.live()[-1]) == 7867
    assert trace.marks[0] == b"start"
    assert trace.marks[-1] == b"end"
    assert all(f"connected {n}".encode() in trace.marks for n in range(1, 6))


def test_the_captured_traces_stay_small() -> None:
    sizes = [path.stat().st_size for path in (WORKLOADS / "captured").iterdir()]
    assert sum(sizes) < 1_000_000
