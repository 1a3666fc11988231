"""Workloads with one knob, `divergence`: how much the instances of a mini-batch differ.

Every choice that the instances are made of (the split of a span, a decision, the depth of an exit)
is drawn anew for the instance with the probability that the knob says, and is otherwise the one
that all instances of the mini-batch have. At 0 they are all of one shape; at 1 independent of each
other. The distribution of a choice is the same at every knob, and so is the work to be expected.
"""
