// BiRNN: two vanilla RNNs and a softmax per token.
#include "cell.h"
#include "model.h"

namespace {

class BiRNN : public Model {
 public:
  BiRNN(Weights& w, const Arrays& instances)
      : words_(instances["words"]), lengths_(instances["lengths"]) {
    emb_ = w.table("emb");
    hidden_ = static_cast<unsigned>(w.array("emb").dims[1]);
    for (const char* name : {"forward.", "backward."}) {
      std::string n = name;
      cells_.emplace_back(w.whole(n + "b"), w.whole(n + "w"), w.whole(n + "u"));
    }
    size_t h = hidden_, c = w.array("w_out").dims[1];
    out_ = {{w.whole("b_out"), w.part("w_out", 0, h, 0, c), w.part("w_out", h, h, 0, c)}};
  }

  std::vector<std::string> forms() const override {
    return {"an affine transform of input and state", "inputs projected beforehand"};
  }

  void run(Run& run, ComputationGraph& cg, int form) override {
    for (Cell& cell : cells_) cell.load(cg, form);
    Bound out = load(cg, out_);
    Expression zero = dynet::zeros(cg, dynet::Dim({hidden_}));
    size_t at = 0;
    for (int32_t length : lengths_.i) {
      std::vector<Expression> xs, forward, backward;
      for (int32_t k = 0; k < length; k++) {
        xs.push_back(dynet::const_lookup(cg, emb_, static_cast<unsigned>(words_.i[at++])));
      }
      Expression h = zero;
      for (const Expression& x : xs) {
        forward.push_back(h = cells_[0].step(cells_[0].input(x), h));
      }
      h = zero;
      for (size_t k = xs.size(); k-- > 0;) {
        backward.push_back(h = cells_[1].step(cells_[1].input(xs[k]), h));
      }
      for (size_t k = 0; k < xs.size(); k++) {
        Expression scores = affine(out[0], {forward[k], backward[xs.size() - 1 - k]});
        run.result(dynet::softmax(scores));
      }
    }
    run.evaluate();
  }

 private:
  const Array &words_, &lengths_;
  dynet::LookupParameter emb_;
  unsigned hidden_ = 0;
  std::vector<Cell> cells_;
  Transforms out_;
};

}  // namespace

std::unique_ptr<Model> birnn(Weights& w, const Arrays& instances) {
  return std::make_unique<BiRNN>(w, instances);
}
