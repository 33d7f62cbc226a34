"""`python -m steiner` is the command line."""

from steiner.cli import main

main()
