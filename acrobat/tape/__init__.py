"""Gradients in plain Python: reverse mode over numpy arrays, one instance at a time.

A model runs as it is written, on `Variable`s in place of weights; every operation that depends on
one is recorded (`recording`), and `backward` walks the record from its end. In float64, this is the
reference for compiled gradients, so it shares no derivative with them: its rules are textbook
formulas for arrays (`partials` of the records in `ir.ops.pointwise`, `tensor_rules`), each of which
is checked by finite differences.
"""
