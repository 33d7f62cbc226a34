"""Commands of the command line, one module each; `cli.py` puts them together."""
