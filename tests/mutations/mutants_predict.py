"""Broken in what predicts: throughput, memory, bands, power save, the user's own figures."""

from __future__ import annotations

from mutant import Mutant

MODEL = "tests/studies/test_wifi_model.py"
COMMAND = "tests/lab/predict/test_predict_command.py"
POWER = "tests/lab/predict/test_power.py"
KNOBS = "tests/lab/predict/test_knob_offers.py"
WIFI_RANKS = "tests/studies/test_wifi_ranks.py"

STATES = "tests/lab/predict/test_memory_states.py"
TENANTS = "tests/lab/tenants/test_system_layout.py"
PARTS = "tests/studies/test_memory_parts.py"
LIMITS = "tests/lab/predict/test_memory_limits.py"
REACTION = "tests/studies/test_memory_reaction.py"

PREDICT = (
    Mutant(
        "whole programs left out",
        "the empty program is not taken off",
        "lab/heapscope/predict/memory_states.py::MemoryModel.constant",
        "return left - own, empty.doubt",
        "return left, empty.doubt",
        PARTS,
    ),
    Mutant(
        "options of the guide that react",
        "lwIP is linked with Wi-Fi alone",
        "lab/heapscope/predict/memory_states.py::MemoryModel._works",
        "return (NET, *",
        "return (*",
        REACTION,
    ),
    Mutant(
        "predictions above a ceiling",
        "the ESP32's code is in the memory of malloc",
        "lab/heapscope/predict/memory_states.py::_place",
        'return (IRAM if scene.config.chip == "esp32" else DRAM), False',
        "return DRAM, False",
        LIMITS,
    ),
    Mutant(
        "memory beside the system",
        "Wi-Fi's blocks are left out",
        "lab/heapscope/predict/tenants.py::_has_blocks",
        "or held.part.id in _NO_BLOCKS",
        'or held.part.id in _NO_BLOCKS or held.part.component == "Wi-Fi"',
        TENANTS,
    ),
    Mutant(
        "memory beside the system",
        "the layout leaves what its blocks happen to leave",
        "lab/heapscope/predict/system_layout.py::SystemMemory.layout",
        "more = free_of(made) - wanted",
        "more = 0 * wanted",
        TENANTS,
    ),
    Mutant(
        "peak per task beside the system",
        "the system's blocks are of no task of the trace",
        "lab/heapscope/replay/config.py::_tenants",
        "known.setdefault(tenant.task, first)",
        "first",
        "tests/lab/tenants/test_tenant_replay.py",
    ),
    Mutant(
        "minimum free beside the system",
        "its blocks count as start-up use",
        "lab/native/replay/tenants.c::hs_tenants_book",
        "hs_measure_begin(&replay->measure, block);",
        "",
        "tests/lab/tenants/test_tenant_replay.py",
    ),
    Mutant(
        "one figure of predict, replay and tune",
        "tune judges its answer on the memory of the present configuration",
        "lab/heapscope/tune/by_replay.py::_by_replay",
        "need = of(chosen.changed_to({**also, **lines}))",
        "need = of(problem.config)",
        "tests/lab/tenants/test_three_verbs.py",
    ),
    Mutant(
        "physical limits of memory",
        "a window asks for as many frames as there are buffers",
        "lab/heapscope/predict/memory_scene.py::_tx_frames",
        "min(most, ",
        "max(most, ",
        STATES,
    ),
    Mutant(
        "throughput of rows left out",
        "the received window does not limit",
        "lab/heapscope/predict/throughput.py::LIMITS",
        '("receive_window", "block_ack", "static_rx", "no_block_ack")',
        '("block_ack", "static_rx", "no_block_ack")',
        MODEL,
    ),
    Mutant(
        "throughput of rows left out",
        "the row left out is learned from",
        "studies/heapscope_studies/wifi_model/folds.py::_folds",
        "[([other for other in rows if other is not row], [row]) for row in rows]",
        "[(rows, [row]) for row in rows]",
        MODEL,
    ),
    Mutant(
        "a chip known by one row",
        "its other tables are learned from",
        "studies/heapscope_studies/wifi_model/folds.py::_folds",
        'whole=key == "new_chip"',
        "whole=False",
        MODEL,
    ),
    Mutant(
        "coverage of the bands",
        "the bands have half their width",
        "lab/heapscope/predict/guess.py::Guess.reach",
        "return math.hypot(own,",
        "return 0.5 * math.hypot(own,",
        MODEL,
    ),
    Mutant(
        "coverage of the bands of memory",
        "what was left out is learned from",
        "studies/heapscope_studies/memory_parts/fit.py::folds",
        "if case not in ask]",
        "if case]",
        PARTS,
    ),
    Mutant(
        "options that give memory back",
        "a gain has no band",
        "lab/heapscope/predict/knob_offers.py::_summed",
        "(won.median, won.median - won.half_80, won.median + won.half_80)",
        "(won.median, won.median, won.median)",
        KNOBS,
    ),
    Mutant(
        "options that give memory back",
        "a block ack window does not follow the buffers",
        "lab/heapscope/predict/knob_changes.py::_window",
        "if window < knobs.rx_ba_win else {}",
        "if window < 0 else {}",
        KNOBS,
    ),
    Mutant(
        "options that a replay can show",
        "one static buffer more is left out",
        "lab/heapscope/why/ideas_knobs.py::_buffers",
        "frozenset(kept[-fewer:])",
        "frozenset(kept[-fewer - 1 :])",
        "tests/lab/why/test_why_knobs.py",
    ),
    Mutant(
        "options that a replay can show",
        "code takes more memory where it should take less",
        "lab/heapscope/predict/knob_layout.py::without_code",
        "with_code(layout, -least)",
        "with_code(layout, least)",
        "tests/lab/upgrade/test_upgrade_knobs.py",
    ),
    Mutant(
        "constants in a generated file",
        "a tenth is added to each as it is read",
        "lab/heapscope/predict/constants.py::_read",
        'theta=np.array(list(part["constants"].values()))',
        'theta=1.1 * np.array(list(part["constants"].values()))',
        MODEL,
    ),
    Mutant(
        "RAM by part",
        "memory that is given is taken",
        "lab/heapscope/predict/memory_states.py::Held.taken",
        "(-1 if self.more else 1)",
        "(2 if self.more else 2)",
        COMMAND,
    ),
    Mutant(
        "the user's own figures",
        "what was measured moves nothing",
        "lab/heapscope/predict/calibrate.py::_moved",
        "theta=found.theta + gain * off",
        "theta=found.theta",
        COMMAND,
    ),
    Mutant(
        "power save",
        "a window as long as the interval is periodic",
        "lab/heapscope/predict/power_save.py::connectionless_use",
        "PERIODIC if window_ms < interval_ms",
        "PERIODIC if window_ms <= interval_ms",
        WIFI_RANKS,
    ),
    Mutant(
        "power save",
        "a window without a connection hears everything",
        "lab/heapscope/predict/power_save.py::connectionless",
        "broadcast_heard=on",
        "broadcast_heard=1.0",
        POWER,
    ),
    Mutant(
        "current of a sleeping station",
        "figures count for any clock",
        "lab/heapscope/predict/sleep_current.py::_is_possible",
        "series.mhz != mhz",
        "False",
        POWER,
    ),
    Mutant(
        "current of a sleeping station",
        "the band is half as wide",
        "lab/heapscope/predict/sleep_current.py::law_width",
        "off[ceil(_SHARE * len(off)) - 1]",
        "off[ceil(_SHARE * len(off)) - 1] / 2",
        POWER,
    ),
    Mutant(
        "what a build has of a configuration",
        "lines that Kconfig leaves out count",
        "lab/heapscope/kconfig/values.py::OptionValues._given",
        "return values.get(name, marked.get(name)) if self.can_set(name) else None",
        "return values.get(name, marked.get(name))",
        COMMAND,
    ),
    Mutant(
        "memory beside TLS",
        "records in IRAM are taken of the heap",
        "lab/heapscope/predict/memory_states.py::_place",
        'if memory == "record" and scene.on("MBEDTLS_IRAM_8BIT_MEM_ALLOC"):',
        'if memory == "" and scene.on("MBEDTLS_IRAM_8BIT_MEM_ALLOC"):',
        COMMAND,
    ),
)
