"""How errors and successes become proposals for a person; nothing here decides for one."""
