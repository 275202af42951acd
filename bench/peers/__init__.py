"""How Hindbrain stands beside other stores of memories: the same texts, the same vectors, the same run."""
