"""Two robots side by side, and files mended: what differs, what was changed, and what that does to M, C and g."""
