// Shift-reduce parser. An action is read as soon as it is needed, which ends the batch: as a user
// writes it, one sentence after the other; or, with the decisions of all sentences batched by hand,
// step by step (`lockstep`).
#include "models.h"

namespace {

class StackRNN : public Model {
 public:
  StackRNN(Weights& w, const Arrays& instances, bool lockstep)
      : words_(instances["words"]), lengths_(instances["lengths"]), lockstep_(lockstep) {
    emb_ = w.table("emb");
    size_t h = w.array("emb").dims[1];
    auto pair = [&](const std::string& name, size_t columns) {
      return std::vector<dynet::Parameter>{w.whole("b_" + name),
                                           w.part("w_" + name, 0, h, 0, columns),
                                           w.part("w_" + name, h, h, 0, columns)};
    };
    cells_ = {pair("stack", h), pair("buffer", h), pair("phrase", h), pair("action", 2)};
    empty_stack_ = w.whole("empty_stack");
    empty_buffer_ = w.whole("empty_buffer");
  }

  void run(ComputationGraph& cg, int, Figures& figures, std::vector<Expression>& results,
           std::vector<int64_t>& numbers) override {
    Stopwatch watch;
    cells_now_ = bind(cg, cells_);
    bottom_ = dynet::const_parameter(cg, empty_stack_);
    std::vector<Parser> parsers;
    size_t at = 0;
    for (int32_t length : lengths_.i) {
      parsers.push_back(start(cg, at, length));
      at += static_cast<size_t>(length);
    }
    if (lockstep_) {
      std::vector<Parser*> deciding;
      do {
        deciding.clear();
        for (Parser& p : parsers) {
          if (advance(p)) deciding.push_back(&p);
        }
        if (deciding.empty()) break;
        figures.graph_ms += watch.lap();
        cg.incremental_forward(deciding.back()->scores);
        for (Parser* p : deciding) decide(cg, *p);
        figures.forward_ms += watch.lap();
        figures.syncs++;
      } while (true);
    } else {
      for (Parser& p : parsers) {
        while (advance(p)) {
          figures.graph_ms += watch.lap();
          decide(cg, p);
          figures.forward_ms += watch.lap();
          figures.syncs++;
        }
      }
    }
    for (Parser& p : parsers) {
      results.push_back(p.phrases.empty() ? bottom_ : p.phrases.back());
      numbers.push_back(p.deepest);
    }
    figures.graph_ms += watch.lap();
    cg.incremental_forward(static_cast<dynet::VariableIndex>(cg.nodes.size() - 1));
    figures.forward_ms += watch.lap();
  }

 private:
  enum Cell { kStack, kBuffer, kPhrase, kAction };

  struct Parser {
    std::vector<Expression> words, ahead, phrases, states;
    size_t at = 0;
    int64_t deepest = 0;
    int action = -1;  // decided and not yet taken
    Expression scores;
  };

  Parser start(ComputationGraph& cg, size_t first, int32_t length) {
    Parser p;
    for (int32_t k = 0; k < length; k++) {
      auto word = static_cast<unsigned>(words_.i[first + static_cast<size_t>(k)]);
      p.words.push_back(dynet::const_lookup(cg, emb_, word));
    }
    p.ahead.push_back(dynet::const_parameter(cg, empty_buffer_));
    for (size_t k = p.words.size(); k-- > 0;) {
      p.ahead.push_back(dynet::tanh(affine(cells_now_[kBuffer], {p.words[k], p.ahead.back()})));
    }
    return p;
  }

  // Transitions up to the next decision; false: the parse is complete.
  bool advance(Parser& p) {
    while (p.at < p.words.size() || p.phrases.size() > 1) {
      int action = p.action;
      p.action = -1;
      if (action < 0) {
        if (p.at == p.words.size()) {
          action = 1;
        } else if (p.phrases.size() > 1) {
          p.scores = affine(cells_now_[kAction], {p.states.back(), p.ahead[p.words.size() - p.at]});
          return true;
        } else {
          action = 0;
        }
      }
      if (action == 0) {
        push(p, p.words[p.at++]);
      } else {
        Expression right = p.phrases.back();
        p.phrases.pop_back(), p.states.pop_back();
        Expression left = p.phrases.back();
        p.phrases.pop_back(), p.states.pop_back();
        push(p, dynet::tanh(affine(cells_now_[kPhrase], {left, right})));
      }
      p.deepest = std::max(p.deepest, static_cast<int64_t>(p.phrases.size()));
    }
    return false;
  }

  void push(Parser& p, const Expression& phrase) {
    Expression below = p.states.empty() ? bottom_ : p.states.back();
    p.states.push_back(dynet::tanh(affine(cells_now_[kStack], {below, phrase})));
    p.phrases.push_back(phrase);
  }

  void decide(ComputationGraph& cg, Parser& p) {
    auto scores = dynet::as_vector(cg.incremental_forward(p.scores));
    p.action = scores[1] > scores[0];
  }

  const Array &words_, &lengths_;
  bool lockstep_;
  dynet::LookupParameter emb_;
  Transforms cells_;
  dynet::Parameter empty_stack_, empty_buffer_;
  Bound cells_now_;
  Expression bottom_;
};

}  // namespace

std::unique_ptr<Model> stackrnn(Weights& w, const Arrays& instances, bool lockstep) {
  return std::make_unique<StackRNN>(w, instances, lockstep);
}
