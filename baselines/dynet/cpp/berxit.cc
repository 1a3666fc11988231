// BERT's encoder with early exit: the tokens of a sequence are DyNet's batch dimension, so that a
// layer's products are one GEMM per sequence. The certainty after a layer is read for one sequence
// after the other, or, batched by hand, for all sequences that still run (`lockstep`).
#include <algorithm>
#include <cmath>

#include "model.h"
#include "thresholds.h"

namespace {

constexpr unsigned kHead = 64;
// The number of sequences per graph. DyNet keeps the values of all nodes, more than 100 MB per
// sequence. In lockstep, more sequences make products faster; one after the other, they share only
// the weights, which are copied into every graph. A GPU with far more than 16 GB needs only one.
constexpr size_t kTogether = 16, kTogetherOnGpu = 64, kApart = 4;

class BERxiT : public Model {
 public:
  BERxiT(Weights& w, const Arrays& instances, bool lockstep)
      : thresholds_(doubles(instances, "thresholds")),
        positions_(w.array("layer.positions")),
        lockstep_(lockstep) {
    const Array& tokens = instances["tokens"];
    batch_ = tokens.dims[0];
    length_ = static_cast<unsigned>(tokens.dims[1]);
    hidden_ = static_cast<unsigned>(tokens.dims[2]);
    depth_ = instances["thresholds.high"].dims[1];
    auto size = static_cast<std::ptrdiff_t>(length_ * hidden_);
    for (auto at = tokens.f.begin(); at != tokens.f.end(); at += size) {
      tokens_.emplace_back(at, at + size);
    }
    for (const char* name : {"qkv", "o", "up", "down"}) {
      std::string n = name;
      linear_.push_back({w.whole("layer.b_" + n), w.whole("layer.w_" + n)});
    }
    linear_.push_back({w.whole("b_pool"), w.whole("w_pool")});
    linear_.push_back({w.whole("b_class"), w.whole("w_class")});
    // gelu(x) is x sqrt(1/2) (erf(x sqrt(1/2)) + 1) sqrt(1/2): the first factor is folded into the
    // weights that produce x, the second into those that read the result. The scale of the
    // attention scores is folded into the weights of the queries.
    float root = std::sqrt(0.5f), scale = 1 / std::sqrt(float{kHead});
    linear_[kQkv] = {w.scaled("layer.b_qkv", hidden_, scale),
                     w.scaled("layer.w_qkv", hidden_, scale)};
    linear_[kUp] = {w.whole("layer.b_up", root), w.whole("layer.w_up", root)};
    linear_[kDown][1] = w.whole("layer.w_down", root);
    norms_ = {{w.whole("layer.g_1"), w.whole("layer.b_1")},
              {w.whole("layer.g_2"), w.whole("layer.b_2")}};
    certain_ = w.whole("w_certain");
  }

  // Its numbers are, per instance, how many layers ran.
  void run(Run& run, ComputationGraph& first, int) override {
    ComputationGraph* cg = &first;
    size_t together = Run::on_gpu() ? kTogetherOnGpu : kTogether;
    size_t most = lockstep_ ? together : kApart;
    for (size_t at = 0; at < batch_; at += most) {
      if (at > 0) cg = &run.renew();
      encode(run, *cg, at, std::min(at + most, batch_));
    }
  }

 private:
  enum Linear { kQkv, kMix, kUp, kDown, kPool, kClass };

  struct Sequence {
    size_t instance;
    Expression x, first;  // all tokens, and the first one
    size_t layers = 0;
  };

  // Runs as many layers as each sequence needs, one sequence after the other or all together, and
  // then classifies.
  void encode(Run& run, ComputationGraph& cg, size_t at, size_t end) {
    now_ = load(cg, linear_);
    norms_now_ = load(cg, norms_);
    Expression certain = dynet::const_parameter(cg, certain_);
    Expression positions = dynet::input(cg, whole(), &positions_.f);
    std::vector<Sequence> sequences;
    for (; at < end; at++) {
      sequences.push_back({at, dynet::input(cg, whole(), &tokens_[at]) + positions, {}});
    }
    std::vector<Sequence*> left;
    size_t next = 0;
    while (next < sequences.size() || !left.empty()) {
      while (next < sequences.size() && (lockstep_ || left.empty())) {
        left.push_back(&sequences[next++]);
      }
      std::vector<Expression> scores;
      for (Sequence* s : left) {
        s->x = layer(s->x);
        s->first = dynet::pick_batch_elem(s->x, 0u);
        s->layers++;
        scores.push_back(dynet::logistic(certain * s->first));
      }
      std::vector<float> certainties = run.decide(scores);
      std::vector<Sequence*> going;
      for (size_t k = 0; k < left.size(); k++) {
        Sequence* s = left[k];
        double threshold = thresholds_[s->instance * depth_ + s->layers - 1];
        if (certainties[k] <= threshold && s->layers < depth_) going.push_back(s);
      }
      left.swap(going);
    }
    for (Sequence& s : sequences) {
      Expression pooled = dynet::tanh(affine(now_[kPool], {s.first}));
      run.result(dynet::softmax(affine(now_[kClass], {pooled})));
      run.number(static_cast<int64_t>(s.layers));
    }
    run.evaluate();
  }

  dynet::Dim whole() const { return dynet::Dim({hidden_}, length_); }

  Expression norm(const Expression& x, int n) const {
    // The variance has an epsilon, as in the model; DyNet's own layer_norm has none.
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
      heads.push_back(part(2) * dynet::softmax(scores));
    }
    Expression mixed = heads.size() > 1 ? dynet::concatenate(heads) : heads[0];
    mixed = affine(now_[kMix], {dynet::reshape(mixed, whole())});
    Expression y = norm(x + mixed, 0);
    Expression up = affine(now_[kUp], {y});
    up = dynet::cmult(up, dynet::erf(up) + 1.f);
    return norm(y + affine(now_[kDown], {up}), 1);
  }

  std::vector<std::vector<float>> tokens_;
  std::vector<double> thresholds_;
  const Array& positions_;
  bool lockstep_;
  size_t batch_ = 0, depth_ = 0;
  unsigned length_ = 0, hidden_ = 0;
  Transforms linear_, norms_;
  dynet::Parameter certain_;
  Bound now_, norms_now_;
};

const Registered registered("berxit", [](Weights& w, const Arrays& instances, bool lockstep) {
  return std::unique_ptr<Model>(new BERxiT(w, instances, lockstep));
});

}  // namespace
