// A vanilla RNN cell, tanh(W x + U h + b), in both forms in which an author may write it.
#pragma once

#include "weights.h"

class Cell {
 public:
  Cell(dynet::Parameter b, dynet::Parameter w, dynet::Parameter u) : transform_{{b, w, u}} {}

  // `projected`: the products of the inputs are separate nodes, which DyNet batches over all steps;
  // otherwise a step is one affine transform of input and state.
  void load(ComputationGraph& cg, bool projected, bool trained = false) {
    projected_ = projected;
    now_ = ::load(cg, transform_, trained)[0];
  }
  Expression input(const Expression& x) const {
    return projected_ ? affine({now_[0], now_[1]}, {x}) : x;
  }
  // `x` must be a result of `input`.
  Expression step(const Expression& x, const Expression& h) const {
    return dynet::tanh(projected_ ? x + now_[2] * h : affine(now_, {x, h}));
  }

 private:
  Transforms transform_;
  bool projected_ = false;
  std::vector<Expression> now_;
};
