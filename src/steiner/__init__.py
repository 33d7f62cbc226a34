"""Robot-manipulator dynamics: from the drawing of the links to the torques of the motors."""
