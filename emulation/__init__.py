"""The heap as machine code of other processors, run in emulation: results and exact instruction
counts. Shared by tests/device and benches; the lab does not need it."""
