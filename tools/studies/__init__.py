"""Studies of one framework each, run in its environment by `python3 -m tools study`.

A study prints rows, a line of JSON each, under the name of its table.
"""
