// Top-down tree generation. Whether a node has children and a sibling depends on its values, which
// are read for one node at a time, or, batched by hand, for all nodes of all trees that can be
// generated together (`lockstep`).
#include <algorithm>

#include "model.h"
#include "thresholds.h"

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
    classes_ = static_cast<unsigned>(w.array("w_label").dims[1]);
    positions_ = instances["child.high"].dims[1];
    for (const char* name : {"a", "f"}) {
      std::string n = name;
      cells_.push_back(
          {w.whole("b_" + n), w.part("w_" + n, 0, h, 0, h), w.part("w_" + n, h, h, 0, h)});
    }
    cells_.push_back({w.zeros(h), w.whole("u_a"), w.whole("u_f")});
    outputs_ = {{w.beside({"w_label", "w_child", "w_sibling"}), w.whole("labels")}};
  }

  // Its numbers say, per instance and for every node in preorder, whether the node has a child and
  // whether it has a sibling.
  void run(Run& run, ComputationGraph& cg, int) override {
    cells_now_ = load(cg, cells_);
    outputs_now_ = load(cg, outputs_)[0];
    zero_ = dynet::zeros(cg, dynet::Dim({hidden_}));
    start_ = dynet::tanh(affine(cells_now_[kFraternal], {zero_, zero_}));
    nodes_.clear();
    // There are many evaluations, and in each DyNet goes through all nodes of the graph.
    if (!lockstep_) run.checkpoint();
    std::vector<Pending> pending;
    std::vector<int> roots;
    for (size_t i = 0; i < tokens_.i.size(); i++) {
      Expression root = dynet::const_lookup(cg, emb_, static_cast<unsigned>(tokens_.i[i]));
      Pending p;
      p.node = add(), p.instance = i, p.h_f = start_;
      p.h_a = dynet::tanh(affine(cells_now_[kAncestral], {root, zero_}));
      roots.push_back(p.node);
      pending.push_back(p);
      if (lockstep_) continue;
      generate_all(run, pending);
      collect(roots.back(), run);
      run.revert();
      roots.clear();
    }
    generate_all(run, pending);
    for (int root : roots) collect(root, run);
  }

 private:
  enum Cell { kAncestral, kFraternal, kPrediction };
  enum Output { kOutputs, kLabels };

  struct Node {
    Expression label;
    int child = -1, sibling = -1;
  };
  // A node to be generated, with its states from its parent (`h_a`) and its left sibling (`h_f`):
  // the former is the same for all siblings, the latter for all first children.
  struct Pending {
    int node = 0;
    size_t instance = 0;
    Expression h_a, h_f;
    size_t at = 0;
    int level = 0, number = 0;
  };
  struct Generated {
    Expression x, further;  // the value passed on; the probabilities of a child and of a sibling
  };

  int add() {
    nodes_.emplace_back();
    return static_cast<int>(nodes_.size()) - 1;
  }

  void generate_all(Run& run, std::vector<Pending>& pending) {
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
      std::vector<Expression> further;
      for (const Generated& g : made) further.push_back(g.further);
      std::vector<float> values = run.decide(further);
      for (size_t k = 0; k < wave.size(); k++) expand(wave[k], made[k], &values[2 * k], pending);
    }
  }

  Generated generate(const Pending& p) {
    Expression h = dynet::tanh(affine(cells_now_[kPrediction], {p.h_a, p.h_f}));
    Expression outputs = outputs_now_[kOutputs] * h;
    Expression label = dynet::softmax(dynet::pick_range(outputs, 0, classes_));
    nodes_[static_cast<size_t>(p.node)].label = label;
    return {outputs_now_[kLabels] * label,
            dynet::logistic(dynet::pick_range(outputs, classes_, classes_ + 2))};
  }

  // Adds the nodes that follow an evaluated node, given its probabilities of a child and of a
  // sibling.
  void expand(const Pending& p, const Generated& g, const float* further,
              std::vector<Pending>& pending) {
    size_t at = p.instance * positions_ + p.at;
    bool child = p.level<kLevels&& static_cast<double>(further[0])> child_[at];
    bool sibling =
        p.level > 0 && p.number < kSiblings - 1 && static_cast<double>(further[1]) > sibling_[at];
    if (sibling) {
      Pending next = p;
      next.node = nodes_[static_cast<size_t>(p.node)].sibling = add();
      next.h_f = dynet::tanh(affine(cells_now_[kFraternal], {p.h_f, g.x}));
      next.at++, next.number++;
      pending.push_back(next);
    }
    if (child) {
      Pending next = p;
      next.node = nodes_[static_cast<size_t>(p.node)].child = add();
      next.h_a = dynet::tanh(affine(cells_now_[kAncestral], {p.h_a, g.x}));
      next.h_f = start_;
      next.at = 3 * p.at + 1, next.level++, next.number = 0;
      pending.push_back(next);
    }
  }

  void collect(int node, Run& run) const {
    const Node& n = nodes_[static_cast<size_t>(node)];
    run.result(n.label);
    run.number(n.child >= 0);
    run.number(n.sibling >= 0);
    if (n.child >= 0) collect(n.child, run);
    if (n.sibling >= 0) collect(n.sibling, run);
  }

  const Array& tokens_;
  std::vector<double> child_, sibling_;
  bool lockstep_;
  dynet::LookupParameter emb_;
  unsigned hidden_ = 0, classes_ = 0;
  size_t positions_ = 0;
  Transforms cells_, outputs_;
  Bound cells_now_;
  std::vector<Expression> outputs_now_;
  Expression zero_, start_;  // the zero state; the fraternal state of a first child
  std::vector<Node> nodes_;
};

const Registered registered("drnn", [](Weights& w, const Arrays& instances, bool lockstep) {
  return std::unique_ptr<Model>(new DRNN(w, instances, lockstep));
});

}  // namespace
