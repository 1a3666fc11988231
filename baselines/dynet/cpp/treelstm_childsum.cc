// Child-sum TreeLSTM: any number of children, summed.
#include "models.h"

namespace {

using dynet::cmult;
using dynet::logistic;

class ChildSum : public Model {
 public:
  ChildSum(Weights& w, const Arrays& instances)
      : nodes_(instances["nodes"]), sizes_(instances["sizes"]) {
    emb_ = w.table("emb");
    size_t h = hidden_ = static_cast<unsigned>(w.array("emb").dims[1]);
    // Gates in the order i, o, u, f.
    for (size_t gate = 0; gate < 3; gate++) {
      gates_.push_back({w.part("b", 0, 1, gate * h, h), w.part("w", 0, h, gate * h, h),
                        w.part("u", 0, h, gate * h, h)});
    }
    forget_ = {{w.part("b", 0, 1, 3 * h, h), w.part("w", 0, h, 3 * h, h), w.whole("u_f")}};
  }

  void run(ComputationGraph& cg, int, Figures& figures, std::vector<Expression>& results,
           std::vector<int64_t>&) override {
    Stopwatch watch;
    Bound gates = bind(cg, gates_), forget = bind(cg, forget_);
    size_t at = 0;
    for (int32_t size : sizes_.i) {
      // In post-order: what waits are subtrees without their parent yet.
      struct State {
        Expression h, c;
      };
      std::vector<State> waiting;
      for (int32_t k = 0; k < size; k++, at++) {
        const int32_t* node = &nodes_.i[2 * at];
        Expression x = dynet::const_lookup(cg, emb_, static_cast<unsigned>(node[0]));
        auto children = static_cast<size_t>(node[1]);
        std::vector<Expression> inputs = {x}, kept;
        if (children > 0) {
          std::vector<Expression> hs;
          for (size_t j = waiting.size() - children; j < waiting.size(); j++) {
            hs.push_back(waiting[j].h);
            kept.push_back(cmult(logistic(affine(forget[0], {x, waiting[j].h})), waiting[j].c));
          }
          inputs.push_back(children > 1 ? dynet::sum(hs) : hs[0]);
          waiting.resize(waiting.size() - children);
        }
        kept.insert(kept.begin(), cmult(logistic(affine(gates[0], inputs)),
                                        dynet::tanh(affine(gates[2], inputs))));
        Expression c = children > 0 ? dynet::sum(kept) : kept[0];
        waiting.push_back({cmult(logistic(affine(gates[1], inputs)), dynet::tanh(c)), c});
      }
      results.push_back(waiting[0].h);
      results.push_back(waiting[0].c);
    }
    figures.graph_ms += watch.lap();
    cg.forward(static_cast<dynet::VariableIndex>(cg.nodes.size() - 1));
    figures.forward_ms += watch.lap();
  }

 private:
  const Array &nodes_, &sizes_;
  dynet::LookupParameter emb_;
  unsigned hidden_ = 0;
  Transforms gates_, forget_;
};

}  // namespace

std::unique_ptr<Model> treelstm_childsum(Weights& w, const Arrays& instances) {
  return std::make_unique<ChildSum>(w, instances);
}
