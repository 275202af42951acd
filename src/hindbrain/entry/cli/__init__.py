"""The command line: `main` knows the commands, every other module here is one of them or how they look."""
