"""Where the instances come from: real treebank trees, or a generator that is faithful to them."""
