// List operations that are too rare to be compiled with every program that has lists.
#include "acrobat/graph/lists.h"

#include <algorithm>

namespace acrobat {

namespace {

template <class Less>
const Word* sorted(Context& cx, const Word* list, Less less) {
  const List& l = list_of(list);
  Word* to = cx.words.take(static_cast<size_t>(l.length));
  std::copy(l.items, l.items + l.length, to);
  std::stable_sort(to, to + l.length, less);
  return list_header(cx, l.length, to);
}

template <class Less>
const Word* ordered(Context& cx, const Word* list, Less less) {
  const List& l = list_of(list);
  Word* to = cx.words.take(static_cast<size_t>(l.length));
  for (int64_t i = 0; i < l.length; i++) to[i].i = i;
  std::stable_sort(to, to + l.length,
                   [&](const Word& a, const Word& b) { return less(l.items[a.i], l.items[b.i]); });
  return list_header(cx, l.length, to);
}

bool less_floats(const Word& a, const Word& b) { return a.f < b.f || (a.f == a.f && b.f != b.f); }

}  // namespace

const Word* list_flatten(Context& cx, const Word* list) {
  const List& outer = list_of(list);
  int64_t length = 0;
  for (int64_t i = 0; i < outer.length; i++) length += list_len(outer.items[i].p);
  Word* to = cx.words.take(static_cast<size_t>(length));
  Word* next = to;
  for (int64_t i = 0; i < outer.length; i++) {
    const List& inner = list_of(outer.items[i].p);
    next = std::copy(inner.items, inner.items + inner.length, next);
  }
  return list_header(cx, length, to);
}

const Word* list_sort_ints(Context& cx, const Word* list) {
  return sorted(cx, list, [](const Word& a, const Word& b) { return a.i < b.i; });
}

const Word* list_sort_floats(Context& cx, const Word* list) {
  return sorted(cx, list, less_floats);
}

const Word* list_order_ints(Context& cx, const Word* list) {
  return ordered(cx, list, [](const Word& a, const Word& b) { return a.i < b.i; });
}

const Word* list_order_floats(Context& cx, const Word* list) {
  return ordered(cx, list, less_floats);
}

}  // namespace acrobat
