// How a generated program reports errors. This header is compiled for every model, so it includes
// next to nothing; src/context.cc formats the messages and throws the exceptions.
#pragma once

#include <cstdint>
#include <initializer_list>

namespace acrobat {

[[noreturn]] void fail_stack();
[[noreturn]] void fail_gathered_row(const char* weight, int64_t index, int64_t rows);
[[noreturn]] void fail_row(int64_t index, int64_t rows);
[[noreturn]] void fail_list_index(int64_t index, int64_t length);
[[noreturn]] void fail_scalars();
[[noreturn]] void fail_graph();
// The result of `operation` on integers does not fit into 64 bits.
[[noreturn]] void fail_overflow(const char* operation);
// An instance is at fault in some other way, described by `what`.
[[noreturn]] void fail_instance(const char* what);

// A part of a message that the model composes: text, or a value.
struct MessagePart {
  enum class Kind { kText, kInt, kFloat, kBool, kString } kind;
  union {
    const char* text;
    int64_t whole;
    double number;
    bool truth;
  };
  // Delimit the number of a string.
  static constexpr char kBegin = '\x01', kEnd = '\x02';
  MessagePart(const char* t) : kind(Kind::kText), text(t) {}
  MessagePart(int64_t n) : kind(Kind::kInt), whole(n) {}
  MessagePart(double n) : kind(Kind::kFloat), number(n) {}
  MessagePart(bool b) : kind(Kind::kBool), truth(b) {}
  // A string of the instance, given by its number; the text is filled in later (python/texts.h).
  static MessagePart of_string(int64_t number) {
    MessagePart part(number);
    part.kind = Kind::kString;
    return part;
  }
};
[[noreturn]] void fail_with(std::initializer_list<MessagePart> message);

}  // namespace acrobat
