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

// Times in milliseconds within the mini-batch: clearing the graph of the last one, building the
// graph (and taking decisions), evaluating it. `batches` counts DyNet's batches, of one node or
// more. `bytes` is the largest size of the values of nodes that existed at once. A training step
// also has a backward pass and an update of the weights.
struct Figures {
  double clear_ms = 0, graph_ms = 0, forward_ms = 0;
  int64_t nodes = 0, batches = 0, syncs = 0, bytes = 0;
  double backward_ms = 0, update_ms = 0;
};

class Run {
 public:
  // Clears the last mini-batch and begins a new one with an empty graph.
  ComputationGraph& begin();
  // Evaluates what has been built.
  void evaluate();
  // Evaluates the graph for decisions; returns the elements of the tensors they read, in sequence.
  std::vector<float> decide(const std::vector<Expression>& deciding);

  // Copies out the results and ends the graph in the middle of the mini-batch; begins another.
  ComputationGraph& renew();
  // `revert` copies out the results and drops all nodes built after `checkpoint`: the parameters
  // stay in the graph, while the nodes of an instance make room for those of the next.
  void checkpoint();
  void revert();

  void result(const Expression& tensor) { results_.push_back(tensor); }
  void number(int64_t n) { numbers_.push_back(n); }
  void end();

  // Runs the graph forwards and then backwards from the sum of the results, which must have one
  // element each.
  void back();
  // Updates the weights after a backward pass.
  void update(dynet::Trainer& trainer);

  // Whether values are in a GPU's memory.
  static bool on_gpu();

  const Figures& figures() const { return figures_; }
  // The elements of all results, one after the other, and the numbers.
  const std::vector<float>& values();
  const std::vector<int64_t>& numbers() const { return numbers_; }

 private:
  double lap();
  // The elements of an evaluated expression.
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
