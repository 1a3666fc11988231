// What a driver gets that asks for more than DyNet was built with.
#include <cstdio>

#include "dynet/dynet.h"
#include "dynet/expr.h"
#include "dynet/init.h"

int main() {
  dynet::DynetParams params;
  params.mem_descriptor = "16";
  dynet::initialize(params);
  dynet::ComputationGraph graph;
  dynet::Expression x = dynet::input(graph, 1.0f);
  dynet::Expression y = dynet::sqrt(x);
  graph.forward(y);
  try {
    graph.backward(y, true);
  } catch (std::exception& e) {
    std::puts(e.what());
  }
  try {
    graph.forward(dynet::log(x));
  } catch (std::exception& e) {
    std::puts(e.what());
  }
}
