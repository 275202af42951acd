"""How what agents did becomes episodes: one trace for each task, in the schema of the Loki document."""
