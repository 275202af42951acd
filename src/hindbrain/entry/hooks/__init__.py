"""The hook process: what it loads before it knows that somebody must be answered is counted in `tests/house`."""
