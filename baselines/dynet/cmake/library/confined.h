// A precompiled header for all of DyNet's units, so that Eigen is parsed once. It also confines
// compilation to what our driver runs: the types of nodes listed below, and the gradients of some
// of them. The remaining code is DyNet's own, compiled with DyNet's own flags.
#pragma once

#include <stdexcept>
#include <type_traits>

#include "dynet/nodes.h"
#include "dynet/param-nodes.h"
#include "dynet/tensor-eigen.h"
// These must follow the headers above, on which they rely.
#include "dynet/nodes-impl-macros.h"
#include "dynet/simd-functors.h"

namespace dynet {
namespace confined {

template <class Node, class... Nodes>
struct one_of : std::false_type {};
template <class Node, class First, class... Rest>
struct one_of<Node, First, Rest...>
    : std::integral_constant<bool,
                             std::is_same<Node, First>::value || one_of<Node, Rest...>::value> {};

// The types of nodes in the driver's models.
template <class Node>
using used = one_of<Node, AffineTransform, Concatenate, ConstParameterNode, ConstScalarMultiply,
                    Constant, ConstantMinusX, ConstantPlusX, CwiseMultiply, CwiseQuotient, CwiseSum,
                    Erf, InputNode, LogisticSigmoid, LookupNode, MatrixMultiply, MomentDimension,
                    Negate, ParameterNode, PickBatchElements, PickNegLogSoftmax, PickRange, Reshape,
                    ScalarInputNode, Softmax, Sqrt, Square, Sum, Tanh, Transpose>;

// Those through which the gradients of a loss propagate.
template <class Node>
using trained = one_of<Node, AffineTransform, Concatenate, ConstantMinusX, CwiseMultiply, CwiseSum,
                       LogisticSigmoid, MatrixMultiply, Negate, PickNegLogSoftmax, PickRange,
                       Reshape, Sum, Tanh, Transpose>;

template <class Node, bool = used<Node>::value>
struct Forward {
  static void run(const Node& node, const std::vector<const Tensor*>& xs, Tensor& fx, const char*) {
    node.template forward_dev_impl<Device_CPU>(*static_cast<Device_CPU*>(fx.device), xs, fx);
  }
};
template <class Node>
struct Forward<Node, false> {
  static void run(const Node&, const std::vector<const Tensor*>&, Tensor&, const char* name) {
    throw std::runtime_error(std::string(name) +
                             " is not among the nodes that DyNet was built with (confined.h)");
  }
};

template <class Node, bool = trained<Node>::value>
struct Backward {
  static void run(const Node& node, const std::vector<const Tensor*>& xs, const Tensor& fx,
                  const Tensor& dEdf, unsigned i, Tensor& dEdxi, const char*) {
    auto& device = *static_cast<Device_CPU*>(fx.device);
    node.template backward_dev_impl<Device_CPU>(device, xs, fx, dEdf, i, dEdxi);
  }
};
template <class Node>
struct Backward<Node, false> {
  static void run(const Node&, const std::vector<const Tensor*>&, const Tensor&, const Tensor&,
                  unsigned, Tensor&, const char* name) {
    throw std::runtime_error(std::string("DyNet was built without the gradient of ") + name +
                             " (confined.h)");
  }
};

}  // namespace confined
}  // namespace dynet

#undef DYNET_NODE_INST_DEV_IMPL
#define DYNET_NODE_INST_DEV_IMPL(MyNode)                                              \
  void MyNode::forward_impl(const std::vector<const Tensor*>& xs, Tensor& fx) const { \
    confined::Forward<MyNode>::run(*this, xs, fx, #MyNode);                           \
  }                                                                                   \
  void MyNode::backward_impl(const std::vector<const Tensor*>& xs, const Tensor& fx,  \
                             const Tensor& dEdf, unsigned i, Tensor& dEdxi) const {   \
    confined::Backward<MyNode>::run(*this, xs, fx, dEdf, i, dEdxi, #MyNode);          \
  }
