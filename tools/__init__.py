"""The commands of the book: `python3 -m tools --help`."""
