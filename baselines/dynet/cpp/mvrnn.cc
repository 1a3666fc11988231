// MV-RNN: a vector and a matrix per node. The matrices are products with each other; DyNet batches
// neither those nor products of one weight with many matrices, except by strategy.
#include "models.h"

namespace {

struct Node {
  const Node *left = nullptr, *right = nullptr;
  unsigned word = 0;
};

class MVRNN : public Model {
 public:
  MVRNN(Weights& w, const Arrays& instances) : trees_(read_trees<Node>(instances)) {
    vectors_ = w.table("vectors");
    matrices_ = w.table("matrices");
    classes_ = static_cast<unsigned>(w.array("matrices").dims[0]);
    compose_ = {{w.whole("b"), w.whole("w")}};
    w_m_ = w.whole("w_m");
  }

  void run(ComputationGraph& cg, int, Figures& figures, std::vector<Expression>& results,
           std::vector<int64_t>&) override {
    Stopwatch watch;
    cg_ = &cg;
    now_ = bind(cg, compose_);
    w_m_now_ = dynet::const_parameter(cg, w_m_);
    for (const Node* root : trees_.roots) results.push_back(encode(root, true).vector);
    figures.graph_ms += watch.lap();
    cg.forward(static_cast<dynet::VariableIndex>(cg.nodes.size() - 1));
    figures.forward_ms += watch.lap();
  }

 private:
  struct State {
    Expression vector, matrix;
  };

  // The matrix of a root is not needed.
  State encode(const Node* t, bool root = false) {
    if (t->left == nullptr) {
      return {dynet::const_lookup(*cg_, vectors_, t->word),
              dynet::const_lookup(*cg_, matrices_, t->word % classes_)};
    }
    State a = encode(t->left), b = encode(t->right);
    // The tables hold the matrices transposed: a row times a matrix is their matrix times a column.
    Expression crossed = dynet::concatenate({b.matrix * a.vector, a.matrix * b.vector});
    Expression vector = dynet::tanh(affine(now_[0], {crossed}));
    if (root) return {vector, {}};
    return {vector, w_m_now_ * dynet::concatenate({a.matrix, b.matrix})};
  }

  Trees<Node> trees_;
  dynet::LookupParameter vectors_, matrices_;
  unsigned classes_ = 0;
  Transforms compose_;
  dynet::Parameter w_m_;
  ComputationGraph* cg_ = nullptr;
  Bound now_;
  Expression w_m_now_;
};

}  // namespace

std::unique_ptr<Model> mvrnn(Weights& w, const Arrays& instances) {
  return std::make_unique<MVRNN>(w, instances);
}
