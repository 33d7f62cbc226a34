"""Tracing: an algorithm run on traced scalars leaves a tape, which backends turn into code."""

from steiner.trace.node import Node, Trace
from steiner.trace.tape import Op, Output, Tape, trace

__all__ = ["Node", "Op", "Output", "Tape", "Trace", "trace"]
