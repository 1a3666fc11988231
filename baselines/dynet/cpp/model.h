// What a model is to the driver: weights as parameters, a graph per mini-batch, results.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "arrays.h"
#include "dynet/dynet.h"
#include "dynet/expr.h"
#include "dynet/model.h"
#include "dynet/tensor.h"

using dynet::ComputationGraph;
using dynet::Expression;

// DyNet's vectors are columns, so a matrix [K, N] of the workload, which multiplies rows from the
// right, becomes [N, K]: its own memory, read column by column.
class Weights {
 public:
  Weights(dynet::ParameterCollection& collection, const Arrays& arrays)
      : collection_(collection), arrays_(arrays) {}

  const Array& array(const std::string& name) const { return arrays_[name]; }

  // Columns [first, first + n) and rows [row, row + k) of a matrix, or a part of a vector.
  dynet::Parameter part(const std::string& name, size_t row, size_t k, size_t first, size_t n) {
    const Array& a = arrays_[name];
    size_t columns = a.dims.back();
    std::vector<float> values;
    values.reserve(k * n);
    for (size_t r = row; r < row + k; r++) {
      const float* from = a.f.data() + r * columns + first;
      values.insert(values.end(), from, from + n);
    }
    dynet::Dim dim = a.dims.size() == 1
                         ? dynet::Dim({static_cast<unsigned>(n)})
                         : dynet::Dim({static_cast<unsigned>(n), static_cast<unsigned>(k)});
    dynet::Parameter p = collection_.add_parameters(dim);
    dynet::TensorTools::set_elements(p.get_storage().values, values);
    return p;
  }
  dynet::Parameter whole(const std::string& name) {
    const Array& a = arrays_[name];
    return part(name, 0, a.dims.size() == 1 ? 1 : a.dims[0], 0, a.dims.back());
  }
  // Rows of a table of vectors or matrices.
  dynet::LookupParameter table(const std::string& name) {
    const Array& a = arrays_[name];
    auto rows = static_cast<unsigned>(a.dims[0]);
    size_t size = a.size() / rows;
    dynet::Dim dim({static_cast<unsigned>(a.dims.back())});
    if (a.dims.size() == 3) {
      dim = dynet::Dim({static_cast<unsigned>(a.dims[2]), static_cast<unsigned>(a.dims[1])});
    }
    dynet::LookupParameter p = collection_.add_lookup_parameters(rows, dim);
    for (unsigned i = 0; i < rows; i++) {
      p.initialize(i, {a.f.begin() + static_cast<std::ptrdiff_t>(i * size),
                       a.f.begin() + static_cast<std::ptrdiff_t>((i + 1) * size)});
    }
    return p;
  }

 private:
  dynet::ParameterCollection& collection_;
  const Arrays& arrays_;
};

// Figures of one mini-batch.
struct Figures {
  double graph_ms = 0, forward_ms = 0;
  int64_t nodes = 0, syncs = 0;
};

class Stopwatch {
 public:
  double lap() {
    auto now = std::chrono::steady_clock::now();
    double ms = std::chrono::duration<double, std::milli>(now - last_).count();
    last_ = now;
    return ms;
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

class Model {
 public:
  virtual ~Model() = default;
  // The number of ways to write the model, of which the fastest is taken.
  virtual int forms() const { return 1; }
  // Builds the graph of the mini-batch and evaluates it; `results` are the tensors of all
  // instances in order, and `numbers` their ints.
  virtual void run(ComputationGraph& cg, int form, Figures& figures,
                   std::vector<Expression>& results, std::vector<int64_t>& numbers) = 0;
};

std::unique_ptr<Model> make_model(const std::string& workload, Weights& weights,
                                  const Arrays& instances, bool lockstep);
