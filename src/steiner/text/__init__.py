"""What people read: tables, documents and formulas, laid out once for every medium, and how it comes to the disk."""
