"""Shapes: what a solid is, the shapes themselves (`shapes` lists all), derivations, overlaps."""
