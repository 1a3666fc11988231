// The calls of one mini-batch to functions that a program leaves to Python
// (acrobat/ir/host_functions.py), each made once for the same arguments.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "../graph/host.h"
#include "../graph/records.h"
#include "texts.h"

namespace acrobat {

class HostCalls {
 public:
  struct Key {
    int function;
    std::array<int64_t, kMostHostArguments> arguments;  // a float as its bits
    bool operator==(const Key&) const = default;
  };

  // By number, Python's functions and what they take.
  HostCalls(const HostFunction* kinds, const std::vector<PyObject*>& functions, Texts& texts)
      : kinds_(kinds), functions_(functions), texts_(texts) {}

  const Word* known(const Key& key) const {
    const auto found = results_.find(key);
    return found == results_.end() ? nullptr : &found->second;
  }

  // Makes a call and notes its result. On a stack of the thread's own, without the GIL; nothing is
  // thrown, `check` tells.
  void make(const Key& key) noexcept;

  // Throws what the last call raised: InstanceFault, std::bad_alloc, or Interrupted for what is no
  // Exception of Python's.
  void check();

 private:
  struct Hash {
    size_t operator()(const Key& key) const {
      auto hash = static_cast<uint64_t>(key.function);
      for (const int64_t a : key.arguments) {
        hash = (hash ^ static_cast<uint64_t>(a)) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 29;
      }
      return hash;
    }
  };
  enum class Outcome : char { kResult, kRaised, kNoMemory, kInterrupted };

  Outcome call(const Key& key);
  Outcome raised();
  Outcome too_large(PyObject* value);
  Outcome says(PyObject* text);
  PyObject* argument(char kind, int64_t bits) const;
  std::optional<Word> word(char kind, PyObject* value) const;

  const HostFunction* kinds_;
  const std::vector<PyObject*>& functions_;
  Texts& texts_;
  std::unordered_map<Key, Word, Hash> results_;
  Outcome outcome_ = Outcome::kResult;
  std::string message_;
};

}  // namespace acrobat
