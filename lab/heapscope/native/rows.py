"""The result structs of lab.h as frozen rows. Field names are those of the structs, and a test
compares them; what each means stands in lab.h."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = [
    "NEVER",
    "AnomalyRow",
    "CensusRow",
    "ExplanationRegionRow",
    "ExplanationRow",
    "FailureRegionRow",
    "FailureRow",
    "HealthRow",
    "ImportStatsRow",
    "LossRow",
    "MarkRow",
    "NeedRow",
    "RegionRow",
    "RuleRow",
    "SetRow",
    "SummaryRow",
    "TaskRow",
]

#: HS_LAB_NEVER: "it did not happen", in fields that hold an event number.
NEVER = 0xFFFF_FFFF_FFFF_FFFF


@dataclass(frozen=True, kw_only=True)
class ImportStatsRow:
    lines: int
    events: int
    bad_lines: int
    first_bad: int
    id_reused: int
    first_reused: int
    guessed: int


@dataclass(frozen=True, kw_only=True)
class HealthRow:
    bytes: int
    events: int
    chunks: int
    lost_chunks: int
    lost_events: int
    skipped_bytes: int
    malformed_chunks: int
    newer_chunks: int
    repeated_chunks: int
    first_damage: int  # NEVER: none
    next_trace: int  # NEVER: none
    version: int
    features: int
    ended: int
    truncated: int


@dataclass(frozen=True, kw_only=True)
class LossRow:
    event: int  # NEVER: nothing is lost
    time: int
    parts: int
    events: int
    mallocs: int
    callocs: int
    aligneds: int
    reallocs: int
    frees: int
    failed: int
    marks: int
    word_excess: int
    live_peak: int
    live_blocks_peak: int
    largest_request: int
    last_time: int
    tasks: int
    sites: int


@dataclass(frozen=True, kw_only=True)
class CensusRow:
    events: int
    mallocs: int
    callocs: int
    aligneds: int
    reallocs: int
    frees: int
    failed: int
    marks: int
    first_time: int
    last_time: int
    live: int
    live_peak: int
    live_blocks: int
    live_blocks_peak: int
    live_peak_event: int
    largest_request: int
    word_excess: int
    tasks: int
    sites: int


@dataclass(frozen=True, kw_only=True)
class SummaryRow:
    digest: int
    results: int
    failures: int
    first_failure_event: int
    zero_requests: int
    skipped: int
    recorded_failures: int
    recorded_failures_fit: int
    unknown_frees: int
    double_frees: int
    dead_reallocs: int
    refused_reallocs: int
    reused_ids: int
    address_compared: int
    address_matched: int
    live: int
    live_peak: int
    live_peak_event: int
    live_blocks: int
    not_placed: int
    not_placed_blocks: int
    startup_unplaced: int
    event_count: int
    tightest_event: int
    tightest_payload: int
    tightest_rounding: int
    tightest_header: int
    tightest_control: int
    tightest_startup: int
    tightest_moving: int
    tightest_free: int


@dataclass(frozen=True, kw_only=True)
class RegionRow:
    start: int
    size: int
    kind: int
    has_heap: int
    control: int
    header: int
    startup: int
    payload: int
    rounding: int
    free: int
    used_blocks: int
    free_blocks: int
    minimum_free: int
    peak_payload: int
    largest_free: int
    largest_reported: int
    largest_allocatable: int
    minimum_largest_allocatable: int
    reported_free: int
    reported_minimum_free: int
    minimum_free_event: int
    minimum_largest_event: int
    allocations: int
    frees: int
    failures: int
    step_nodes: int
    step_bins: int
    step_writes: int
    step_copied: int


@dataclass(frozen=True, kw_only=True)
class TaskRow:
    task: int
    kind: int
    payload: int
    payload_peak: int
    held: int
    held_peak: int
    blocks: int
    blocks_peak: int
    payload_peak_event: int
    allocations: int
    failures: int


@dataclass(frozen=True, kw_only=True)
class SetRow:
    caps: int
    size: int
    free: int
    minimum_free: int
    free_reported: int
    minimum_free_reported: int
    largest_free: int
    largest_reported: int
    largest_allocatable: int
    minimum_largest_allocatable: int
    peak_payload: int
    minimum_free_event: int
    minimum_largest_event: int


@dataclass(frozen=True, kw_only=True)
class NeedRow:
    size: int
    caps: int
    short_events: int
    spells: int
    first_event: int
    first_time: int
    last_event: int
    minimum_margin: int
    minimum_margin_event: int


@dataclass(frozen=True, kw_only=True)
class FailureRow:
    event: int
    time: int
    size: int
    number: int
    task: int
    caps: int
    site: int
    call: int
    align: int
    old_size: int


@dataclass(frozen=True, kw_only=True)
class FailureSpanRow:
    first_event: int
    events: int
    failures: int
    bytes: int
    largest: int


@dataclass(frozen=True, kw_only=True)
class FailureRegionRow:
    eligible: int
    free: int
    largest_free: int
    largest_allocatable: int


@dataclass(frozen=True, kw_only=True)
class ExplanationRow:
    event: int
    time: int
    size: int
    found: int
    task: int
    caps: int
    site: int
    call: int
    align: int
    old_region: int
    old_address: int
    old_size: int
    region: int
    address: int
    skipped: int
    rule: int
    rule_unfit: int


@dataclass(frozen=True, kw_only=True)
class ExplanationRegionRow:
    has_heap: int
    fits: int
    free: int
    largest_free: int
    largest_allocatable: int


@dataclass(frozen=True, kw_only=True)
class MarkRow:
    event: int
    time: int
    live: int
    live_peak: int
    live_blocks: int
    failures: int
    name: int
    task_rows: int


@dataclass(frozen=True, kw_only=True)
class RuleRow:
    requests: int
    refused: int
    elsewhere: int
    unfit: int
    peak_event: int
    payload: int
    payload_peak: int
    blocks: int
    blocks_peak: int


@dataclass(frozen=True, kw_only=True)
class AnomalyRow:
    event: int
    key: int
    what: int
    task: int
