// BiRNN: two vanilla RNNs and a softmax per token.
#include "models.h"

namespace {

class BiRNN : public Model {
 public:
  BiRNN(Weights& w, const Arrays& instances)
      : words_(instances["words"]), lengths_(instances["lengths"]) {
    emb_ = w.table("emb");
    hidden_ = static_cast<unsigned>(w.array("emb").dims[1]);
    for (const char* name : {"forward.", "backward."}) {
      std::string n = name;
      cells_.push_back({w.whole(n + "b"), w.whole(n + "w"), w.whole(n + "u")});
    }
    size_t h = hidden_, c = w.array("w_out").dims[1];
    out_ = {{w.whole("b_out"), w.part("w_out", 0, h, 0, c), w.part("w_out", h, h, 0, c)}};
  }

  void run(ComputationGraph& cg, int, Figures& figures, std::vector<Expression>& results,
           std::vector<int64_t>&) override {
    Stopwatch watch;
    Bound cells = bind(cg, cells_), out = bind(cg, out_);
    Expression zero = dynet::zeros(cg, dynet::Dim({hidden_}));
    size_t at = 0;
    for (int32_t length : lengths_.i) {
      std::vector<Expression> xs, forward, backward;
      for (int32_t k = 0; k < length; k++) {
        xs.push_back(dynet::const_lookup(cg, emb_, static_cast<unsigned>(words_.i[at++])));
      }
      Expression h = zero;
      for (const Expression& x : xs) {
        forward.push_back(h = dynet::tanh(affine(cells[0], {x, h})));
      }
      h = zero;
      for (size_t k = xs.size(); k-- > 0;) {
        backward.push_back(h = dynet::tanh(affine(cells[1], {xs[k], h})));
      }
      for (size_t k = 0; k < xs.size(); k++) {
        Expression scores = affine(out[0], {forward[k], backward[xs.size() - 1 - k]});
        results.push_back(dynet::softmax(scores));
      }
    }
    figures.graph_ms += watch.lap();
    cg.forward(static_cast<dynet::VariableIndex>(cg.nodes.size() - 1));
    figures.forward_ms += watch.lap();
  }

 private:
  const Array &words_, &lengths_;
  dynet::LookupParameter emb_;
  unsigned hidden_ = 0;
  Transforms cells_, out_;
};

}  // namespace

std::unique_ptr<Model> birnn(Weights& w, const Arrays& instances) {
  return std::make_unique<BiRNN>(w, instances);
}
