"""Losses of the workloads as people write them first: one instance after the other.

Each workload has a module with a class `LossNet` and `TURNED`, the weights that `nn.Linear` stores
as [out, in]. Rows of tables have sparse gradients, as with `nn.Embedding(sparse=True)`, and the
words of an instance are one lookup, since every lookup adds another gradient to the table's.
"""

from ...shared.support import implemented

WORKLOADS = implemented(__name__)
