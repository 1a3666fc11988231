// MV-RNN: a vector and a matrix per node. DyNet batches products with the same left matrix: those
// of the weights with the children's matrices and vectors, but not the products of a node's own
// matrix with its sibling's vector. Children are not joined, because joining matrices is a copy
// that costs more than the second product; each matrix is looked up only once, because a lookup is
// a copy, too. The loss is the classification of every tree.
#include <unordered_map>

#include "classifier.h"
#include "model.h"
#include "trees.h"

namespace {

class MVRNN : public Model {
 public:
  MVRNN(Weights& w, const Arrays& instances)
      : trees_(read_trees(instances)), labels_(labels_of(instances)), classifier_(w) {
    const std::string in = classifier_.within("");
    vectors_ = w.table(in + "vectors");
    matrices_ = w.table(in + "matrices");
    classes_ = static_cast<unsigned>(w.array(in + "matrices").dims[0]);
    size_t h = w.array(in + "w").dims[1];
    vector_ = {{w.whole(in + "b"), w.part(in + "w", 0, h, 0, h), w.part(in + "w", h, h, 0, h)}};
    matrix_ = {{w.part(in + "w_m", 0, h, 0, h), w.part(in + "w_m", h, h, 0, h)}};
    nothing_ = {{w.zeros(h, h)}};
  }

  void run(Run& run, ComputationGraph& cg, int) override {
    begin(cg, false);
    for (const TreeNode* root : trees_.roots) run.result(encode(root, true).vector);
    run.evaluate();
  }

  void loss(Run& run, ComputationGraph& cg, int, const std::vector<int64_t>& which) override {
    begin(cg, true);
    classifier_.load(cg);
    for (int64_t i : which) {
      auto at = static_cast<size_t>(i);
      Expression vector = encode(trees_.roots[at], true).vector;
      classifier_.judge(run, vector, static_cast<unsigned>(labels_->i[at]));
    }
  }

 private:
  void begin(ComputationGraph& cg, bool trained) {
    cg_ = &cg;
    trained_ = trained;
    leaves_.clear();
    vector_now_ = load(cg, vector_, trained)[0];
    // The zero bias is not a weight, so it is never trained.
    matrix_now_ = load(cg, nothing_)[0];
    Bound matrix = load(cg, matrix_, trained);
    matrix_now_.insert(matrix_now_.end(), matrix[0].begin(), matrix[0].end());
  }

  struct State {
    Expression vector, matrix;
  };

  // The matrix of a root is not needed.
  State encode(const TreeNode* t, bool root = false) {
    if (t->left == nullptr) {
      unsigned kind = t->word % classes_;
      Expression& matrix = leaves_[kind];
      if (matrix.pg == nullptr) matrix = row(*cg_, matrices_, kind, trained_);
      return {row(*cg_, vectors_, t->word, trained_), matrix};
    }
    State a = encode(t->left), b = encode(t->right);
    // The tables hold the matrices transposed, so a row times a matrix of the workload is a matrix
    // times a column here.
    Expression vector =
        dynet::tanh(affine(vector_now_, {b.matrix * a.vector, a.matrix * b.vector}));
    if (root) return {vector, {}};
    return {vector, affine(matrix_now_, {a.matrix, b.matrix})};
  }

  Trees trees_;
  const Array* labels_;
  Classifier classifier_;
  dynet::LookupParameter vectors_, matrices_;
  unsigned classes_ = 0;
  Transforms vector_, matrix_, nothing_;
  ComputationGraph* cg_ = nullptr;
  std::vector<Expression> vector_now_, matrix_now_;
  bool trained_ = false;
  std::unordered_map<unsigned, Expression> leaves_;  // the matrices already looked up
};

const Registered registered("mvrnn", [](Weights& w, const Arrays& instances, bool) {
  return std::unique_ptr<Model>(new MVRNN(w, instances));
});

}  // namespace
