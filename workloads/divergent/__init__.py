"""Workloads with one knob, `divergence`: how much the instances of a mini-batch differ.

Every choice that makes up an instance (the split of a span, a decision, the depth of an exit) is
drawn for the instance alone with the probability given by the knob, and is otherwise the choice
common to all instances of the mini-batch. At 0 all instances have the same shape; at 1 they are
independent. The distribution of a choice does not depend on the knob, nor does the expected work.
"""
