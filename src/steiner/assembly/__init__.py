"""Parts and assemblies: the tree, its mass budget, and how to put its centre where it should be."""
