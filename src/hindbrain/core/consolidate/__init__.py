"""How episodes become knowledge: what belongs together, what it has in common, and what is known of it already."""
