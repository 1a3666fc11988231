// BiRNN: two vanilla RNNs and a softmax per token; the loss is the classification of every token.
#include "cell.h"
#include "model.h"

namespace {

class BiRNN : public Model {
 public:
  BiRNN(Weights& w, const Arrays& instances)
      : words_(instances["words"]), lengths_(instances["lengths"]) {
    if (instances.has("tags")) tags_ = &instances["tags"];
    size_t at = 0;
    for (int32_t length : lengths_.i) {
      firsts_.push_back(at);
      at += static_cast<size_t>(length);
    }
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
    begin(cg, form, false);
    for (size_t i = 0; i < firsts_.size(); i++) {
      for (const Expression& scores : sentence(cg, i)) run.result(dynet::softmax(scores));
    }
    run.evaluate();
  }

  void loss(Run& run, ComputationGraph& cg, int form, const std::vector<int64_t>& which) override {
    begin(cg, form, true);
    for (int64_t i : which) {
      size_t at = firsts_[static_cast<size_t>(i)];
      for (const Expression& scores : sentence(cg, static_cast<size_t>(i))) {
        run.result(dynet::pickneglogsoftmax(scores, static_cast<unsigned>(tags_->i[at++])));
      }
    }
  }

 private:
  void begin(ComputationGraph& cg, int form, bool trained) {
    trained_ = trained;
    for (Cell& cell : cells_) cell.load(cg, form, trained);
    out_now_ = load(cg, out_, trained);
    zero_ = dynet::zeros(cg, dynet::Dim({hidden_}));
  }

  // The scores of all tokens of a sentence.
  std::vector<Expression> sentence(ComputationGraph& cg, size_t i) const {
    std::vector<Expression> xs, forward, backward, scores;
    for (int32_t k = 0; k < lengths_.i[i]; k++) {
      auto word = static_cast<unsigned>(words_.i[firsts_[i] + static_cast<size_t>(k)]);
      xs.push_back(row(cg, emb_, word, trained_));
    }
    Expression h = zero_;
    for (const Expression& x : xs) {
      forward.push_back(h = cells_[0].step(cells_[0].input(x), h));
    }
    h = zero_;
    for (size_t k = xs.size(); k-- > 0;) {
      backward.push_back(h = cells_[1].step(cells_[1].input(xs[k]), h));
    }
    for (size_t k = 0; k < xs.size(); k++) {
      scores.push_back(affine(out_now_[0], {forward[k], backward[xs.size() - 1 - k]}));
    }
    return scores;
  }

  const Array &words_, &lengths_;
  const Array* tags_ = nullptr;
  std::vector<size_t> firsts_;  // words before each sentence
  dynet::LookupParameter emb_;
  unsigned hidden_ = 0;
  std::vector<Cell> cells_;
  Transforms out_;
  Bound out_now_;
  Expression zero_;
  bool trained_ = false;
};

const Registered registered("birnn", [](Weights& w, const Arrays& instances, bool) {
  return std::unique_ptr<Model>(new BiRNN(w, instances));
});

}  // namespace
