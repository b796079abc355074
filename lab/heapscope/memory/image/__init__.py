"""The memory of a device as bytes: core dumps, dumps of a debugger, a live target."""
