// The driver's own representation of binary trees.
#pragma once

#include <deque>
#include <vector>

#include "arrays.h"

struct TreeNode {
  const TreeNode *left = nullptr, *right = nullptr;
  unsigned word = 0, label = 0;
};

struct Trees {
  std::deque<TreeNode> nodes;
  std::vector<const TreeNode*> roots;
};

// Reads `nodes` [n, 3] in post-order (left, right, word; -1 if absent), with rows counted within
// the tree; `sizes`, the number of nodes of every tree; and `node_labels` [n], if present.
inline Trees read_trees(const Arrays& instances) {
  const Array &table = instances["nodes"], &sizes = instances["sizes"];
  const Array* labels = instances.has("node_labels") ? &instances["node_labels"] : nullptr;
  Trees trees;
  size_t at = 0;
  for (int32_t size : sizes.i) {
    std::vector<TreeNode*> mine;
    for (int32_t k = 0; k < size; k++, at++) {
      const int32_t* row = &table.i[3 * at];
      TreeNode& node = trees.nodes.emplace_back();
      if (row[0] >= 0) {
        node.left = mine[static_cast<size_t>(row[0])];
        node.right = mine[static_cast<size_t>(row[1])];
      } else {
        node.word = static_cast<unsigned>(row[2]);
      }
      if (labels != nullptr) node.label = static_cast<unsigned>(labels->i[at]);
      mine.push_back(&node);
    }
    trees.roots.push_back(mine.back());
  }
  return trees;
}
