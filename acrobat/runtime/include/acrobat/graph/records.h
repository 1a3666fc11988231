// Records of the model's data types: words of 8 bytes, first a tag and then the fields.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "../limits.h"
#include "../memory.h"
#include "graph.h"

namespace acrobat {

union Word {
  int64_t i;
  double f;
  Handle h;
  const Word* p;
};

// The first word of a record: in the low half its data type's tag, in the high half whether several
// paths of the mini-batch lead to the record (graph/memo.h).
inline int32_t tag_of(const Word* record) { return static_cast<int32_t>(record[0].i); }
inline bool is_shared_record(const Word* record) { return record[0].i >> 32 != 0; }
inline void mark_shared_record(Word* record) { record[0].i |= int64_t{1} << 32; }

// A bump allocator that takes memory in chunks; addresses stay valid as long as it lives.
class Words {
 public:
  Words() = default;
  ~Words() {
    for (Word* chunk : chunks_) delete[] chunk;
  }
  Words(const Words&) = delete;
  Words& operator=(Words&& other) noexcept {
    chunks_.swap(other.chunks_);
    std::swap(next_, other.next_);
    std::swap(left_, other.left_);
    std::swap(first_, other.first_);
    return *this;
  }

  // Forgets everything, and keeps one chunk for the next mini-batch: with every chunk of this size
  // that is freed or requested, the C library merges all small blocks that are free, such as those
  // of the shapes of a thousand results.
  void reset() {
    const bool keeps = !chunks_.empty() && first_ == kChunk;
    for (size_t i = keeps ? 1 : 0; i < chunks_.size(); i++) delete[] chunks_[i];
    chunks_.resize(keeps ? 1 : 0);
    next_ = keeps ? chunks_[0] : nullptr;
    left_ = keeps ? kChunk : 0;
    if (keeps) take_memory(static_cast<int64_t>(kChunk * sizeof(Word)), kWhat);
  }

  Word* take(size_t n) {
    if (n > left_) [[unlikely]]
      add_chunk(n > kChunk ? n : kChunk);
    left_ -= n;
    return std::exchange(next_, next_ + n);
  }

 private:
  // On failure, the state says that no chunk has room, not that there is one that does not exist.
  [[gnu::noinline]] void add_chunk(size_t words) {
    left_ = 0;
    if (words > kMost) fail_graph();
    take_memory(static_cast<int64_t>(words * sizeof(Word)), kWhat);
    chunks_.push_back(nullptr);  // first, so that no chunk is lost
    chunks_.back() = next_ = new Word[words];
    left_ = words;
    if (chunks_.size() == 1) first_ = words;
  }

  static constexpr size_t kChunk = 1 << 15, kMost = size_t{1} << 56;
  static constexpr const char* kWhat = "its lists and data";
  std::vector<Word*> chunks_;
  Word* next_ = nullptr;         // in the last chunk
  size_t left_ = 0, first_ = 0;  // words left there, and words in the first chunk
};

// The type of a field (or of a parameter of the entry, a result, an item of a list). As a source,
// it also says how to get the field from the Python object: ( part dims[0] of a tuple of dims[1],
// # the value of key dims[1] of a dict, of those of class dims[0], ? whether it is not None, ! its
// value if it is not None, < and > the lists of a dict's keys and of its values. `item` is then the
// source or type that follows this step. A list with a dimension is a tuple of any length in plain
// Python. One that is given as an array has kind m, and its items along axis dims[0].
struct FieldType {
  char
      kind;  // i int, f float, b bool, s string, e enum, t tensor, d data, l m list, or ( # ? ! < >
  int rank;  // of a tensor
  int64_t dims[kMaxRank];  // of a tensor
  uint64_t members;        // tags allowed for data, as bits
  const FieldType* item;   // of a list

  int64_t size() const {
    int64_t n = 1;
    for (int i = 0; i < rank; i++) n *= dims[i];
    return n;
  }
};

// The type at the end of the path that a source describes.
inline const FieldType& found_by(const FieldType& source) {
  const FieldType* type = &source;
  while (type->kind < 'A' && type->item != nullptr) type = type->item;
  return *type;
}

// Whether values of a type contain others.
inline bool nested(const FieldType& type) {
  if (type.kind < 'A') return type.item != nullptr && nested(found_by(type));
  return type.kind == 'd' || type.kind == 'l';
}

// `sources` says how the fields are obtained from Python objects. A field that is a tuple in Python
// has one field per part here; `shape` then tells how to reassemble the `n_given` fields
// (results.h).
struct DataType {
  const char* name;
  int n_fields;
  const FieldType* fields;
  const FieldType* sources;
  int n_given;
  const char* shape;
};

// A string that a model mentions, as UTF-8.
struct Text {
  const char* bytes;
  int64_t size;
};

}  // namespace acrobat
