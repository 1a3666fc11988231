// MV-RNN: a vector and a matrix per node. DyNet batches products with the same left matrix: those
// of the weights with the children's matrices and vectors, but not the products of a node's own
// matrix with its sibling's vector. Children stay apart, because joining matrices is a copy that
// costs more than the second product; a matrix is looked up once, because that is a copy as well.
#include <unordered_map>

#include "model.h"
#include "trees.h"

namespace {

class MVRNN : public Model {
 public:
  MVRNN(Weights& w, const Arrays& instances) : trees_(read_trees(instances)) {
    vectors_ = w.table("vectors");
    matrices_ = w.table("matrices");
    classes_ = static_cast<unsigned>(w.array("matrices").dims[0]);
    size_t h = w.array("w").dims[1];
    transforms_ = {{w.whole("b"), w.part("w", 0, h, 0, h), w.part("w", h, h, 0, h)},
                   {w.zeros(h, h), w.part("w_m", 0, h, 0, h), w.part("w_m", h, h, 0, h)}};
  }

  void run(Run& run, ComputationGraph& cg, int) override {
    cg_ = &cg;
    leaves_.clear();
    now_ = load(cg, transforms_);
    for (const TreeNode* root : trees_.roots) run.result(encode(root, true).vector);
    run.evaluate();
  }

 private:
  struct State {
    Expression vector, matrix;
  };

  // The matrix of a root is not needed.
  State encode(const TreeNode* t, bool root = false) {
    if (t->left == nullptr) {
      unsigned kind = t->word % classes_;
      Expression& matrix = leaves_[kind];
      if (matrix.pg == nullptr) matrix = dynet::const_lookup(*cg_, matrices_, kind);
      return {dynet::const_lookup(*cg_, vectors_, t->word), matrix};
    }
    State a = encode(t->left), b = encode(t->right);
    // The tables hold the matrices transposed: a row times a matrix is their matrix times a column.
    Expression vector = dynet::tanh(affine(now_[0], {b.matrix * a.vector, a.matrix * b.vector}));
    if (root) return {vector, {}};
    return {vector, affine(now_[1], {a.matrix, b.matrix})};
  }

  Trees trees_;
  dynet::LookupParameter vectors_, matrices_;
  unsigned classes_ = 0;
  Transforms transforms_;
  ComputationGraph* cg_ = nullptr;
  Bound now_;
  std::unordered_map<unsigned, Expression> leaves_;  // the matrices that have been looked up
};

}  // namespace

std::unique_ptr<Model> mvrnn(Weights& w, const Arrays& instances) {
  return std::make_unique<MVRNN>(w, instances);
}
