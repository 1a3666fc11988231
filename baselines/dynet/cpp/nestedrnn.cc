// An RNN loop inside a GRU loop.
#include "models.h"

namespace {

class NestedRNN : public Model {
 public:
  NestedRNN(Weights& w, const Arrays& instances)
      : words_(instances["words"]),
        lengths_(instances["lengths"]),
        sentences_(instances["sentences"]) {
    emb_ = w.table("emb");
    hidden_ = static_cast<unsigned>(w.array("emb").dims[1]);
    cell_ = {{w.whole("b"), w.whole("w"), w.whole("u")}};
    // The gates r and z read both inputs in one transform; n keeps them apart.
    size_t h = hidden_;
    for (size_t gate = 0; gate < 2; gate++) {
      gates_.push_back({w.part("b_gru", 0, 1, gate * h, h), w.part("w_gru", 0, h, gate * h, h),
                        w.part("u_gru", 0, h, gate * h, h)});
    }
    new_ = {{w.part("b_gru", 0, 1, 2 * h, h), w.part("w_gru", 0, h, 2 * h, h)}};
    old_ = w.part("u_gru", 0, h, 2 * h, h);
  }

  void run(ComputationGraph& cg, int, Figures& figures, std::vector<Expression>& results,
           std::vector<int64_t>&) override {
    Stopwatch watch;
    Bound cell = bind(cg, cell_), gates = bind(cg, gates_), fresh = bind(cg, new_);
    Expression old = dynet::const_parameter(cg, old_);
    Expression zero = dynet::zeros(cg, dynet::Dim({hidden_}));
    size_t word = 0, sentence = 0;
    for (int32_t count : sentences_.i) {
      Expression h = zero;
      for (int32_t k = 0; k < count; k++) {
        Expression s = h;
        for (int32_t n = lengths_.i[sentence++]; n > 0; n--) {
          Expression x = dynet::const_lookup(cg, emb_, static_cast<unsigned>(words_.i[word++]));
          s = dynet::tanh(affine(cell[0], {x, s}));
        }
        Expression r = dynet::logistic(affine(gates[0], {s, h}));
        Expression z = dynet::logistic(affine(gates[1], {s, h}));
        Expression n = dynet::tanh(affine(fresh[0], {s}) + dynet::cmult(r, old * h));
        h = n + dynet::cmult(z, h - n);
      }
      results.push_back(h);
    }
    figures.graph_ms += watch.lap();
    cg.forward(static_cast<dynet::VariableIndex>(cg.nodes.size() - 1));
    figures.forward_ms += watch.lap();
  }

 private:
  const Array &words_, &lengths_, &sentences_;
  dynet::LookupParameter emb_;
  unsigned hidden_ = 0;
  Transforms cell_, gates_, new_;
  dynet::Parameter old_;
};

}  // namespace

std::unique_ptr<Model> nestedrnn(Weights& w, const Arrays& instances) {
  return std::make_unique<NestedRNN>(w, instances);
}
