"""How a study reports."""
import json


def report(table, backend, **cells):
    """Print one row.

    Args:
        table: title of the table.
        backend: module name of a backend.
        cells: by column; numbers or text.
    """
    print(json.dumps({'table': table, 'row': {'framework': backend, **cells}}), flush=True)
