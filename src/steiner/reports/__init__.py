"""Pages that put together what the other rooms find: nothing is computed here."""
