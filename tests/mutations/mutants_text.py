"""Broken in the import of the text form."""

from __future__ import annotations

from mutant import Mutant

FIELDS = "tests/format/test_text_fields.c"
COMMAND = "tests/lab/capture/test_import_text_fields.py"

TEXT = (
    Mutant(
        "requests that failed",
        "a hexadecimal zero is a block",
        "lab/native/capture/text_field.c::hs_field_is_null",
        "== HS_IMPORT_TAKEN && value == 0;",
        "== HS_IMPORT_TAKEN && value == 1;",
        FIELDS,
    ),
    Mutant(
        "lines left out",
        "a line has the reason of another one",
        "lab/native/capture/left_out.c::hs_left_out_add",
        ".reason = (uint32_t)reason",
        ".reason = (uint32_t)HS_IMPORT_NO_LINE",
        FIELDS,
    ),
    Mutant(
        "lines left out",
        "lines beyond the kept ones are not counted by reason",
        "lab/native/capture/left_out.c::hs_left_out_add",
        "left->by_reason[reason]++;",
        "left->by_reason[reason] += left->kept < left->most ? 1u : 0u;",
        FIELDS,
    ),
    Mutant(
        "times of a text",
        "an earlier time is taken",
        "lab/native/capture/form_text.c::time_take",
        "line->time < form->time",
        "line->time + 1 == form->time",
        FIELDS,
    ),
    Mutant(
        "trace on standard output",
        "what was written before a call site came stays written",
        "lab/heapscope/capture/line_import.py::import_lines",
        "if form.form is Form.TEXT and writes_at_once(out) else 0",
        "if False else 0",
        COMMAND,
    ),
    Mutant(
        "strict import",
        "a line that is left out does not end it",
        "lab/heapscope/capture/line_import.py::_Attempt._check",
        "if self._strict and bad is not None",
        "if self._strict and bad is None",
        COMMAND,
    ),
)
