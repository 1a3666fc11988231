// Binary TreeLSTM; the loss is the classification of every node. The author may choose how the
// gates are computed: by one affine transform per gate, or by one for all gates, whose result is
// split; with one product per child, or one for both children joined.
#include "classifier.h"
#include "model.h"
#include "trees.h"

namespace {

using dynet::affine_transform;
using dynet::cmult;
using dynet::logistic;

class TreeLSTM : public Model {
 public:
  TreeLSTM(Weights& w, const Arrays& instances) : trees_(read_trees(instances)), classifier_(w) {
    const std::string in = classifier_.within("");
    emb_ = w.table(in + "emb");
    hidden_ = static_cast<unsigned>(w.array(in + "emb").dims[1]);
    size_t h = hidden_;
    for (int gate = 0; gate < 5; gate++) {
      size_t at = static_cast<size_t>(gate) * h;
      if (gate < 3) {
        leaf_.push_back({w.part(in + "b_leaf", 0, 1, at, h), w.part(in + "w_leaf", 0, h, at, h)});
      }
      dynet::Parameter b = w.part(in + "b", 0, 1, at, h);
      joined_.push_back({b, w.part(in + "w", 0, 2 * h, at, h)});
      apart_.push_back({b, w.part(in + "w", 0, h, at, h), w.part(in + "w", h, h, at, h)});
    }
    leaf_fused_ = {{w.whole(in + "b_leaf"), w.whole(in + "w_leaf")}};
    dynet::Parameter b = w.whole(in + "b");
    joined_fused_ = {{b, w.whole(in + "w")}};
    apart_fused_ = {{b, w.part(in + "w", 0, h, 0, 5 * h), w.part(in + "w", h, h, 0, 5 * h)}};
  }

  std::vector<std::string> forms() const override {
    return {"an affine transform per gate, children apart", "one affine transform, children apart",
            "an affine transform per gate, children joined",
            "one affine transform, children joined"};
  }

  void run(Run& run, ComputationGraph& cg, int form) override {
    begin(cg, form, false);
    for (const TreeNode* root : trees_.roots) {
      State s = encode(root);
      run.result(s.h);
      run.result(s.c);
    }
    run.evaluate();
  }

  void loss(Run& run, ComputationGraph& cg, int form, const std::vector<int64_t>& which) override {
    begin(cg, form, true);
    classifier_.load(cg);
    judged_ = &run;
    for (int64_t i : which) encode(trees_.roots[static_cast<size_t>(i)]);
    judged_ = nullptr;
  }

 private:
  struct State {
    Expression h, c;
  };

  void begin(ComputationGraph& cg, int form, bool trained) {
    fused_ = form & 1, join_ = form & 2;
    cg_ = &cg;
    trained_ = trained;
    leaf_now_ = load(cg, fused_ ? leaf_fused_ : leaf_, trained);
    inner_now_ = load(
        cg, join_ ? (fused_ ? joined_fused_ : joined_) : (fused_ ? apart_fused_ : apart_), trained);
  }

  // The given state of a node; adds the node's loss as a result if losses are computed.
  State judged(const TreeNode* t, const State& s) const {
    if (judged_ != nullptr) classifier_.judge(*judged_, s.h, t->label);
    return s;
  }

  std::vector<Expression> gates(const Bound& transforms, const std::vector<Expression>& inputs,
                                unsigned n) const {
    std::vector<Expression> found;
    for (const auto& t : transforms) found.push_back(affine(t, inputs));
    if (!fused_) return found;
    Expression all = found[0];
    found.clear();
    for (unsigned k = 0; k < n; k++) {
      found.push_back(dynet::pick_range(all, k * hidden_, (k + 1) * hidden_));
    }
    return found;
  }

  State encode(const TreeNode* t) {
    if (t->left == nullptr) {
      auto g = gates(leaf_now_, {row(*cg_, emb_, t->word, trained_)}, 3);
      Expression c = cmult(logistic(g[0]), dynet::tanh(g[2]));
      return judged(t, {cmult(logistic(g[1]), dynet::tanh(c)), c});
    }
    State l = encode(t->left), r = encode(t->right);
    std::vector<Expression> inputs = {l.h, r.h};
    if (join_) inputs = {dynet::concatenate({l.h, r.h})};
    auto g = gates(inner_now_, inputs, 5);
    Expression c = dynet::sum({cmult(logistic(g[0]), dynet::tanh(g[2])), cmult(logistic(g[3]), l.c),
                               cmult(logistic(g[4]), r.c)});
    return judged(t, {cmult(logistic(g[1]), dynet::tanh(c)), c});
  }

  Trees trees_;
  Classifier classifier_;
  dynet::LookupParameter emb_;
  unsigned hidden_ = 0;
  Transforms leaf_, leaf_fused_, joined_, joined_fused_, apart_, apart_fused_;
  ComputationGraph* cg_ = nullptr;
  Run* judged_ = nullptr;
  Bound leaf_now_, inner_now_;
  bool fused_ = false, join_ = false, trained_ = false;
};

const Registered registered("treelstm", [](Weights& w, const Arrays& instances, bool) {
  return std::unique_ptr<Model>(new TreeLSTM(w, instances));
});

}  // namespace
