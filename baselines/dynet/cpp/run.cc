#include "run.h"

#include <algorithm>

#include "dynet/devices.h"
#include "dynet/exec.h"
#include "dynet/globals.h"
#include "dynet/tensor.h"

namespace {

// DyNet counts its batches in a private member, which an explicit instantiation may name.
template <auto Member>
struct Reveal {
  friend auto batches_evaluated() { return Member; }
};
auto batches_evaluated();
template struct Reveal<&dynet::BatchedExecutionEngine::num_batches_evaluated>;

dynet::VariableIndex last_node(const ComputationGraph& graph) {
  return static_cast<dynet::VariableIndex>(graph.nodes.size() - 1);
}

}  // namespace

double Run::lap() {
  auto now = std::chrono::steady_clock::now();
  double ms = std::chrono::duration<double, std::milli>(now - last_).count();
  last_ = now;
  return ms;
}

ComputationGraph& Run::begin() {
  lap();
  figures_ = Figures();
  results_.clear();
  values_.clear();
  numbers_.clear();
  graph_.reset();
  graph_ = std::make_unique<ComputationGraph>();
  figures_.clear_ms = lap();
  return *graph_;
}

ComputationGraph& Run::renew() {
  copy_out();
  count(0);
  figures_.graph_ms += lap();
  graph_.reset();
  graph_ = std::make_unique<ComputationGraph>();
  figures_.clear_ms += lap();
  return *graph_;
}

bool Run::on_gpu() { return dynet::default_device->type == dynet::DeviceType::GPU; }

void Run::evaluate() {
  figures_.graph_ms += lap();
  const dynet::Tensor& last = graph_->incremental_forward(last_node(*graph_));
  // A GPU computes asynchronously; reading an element of the last node waits for all work before.
  if (on_gpu()) dynet::TensorTools::access_element(last, 0);
  figures_.forward_ms += lap();
}

std::vector<float> Run::decide(const std::vector<Expression>& deciding) {
  // On a GPU every read is a transfer, so values are joined and read at once.
  bool joins = on_gpu() && deciding.size() > 1;
  std::vector<Expression> parts = joins ? std::vector{dynet::concatenate(deciding)} : deciding;
  evaluate();
  figures_.syncs++;
  std::vector<float> found;
  for (const Expression& e : parts) {
    std::vector<float> values = read(e);
    found.insert(found.end(), values.begin(), values.end());
  }
  return found;
}

std::vector<float> Run::read(const Expression& e) {
  return dynet::as_vector(graph_->get_value(e.i));
}

void Run::back() {
  Expression total = results_.size() == 1 ? results_[0] : dynet::sum(results_);
  evaluate();
  // DyNet throws if its pool for gradients has grown during the pass, and begins anew with a pool
  // in one piece; so retry until the pool is as large as this mini-batch needs.
  constexpr int kTries = 8;
  auto* pool = dynet::default_device->pools[static_cast<int>(dynet::DeviceMempool::DEDFS)];
  for (int tries = 1;; tries++) {
    size_t before = pool->get_cap();
    try {
      graph_->backward(total);
      break;
    } catch (const std::exception&) {
      if (tries == kTries || pool->get_cap() == before) throw;
    }
  }
  figures_.backward_ms += lap();
}

void Run::update(dynet::Trainer& trainer) {
  lap();
  trainer.update();
  figures_.update_ms += lap();
}

void Run::checkpoint() {
  graph_->checkpoint();
  checkpoint_ = graph_->nodes.size();
}

void Run::revert() {
  copy_out();
  count(checkpoint_);
  graph_->revert();
  // DyNet keeps the values of discarded nodes, by number, and would return them for the next nodes
  // with these numbers; an evaluation, which `checkpoint` performs, shortens its tables.
  graph_->checkpoint();
}

void Run::end() {
  figures_.graph_ms += lap();
  count(0);
}

// Counts what is about to be discarded: the nodes after the first `from`, and, if all nodes are
// discarded, the graph's batches.
void Run::count(size_t from) {
  auto nodes = static_cast<int64_t>(graph_->nodes.size() - from);
  figures_.nodes += nodes;
  // An engine without batching runs node by node; one with batching keeps counting after a revert.
  auto* engine = dynamic_cast<dynet::BatchedExecutionEngine*>(graph_->ee.get());
  if (engine == nullptr) figures_.batches += nodes;
  if (engine != nullptr && from == 0) figures_.batches += engine->*batches_evaluated();
  auto* values = dynet::default_device->pools[static_cast<int>(dynet::DeviceMempool::FXS)];
  figures_.bytes = std::max(figures_.bytes, static_cast<int64_t>(values->used()));
}

void Run::copy_out() {
  for (const Expression& e : results_) {
    std::vector<float> values = read(e);
    values_.insert(values_.end(), values.begin(), values.end());
  }
  results_.clear();
}

const std::vector<float>& Run::values() {
  copy_out();
  return values_;
}
