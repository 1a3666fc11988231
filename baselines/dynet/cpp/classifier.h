// The output layer of a loss. Its weights are beside the model's own, which are within `inner`.
#pragma once

#include "run.h"
#include "weights.h"

class Classifier {
 public:
  // Weights without an `inner` are those of inference, which have no output layer.
  explicit Classifier(Weights& w) : within_(w.has("inner.emb") || w.has("inner.vectors")) {
    if (within_) layer_ = {{w.whole("b_out"), w.whole("w_out")}};
  }

  // The full name of one of the model's own weights.
  std::string within(const std::string& name) const { return within_ ? "inner." + name : name; }

  void load(ComputationGraph& cg) { now_ = ::load(cg, layer_, true); }
  // Adds the loss of a state as a result of the run.
  void judge(Run& run, const Expression& state, unsigned label) const {
    run.result(dynet::pickneglogsoftmax(affine(now_[0], {state}), label));
  }

 private:
  bool within_;
  Transforms layer_;
  Bound now_;
};

// The labels of instances; null in inference.
inline const Array* labels_of(const Arrays& instances) {
  return instances.has("labels") ? &instances["labels"] : nullptr;
}
