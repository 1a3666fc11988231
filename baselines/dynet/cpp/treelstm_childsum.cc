// Child-sum TreeLSTM: any number of children, summed. The gates i, o and u read the word and the
// sum of the children, the gate f reads the word and one child.
#include "model.h"

namespace {

using dynet::cmult;
using dynet::logistic;

class ChildSum : public Model {
 public:
  ChildSum(Weights& w, const Arrays& instances)
      : nodes_(instances["nodes"]), sizes_(instances["sizes"]) {
    emb_ = w.table("emb");
    size_t h = w.array("emb").dims[1];
    for (size_t gate = kI; gate <= kU; gate++) {
      gates_.push_back({w.part("b", 0, 1, gate * h, h), w.part("w", 0, h, gate * h, h),
                        w.part("u", 0, h, gate * h, h)});
    }
    gates_.push_back({w.part("b", 0, 1, 3 * h, h), w.part("w", 0, h, 3 * h, h), w.whole("u_f")});
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
    project_ = !(form & 1);
    two_ = form & 2;
    now_ = load(cg, gates_);
    size_t at = 0;
    for (int32_t size : sizes_.i) {
      // In post-order: what waits are subtrees without their parent yet.
      std::vector<State> waiting;
      for (int32_t k = 0; k < size; k++, at++) {
        const int32_t* row = &nodes_.i[2 * at];
        Expression x = dynet::const_lookup(cg, emb_, static_cast<unsigned>(row[0]));
        auto first = waiting.end() - row[1];
        State state = node(x, std::vector<State>(first, waiting.end()));
        waiting.erase(first, waiting.end());
        waiting.push_back(state);
      }
      run.result(waiting[0].h);
      run.result(waiting[0].c);
    }
    run.evaluate();
  }

 private:
  enum Gate { kI, kO, kU, kF };

  struct State {
    Expression h, c;
  };

  // W x + b beforehand: a node's own, which DyNet batches over all nodes whatever their depth.
  Expression project(const std::vector<Expression>& t, const Expression& x) const {
    return affine({t[0], t[1]}, {x});
  }

  // DyNet batches sums with equally many terms, those of two terms whatever becomes of them.
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
  dynet::LookupParameter emb_;
  Transforms gates_;
  Bound now_;
  bool project_ = false, two_ = false;
};

}  // namespace

std::unique_ptr<Model> treelstm_childsum(Weights& w, const Arrays& instances) {
  return std::make_unique<ChildSum>(w, instances);
}
