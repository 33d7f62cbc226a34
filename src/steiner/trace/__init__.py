"""Tracing: an algorithm run on traced scalars leaves a tape, which backends turn into code."""

from steiner.trace.node import Node, Op, Trace, is_negated, moved, operand_rows, operands, referred, row_of, signed
from steiner.trace.tape import Output, Remembered, Tape, trace

__all__ = [
    "Node",
    "Op",
    "Output",
    "Remembered",
    "Tape",
    "Trace",
    "is_negated",
    "moved",
    "operand_rows",
    "operands",
    "referred",
    "row_of",
    "signed",
    "trace",
]
