"""`fast.trace(instances)`: how a mini-batch became batches, to be looked at."""

from .trace import BlockText, Trace, trace_call

__all__ = ["BlockText", "Trace", "trace_call"]
