// BERT's encoder with early exit: the tokens of a sequence are DyNet's batch dimension, so that a
// layer's products are one GEMM per sequence. The certainty after a layer is read for one sequence
// after the other, or for all that still run, by hand (`lockstep`).
#include "models.h"

namespace {

constexpr unsigned kHead = 64;

class BERxiT : public Model {
 public:
  BERxiT(Weights& w, const Arrays& instances, bool lockstep)
      : tokens_(instances["tokens"]),
        thresholds_(doubles(instances, "thresholds")),
        positions_(w.array("layer.positions")),
        lockstep_(lockstep) {
    batch_ = tokens_.dims[0];
    length_ = static_cast<unsigned>(tokens_.dims[1]);
    hidden_ = static_cast<unsigned>(tokens_.dims[2]);
    depth_ = instances["thresholds.high"].dims[1];
    for (const char* name : {"qkv", "o", "up", "down"}) {
      std::string n = name;
      linear_.push_back({w.whole("layer.b_" + n), w.whole("layer.w_" + n)});
    }
    linear_.push_back({w.whole("b_pool"), w.whole("w_pool")});
    linear_.push_back({w.whole("b_class"), w.whole("w_class")});
    norms_ = {{w.whole("layer.g_1"), w.whole("layer.b_1")},
              {w.whole("layer.g_2"), w.whole("layer.b_2")}};
    certain_ = w.whole("w_certain");
  }

  // Numbers: per instance the layers that ran.
  void run(ComputationGraph& cg, int, Figures& figures, std::vector<Expression>& results,
           std::vector<int64_t>& numbers) override {
    Stopwatch watch;
    now_ = bind(cg, linear_);
    norms_now_ = bind(cg, norms_);
    Expression certain = dynet::const_parameter(cg, certain_);
    numbers.assign(batch_, 0);
    std::vector<Expression> x, first(batch_);
    Expression positions = dynet::input(cg, whole(), positions_.f);
    for (size_t i = 0; i < batch_; i++) {
      auto from = tokens_.f.begin() + static_cast<std::ptrdiff_t>(i * length_ * hidden_);
      std::vector<float> values(from, from + static_cast<std::ptrdiff_t>(length_ * hidden_));
      x.push_back(dynet::input(cg, whole(), values) + positions);
    }
    std::vector<size_t> left;
    size_t next = 0;
    while (next < batch_ || !left.empty()) {
      while (next < batch_ && (lockstep_ || left.empty())) left.push_back(next++);
      std::vector<Expression> scores;
      for (size_t i : left) {
        x[i] = layer(x[i]);
        first[i] = dynet::pick_batch_elem(x[i], 0u);
        scores.push_back(dynet::logistic(certain * first[i]));
      }
      figures.graph_ms += watch.lap();
      cg.incremental_forward(scores.back());
      std::vector<size_t> going;
      for (size_t k = 0; k < left.size(); k++) {
        size_t i = left[k];
        double score = dynet::as_scalar(cg.incremental_forward(scores[k]));
        size_t ran = static_cast<size_t>(++numbers[i]);
        if (score <= thresholds_[i * depth_ + ran - 1] && ran < depth_) going.push_back(i);
      }
      left.swap(going);
      figures.forward_ms += watch.lap();
      figures.syncs++;
    }
    for (size_t i = 0; i < batch_; i++) {
      Expression pooled = dynet::tanh(affine(now_[kPool], {first[i]}));
      results.push_back(dynet::softmax(affine(now_[kClass], {pooled})));
    }
    figures.graph_ms += watch.lap();
    cg.incremental_forward(static_cast<dynet::VariableIndex>(cg.nodes.size() - 1));
    figures.forward_ms += watch.lap();
  }

 private:
  enum Linear { kQkv, kMix, kUp, kDown, kPool, kClass };

  dynet::Dim whole() const { return dynet::Dim({hidden_}, length_); }

  Expression norm(const Expression& x, int n) const {
    // Variance with an epsilon, as the model has it; DyNet's own layer_norm has none.
    Expression centred = x - dynet::mean_elems(x);
    Expression deviation = dynet::sqrt(dynet::mean_elems(dynet::square(centred)) + 1e-5f);
    return dynet::cmult(norms_now_[n][0], dynet::cdiv(centred, deviation)) + norms_now_[n][1];
  }

  Expression layer(const Expression& x) const {
    Expression qkv = dynet::reshape(affine(now_[kQkv], {x}), dynet::Dim({3 * hidden_, length_}));
    std::vector<Expression> heads;
    for (unsigned at = 0; at < hidden_; at += kHead) {
      auto part = [&](unsigned which) {
        unsigned first = which * hidden_ + at;
        return dynet::pick_range(qkv, first, first + kHead);
      };
      Expression scores = dynet::transpose(part(1)) * part(0);
      heads.push_back(part(2) * dynet::softmax(scores * (1 / std::sqrt(float{kHead}))));
    }
    Expression mixed = heads.size() > 1 ? dynet::concatenate(heads) : heads[0];
    mixed = affine(now_[kMix], {dynet::reshape(mixed, whole())});
    Expression y = norm(x + mixed, 0);
    Expression up = affine(now_[kUp], {y});
    up = dynet::cmult(up, 0.5f * (dynet::erf(up * std::sqrt(0.5f)) + 1.f));
    return norm(y + affine(now_[kDown], {up}), 1);
  }

  const Array& tokens_;
  std::vector<double> thresholds_;
  const Array& positions_;
  bool lockstep_;
  size_t batch_ = 0, depth_ = 0;
  unsigned length_ = 0, hidden_ = 0;
  Transforms linear_, norms_;
  dynet::Parameter certain_;
  Bound now_, norms_now_;
};

}  // namespace

std::unique_ptr<Model> berxit(Weights& w, const Arrays& instances, bool lockstep) {
  return std::make_unique<BERxiT>(w, instances, lockstep);
}
