// Reads the plain binary format of weights and instances (written by ../arrays.py):
//
//   "ARRAYS1\n", then per array, little-endian:
//   uint32 length of the name, the name, 'f' (float32) or 'i' (int32), uint32 rank,
//   uint64 per dimension, the elements, row by row
#pragma once

#include <cstdint>
#include <cstring>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

struct Array {
  std::vector<uint64_t> dims;
  std::vector<float> f;
  std::vector<int32_t> i;

  size_t size() const {
    size_t n = 1;
    for (uint64_t d : dims) n *= d;
    return n;
  }
};

class Arrays {
 public:
  explicit Arrays(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    char magic[8];
    if (!in.read(magic, 8) || std::memcmp(magic, "ARRAYS1\n", 8) != 0) {
      throw std::runtime_error(path + " is not a file of arrays");
    }
    uint32_t length;
    while (in.read(reinterpret_cast<char*>(&length), 4)) {
      std::string name(length, ' ');
      char kind;
      uint32_t rank;
      in.read(name.data(), length);
      in.read(&kind, 1);
      in.read(reinterpret_cast<char*>(&rank), 4);
      Array& a = found_[name];
      a.dims.resize(rank);
      in.read(reinterpret_cast<char*>(a.dims.data()), rank * 8);
      if (kind == 'f') {
        a.f.resize(a.size());
        in.read(reinterpret_cast<char*>(a.f.data()), static_cast<std::streamsize>(a.size() * 4));
      } else {
        a.i.resize(a.size());
        in.read(reinterpret_cast<char*>(a.i.data()), static_cast<std::streamsize>(a.size() * 4));
      }
      if (!in) throw std::runtime_error(path + " ends within the array " + name);
    }
  }

  bool has(const std::string& name) const { return found_.count(name) > 0; }
  const Array& operator[](const std::string& name) const {
    auto at = found_.find(name);
    if (at == found_.end()) throw std::runtime_error("there is no array " + name);
    return at->second;
  }

 private:
  std::map<std::string, Array> found_;
};
