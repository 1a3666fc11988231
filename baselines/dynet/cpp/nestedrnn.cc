// An RNN loop inside a GRU loop.
#include "cell.h"
#include "model.h"

namespace {

class NestedRNN : public Model {
 public:
  NestedRNN(Weights& w, const Arrays& instances)
      : words_(instances["words"]),
        lengths_(instances["lengths"]),
        sentences_(instances["sentences"]),
        cell_(w.whole("b"), w.whole("w"), w.whole("u")) {
    emb_ = w.table("emb");
    hidden_ = static_cast<unsigned>(w.array("emb").dims[1]);
    size_t h = hidden_;
    // The gates r and z read both inputs in one transform; n keeps them apart.
    gates_ = {{w.part("b_gru", 0, 1, 0, 2 * h), w.part("w_gru", 0, h, 0, 2 * h),
               w.part("u_gru", 0, h, 0, 2 * h)},
              {w.part("b_gru", 0, 1, 2 * h, h), w.part("w_gru", 0, h, 2 * h, h)}};
    old_ = w.part("u_gru", 0, h, 2 * h, h);
  }

  std::vector<std::string> forms() const override {
    return {"an affine transform of input and state", "inputs projected beforehand"};
  }

  void run(Run& run, ComputationGraph& cg, int form) override {
    cell_.load(cg, form == 1);
    Bound gates = load(cg, gates_);
    Expression old = dynet::const_parameter(cg, old_);
    Expression zero = dynet::zeros(cg, dynet::Dim({hidden_}));
    size_t word = 0, sentence = 0;
    for (int32_t count : sentences_.i) {
      Expression h = zero;
      for (int32_t k = 0; k < count; k++) {
        Expression s = h;
        for (int32_t n = lengths_.i[sentence++]; n > 0; n--) {
          Expression x = dynet::const_lookup(cg, emb_, static_cast<unsigned>(words_.i[word++]));
          s = cell_.step(cell_.input(x), s);
        }
        Expression both = dynet::logistic(affine(gates[0], {s, h}));
        Expression r = dynet::pick_range(both, 0, hidden_);
        Expression z = dynet::pick_range(both, hidden_, 2 * hidden_);
        Expression n = dynet::tanh(affine(gates[1], {s}) + dynet::cmult(r, old * h));
        h = n + dynet::cmult(z, h - n);
      }
      run.result(h);
    }
    run.evaluate();
  }

 private:
  const Array &words_, &lengths_, &sentences_;
  dynet::LookupParameter emb_;
  unsigned hidden_ = 0;
  Cell cell_;
  Transforms gates_;
  dynet::Parameter old_;
};

}  // namespace

std::unique_ptr<Model> nestedrnn(Weights& w, const Arrays& instances) {
  return std::make_unique<NestedRNN>(w, instances);
}
