// The weights of a workload as DyNet parameters, their gradients, and affine transforms with them.
#pragma once

#include <algorithm>
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
// right, becomes [N, K]: the same memory, read column by column.
class Weights {
 public:
  Weights(dynet::ParameterCollection& collection, const Arrays& arrays)
      : collection_(collection), arrays_(arrays) {}

  const Array& array(const std::string& name) const { return arrays_[name]; }
  bool has(const std::string& name) const { return arrays_.has(name); }

  // Rows [row, row + k) and columns [first, first + n) of a matrix, or a part of a vector, with all
  // elements multiplied by `factor`.
  dynet::Parameter part(const std::string& name, size_t row, size_t k, size_t first, size_t n,
                        float factor = 1) {
    std::vector<float> values = elements(name, row, k, first, n);
    for (float& v : values) v *= factor;
    dynet::Parameter p = add(values, arrays_[name].dims.size() == 1 ? 0 : k, n);
    parts_.push_back({name, row, k, first, n, factor, p});
    return p;
  }
  dynet::Parameter whole(const std::string& name, float factor = 1) {
    return part(name, 0, rows(name), 0, columns(name), factor);
  }
  // A matrix or vector with its first n columns multiplied by `factor`.
  dynet::Parameter scaled(const std::string& name, size_t n, float factor) {
    std::vector<float> values = elements(name, 0, rows(name), 0, columns(name));
    for (size_t at = 0; at < values.size(); at++) {
      if (at % columns(name) < n) values[at] *= factor;
    }
    return add(values, arrays_[name].dims.size() == 1 ? 0 : rows(name), columns(name));
  }
  // Matrices with the same number of rows, side by side: one product for several outputs.
  dynet::Parameter beside(const std::vector<std::string>& names) {
    std::vector<float> values;
    size_t k = rows(names[0]);
    for (size_t r = 0; r < k; r++) {
      for (const std::string& name : names) {
        std::vector<float> more = elements(name, r, 1, 0, columns(name));
        values.insert(values.end(), more.begin(), more.end());
      }
    }
    return add(values, k, values.size() / k);
  }
  // A bias of zeros, with which an affine transform is a sum of products.
  dynet::Parameter zeros(size_t n, size_t k = 0) {
    return add(std::vector<float>(n * (k > 0 ? k : 1), 0.f), k, n);
  }
  // A table of vectors or matrices, one per row.
  dynet::LookupParameter table(const std::string& name) {
    const Array& a = arrays_[name];
    auto n = static_cast<unsigned>(a.dims[0]);
    size_t size = a.size() / n;
    dynet::Dim dim({static_cast<unsigned>(a.dims.back())});
    if (a.dims.size() == 3) {
      dim = dynet::Dim({static_cast<unsigned>(a.dims[2]), static_cast<unsigned>(a.dims[1])});
    }
    dynet::LookupParameter p = collection_.add_lookup_parameters(n, dim);
    for (unsigned i = 0; i < n; i++) {
      p.initialize(i, {a.f.begin() + static_cast<std::ptrdiff_t>(i * size),
                       a.f.begin() + static_cast<std::ptrdiff_t>((i + 1) * size)});
    }
    tables_.push_back({name, p});
    return p;
  }

  // `update_reached` restricts updates to the parameters that the last backward pass has reached,
  // those of one form of a model: updating the others would cost time. `update_all` undoes it.
  void update_all() {
    for (const auto& p : collection_.parameters_list()) p->updated = true;
    for (const auto& p : collection_.lookup_parameters_list()) p->updated = true;
  }
  void update_reached() {
    for (const auto& p : collection_.parameters_list()) p->updated = p->nonzero_grad;
    for (const auto& p : collection_.lookup_parameters_list()) p->updated = p->nonzero_grad;
  }
  void forget_gradients() {
    for (const auto& p : collection_.parameters_list()) p->clear();
    for (const auto& p : collection_.lookup_parameters_list()) p->clear();
  }
  // Restores the values of the arrays.
  void reset() {
    for (const Part& part : parts_) {
      std::vector<float> values = elements(part.name, part.row, part.k, part.first, part.n);
      for (float& v : values) v *= part.factor;
      dynet::TensorTools::set_elements(part.p.get_storage().values, values);
    }
    for (const Table& table : tables_) {
      dynet::TensorTools::set_elements(table.p.get_storage().all_values, arrays_[table.name].f);
    }
  }
  // A weight or its gradient, in the layout of its array, from the parameters that are updated;
  // elements in other parameters have their initial values, and a gradient of zero.
  std::vector<float> taken(const std::string& name, bool gradient) const {
    std::vector<float> found = arrays_[name].f;
    if (gradient) std::fill(found.begin(), found.end(), 0.f);
    for (const Part& part : parts_) {
      const dynet::ParameterStorage& p = part.p.get_storage();
      if (part.name != name || !p.updated) continue;
      std::vector<float> values = dynet::as_vector(gradient ? p.g : p.values);
      float factor = gradient ? part.factor : 1 / part.factor;
      for (size_t at = 0; at < values.size(); at++) {
        size_t row = part.row + at / part.n, column = part.first + at % part.n;
        found[row * columns(name) + column] = values[at] * factor;
      }
    }
    for (const Table& table : tables_) {
      const dynet::LookupParameterStorage& p = table.p.get_storage();
      if (table.name == name) found = dynet::as_vector(gradient ? p.all_grads : p.all_values);
    }
    return found;
  }

 private:
  size_t rows(const std::string& name) const {
    const Array& a = arrays_[name];
    return a.dims.size() == 1 ? 1 : a.dims[0];
  }
  size_t columns(const std::string& name) const { return arrays_[name].dims.back(); }
  std::vector<float> elements(const std::string& name, size_t row, size_t k, size_t first,
                              size_t n) const {
    std::vector<float> values;
    for (size_t r = row; r < row + k; r++) {
      const float* from = arrays_[name].f.data() + r * columns(name) + first;
      values.insert(values.end(), from, from + n);
    }
    return values;
  }
  // A matrix of k rows and n columns, or with k = 0 a vector.
  dynet::Parameter add(const std::vector<float>& values, size_t k, size_t n) {
    dynet::Dim dim({static_cast<unsigned>(n)});
    if (k > 0) dim = dynet::Dim({static_cast<unsigned>(n), static_cast<unsigned>(k)});
    dynet::Parameter p = collection_.add_parameters(dim);
    dynet::TensorTools::set_elements(p.get_storage().values, values);
    return p;
  }

  // The part of an array that a parameter holds.
  struct Part {
    std::string name;
    size_t row, k, first, n;
    float factor;
    dynet::Parameter p;
  };
  struct Table {
    std::string name;
    dynet::LookupParameter p;
  };

  dynet::ParameterCollection& collection_;
  const Arrays& arrays_;
  std::vector<Part> parts_;
  std::vector<Table> tables_;
};

using Transforms = std::vector<std::vector<dynet::Parameter>>;  // bias, then a matrix per input
using Bound = std::vector<std::vector<Expression>>;

// Loads the parameters into a graph, with gradients if `trained` (not called bind, because
// std::bind would be found as well).
inline Bound load(ComputationGraph& cg, const Transforms& transforms, bool trained = false) {
  Bound found;
  for (const auto& t : transforms) {
    found.emplace_back();
    for (const auto& p : t) {
      found.back().push_back(trained ? dynet::parameter(cg, p) : dynet::const_parameter(cg, p));
    }
  }
  return found;
}

// Looks up a row of a table, with gradients if `trained`.
inline Expression row(ComputationGraph& cg, const dynet::LookupParameter& table, unsigned i,
                      bool trained) {
  return trained ? dynet::lookup(cg, table, i) : dynet::const_lookup(cg, table, i);
}

inline Expression affine(const std::vector<Expression>& t, const std::vector<Expression>& inputs) {
  std::vector<Expression> terms = {t[0]};
  for (size_t i = 0; i < inputs.size(); i++) {
    terms.push_back(t[1 + i]);
    terms.push_back(inputs[i]);
  }
  return dynet::affine_transform(terms);
}
