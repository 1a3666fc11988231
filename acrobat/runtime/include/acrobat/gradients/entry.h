// The entry points for gradients, called through ctypes.PyDLL like the rest (python/entry.h): a
// forward pass that keeps what it computed, and its backward pass.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "../python/entry.h"
#include "backward_plan.h"
#include "packing.h"
#include "plan_trace.h"
#include "products.h"
#include "row_sums.h"
#include "tables.h"
#include "walk.h"

namespace acrobat {

// What a backward run returns about a block: where its nodes are. The arrays live as long as the
// call.
struct NodesOut {
  int64_t n;
  const int64_t *records, *adjoints;
  const int64_t *const *arguments, *const *gradients;
};

// Mirrored in acrobat/backward/tables.py.
struct BackwardOut {
  const float* arena;
  int64_t floats, shift, nodes, batches;
  double walk_ms, products_ms;
  NodesOut* blocks;
  ArenaWeight* weights;
  int64_t n_weights;
};

// A mini-batch that has run, with everything it computed.
template <class P>
struct KeptCall {
  PyObject* program;  // a reference
  P* p;
  std::unique_ptr<typename P::Call> call;
  std::shared_ptr<typename P::Memory> memory;
  std::vector<Batch> batches;
  std::vector<int64_t> places;  // of the tensors of the results, in order
  std::unique_ptr<BackwardPlan> plan;
  std::unique_ptr<Trace> trace;  // of a call that is watched
  std::vector<std::vector<const int64_t*>> arguments, gradients;
  unsigned of = generation();

  KeptCall(PyObject* program, P* p) : program(program), p(p) { Py_INCREF(program); }
  ~KeptCall() {
    if (of != generation()) {
      call.release();
    } else if (call) {
      p->give_call(std::move(call));
    }
    Py_DECREF(program);
  }
  KeptCall(const KeptCall&) = delete;
  KeptCall& operator=(const KeptCall&) = delete;
};

// Makes copies of tensors, and notes where the originals lie.
template <class P>
class KeptTensors {
 public:
  KeptTensors(P& p, KeptCall<P>& kept, HostTensors& tensors)
      : p_(p), memory_(*kept.memory), tensors_(tensors), places_(kept.places) {}
  PyObject* make(int64_t offset, const FieldType& type, bool) {
    places_.push_back(offset);
    p_.device().place(memory_, offset, type.size());
    return tensors_.make(offset, type, true);
  }

 private:
  P& p_;
  typename P::Memory& memory_;
  HostTensors& tensors_;
  std::vector<int64_t>& places_;
};

// Returns (results, how many tensors each has, the call), or an error as a tuple (kind, message).
template <class P>
PyObject* keep_program(PyObject* program, PyObject* inputs, Profile* profile, bool watched,
                       int64_t limit) {
  return returned([&]() -> PyObject* {
    auto* of = loaded<P>(program);
    auto* in = static_cast<Inputs*>(PyCapsule_GetPointer(inputs, nullptr));
    if (in == nullptr) return nullptr;
    auto kept = std::make_unique<KeptCall<P>>(program, &of->get());
    P& p = *kept->p;
    if (watched) kept->trace = std::make_unique<Trace>();
    HostCalls host = of->host_calls(*in);
    Fault fault;
    Py_BEGIN_ALLOW_THREADS;
    fault = caught([&] {
      const Budget budget(limit);
      kept->call = p.take_call();
      kept->call->context.host = &host;
      kept->memory = p.execute(*in, *kept->call, *profile, kept->trace.get(), &kept->batches);
    });
    if (fault.of_memory()) {
      kept->call.reset();
      kept->memory.reset();
      p.give_back();
    }
    if (fault.of_signal()) kept->call.reset();
    Py_END_ALLOW_THREADS;
    if (fault.happened()) {
      in->texts.put_into(fault.message);
      return fault.tuple();
    }
    const auto& call = *kept->call;
    HostTensors tensors = p.tensors(kept->memory, call);
    KeptTensors<P> kept_tensors(p, *kept, tensors);
    Results results(call.context.graph, call.context.schedule, kept_tensors, p.classes(), *in);
    const Reference out(PyList_New(static_cast<Py_ssize_t>(in->n)));
    const Reference counts(PyList_New(static_cast<Py_ssize_t>(in->n)));
    if (out.get() == nullptr || counts.get() == nullptr) return nullptr;
    for (size_t i = 0; i < in->n; i++) {
      const size_t before = kept->places.size();
      PyObject* item = results.build(&call.results[i * kResults]);
      if (item == nullptr) return nullptr;
      PyList_SET_ITEM(out.get(), static_cast<Py_ssize_t>(i), item);
      PyObject* count = PyLong_FromSize_t(kept->places.size() - before);
      if (count == nullptr) return nullptr;
      PyList_SET_ITEM(counts.get(), static_cast<Py_ssize_t>(i), count);
    }
    const Reference capsule(in_capsule(std::move(kept)));
    if (capsule.get() == nullptr) return nullptr;
    return PyTuple_Pack(3, out.get(), counts.get(), capsule.get());
  });
}

// Runs a call backwards. `gradients`: those of the results' tensors, one after the other; `sizes`:
// the floats of each, 0 if it has none; `outs`: where the gradients of weights go. Returns None, or
// an error as a tuple.
template <class P>
PyObject* pull_back(PyObject* capsule, const TrainedBlock* trained, int n_blocks,
                    const float* gradients, const int64_t* sizes, const WeightOut* outs,
                    int64_t n_outs, BackwardOut* out, int64_t limit) {
  return returned([&]() -> PyObject* {
    auto* kept = static_cast<KeptCall<P>*>(PyCapsule_GetPointer(capsule, nullptr));
    if (kept == nullptr) return nullptr;
    P& p = *kept->p;
    Fault fault;
    Py_BEGIN_ALLOW_THREADS;
    fault = caught([&] {
      const Budget budget(limit);
      Timer timer;
      auto& context = kept->call->context;
      context.signals.begin();
      std::vector<Seed> seeds;
      for (size_t i = 0; i < kept->places.size(); i++) {
        if (sizes[i] > 0) seeds.push_back({kept->places[i], sizes[i], gradients});
        gradients += sizes[i];
      }
      const std::span<const TrainedBlock> blocks(trained, static_cast<size_t>(n_blocks));
      kept->plan = std::make_unique<BackwardPlan>(
          context.graph, context.schedule, kept->batches, kBlockInfo, blocks,
          std::span(out->weights, static_cast<size_t>(out->n_weights)));
      BackwardPlan& plan = *kept->plan;
      Trace* const trace = kept->trace.get();
      const int64_t began = trace == nullptr ? 0 : trace->now();
      plan.make(seeds, context.signals);
      if (trace != nullptr) {
        plan.note(*trace);
        trace->did(0, 2, -1, began, 0);
      }
      kept->memory->provide(plan.floats);
      p.device().with_pool(context.signals, [&](Executor executor, PoolTurn& turn) {
        executor.trace = trace;
        Walk(plan).run(seeds, kept->memory->base(), executor, turn, *kept->call->buffers);
        out->walk_ms = timer.lap();
        const int64_t ended = trace == nullptr ? 0 : trace->now();
        Products products(kept->memory->base(), {outs, static_cast<size_t>(n_outs)});
        for (size_t b = 0; b < blocks.size(); b++) products.run(blocks[b], plan.nodes[b], turn);
        products.finish(turn.pool());
        out->products_ms = timer.lap();
        if (trace != nullptr) trace->did(0, 4, -1, ended, 0);
      });
      if (trace != nullptr) trace->end();
      out->arena = kept->memory->base();
      out->floats = plan.floats;
      out->shift = plan.shift;
      out->nodes = plan.n_nodes();
      out->batches = plan.n_batches();
      kept->arguments.resize(blocks.size());
      kept->gradients.resize(blocks.size());
      for (size_t b = 0; b < blocks.size(); b++) {
        const BlockNodes& nodes = plan.nodes[b];
        for (const auto& a : nodes.arguments) kept->arguments[b].push_back(a.data());
        for (const auto& g : nodes.gradients) kept->gradients[b].push_back(g.data());
        out->blocks[b] = {static_cast<int64_t>(nodes.size()), nodes.records.data(),
                          nodes.adjoints.data(), kept->arguments[b].data(),
                          kept->gradients[b].data()};
      }
    });
    if (fault.of_memory()) {
      kept->memory.reset();
      p.give_back();
    }
    Py_END_ALLOW_THREADS;
    if (fault.happened()) return fault.tuple();
    Py_RETURN_NONE;
  });
}

// Packs weights again; not to be called during another call. Returns None, or an error as a tuple.
template <class P>
PyObject* pack_weights(PyObject* program, const Piece* pieces, int64_t n) {
  return returned([&]() -> PyObject* {
    P& p = loaded<P>(program)->get();
    Fault fault;
    Py_BEGIN_ALLOW_THREADS;
    fault = caught([&] {
      Signals signals;  // checked only by the wait: later, some weights would remain old
      p.device().with_pool(signals, [&](const Executor&, PoolTurn& turn) {
        for (int64_t at = 0; at < n; at += WorkQueues::kMaxChunks) {
          pack_all(pieces + at, static_cast<int>(std::min<int64_t>(n - at, WorkQueues::kMaxChunks)),
                   turn.pool());
        }
      });
    });
    Py_END_ALLOW_THREADS;
    if (fault.happened()) return fault.tuple();
    Py_RETURN_NONE;
  });
}

// Returns the trace of a call after its backward pass: `Trace`'s (nodes, batches, spans, waits).
template <class P>
PyObject* trace_of_kept(PyObject* capsule) {
  return returned([&]() -> PyObject* {
    auto* kept = static_cast<KeptCall<P>*>(PyCapsule_GetPointer(capsule, nullptr));
    if (kept == nullptr) return nullptr;
    const Trace& trace = *kept->trace;
    return Py_BuildValue("(NNNN)", bytes_of(trace.nodes), bytes_of(trace.batches),
                         bytes_of(trace.spans), bytes_of(trace.waits));
  });
}

}  // namespace acrobat

// The entry points of gradients, for programs of class `P` that run on the CPU.
#define ACROBAT_GRADIENT_ENTRY_POINTS(P)                                                           \
  extern "C" {                                                                                     \
  ACROBAT_EXPORT PyObject* acrobat_keep(PyObject* program, PyObject* inputs,                       \
                                        acrobat::Profile* profile, int watched, int64_t limit) {   \
    return acrobat::keep_program<P>(program, inputs, profile, watched != 0, limit);                \
  }                                                                                                \
  ACROBAT_EXPORT PyObject* acrobat_pack(PyObject* program, const acrobat::Piece* pieces,           \
                                        int64_t n) {                                               \
    return acrobat::pack_weights<P>(program, pieces, n);                                           \
  }                                                                                                \
  ACROBAT_EXPORT int64_t acrobat_sum_rows(const acrobat::RowPart* parts, int64_t n_parts,          \
                                          int64_t width, int64_t n_slots, int64_t* slots,          \
                                          int64_t* rows, float* sums) {                            \
    return acrobat::sum_rows({parts, static_cast<size_t>(n_parts)}, width,                         \
                             {slots, static_cast<size_t>(n_slots)}, rows, sums);                   \
  }                                                                                                \
  ACROBAT_EXPORT PyObject* acrobat_trace_kept(PyObject* kept) {                                    \
    return acrobat::trace_of_kept<P>(kept);                                                        \
  }                                                                                                \
  ACROBAT_EXPORT PyObject* acrobat_pull_back(PyObject* kept, const acrobat::TrainedBlock* blocks,  \
                                             int n_blocks, const float* gradients,                 \
                                             const int64_t* sizes, const acrobat::WeightOut* outs, \
                                             int64_t n_outs, acrobat::BackwardOut* out,            \
                                             int64_t limit) {                                      \
    return acrobat::pull_back<P>(kept, blocks, n_blocks, gradients, sizes, outs, n_outs, out,      \
                                 limit);                                                           \
  }                                                                                                \
  }
