// The driver's C interface. DyNet is initialised once per process.
#include <cstdio>

#include "dynet/init.h"
#include "model.h"

namespace {

std::unique_ptr<Model> make_model(const std::string& workload, Weights& weights,
                                  const Arrays& instances, bool lockstep) {
  if (workload == "treelstm") return treelstm(weights, instances);
  if (workload == "treelstm_childsum") return treelstm_childsum(weights, instances);
  if (workload == "mvrnn") return mvrnn(weights, instances);
  if (workload == "birnn") return birnn(weights, instances);
  if (workload == "nestedrnn") return nestedrnn(weights, instances);
  if (workload == "drnn") return drnn(weights, instances, lockstep);
  if (workload == "berxit") return berxit(weights, instances, lockstep);
  if (workload == "stackrnn") return stackrnn(weights, instances, lockstep);
  throw std::runtime_error("the driver has no model for " + workload);
}

struct Driver {
  Driver(const char* weights_path, const char* instances_path, const char* workload, bool lockstep)
      : arrays(weights_path), instances(instances_path), weights(collection, arrays) {
    model = make_model(workload, weights, instances, lockstep);
    for (const std::string& form : model->forms()) forms += form + "\n";
  }
  Arrays arrays, instances;
  dynet::ParameterCollection collection;
  Weights weights;
  std::unique_ptr<Model> model;
  std::string forms;
  Run run;
};

void initialize(int strategy, const std::string& memory) {
  static int initialized = -1;
  if (initialized < 0) {
    dynet::DynetParams params;
    params.autobatch = strategy;
    params.mem_descriptor = memory;
    params.random_seed = 1;
    dynet::initialize(params);
    initialized = strategy;
  }
  if (initialized != strategy) {
    throw std::runtime_error("this process has autobatch=" + std::to_string(initialized) +
                             " and cannot change to " + std::to_string(strategy));
  }
}

int fail(const std::exception& e, char* error, size_t n) {
  std::snprintf(error, n, "%s", e.what());
  return 1;
}

}  // namespace

extern "C" {

// What the driver was compiled with.
const char* dynet_driver_compiler() { return "g++ " __VERSION__; }

// Strategy and memory are fixed for the process. `lockstep`: decisions are batched by hand. 0, or 1
// with a message in `error`.
int dynet_driver_open(const char* weights, const char* instances, const char* workload,
                      int strategy, int lockstep, const char* memory, void** driver, char* error,
                      size_t n) {
  try {
    initialize(strategy, memory);
    *driver = new Driver(weights, instances, workload, lockstep != 0);
    return 0;
  } catch (const std::exception& e) {
    return fail(e, error, n);
  }
}

// The names of the model's forms, a line each.
const char* dynet_driver_forms(void* driver) { return static_cast<Driver*>(driver)->forms.c_str(); }

int dynet_driver_run(void* driver, int form, Figures* figures, char* error, size_t n) {
  auto& d = *static_cast<Driver*>(driver);
  try {
    d.model->run(d.run, d.run.begin(), form);
    d.run.end();
    *figures = d.run.figures();
    return 0;
  } catch (const std::exception& e) {
    return fail(e, error, n);
  }
}

// The tensors of the last run, one after the other, and its ints.
int64_t dynet_driver_values(void* driver, const float** values) {
  const std::vector<float>& found = static_cast<Driver*>(driver)->run.values();
  *values = found.data();
  return static_cast<int64_t>(found.size());
}
int64_t dynet_driver_numbers(void* driver, const int64_t** numbers) {
  const std::vector<int64_t>& found = static_cast<Driver*>(driver)->run.numbers();
  *numbers = found.data();
  return static_cast<int64_t>(found.size());
}

}  // extern "C"
