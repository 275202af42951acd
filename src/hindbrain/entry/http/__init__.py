"""The memory over HTTP: what a request must have, and which verb answers it."""
