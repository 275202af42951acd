"""Models: whoever calls one asks `facade` for it by a word and never learns what runs."""
