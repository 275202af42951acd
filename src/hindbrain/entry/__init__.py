"""The surfaces: each translates one way of asking into the same verbs, and decides nothing itself."""
