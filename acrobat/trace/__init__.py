"""`fast.trace(instances)`: shows how a mini-batch became batches."""

from .trace import BlockText, Trace, trace_call

__all__ = ["BlockText", "Trace", "trace_call"]
