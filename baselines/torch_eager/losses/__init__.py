"""Losses of the workloads as people write them first: one instance after the other.

One module per workload with a class `LossNet` and `TURNED`, the weights that `nn.Linear` keeps as
[out, in]. Rows of tables have sparse gradients, as with `nn.Embedding(sparse=True)`, and the words
of an instance are one lookup: every lookup adds a gradient to the table's.
"""

from ...shared.support import implemented

WORKLOADS = implemented(__name__)
