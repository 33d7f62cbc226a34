"""Models from files and back.  A new format is one module and one line in `FORMATS`."""

from steiner.files.load import FORMATS, convert, load, loads, save

__all__ = ["FORMATS", "convert", "load", "loads", "save"]
