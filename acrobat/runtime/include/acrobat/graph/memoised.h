// A memoised call, as the generated program contains it.
#pragma once

#include <cstring>
#include <type_traits>

#include "context.h"

namespace acrobat {

inline Word key_word(int64_t i) { return {.i = i}; }
inline Word key_word(bool b) { return {.i = b}; }
inline Word key_word(double f) { return {.f = f}; }
inline Word key_word(const Word* p) { return {.p = p}; }

// Returns f(cx, args...), computed once for the same arguments. Not inlined, so that calls on
// objects that occur once, the common case, have smaller frames.
template <class Results, class... Args>
[[gnu::noinline]] Results memoised(Context& cx, Results (*f)(Context&, Args...),
                                   std::type_identity_t<Args>... args) {
  const Word key[] = {{.i = reinterpret_cast<intptr_t>(f)}, key_word(args)...};
  Recalled known = cx.recall(key, std::size(key));
  if (known.call == nullptr) return f(cx, args...);
  Results results;
  if (known.ended) {
    std::memcpy(&results, known.call->results, sizeof results);
    return results;
  }
  results = f(cx, args...);
  cx.note(*known.call, &results, sizeof results);
  return results;
}

}  // namespace acrobat
