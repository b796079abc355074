"""The accesses to a TLS client's blocks: what was captured, and that it is counted again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from .conftest import WORKLOADS, Script

NAME = "tls228_rsa_16k_2k_accesses.json"
RECORD = 16384
RECORDS = 64


def read(path: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return document


def transfer_of(size: int) -> dict[str, dict[str, int]]:
    """The accesses of the transfer to the only block of this size."""
    sites = read(WORKLOADS / "captured" / NAME)["sites"]
    (chosen,) = [site for site in sites if site["size"] == size]
    assert chosen["function"] == "mbedtls_ssl_setup"
    transfer: dict[str, dict[str, int]] = chosen["transfer"]
    return transfer


def test_a_record_is_read_twice_written_once_and_copied_out() -> None:
    """GCM: once for the tag and once to decrypt, byte by byte; then the application's copy."""
    counts = transfer_of(16717)
    received = RECORD * RECORDS
    assert received == read(WORKLOADS / "captured" / NAME)["received_bytes"]
    assert 2 * received < counts["read"]["1"] < 2 * received * 1.002
    assert received < counts["written"]["1"] < received * 1.002
    assert counts["read"]["copied_bytes"] == received
    assert counts["written"]["copied_bytes"] == received  # cleared once it was copied
    assert 0.99 * received < counts["read"]["4"] * 4 < received


def test_requests_are_all_that_the_other_buffer_sees() -> None:
    counts = transfer_of(2381)
    touched = sum(counts[way][kind] for way in counts for kind in ("1", "2", "4"))
    assert 0 < touched < 200 * RECORDS


@pytest.mark.slow
def test_counted_again_equals_captured(script: Script, tmp_path: Path) -> None:
    script("tls/accesses.py", "--out", tmp_path / NAME)
    assert read(tmp_path / NAME) == read(WORKLOADS / "captured" / NAME)
