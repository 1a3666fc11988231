// The interface between a model and the driver.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "run.h"
#include "weights.h"

class Model {
 public:
  virtual ~Model() = default;
  // The names of the forms in which the model is written; the fastest is used.
  virtual std::vector<std::string> forms() const { return {"plain"}; }
  // Builds the graph of the mini-batch and evaluates it. The results are the tensors of all
  // instances in order, and their numbers.
  virtual void run(Run& run, ComputationGraph& cg, int form) = 0;
  // Builds the graph of the losses of some instances, by number; the results are the terms that the
  // losses sum, in the order of the instances.
  virtual void loss(Run&, ComputationGraph&, int /*form*/, const std::vector<int64_t>& /*which*/) {
    throw std::runtime_error("the driver has no loss for this workload");
  }
};

// Makes the model of a workload. `lockstep`: the decisions of all instances are batched by hand.
using MakeModel = std::unique_ptr<Model> (*)(Weights& w, const Arrays& instances, bool lockstep);

// All models by workload name. The source file of each model registers it here.
inline std::map<std::string, MakeModel>& models() {
  static std::map<std::string, MakeModel> all;
  return all;
}
struct Registered {
  Registered(const char* workload, MakeModel make) { models().emplace(workload, make); }
};
