"""Gradients in plain Python: reverse mode over numpy arrays, one instance after the other.

A model runs as it is written, on `Variable`s in place of weights; every operation that depends on
one is recorded (`recording`), and `backward` walks the record from its end. In float64 it is what
compiled gradients are measured by, so it shares no derivative with them: its rules are written down
for arrays as they are in books (`partials` of the records in `ir.ops.pointwise`, `tensor_rules`),
and finite differences check each of them.
"""
