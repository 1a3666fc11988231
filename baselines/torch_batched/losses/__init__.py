"""Losses as an expert writes them for autograd: the whole mini-batch at once, per workload.

One module per workload with `flatten(instances)`, the flat arrays, `chosen(form, which)`, those of
some instances, and a class `BatchedLoss`: `assemble()` computes what depends on the structure of
the mini-batch, `compute()` the losses, [n]. Autograd keeps what it needs of each level or step;
nothing is computed in place. Rows of tables have sparse gradients.
"""

from ...shared.support import implemented

WORKLOADS = implemented(__name__)
