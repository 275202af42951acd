"""One module for each store: which packages it is, how it is opened, and its way to fill, add and search."""
