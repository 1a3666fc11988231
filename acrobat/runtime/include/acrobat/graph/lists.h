// Lists of the model. A list is a header (length, items, and the buffer it may grow in); headers
// and items never change once another value can see them.
#pragma once

#include <algorithm>
#include <initializer_list>

#include "context.h"

namespace acrobat {

// The buffer behind lists that were built by appending. A list that ends where the buffer's used
// part ends may append an item in place, because no other list sees that slot.
struct ListBuffer {
  int64_t used, capacity;
  Word* items;
};

struct List {
  int64_t length;
  const Word* items;
  ListBuffer* buffer;
};

inline const List& list_of(const Word* value) { return *reinterpret_cast<const List*>(value); }

// The buffer of a list that several paths of the mini-batch lead to (graph/memo.h): no list may
// grow in it.
inline constinit ListBuffer kSharedList{0, 0, nullptr};
inline bool is_shared_list(const Word* value) { return list_of(value).buffer == &kSharedList; }

static_assert(sizeof(List) == 3 * sizeof(Word) && sizeof(ListBuffer) == 3 * sizeof(Word));

inline const Word* list_header(Context& cx, int64_t length, const Word* items,
                               ListBuffer* buffer = nullptr) {
  auto* header = reinterpret_cast<List*>(cx.words.take(3));
  *header = {length, items, buffer};
  return reinterpret_cast<const Word*>(header);
}

inline const Word* list_copy(Context& cx, std::initializer_list<Word> items) {
  Word* to = cx.words.take(items.size());
  std::copy(items.begin(), items.end(), to);
  return list_header(cx, static_cast<int64_t>(items.size()), to);
}

inline int64_t list_len(const Word* list) { return list_of(list).length; }

inline const Word& list_get(const Word* list, int64_t index) {
  const List& l = list_of(list);
  int64_t at = index < 0 ? index + l.length : index;
  if (static_cast<uint64_t>(at) >= static_cast<uint64_t>(l.length)) {
    fail_list_index(index, l.length);
  }
  return l.items[at];
}

// `index` is a natural number; `other` stands for the items past the end. Lengths vary, so this is
// a conditional move of the address and no branch, which would often be predicted wrongly.
inline Word list_get_or(const Word* list, int64_t index, Word other) {
  const List& l = list_of(list);
  const Word *at = &other, *item = l.items + index;
  at = __builtin_expect_with_probability(index < l.length, 1, 0.5) ? item : at;
  return *at;
}

inline const Word* list_append(Context& cx, const Word* list, Word item) {
  const List& l = list_of(list);
  ListBuffer* b = l.buffer;
  if (b == nullptr || l.items + l.length != b->items + b->used || b->used == b->capacity) {
    int64_t capacity = std::max<int64_t>(8, 2 * l.length);
    b = reinterpret_cast<ListBuffer*>(cx.words.take(3));
    *b = {l.length, capacity, cx.words.take(static_cast<size_t>(capacity))};
    std::copy(l.items, l.items + l.length, b->items);
  }
  b->items[b->used++] = item;
  return list_header(cx, l.length + 1, b->items + b->used - l.length - 1, b);
}

inline const Word* list_concat(Context& cx, const Word* a, const Word* b) {
  const List &x = list_of(a), &y = list_of(b);
  if (x.length == 0) return b;
  if (y.length == 0) return a;
  Word* to = cx.words.take(static_cast<size_t>(x.length + y.length));
  std::copy(x.items, x.items + x.length, to);
  std::copy(y.items, y.items + y.length, to + x.length);
  return list_header(cx, x.length + y.length, to);
}

inline const Word* list_slice(Context& cx, const Word* list, int64_t start, int64_t stop) {
  const List& l = list_of(list);
  auto clamp = [&](int64_t i) {
    return std::clamp<int64_t>(i < 0 ? i + l.length : i, 0, l.length);
  };
  start = clamp(start);
  stop = std::max(start, clamp(stop));
  // A slice that reaches the end of the list may grow there, as a queue does.
  ListBuffer* b = stop == l.length && !is_shared_list(list) ? l.buffer : nullptr;
  return list_header(cx, stop - start, l.items + start, b);
}

inline const Word* list_set(Context& cx, const Word* list, int64_t index, Word item) {
  const List& l = list_of(list);
  Word* to = cx.words.take(static_cast<size_t>(l.length));
  std::copy(l.items, l.items + l.length, to);
  to[&list_get(list, index) - l.items] = item;
  return list_header(cx, l.length, to);
}

// Makes no copy at either end, where stacks and queues remove their items.
inline const Word* list_remove(Context& cx, const Word* list, int64_t index) {
  const List& l = list_of(list);
  const int64_t at = &list_get(list, index) - l.items;
  if (at + 1 == l.length) return list_slice(cx, list, 0, at);
  if (at == 0) return list_slice(cx, list, 1, l.length);
  Word* to = cx.words.take(static_cast<size_t>(l.length - 1));
  std::copy(l.items, l.items + at, to);
  std::copy(l.items + at + 1, l.items + l.length, to + at);
  return list_header(cx, l.length - 1, to);
}

// All items of the lists in `list`. In src/lists.cc, like sorting.
const Word* list_flatten(Context& cx, const Word* list);

// Sorts in ascending order; NaNs, which `<` does not order, come last. In src/lists.cc.
const Word* list_sort_ints(Context& cx, const Word* list);
const Word* list_sort_floats(Context& cx, const Word* list);
// The indices of the items in that order; equal items keep their order.
const Word* list_order_ints(Context& cx, const Word* list);
const Word* list_order_floats(Context& cx, const Word* list);
// Of strings, which the host function `less` compares. In src/host_calls.cc.
const Word* list_order_texts(Context& cx, const Word* list, int less);

// The first index at which each list has its key, or -1. The lists have the same length; keys are
// ints, bools or the numbers of strings.
inline int64_t list_find(std::initializer_list<const Word*> lists,
                         std::initializer_list<Word> keys) {
  const int64_t n = list_of(*lists.begin()).length;
  for (int64_t at = 0; at < n; at++) {
    bool same = true;
    auto key = keys.begin();
    for (const Word* list : lists) same = same && list_of(list).items[at].i == (key++)->i;
    if (same) return at;
  }
  return -1;
}

inline const Word* list_reverse(Context& cx, const Word* list) {
  const List& l = list_of(list);
  Word* to = cx.words.take(static_cast<size_t>(l.length));
  std::reverse_copy(l.items, l.items + l.length, to);
  return list_header(cx, l.length, to);
}

// The items of a map's iterations that were kept, in order; `kept` has a byte per item.
inline const Word* list_filtered(Context& cx, const Word* items, const bool* kept, int64_t n) {
  Word* to = cx.words.take(static_cast<size_t>(n));
  int64_t length = 0;
  for (int64_t i = 0; i < n; i++) {
    if (kept[i]) to[length++] = items[i];
  }
  return list_header(cx, length, to);
}

}  // namespace acrobat
