// The strings of a mini-batch as numbers: equal strings have the same number, and those that the
// model mentions have the first numbers. Needs the GIL.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <cstdint>
#include <cstdlib>
#include <new>
#include <string>

#include "../graph/faults.h"
#include "../graph/records.h"

namespace acrobat {

class Texts {
 public:
  Texts() = default;
  ~Texts() {
    Py_XDECREF(numbers_);
    Py_XDECREF(texts_);
  }
  Texts(const Texts&) = delete;
  Texts& operator=(const Texts&) = delete;

  // Begins with the strings that the model mentions.
  void begin(const Text* texts, int n) {
    numbers_ = needed(PyDict_New());
    texts_ = needed(PyList_New(0));
    for (int i = 0; i < n; i++) {
      PyObject* text = needed(PyUnicode_DecodeUTF8(texts[i].bytes, texts[i].size, "surrogatepass"));
      add(text);
      Py_DECREF(text);
    }
  }

  // Returns the number of a string, new or not.
  int64_t number(PyObject* text) {
    // A subclass of str may hash and compare as it likes.
    PyObject* exact = needed(PyUnicode_FromObject(text));
    PyObject* known = PyDict_GetItemWithError(numbers_, exact);
    const int64_t number = known != nullptr ? PyLong_AsLongLong(known) : add(exact);
    Py_DECREF(exact);
    return number;
  }

  // Puts strings in place of their numbers in a message (graph/faults.h).
  void put_into(std::string& message) const {
    if (texts_ == nullptr) return;
    std::string whole;
    size_t from = 0;
    for (size_t at; (at = message.find(kBegin, from)) != std::string::npos;) {
      const size_t end = message.find(kEnd, at);
      if (end == std::string::npos) break;
      whole.append(message, from, at - from);
      PyObject* found = text(std::strtoll(message.c_str() + at + 1, nullptr, 10));
      PyObject* bytes =
          found == nullptr ? nullptr : PyUnicode_AsEncodedString(found, "utf-8", "replace");
      if (bytes == nullptr) PyErr_Clear();
      whole += bytes != nullptr ? PyBytes_AS_STRING(bytes) : "?";
      Py_XDECREF(bytes);
      Py_XDECREF(found);
      from = end + 1;
    }
    message = whole.append(message, from, std::string::npos);
  }

  // Returns a new reference. A number that no string has stands for a string that is None.
  PyObject* text(int64_t number) const {
    if (number < 0 || number >= PyList_GET_SIZE(texts_)) return PyUnicode_FromString("");
    PyObject* text = PyList_GET_ITEM(texts_, number);
    Py_INCREF(text);
    return text;
  }

 private:
  static constexpr char kBegin = MessagePart::kBegin, kEnd = MessagePart::kEnd;

  int64_t add(PyObject* text) {
    const int64_t number = PyList_GET_SIZE(texts_);
    PyObject* value = PyLong_FromLongLong(number);
    const bool kept = value != nullptr && PyDict_SetItem(numbers_, text, value) == 0 &&
                      PyList_Append(texts_, text) == 0;
    Py_XDECREF(value);
    if (!kept) needed(nullptr);
    return number;
  }

  // Null can only mean that memory is short.
  static PyObject* needed(PyObject* made) {
    if (made != nullptr) return made;
    PyErr_Clear();
    throw std::bad_alloc();
  }

  PyObject* numbers_ = nullptr;
  PyObject* texts_ = nullptr;
};

}  // namespace acrobat
