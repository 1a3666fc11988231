"""The sources of instances: real treebank trees, or a generator of trees faithful to them."""
