"""Rows: the one description of every figure that a result holds.

A figure is described once, in the row that holds it: its type, its sentence, its unit and its
heading. The JSON of a result, the schema of that JSON, the reader of a file, and the columns of
tables are all made from this description.

    class TaskRow(Row):
        \"""The memory that one task holds in one memory kind.\"""

        task: str = figure("The name of the task.")
        payload: int = figure("The payload that is live at the end.", "B")
        kind: Literal["DRAM", "IRAM"] = figure("The memory kind.")
        event: int | None = figure("The heap event of the peak; null: none.")
        margin: int = figure("The room that is left; below 0: it is short.", "B", least=None)

    class Tasks(Document):
        \"""The tasks of a trace.\"""

        VERB = "tasks"
        VERSION = 1

        tasks: tuple[TaskRow, ...] = figure("The tasks, the largest first.")

A class that inherits from Row is a frozen dataclass with keyword arguments; it needs no decorator.
`Tasks(...).to_json()` begins with {"heapscope_tasks": 1} and has the fields in their order.

How a verb describes its result:

1. Its result and every class in it inherit from Row; the outermost class inherits from Document.
2. Each field is a figure with its sentence. Integers and fractions are 0 or more unless `least`
   says otherwise; `most` and `pattern` carry other limits.
3. A key that is computed is a property with `@computed(...)`, and it stands before the fields, or
   after them with `last=True`. A key that is not always there is a field with `absent=True` and the
   default None: it is left out when it is None. A mapping whose entries stand beside the other keys
   is a figure with `beside=True`. A class whose JSON is not its fields names the Row that describes
   it: `WRITTEN = ThatRow`.
4. `heapscope --print schema VERB` finds every Document that a verb imports and prints its schema
   (cli/schemas.py). The tests of the verb validate documents with it.
5. A figure that a loss of events changes names its direction: `bound=AT_LEAST`
   (base/rows/bound.py).
"""
