// The evaluation of one mini-batch: its graph, its clock, its results.
#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "dynet/dynet.h"
#include "dynet/expr.h"
#include "dynet/training.h"

using dynet::ComputationGraph;
using dynet::Expression;

// Times in milliseconds, within the mini-batch: clearing the graph of the last one, building the
// graph (and taking decisions), evaluating it. `batches` are DyNet's batches, of one node or many.
// `bytes` are the values of the nodes that were there at once, at most. A training step goes back,
// too, and updates the weights.
struct Figures {
  double clear_ms = 0, graph_ms = 0, forward_ms = 0;
  int64_t nodes = 0, batches = 0, syncs = 0, bytes = 0;
  double backward_ms = 0, update_ms = 0;
};

class Run {
 public:
  // Clears the last mini-batch and begins one with an empty graph.
  ComputationGraph& begin();
  // Evaluates what has been built.
  void evaluate();
  // The same where decisions wait for it; the elements of what they read, one after the other.
  std::vector<float> decide(const std::vector<Expression>& deciding);

  // Ends the graph in the midst of the mini-batch, its results copied out, and begins another.
  ComputationGraph& renew();
  // What is built after `checkpoint` is dropped by `revert`, its results copied out before: the
  // parameters stay in the graph, while the nodes of an instance make room for those of the next.
  void checkpoint();
  void revert();

  void result(const Expression& tensor) { results_.push_back(tensor); }
  void number(int64_t n) { numbers_.push_back(n); }
  void end();

  // Goes back from the sum of the results, which have one element each.
  void back();
  // Of the weights, after it.
  void update(dynet::Trainer& trainer);

  // Whether values are in the memory of a GPU.
  static bool on_gpu();

  const Figures& figures() const { return figures_; }
  // The elements of all results, one after the other, and the numbers.
  const std::vector<float>& values();
  const std::vector<int64_t>& numbers() const { return numbers_; }

 private:
  double lap();
  // The elements of something that has been evaluated.
  std::vector<float> read(const Expression& e);
  void copy_out();
  void count(size_t from);

  // DyNet allows one graph at a time in a process.
  static inline std::unique_ptr<ComputationGraph> graph_;
  std::chrono::steady_clock::time_point last_;
  Figures figures_;
  std::vector<Expression> results_;
  std::vector<float> values_;
  std::vector<int64_t> numbers_;
  size_t checkpoint_ = 0;
};
