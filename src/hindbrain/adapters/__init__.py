"""The outside world behind the ports: database, clock, chance, git and files."""
