"""Losses as an expert writes them for autograd: the whole mini-batch at once, per workload.

Each workload has a module with `flatten(instances)`, which returns flat arrays,
`chosen(form, which)`, which selects those of some instances, and a class `BatchedLoss`:
`assemble()` computes what depends on the structure of the mini-batch, and `compute()` the losses,
[n]. Autograd keeps what it needs of each level or step; nothing is computed in place. Rows of
tables have sparse gradients.
"""

from ...shared.support import implemented

WORKLOADS = implemented(__name__)
