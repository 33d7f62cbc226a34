"""What follows from the equations: base parameters, structure."""
