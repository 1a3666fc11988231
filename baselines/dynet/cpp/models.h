// What the models share: trees of their own, and affine transforms.
#pragma once

#include <algorithm>
#include <cmath>
#include <deque>
#include <utility>

#include "model.h"

using Transforms = std::vector<std::vector<dynet::Parameter>>;  // bias, then a matrix per input
using Bound = std::vector<std::vector<Expression>>;

inline Bound bind(ComputationGraph& cg, const Transforms& transforms) {
  Bound found;
  for (const auto& t : transforms) {
    found.emplace_back();
    for (const auto& p : t) found.back().push_back(dynet::const_parameter(cg, p));
  }
  return found;
}

inline Expression affine(const std::vector<Expression>& t, const std::vector<Expression>& inputs) {
  std::vector<Expression> terms = {t[0]};
  for (size_t i = 0; i < inputs.size(); i++) {
    terms.push_back(t[1 + i]);
    terms.push_back(inputs[i]);
  }
  return dynet::affine_transform(terms);
}

// float64 numbers, which come as the sum of two arrays of float32.
inline std::vector<double> doubles(const Arrays& arrays, const std::string& name) {
  const Array &high = arrays[name + ".high"], &low = arrays[name + ".low"];
  std::vector<double> found(high.f.begin(), high.f.end());
  for (size_t i = 0; i < found.size(); i++) found[i] += low.f[i];
  return found;
}

template <class Node>
struct Trees {
  std::deque<Node> nodes;
  std::vector<const Node*> roots;
};

// Binary trees: `nodes` [n, 3] in post-order (left, right, word; -1 where there is none), rows
// counted within the tree; `sizes` the nodes of every tree.
template <class Node>
Trees<Node> read_trees(const Arrays& instances) {
  const Array &table = instances["nodes"], &sizes = instances["sizes"];
  Trees<Node> trees;
  size_t at = 0;
  for (int32_t size : sizes.i) {
    std::vector<Node*> mine;
    for (int32_t k = 0; k < size; k++, at++) {
      const int32_t* row = &table.i[3 * at];
      Node& node = trees.nodes.emplace_back();
      if (row[0] >= 0) {
        node.left = mine[static_cast<size_t>(row[0])];
        node.right = mine[static_cast<size_t>(row[1])];
      } else {
        node.word = static_cast<unsigned>(row[2]);
      }
      mine.push_back(&node);
    }
    trees.roots.push_back(mine.back());
  }
  return trees;
}

std::unique_ptr<Model> treelstm(Weights& w, const Arrays& instances);
std::unique_ptr<Model> mvrnn(Weights& w, const Arrays& instances);
std::unique_ptr<Model> birnn(Weights& w, const Arrays& instances);
std::unique_ptr<Model> drnn(Weights& w, const Arrays& instances, bool lockstep);
std::unique_ptr<Model> berxit(Weights& w, const Arrays& instances, bool lockstep);
std::unique_ptr<Model> stackrnn(Weights& w, const Arrays& instances, bool lockstep);
std::unique_ptr<Model> nestedrnn(Weights& w, const Arrays& instances);
std::unique_ptr<Model> treelstm_childsum(Weights& w, const Arrays& instances);
