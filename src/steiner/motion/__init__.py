"""From torque to motion: trajectories, feedback laws, simulation."""
