// The driver's C interface. DyNet is initialised once per process.
#include <cstdio>

#include "dynet/init.h"
#include "models.h"

std::unique_ptr<Model> make_model(const std::string& workload, Weights& weights,
                                  const Arrays& instances, bool lockstep) {
  if (workload == "treelstm") return treelstm(weights, instances);
  if (workload == "mvrnn") return mvrnn(weights, instances);
  if (workload == "birnn") return birnn(weights, instances);
  if (workload == "drnn") return drnn(weights, instances, lockstep);
  if (workload == "berxit") return berxit(weights, instances, lockstep);
  if (workload == "stackrnn") return stackrnn(weights, instances, lockstep);
  if (workload == "nestedrnn") return nestedrnn(weights, instances);
  if (workload == "treelstm_childsum") return treelstm_childsum(weights, instances);
  throw std::runtime_error("the driver has no model for " + workload);
}

namespace {

struct Driver {
  Driver(const char* weights_path, const char* instances_path, const char* workload, bool lockstep)
      : arrays(weights_path), instances(instances_path), weights(collection, arrays) {
    model = make_model(workload, weights, instances, lockstep);
  }
  Arrays arrays, instances;
  dynet::ParameterCollection collection;
  Weights weights;
  std::unique_ptr<Model> model;
  std::vector<Expression> results;
  std::vector<int64_t> numbers;
  std::vector<float> values;
  Figures figures;
};

// DyNet allows one graph at a time in a process.
std::unique_ptr<ComputationGraph> graph;

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

int dynet_driver_forms(void* driver) { return static_cast<Driver*>(driver)->model->forms(); }

int dynet_driver_run(void* driver, int form, Figures* figures, char* error, size_t n) {
  auto& d = *static_cast<Driver*>(driver);
  try {
    Stopwatch watch;
    graph.reset();
    graph = std::make_unique<ComputationGraph>();
    d.results.clear();
    d.numbers.clear();
    d.figures = Figures();
    d.model->run(*graph, form, d.figures, d.results, d.numbers);
    d.figures.nodes = static_cast<int64_t>(graph->nodes.size());
    *figures = d.figures;
    return 0;
  } catch (const std::exception& e) {
    return fail(e, error, n);
  }
}

// The tensors of the last run, one after the other, and its ints.
int64_t dynet_driver_values(void* driver, const float** values) {
  auto& d = *static_cast<Driver*>(driver);
  d.values.clear();
  for (const Expression& e : d.results) {
    auto v = dynet::as_vector(e.value());
    d.values.insert(d.values.end(), v.begin(), v.end());
  }
  *values = d.values.data();
  return static_cast<int64_t>(d.values.size());
}
int64_t dynet_driver_numbers(void* driver, const int64_t** numbers) {
  auto& d = *static_cast<Driver*>(driver);
  *numbers = d.numbers.data();
  return static_cast<int64_t>(d.numbers.size());
}

}  // extern "C"
