// The driver's C interface. DyNet is initialised once per process.
#include <algorithm>
#include <cstdio>

#include "dynet/init.h"
#include "model.h"

namespace {

std::unique_ptr<Model> make_model(const std::string& workload, Weights& weights,
                                  const Arrays& instances, bool lockstep) {
  const auto found = models().find(workload);
  if (found != models().end()) return found->second(weights, instances, lockstep);
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
  std::unique_ptr<dynet::Trainer> trainer;

  // Computes the losses of some instances, and the gradients of their sum.
  void back(int form, const std::vector<int64_t>& which) {
    model->loss(run, run.begin(), form, which);
    run.back();
    run.end();
  }
};

// The parameters of DyNet's Adam.
struct Adam {
  float beta_1, beta_2, epsilon;
};

std::unique_ptr<dynet::Trainer> make_trainer(const std::string& optimiser, const Adam& adam,
                                             dynet::ParameterCollection& collection) {
  std::unique_ptr<dynet::Trainer> made;
  if (optimiser == "sgd") made = std::make_unique<dynet::SimpleSGDTrainer>(collection);
  if (optimiser == "adagrad") made = std::make_unique<dynet::AdagradTrainer>(collection);
  if (optimiser == "adam") {
    made = std::make_unique<dynet::AdamTrainer>(collection, 0.001f, adam.beta_1, adam.beta_2,
                                                adam.epsilon);
  }
  if (made == nullptr) throw std::runtime_error("the driver has no optimiser " + optimiser);
  made->clipping_enabled = false;  // by default DyNet clips to a norm of 5
  return made;
}

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

// The compiler that compiled the driver.
const char* dynet_driver_compiler() { return "g++ " __VERSION__; }

// Opens a driver. Strategy and memory are fixed for the process. `lockstep`: decisions are batched
// by hand. Returns 0, or 1 with a message in `error`, as do the following functions that return an
// int.
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

// The names of the model's forms, one per line.
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

// Restores the initial weights and the optimiser's initial state; the first call chooses the
// optimiser.
int dynet_driver_reset(void* driver, const char* optimiser, float beta_1, float beta_2,
                       float epsilon, char* error, size_t n) {
  auto& d = *static_cast<Driver*>(driver);
  try {
    const Adam adam{beta_1, beta_2, epsilon};
    if (d.trainer == nullptr) d.trainer = make_trainer(optimiser, adam, d.collection);
    d.trainer->restart();
    d.trainer->updates = 0;  // Adam's bias correction reads it, and `restart` does not reset it
    d.weights.reset();
    d.weights.forget_gradients();
    return 0;
  } catch (const std::exception& e) {
    return fail(e, error, n);
  }
}

// Restricts updates to the weights of a form, which are found by a backward pass over some
// instances.
int dynet_driver_choose(void* driver, int form, const int64_t* which, int64_t count, char* error,
                        size_t n) {
  auto& d = *static_cast<Driver*>(driver);
  try {
    d.weights.update_all();
    d.weights.forget_gradients();
    d.back(form, {which, which + count});
    d.weights.update_reached();
    d.weights.forget_gradients();
    return 0;
  } catch (const std::exception& e) {
    return fail(e, error, n);
  }
}

// Computes the terms of the losses of some instances, and the gradients of their sum.
int dynet_driver_back(void* driver, int form, const int64_t* which, int64_t count, Figures* figures,
                      char* error, size_t n) {
  auto& d = *static_cast<Driver*>(driver);
  try {
    d.back(form, {which, which + count});
    *figures = d.run.figures();
    return 0;
  } catch (const std::exception& e) {
    return fail(e, error, n);
  }
}

// Updates the weights by the gradients, which are then cleared.
int dynet_driver_update(void* driver, double rate, Figures* figures, char* error, size_t n) {
  auto& d = *static_cast<Driver*>(driver);
  try {
    d.trainer->learning_rate = static_cast<float>(rate);
    d.run.update(*d.trainer);
    *figures = d.run.figures();
    return 0;
  } catch (const std::exception& e) {
    return fail(e, error, n);
  }
}

// Copies a weight or its gradient to an array of the weight's shape.
int dynet_driver_take(void* driver, const char* name, int gradient, float* to, char* error,
                      size_t n) {
  auto& d = *static_cast<Driver*>(driver);
  try {
    std::vector<float> found = d.weights.taken(name, gradient != 0);
    std::copy(found.begin(), found.end(), to);
    return 0;
  } catch (const std::exception& e) {
    return fail(e, error, n);
  }
}

}  // extern "C"
