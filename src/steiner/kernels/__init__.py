"""From an algorithm on a robot to a kernel: preparation, calls, compilation, export."""
