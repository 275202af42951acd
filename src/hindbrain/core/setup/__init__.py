"""What is written into the files of a coding agent's client, and how it is taken out again."""
