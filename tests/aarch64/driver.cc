// Runs a generated program without Python: what it is told, its weights and its instances come from
// the standard input, results go to the standard output. Numbers are of 8 bytes, floats of tensors
// of 4 (cross.py writes and reads the same). What it leaves out of the run-time is the conversion
// of Python's objects.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <new>
#include <vector>

#include "acrobat/cpu/device.h"
#include "acrobat/program.h"
#include "acrobat/python/signals.h"

// There is no object, and no signal that Python would handle.
extern "C" void _Py_Dealloc(PyObject*) { std::abort(); }
bool acrobat::signal_arrived() { return false; }

extern "C" void TVMFFIErrorSetRaisedFromCStrParts(const char* kind, const char**, int32_t) {
  std::fprintf(stderr, "kernel fault: %s\n", kind);
  std::abort();
}

namespace acrobat {
namespace {

template <class T>
T get() {
  T it;
  if (std::fread(&it, sizeof(T), 1, stdin) != 1) std::abort();
  return it;
}

template <class T>
void put(T it) {
  std::fwrite(&it, sizeof(T), 1, stdout);
}

void get_floats(float* to, int64_t n) {
  if (std::fread(to, sizeof(float), static_cast<size_t>(n), stdin) != static_cast<size_t>(n)) {
    std::abort();
  }
}

// Arrays as a program is told them; they stay until the process ends.
struct Arrays {
  std::vector<const float*> at{};
  std::vector<int64_t> sizes{};

  Arrays() {
    const auto n = get<int64_t>();
    for (int64_t i = 0; i < n; i++) {
      sizes.push_back(get<int64_t>());
      auto* floats = new (std::align_val_t(64)) float[static_cast<size_t>(sizes.back()) + 16];
      get_floats(floats, sizes.back());
      at.push_back(floats);
    }
  }
};

Word get_value(const FieldType& source, Inputs& inputs) {
  const FieldType& type = found_by(source);
  Word w{};
  switch (type.kind) {
    case 't': {
      const int64_t start = align(static_cast<int64_t>(inputs.tensors.size()));
      inputs.tensors.resize(static_cast<size_t>(start + type.size()));
      get_floats(inputs.tensors.data() + start, type.size());
      w.h = part(kInputNode, start);
      return w;
    }
    case 'l': {
      const auto n = get<int64_t>();
      auto* header = reinterpret_cast<List*>(inputs.words.take(3));
      Word* items = inputs.words.take(static_cast<size_t>(n));
      *header = {n, items, nullptr};
      for (int64_t i = 0; i < n; i++) items[i] = get_value(*type.item, inputs);
      w.p = reinterpret_cast<const Word*>(header);
      return w;
    }
    case 'd': {
      const auto tag = get<int64_t>();
      const DataType& of = kDataType[tag];
      Word* record = inputs.words.take(static_cast<size_t>(of.n_fields) + 1);
      record[0].i = tag;
      for (int f = 0; f < of.n_fields; f++) record[1 + f] = get_value(of.fields[f], inputs);
      w.p = record;
      return w;
    }
    case 's':
      std::abort();
    case 'f':
      w.f = get<double>();
      return w;
    default:
      w.i = get<int64_t>();
      return w;
  }
}

void put_value(Word w, const FieldType& type, const Schedule& schedule, const float* base) {
  switch (type.kind) {
    case 't': {
      const float* at = base + schedule.resolve(w.h);
      std::fwrite(at, sizeof(float), static_cast<size_t>(type.size()), stdout);
      return;
    }
    case 'l': {
      const List& list = list_of(w.p);
      put(list.length);
      for (int64_t i = 0; i < list.length; i++) {
        put_value(list.items[i], *type.item, schedule, base);
      }
      return;
    }
    case 'd': {
      const int32_t tag = tag_of(w.p);
      put(int64_t{tag});
      for (int f = 0; f < kDataType[tag].n_fields; f++) {
        put_value(w.p[1 + f], kDataType[tag].fields[f], schedule, base);
      }
      return;
    }
    default:
      put(w.i);
  }
}

void run() {
  Config config{};
  config.threads = static_cast<int>(get<int64_t>());
  config.scheduler = static_cast<int>(get<int64_t>());
  config.gather_fusion = static_cast<int>(get<int64_t>());
  config.fibers = static_cast<int>(get<int64_t>());
  config.stack_bytes = get<int64_t>();
  config.arena_weight_floats = get<int64_t>();
  const Arrays packed, tables, in_arena;
  const int64_t version = 1;
  config.packed = packed.at.data();
  config.tables = tables.at.data();
  config.arena_weights = in_arena.at.data();
  config.arena_weight_sizes = in_arena.sizes.data();
  config.n_arena_weights = static_cast<int>(in_arena.at.size());
  config.weights_version = &version;
  Inputs inputs;
  inputs.n = static_cast<size_t>(get<int64_t>());
  for (size_t i = 0; i < inputs.n; i++) {
    for (int p = 0; p < kParameters; p++) {
      inputs.arguments.push_back(get_value(kParameter[p], inputs));
    }
  }
  Program<CpuDevice> program(config, {});
  std::vector<BlockCounts> counts(static_cast<size_t>(kBlocks) + 1);
  Profile profile{};
  profile.blocks = counts.data();
  // The second mini-batch has the memory of the first one.
  for (const bool last : {false, true}) {
    auto call = program.take_call();
    const auto memory = program.execute(inputs, *call, profile);
    for (size_t i = 0; last && i < inputs.n * static_cast<size_t>(kResults); i++) {
      put_value(call->results[i], kResult[i % static_cast<size_t>(kResults)],
                call->context.schedule, memory->base());
    }
    program.give_call(std::move(call));
  }
}

}  // namespace
}  // namespace acrobat

int main() {
  try {
    acrobat::run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
