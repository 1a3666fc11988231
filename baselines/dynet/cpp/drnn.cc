// Top-down tree generation. Whether a node has children and a sibling is read from its values: for
// one node at a time, or with the nodes of all trees that can be generated together decided
// together, by hand (`lockstep`).
#include "models.h"

namespace {

constexpr int kLevels = 4, kSiblings = 3;

class DRNN : public Model {
 public:
  DRNN(Weights& w, const Arrays& instances, bool lockstep)
      : tokens_(instances["tokens"]),
        child_(doubles(instances, "child")),
        sibling_(doubles(instances, "sibling")),
        lockstep_(lockstep) {
    emb_ = w.table("emb");
    size_t h = w.array("emb").dims[1];
    hidden_ = static_cast<unsigned>(h);
    positions_ = instances["child.high"].dims[1];
    for (const char* name : {"a", "f"}) {
      std::string n = name;
      cells_.push_back(
          {w.whole("b_" + n), w.part("w_" + n, 0, h, 0, h), w.part("w_" + n, h, h, 0, h)});
    }
    for (const char* name : {"u_a", "u_f", "w_label", "labels", "w_child", "w_sibling"}) {
      matrices_.push_back({w.whole(name)});
    }
  }

  // Numbers: per instance, in preorder, for every node whether it has a child and a sibling.
  void run(ComputationGraph& cg, int, Figures& figures, std::vector<Expression>& results,
           std::vector<int64_t>& numbers) override {
    Stopwatch watch;
    cells_now_ = bind(cg, cells_);
    matrices_now_ = bind(cg, matrices_);
    Expression zero = dynet::zeros(cg, dynet::Dim({hidden_}));
    nodes_.clear();
    std::vector<Pending> pending;
    std::vector<int> roots;
    for (size_t i = 0; i < tokens_.i.size(); i++) {
      Expression root = dynet::const_lookup(cg, emb_, static_cast<unsigned>(tokens_.i[i]));
      pending.push_back({add(), i, root, zero, zero, zero, 0, 0, 0});
      roots.push_back(pending.back().node);
    }
    std::reverse(pending.begin(), pending.end());
    while (!pending.empty()) {
      std::vector<Pending> wave;
      if (lockstep_) {
        wave.swap(pending);
      } else {
        wave.push_back(pending.back());
        pending.pop_back();
      }
      std::vector<Generated> made;
      for (const Pending& p : wave) made.push_back(generate(p));
      figures.graph_ms += watch.lap();
      cg.incremental_forward(made.back().has_sibling);
      std::vector<std::pair<bool, bool>> decisions;
      for (size_t k = 0; k < wave.size(); k++) decisions.push_back(decide(cg, wave[k], made[k]));
      figures.forward_ms += watch.lap();
      figures.syncs++;
      for (size_t k = 0; k < wave.size(); k++) {
        const Pending& p = wave[k];
        auto [child, sibling] = decisions[k];
        if (sibling) {
          int n = nodes_[static_cast<size_t>(p.node)].sibling = add();
          pending.push_back({n, p.instance, p.parent, p.parent_x, made[k].h_f, made[k].x, p.at + 1,
                             p.level, p.number + 1});
        }
        if (child) {
          int n = nodes_[static_cast<size_t>(p.node)].child = add();
          pending.push_back(
              {n, p.instance, made[k].h_a, made[k].x, zero, zero, 3 * p.at + 1, p.level + 1, 0});
        }
      }
    }
    for (int root : roots) collect(root, results, numbers);
    figures.graph_ms += watch.lap();
  }

 private:
  enum Matrix { kUa, kUf, kLabel, kLabels, kChild, kSibling };

  struct Node {
    Expression label;
    int child = -1, sibling = -1;
  };
  struct Pending {
    int node;
    size_t instance;
    Expression parent, parent_x, before, before_x;
    size_t at;
    int level, number;
  };
  struct Generated {
    Expression h_a, h_f, x, has_child, has_sibling;
  };

  int add() {
    nodes_.emplace_back();
    return static_cast<int>(nodes_.size()) - 1;
  }

  Generated generate(const Pending& p) {
    auto matrix = [&](Matrix m) { return matrices_now_[m][0]; };
    Generated g;
    g.h_a = dynet::tanh(affine(cells_now_[0], {p.parent, p.parent_x}));
    g.h_f = dynet::tanh(affine(cells_now_[1], {p.before, p.before_x}));
    Expression h = dynet::tanh(matrix(kUa) * g.h_a + matrix(kUf) * g.h_f);
    Expression label = dynet::softmax(matrix(kLabel) * h);
    nodes_[static_cast<size_t>(p.node)].label = label;
    g.x = matrix(kLabels) * label;
    g.has_child = dynet::logistic(matrix(kChild) * h);
    g.has_sibling = dynet::logistic(matrix(kSibling) * h);
    return g;
  }

  std::pair<bool, bool> decide(ComputationGraph& cg, const Pending& p, const Generated& g) {
    size_t at = p.instance * positions_ + p.at;
    auto over = [&](const Expression& e, const std::vector<double>& thresholds) {
      return static_cast<double>(dynet::as_scalar(cg.incremental_forward(e))) > thresholds[at];
    };
    return {p.level < kLevels && over(g.has_child, child_),
            p.level > 0 && p.number < kSiblings - 1 && over(g.has_sibling, sibling_)};
  }

  void collect(int node, std::vector<Expression>& results, std::vector<int64_t>& numbers) const {
    const Node& n = nodes_[static_cast<size_t>(node)];
    results.push_back(n.label);
    numbers.push_back(n.child >= 0);
    numbers.push_back(n.sibling >= 0);
    if (n.child >= 0) collect(n.child, results, numbers);
    if (n.sibling >= 0) collect(n.sibling, results, numbers);
  }

  const Array& tokens_;
  std::vector<double> child_, sibling_;
  bool lockstep_;
  dynet::LookupParameter emb_;
  unsigned hidden_ = 0;
  size_t positions_ = 0;
  Transforms cells_, matrices_;
  Bound cells_now_, matrices_now_;
  std::vector<Node> nodes_;
};

}  // namespace

std::unique_ptr<Model> drnn(Weights& w, const Arrays& instances, bool lockstep) {
  return std::make_unique<DRNN>(w, instances, lockstep);
}
