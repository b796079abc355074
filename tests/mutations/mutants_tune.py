"""Broken in what searches: the programme, the smaller space, the ranks' gains, TLS modes."""

from __future__ import annotations

from mutant import Mutant

SEARCH = "tests/lab/tune/test_tune_search.py"
MODEL = "tests/lab/tune/test_tune_model.py"
COMMAND = "tests/lab/tune/test_tune_command.py"
TRADES = "tests/lab/tune/test_trades.py"
RANKS = "tests/lab/tune/test_ranks.py"
DOMAIN = "tests/lab/tune/test_tune_domain.py"
OFFERS = "tests/lab/predict/test_knob_offers.py"
READERS = "tests/lab/config/test_readers.py"
IMAGE = "tests/lab/static/test_static_image.py"

TUNE = (
    Mutant(
        "memory of a build after changes",
        "what its code and data lose is not counted",
        "lab/heapscope/forecast/predict/memory_states.py::MemoryModel.sizes",
        "(self.built or self).held",
        "self.held",
        COMMAND,
    ),
    Mutant(
        "strict gain of a rank at no more memory",
        "memory does not limit",
        "lab/heapscope/forecast/tune/ranks.py::_gain",
        "for name in (FREE, *METRICS)\n    }",
        "for name in METRICS\n    }",
        RANKS,
    ),
    Mutant(
        "proof that a rank has no gain",
        "one direction alone is looked at",
        "lab/heapscope/forecast/tune/ranks.py::_gain",
        "dict.fromkeys((_DIRECTIONS.get(row.label, SPEED), SPEED))",
        'dict.fromkeys((_DIRECTIONS.get(row.label, "tcp_tx"),))',
        RANKS,
    ),
    Mutant(
        "optimum of every configuration",
        "frames that hang on two knobs cost nothing",
        "lab/heapscope/forecast/tune/memory.py::LeftMemory.quantity",
        "larger[each.id][index[each.id]] = -float",
        "larger[each.id][index[each.id]] = 0 * -float",
        MODEL,
    ),
    Mutant(
        "figures at a place",
        "the search has the shielded box",
        "lab/heapscope/forecast/tune/wifi.py::time_quantity",
        "added = place_of(there, knobs, metric).added",
        "added = 0.0",
        MODEL,
    ),
    Mutant(
        "least TLS mode",
        "what it asks of the peer is forgotten",
        "lab/heapscope/forecast/tune/tls.py::_variant",
        "if incoming < longest else",
        "if incoming > longest else",
        COMMAND,
    ),
    Mutant(
        "lines of the answer",
        "an older SDK gets the newest names",
        "lab/heapscope/config/config.py::line_of",
        "config_line(here, value, kind=table.symbols[here].kind)",
        "config_line(name, value, kind=table.symbols[here].kind)",
        COMMAND,
    ),
    Mutant(
        "optimum of every configuration",
        "a bound leaves out too much",
        "lab/heapscope/forecast/tune/search.py::_left",
        "np.maximum(point.reduced, 0.0)",
        "10 * np.maximum(point.reduced, 0.0) + 0.02",
        MODEL,
    ),
    Mutant(
        "bounds of a larger term",
        "large goes with large in both",
        "lab/heapscope/forecast/tune/pairing.py::_orders",
        "second[::-1] if above else second",
        "second",
        SEARCH,
    ),
    Mutant(
        "trades that the answer cannot do without",
        "all stay",
        "lab/heapscope/forecast/tune/least_trades.py::least_trades",
        "        left = fewer",
        "        left = left",
        TRADES,
    ),
    Mutant(
        "bytes of a trade",
        "what the SDK changes with it is left out",
        "lab/heapscope/forecast/tune/trades.py::Trades._moved",
        "if texts(name) != now[name]} | {*options}",
        "if name in options} | {*options}",
        TRADES,
    ),
    Mutant(
        "what may be given up",
        "all kinds are taken for one",
        "lab/heapscope/forecast/tune/traded.py::TradedQuestion._all",
        "each for each in possible if each.group in groups and not each.weighed",
        "each for each in possible if groups and not each.weighed",
        TRADES,
    ),
    Mutant(
        "none has more",
        "the user's own value is left out",
        "lab/heapscope/forecast/tune/domain.py::make_space",
        "values = _with_present(config, name, values, current[name])",
        "values = tuple(values)",
        DOMAIN,
    ),
    Mutant(
        "none as good changes fewer options",
        "the optimum stays as it is",
        "lab/heapscope/forecast/tune/problem.py::Problem.simplest",
        "few = self.search.lightest(weights, equal, known=least.choice)",
        "few = least",
        DOMAIN,
    ),
    Mutant(
        "none has more",
        "one core is never tried",
        "lab/heapscope/forecast/tune/traded.py::TradedQuestion._best",
        "if e.weighed and e.group in groups",
        "if e.weighed and not groups",
        DOMAIN,
    ),
    Mutant(
        "an offer that gives something",
        "a gain is one whatever its band",
        "lab/heapscope/forecast/predict/known_gain.py::is_known_gain",
        "abs(median) >= _SHARE_OF_BAND * half",
        "abs(median) >= 0 * half",
        OFFERS,
    ),
    Mutant(
        "what an option can change",
        "members of a choice do not hang on each other",
        "lab/heapscope/config/kconfig/readers.py::ReadValues.reached",
        "choices = {symbols[name].choice for name in names if name in symbols}",
        "choices: set[str] = set()",
        READERS,
    ),
    Mutant(
        "regions of an image with the system in them",
        "the default layout is taken",
        "lab/heapscope/forecast/predict/system_layout.py::SystemMemory._layout",
        "boot=boot,",
        "boot=None,",
        IMAGE,
    ),
)
