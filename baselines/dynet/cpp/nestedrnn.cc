// An RNN loop inside a GRU loop; the loss is the classification of every document.
#include "cell.h"
#include "classifier.h"
#include "model.h"

namespace {

class NestedRNN : public Model {
 public:
  NestedRNN(Weights& w, const Arrays& instances)
      : words_(instances["words"]),
        lengths_(instances["lengths"]),
        sentences_(instances["sentences"]),
        labels_(labels_of(instances)),
        classifier_(w),
        cell_(w.whole(classifier_.within("b")), w.whole(classifier_.within("w")),
              w.whole(classifier_.within("u"))) {
    const std::string in = classifier_.within("");
    emb_ = w.table(in + "emb");
    hidden_ = static_cast<unsigned>(w.array(in + "emb").dims[1]);
    size_t h = hidden_;
    // The gates r and z read both inputs in one transform; n keeps them apart.
    gates_ = {{w.part(in + "b_gru", 0, 1, 0, 2 * h), w.part(in + "w_gru", 0, h, 0, 2 * h),
               w.part(in + "u_gru", 0, h, 0, 2 * h)},
              {w.part(in + "b_gru", 0, 1, 2 * h, h), w.part(in + "w_gru", 0, h, 2 * h, h)}};
    old_ = {{w.part(in + "u_gru", 0, h, 2 * h, h)}};
    size_t word = 0, sentence = 0;
    for (int32_t count : sentences_.i) {
      documents_.push_back({word, sentence, count});
      for (; count > 0; count--) word += static_cast<size_t>(lengths_.i[sentence++]);
    }
  }

  std::vector<std::string> forms() const override {
    return {"an affine transform of input and state", "inputs projected beforehand"};
  }

  void run(Run& run, ComputationGraph& cg, int form) override {
    begin(cg, form, false);
    for (const Document& d : documents_) run.result(encode(cg, d));
    run.evaluate();
  }

  void loss(Run& run, ComputationGraph& cg, int form, const std::vector<int64_t>& which) override {
    begin(cg, form, true);
    classifier_.load(cg);
    for (int64_t i : which) {
      auto at = static_cast<size_t>(i);
      classifier_.judge(run, encode(cg, documents_[at]), static_cast<unsigned>(labels_->i[at]));
    }
  }

 private:
  // Where a document's words and sentences begin, and its number of sentences.
  struct Document {
    size_t word, sentence;
    int32_t count;
  };

  void begin(ComputationGraph& cg, int form, bool trained) {
    trained_ = trained;
    cell_.load(cg, form == 1, trained);
    gates_now_ = load(cg, gates_, trained);
    old_now_ = load(cg, old_, trained)[0][0];
    zero_ = dynet::zeros(cg, dynet::Dim({hidden_}));
  }

  Expression encode(ComputationGraph& cg, const Document& d) const {
    size_t word = d.word, sentence = d.sentence;
    Expression h = zero_;
    for (int32_t k = 0; k < d.count; k++) {
      Expression s = h;
      for (int32_t n = lengths_.i[sentence++]; n > 0; n--) {
        Expression x = row(cg, emb_, static_cast<unsigned>(words_.i[word++]), trained_);
        s = cell_.step(cell_.input(x), s);
      }
      Expression both = dynet::logistic(affine(gates_now_[0], {s, h}));
      Expression r = dynet::pick_range(both, 0, hidden_);
      Expression z = dynet::pick_range(both, hidden_, 2 * hidden_);
      Expression n = dynet::tanh(affine(gates_now_[1], {s}) + dynet::cmult(r, old_now_ * h));
      h = n + dynet::cmult(z, h - n);
    }
    return h;
  }

  const Array &words_, &lengths_, &sentences_;
  const Array* labels_;
  Classifier classifier_;
  dynet::LookupParameter emb_;
  unsigned hidden_ = 0;
  Cell cell_;
  Transforms gates_, old_;
  std::vector<Document> documents_;
  Bound gates_now_;
  Expression old_now_, zero_;
  bool trained_ = false;
};

const Registered registered("nestedrnn", [](Weights& w, const Arrays& instances, bool) {
  return std::unique_ptr<Model>(new NestedRNN(w, instances));
});

}  // namespace
