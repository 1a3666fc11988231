// Marks the records and lists of a mini-batch that several paths lead to: those that occur more
// than once, and everything they contain. A call with one of them may be made again (graph/memo.h);
// a call with any other object cannot, unless its caller is called again.
#pragma once

#include <utility>
#include <vector>

#include "../graph/lists.h"
#include "../graph/records.h"
#include "faults.h"
#include "mentions.h"

namespace acrobat {

class SharedMarker {
 public:
  explicit SharedMarker(const DataType* types) : types_(types) {}

  // Returns whether there are any, in time proportional to what is marked. Throws PythonError if a
  // signal's handler raises an exception.
  bool mark(const Mentions& mentions) {
    bool any = false;
    for (const Mention& m : mentions.all()) {
      if (!m.again || PyArray_Check(m.object.get())) continue;
      any = true;
      push(m.value, m.item != nullptr, m.item);
      while (!work_.empty()) {
        if (++steps_ % kLook == 0 && PyErr_CheckSignals() != 0) throw PythonError();
        Item item = work_.back();
        work_.pop_back();
        item.list != nullptr ? contents(*item.list, *item.type) : contents(item.record);
      }
    }
    return any;
  }

 private:
  struct Item {
    Word* record;      // of data, or null
    const List* list;  // its items are of `type`
    const FieldType* type;
  };

  // Values never change once the program sees them, but it has not seen them yet.
  void push(Word w, bool is_list, const FieldType* item) {
    Word* record = const_cast<Word*>(w.p);
    if (!is_list) {
      if (is_shared_record(record)) return;
      mark_shared_record(record);
      work_.push_back({record, nullptr, nullptr});
      return;
    }
    auto* list = reinterpret_cast<List*>(record);
    if (is_shared_list(record)) return;
    list->buffer = &kSharedList;
    if (nested(*item)) work_.push_back({nullptr, list, item});
  }

  void contents(const List& list, const FieldType& type) {
    const FieldType& item = found_by(type);
    for (int64_t i = 0; i < list.length; i++) push(list.items[i], item.kind == 'l', item.item);
  }
  void contents(const Word* record) {
    const DataType& t = types_[tag_of(record)];
    for (int f = 0; f < t.n_fields; f++) {
      const FieldType& type = t.fields[f];
      if (nested(type)) push(record[1 + f], type.kind == 'l', type.item);
    }
  }

  static constexpr size_t kLook = 4096;  // records and lists between two checks for signals

  const DataType* types_;
  std::vector<Item> work_;
  size_t steps_ = 0;
};

}  // namespace acrobat
