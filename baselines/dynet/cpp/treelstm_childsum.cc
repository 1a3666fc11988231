// Child-sum TreeLSTM: any number of children, summed. The gates i, o and u read the word and the
// sum of the children, the gate f reads the word and one child. The loss is the classification of
// every tree.
#include "classifier.h"
#include "model.h"

namespace {

using dynet::cmult;
using dynet::logistic;

class ChildSum : public Model {
 public:
  ChildSum(Weights& w, const Arrays& instances)
      : nodes_(instances["nodes"]),
        sizes_(instances["sizes"]),
        labels_(labels_of(instances)),
        classifier_(w) {
    const std::string in = classifier_.within("");
    emb_ = w.table(in + "emb");
    size_t h = w.array(in + "emb").dims[1];
    for (size_t gate = kI; gate <= kU; gate++) {
      gates_.push_back({w.part(in + "b", 0, 1, gate * h, h), w.part(in + "w", 0, h, gate * h, h),
                        w.part(in + "u", 0, h, gate * h, h)});
    }
    gates_.push_back(
        {w.part(in + "b", 0, 1, 3 * h, h), w.part(in + "w", 0, h, 3 * h, h), w.whole(in + "u_f")});
    size_t at = 0;
    for (int32_t size : sizes_.i) {
      firsts_.push_back(at);
      at += static_cast<size_t>(size);
    }
  }

  std::vector<std::string> forms() const override {
    std::vector<std::string> names;
    for (const char* sums : {"sums of many", "sums of two"}) {
      names.push_back(std::string("words projected beforehand for all gates, ") + sums);
      names.push_back(std::string("words projected beforehand for f, ") + sums);
    }
    return names;
  }

  void run(Run& run, ComputationGraph& cg, int form) override {
    begin(cg, form, false);
    for (size_t i = 0; i < firsts_.size(); i++) {
      State root = tree(cg, i);
      run.result(root.h);
      run.result(root.c);
    }
    run.evaluate();
  }

  void loss(Run& run, ComputationGraph& cg, int form, const std::vector<int64_t>& which) override {
    begin(cg, form, true);
    classifier_.load(cg);
    for (int64_t i : which) {
      auto at = static_cast<size_t>(i);
      classifier_.judge(run, tree(cg, at).h, static_cast<unsigned>(labels_->i[at]));
    }
  }

 private:
  enum Gate { kI, kO, kU, kF };

  struct State {
    Expression h, c;
  };

  void begin(ComputationGraph& cg, int form, bool trained) {
    project_ = !(form & 1);
    two_ = form & 2;
    trained_ = trained;
    now_ = load(cg, gates_, trained);
  }

  // The state of the root of tree i.
  State tree(ComputationGraph& cg, size_t i) const {
    // Nodes come in post-order; `waiting` holds the states of subtrees whose parent is still to
    // come.
    std::vector<State> waiting;
    size_t end = firsts_[i] + static_cast<size_t>(sizes_.i[i]);
    for (size_t at = firsts_[i]; at < end; at++) {
      const int32_t* given = &nodes_.i[2 * at];
      Expression x = row(cg, emb_, static_cast<unsigned>(given[0]), trained_);
      auto first = waiting.end() - given[1];
      State state = node(x, std::vector<State>(first, waiting.end()));
      waiting.erase(first, waiting.end());
      waiting.push_back(state);
    }
    return waiting[0];
  }

  // W x + b beforehand: a separate operation, which DyNet batches over nodes of all depths.
  Expression project(const std::vector<Expression>& t, const Expression& x) const {
    return affine({t[0], t[1]}, {x});
  }

  // DyNet batches sums with equal numbers of terms; sums of two can always be batched.
  Expression sum(const std::vector<Expression>& terms) const {
    if (!two_) return terms.size() > 1 ? dynet::sum(terms) : terms[0];
    Expression total = terms[0];
    for (size_t k = 1; k < terms.size(); k++) total = total + terms[k];
    return total;
  }

  State node(const Expression& x, const std::vector<State>& children) const {
    std::vector<Expression> hs, kept, gates;
    for (const State& child : children) hs.push_back(child.h);
    Expression total;
    if (!hs.empty()) total = sum(hs);
    for (size_t k = kI; k <= kU; k++) {
      if (children.empty()) {
        gates.push_back(project(now_[k], x));
      } else if (project_) {
        gates.push_back(project(now_[k], x) + now_[k][2] * total);
      } else {
        gates.push_back(affine(now_[k], {x, total}));
      }
    }
    kept.push_back(cmult(logistic(gates[kI]), dynet::tanh(gates[kU])));
    Expression f_x;
    if (!children.empty()) f_x = project(now_[kF], x);
    for (const State& child : children) {
      kept.push_back(cmult(logistic(f_x + now_[kF][2] * child.h), child.c));
    }
    Expression c = sum(kept);
    return {cmult(logistic(gates[kO]), dynet::tanh(c)), c};
  }

  const Array &nodes_, &sizes_;
  const Array* labels_;
  Classifier classifier_;
  std::vector<size_t> firsts_;  // nodes before each tree
  dynet::LookupParameter emb_;
  Transforms gates_;
  Bound now_;
  bool project_ = false, two_ = false, trained_ = false;
};

const Registered registered("treelstm_childsum", [](Weights& w, const Arrays& instances, bool) {
  return std::unique_ptr<Model>(new ChildSum(w, instances));
});

}  // namespace
