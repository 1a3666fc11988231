// Shift-reduce parser. An action is read as soon as it is needed, which ends the batch: as a user
// writes it, for one sentence after the other, or step by step with the decisions of all sentences
// batched by hand (`lockstep`). The loss is the classification of the actions where there was a
// choice, along given actions, so that no values are read.
#include <algorithm>

#include "cell.h"
#include "model.h"

namespace {

class StackRNN : public Model {
 public:
  StackRNN(Weights& w, const Arrays& instances, bool lockstep)
      : words_(instances["words"]), lengths_(instances["lengths"]), lockstep_(lockstep) {
    emb_ = w.table("emb");
    size_t h = w.array("emb").dims[1];
    auto upper = [&](const std::string& n) { return w.part(n, 0, h, 0, w.array(n).dims[1]); };
    auto lower = [&](const std::string& n) { return w.part(n, h, h, 0, w.array(n).dims[1]); };
    // The upper half of a matrix multiplies the state in the stack's RNN, the word in the buffer's.
    stack_ = std::make_unique<Cell>(w.whole("b_stack"), lower("w_stack"), upper("w_stack"));
    buffer_ = std::make_unique<Cell>(w.whole("b_buffer"), upper("w_buffer"), lower("w_buffer"));
    pairs_ = {{w.whole("b_phrase"), upper("w_phrase"), lower("w_phrase")},
              {w.whole("b_action"), upper("w_action"), lower("w_action")}};
    ends_ = {{w.whole("empty_stack"), w.whole("empty_buffer")}};
    if (instances.has("actions")) actions_ = &instances["actions"];
    size_t at = 0;
    for (int32_t length : lengths_.i) {
      firsts_.push_back(at);
      at += static_cast<size_t>(length);
    }
  }

  // With one sentence at a time, projections add nodes that cost more than batching them saves.
  std::vector<std::string> forms() const override {
    if (!lockstep_) return {"an affine transform of input and state"};
    return {"the buffer's inputs projected beforehand", "all inputs projected beforehand"};
  }

  // Its numbers are, per instance, the maximum number of phrases on the stack.
  void run(Run& run, ComputationGraph& cg, int form) override {
    begin(cg, form == 1, lockstep_, false);
    std::vector<Parser> parsers;
    // There are many evaluations, and in each DyNet goes through all nodes of the graph.
    if (!lockstep_) run.checkpoint();
    for (size_t i = 0; i < firsts_.size(); i++) {
      parsers.push_back(start(cg, i));
      if (lockstep_) continue;
      finish(run, parsers);
      run.revert();
      parsers.clear();
    }
    finish(run, parsers);
  }

  // The buffer's inputs are projected beforehand in every form, as no decision splits the batch.
  void loss(Run& run, ComputationGraph& cg, int form, const std::vector<int64_t>& which) override {
    begin(cg, form == 1, true, true);
    for (int64_t i : which) {
      auto number = static_cast<size_t>(i);
      Parser p = start(cg, number);
      // A sentence of n words takes 2 n - 1 actions.
      size_t n = p.words.size(), first = 2 * firsts_[number] - number;
      for (size_t k = 0; k < 2 * n - 1; k++) {
        int action = actions_->i[first + k];
        if (p.at < n && p.phrases.size() > 1) {
          run.result(dynet::pickneglogsoftmax(scores(p), static_cast<unsigned>(action)));
        }
        act(p, action);
      }
    }
  }

 private:
  enum Pair { kPhrase, kAction };

  struct Word {
    Expression phrase, input;  // the phrase itself, and the phrase as input of the stack's RNN
  };
  struct Parser {
    std::vector<Word> words;
    std::vector<Expression> ahead, phrases, states;
    size_t at = 0;
    int64_t deepest = 0;
    int action = -1;  // decided but not yet taken; -1: none
    Expression scores;
  };

  void begin(ComputationGraph& cg, bool stack_projected, bool buffer_projected, bool trained) {
    trained_ = trained;
    stack_->load(cg, stack_projected, trained);
    buffer_->load(cg, buffer_projected, trained);
    pairs_now_ = load(cg, pairs_, trained);
    Bound ends = load(cg, ends_, trained);
    bottom_ = ends[0][0], end_ = ends[0][1];
  }

  Parser start(ComputationGraph& cg, size_t number) {
    Parser p;
    for (int32_t k = 0; k < lengths_.i[number]; k++) {
      auto word = static_cast<unsigned>(words_.i[firsts_[number] + static_cast<size_t>(k)]);
      Expression x = row(cg, emb_, word, trained_);
      p.words.push_back({x, stack_->input(x)});
    }
    p.ahead.push_back(end_);
    for (size_t k = p.words.size(); k-- > 0;) {
      Expression x = buffer_->input(p.words[k].phrase);
      p.ahead.push_back(buffer_->step(x, p.ahead.back()));
    }
    return p;
  }

  // Runs all parsers in lockstep to the end, and keeps the results.
  void finish(Run& run, std::vector<Parser>& parsers) {
    std::vector<Parser*> deciding;
    do {
      deciding.clear();
      for (Parser& p : parsers) {
        if (advance(p)) deciding.push_back(&p);
      }
      if (deciding.empty()) break;
      std::vector<Expression> scores;
      for (const Parser* p : deciding) scores.push_back(p->scores);
      std::vector<float> values = run.decide(scores);
      for (size_t k = 0; k < deciding.size(); k++) {
        deciding[k]->action = values[2 * k + 1] > values[2 * k];
      }
    } while (true);
    run.evaluate();
    for (Parser& p : parsers) {
      run.result(p.phrases.empty() ? bottom_ : p.phrases.back());
      run.number(p.deepest);
    }
  }

  // Takes transitions up to the next decision; returns false if the parse is complete.
  bool advance(Parser& p) {
    while (p.at < p.words.size() || p.phrases.size() > 1) {
      int action = p.action;
      p.action = -1;
      if (action < 0) {
        if (p.at == p.words.size()) {
          action = 1;
        } else if (p.phrases.size() > 1) {
          p.scores = scores(p);
          return true;
        } else {
          action = 0;
        }
      }
      act(p, action);
      p.deepest = std::max(p.deepest, static_cast<int64_t>(p.phrases.size()));
    }
    return false;
  }

  // The scores of shift and reduce, for a state in which both are possible.
  Expression scores(const Parser& p) const {
    return affine(pairs_now_[kAction], {p.states.back(), p.ahead[p.words.size() - p.at]});
  }

  void act(Parser& p, int action) {
    if (action == 0) {
      push(p, p.words[p.at++]);
      return;
    }
    Expression right = p.phrases.back();
    p.phrases.pop_back(), p.states.pop_back();
    Expression left = p.phrases.back();
    p.phrases.pop_back(), p.states.pop_back();
    Expression phrase = dynet::tanh(affine(pairs_now_[kPhrase], {left, right}));
    push(p, {phrase, stack_->input(phrase)});
  }

  void push(Parser& p, const Word& word) {
    Expression below = p.states.empty() ? bottom_ : p.states.back();
    p.states.push_back(stack_->step(word.input, below));
    p.phrases.push_back(word.phrase);
  }

  const Array &words_, &lengths_;
  const Array* actions_ = nullptr;
  std::vector<size_t> firsts_;  // words before each sentence
  bool lockstep_, trained_ = false;
  dynet::LookupParameter emb_;
  std::unique_ptr<Cell> stack_, buffer_;
  Transforms pairs_, ends_;
  Bound pairs_now_;
  Expression bottom_, end_;
};

const Registered registered("stackrnn", [](Weights& w, const Arrays& instances, bool lockstep) {
  return std::unique_ptr<Model>(new StackRNN(w, instances, lockstep));
});

}  // namespace
