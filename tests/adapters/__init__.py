"""One module a framework: the few lines that differ when a test drives it."""
