// What a model is to the driver, and the models there are.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "run.h"
#include "weights.h"

class Model {
 public:
  virtual ~Model() = default;
  // The ways in which the model is written, of which the fastest is taken.
  virtual std::vector<std::string> forms() const { return {"plain"}; }
  // Builds the graph of the mini-batch and evaluates it. The results are the tensors of all
  // instances in order, and their numbers.
  virtual void run(Run& run, ComputationGraph& cg, int form) = 0;
  // Builds the graph of the losses of some instances, by number; the results are the terms of their
  // sums, in the order of the instances.
  virtual void loss(Run&, ComputationGraph&, int /*form*/, const std::vector<int64_t>& /*which*/) {
    throw std::runtime_error("the driver has no loss for this workload");
  }
};

std::unique_ptr<Model> treelstm(Weights& w, const Arrays& instances);
std::unique_ptr<Model> treelstm_childsum(Weights& w, const Arrays& instances);
std::unique_ptr<Model> mvrnn(Weights& w, const Arrays& instances);
std::unique_ptr<Model> birnn(Weights& w, const Arrays& instances);
std::unique_ptr<Model> nestedrnn(Weights& w, const Arrays& instances);
// `lockstep`: the decisions of all instances are batched by hand.
std::unique_ptr<Model> drnn(Weights& w, const Arrays& instances, bool lockstep);
std::unique_ptr<Model> berxit(Weights& w, const Arrays& instances, bool lockstep);
std::unique_ptr<Model> stackrnn(Weights& w, const Arrays& instances, bool lockstep);
