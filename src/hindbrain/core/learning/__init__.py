"""How an error becomes a scar, a scar a suggestion, and a suggestion, once a person agrees, a rule."""
