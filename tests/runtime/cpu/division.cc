// What many workers would make of a batch, by the cost model: the partitions and queues of the
// run-time, with simulated threads and their clocks. Prints, per kernel and number of nodes, the
// microseconds that 1, 2, 4, ... 64 threads take, and fails where more threads are slower, where
// they stay far from what the model promises, or where they look at too many queues.
#include <acrobat/cpu/partitioner.h>

#include <cstdio>
#include <cstring>
#include <vector>

using namespace acrobat;

namespace {

int kernel_of_tvm(void*, const PackedArg*, int32_t, PackedArg*) { return 0; }

// A cell of `outputs` columns over `inputs`, in blocks of 32 columns.
KernelInfo cell(int64_t inputs, int64_t outputs) {
  KernelInfo k{};
  for (int r = 1; r <= 8; r++) k.variant[r] = kernel_of_tvm;
  k.variant[12] = kernel_of_tvm;
  k.usual_tile = 12;
  k.join = 4;
  k.shares_tiles = true;
  k.weight_bytes = 4;
  k.rows = 1;
  k.matrices = 1;
  k.column_blocks = static_cast<int>(outputs / 32);
  k.rows_at_once = 128;
  k.flops = 2 * inputs * outputs;
  k.elements = 8 * outputs;
  return k;
}

// Microseconds of looking at a queue that another core wrote to, and of counting.
constexpr double kLook = 0.05, kCount = 0.05;

struct Result {
  double time = 0;
  int looks = 0;
};

// The section of one partition, of which a chunk takes `chunk` microseconds.
template <class Partition>
Result section(const Partition& partition, int threads, double chunk) {
  WorkQueues queues(threads);
  struct Thread {
    double now = 0;
    int next = 0;
    bool own = true;
  };
  std::vector<Thread> all(static_cast<size_t>(threads));
  Result r;
  double counter = 0;  // when the line that counts is free
  for (int done = 0; done < partition.chunks();) {
    size_t i = 0;
    for (size_t t = 1; t < all.size(); t++) {
      if (all[t].now < all[i].now) i = t;
    }
    Thread& t = all[i];
    const int me = static_cast<int>(i);
    const int owner = t.own ? me : (me + 1 + t.next++ % (threads - 1)) % threads;
    const Chunks some = queues.take(owner, 1, partition.chunks(owner), partition.at_once,
                                    t.own ? 1 : partition.least, t.own);
    r.looks++;
    t.now += t.own ? 0.02 : kLook;
    const int n = some.last - some.first;
    if (n == 0) {
      if (!t.own && t.next % Worker::kVictims == 0) t.now += 1.5;  // the pauses before the next
      t.own = false;
      continue;
    }
    t.now += n * chunk;
    counter = std::max(counter, t.now) + (threads > 1 ? kCount : 0);
    done += n;
    r.time = std::max(r.time, counter);
  }
  return r;
}

struct Case {
  const char* name;
  KernelInfo kernel;
};

Result simulate(const Case& c, int64_t n, int threads) {
  BlockInfo block{};
  block.operands = 1;
  const int width = 256;
  const int* widths[] = {&width};
  const BlockKernels plan{&c.kernel, 1};
  const Partitioner partitioner(&block, &plan, widths, 1, threads);
  PartitionPlan room;
  const PartitionPlan& p = partitioner.plan_for(0, n, room);
  const CostModel model(&block, &plan, widths, 1, threads);
  const double all = std::max(model.load_as_part(c.kernel, n), CostModel::compute(c.kernel, n));
  if (partitioner.owners(0, n) == 1) return {all, 0};
  const KernelPartition partition(c.kernel, n, p.kernels[0]);
  return section(partition, p.owners(), all / partition.chunks());
}

}  // namespace

int main() {
  const Case cases[] = {{"256 x 256", cell(256, 256)},
                        {"256 x 1280", cell(256, 1280)},
                        {"512 x 2560", cell(512, 2560)}};
  int bad = 0;
  for (const Case& c : cases) {
    for (int64_t n : {1, 8, 64, 302, 1024, 10000}) {
      std::printf("%-10s %5d nodes:", c.name, static_cast<int>(n));
      double before = 0, one = 0;
      for (int threads : {1, 2, 4, 8, 16, 32, 64}) {
        const Result r = simulate(c, n, threads);
        std::printf(" %9.2f", r.time);
        if (threads == 1) one = r.time;
        // A section of 200 us or more keeps 16 threads busy for three quarters of its time.
        const char* wrong = threads > 1 && r.time > 1.05 * before + 0.1 ? "slower"
                            : one >= 200 && threads <= 16 && r.time * threads > one / 0.75 ? "idle"
                            : r.looks > 16 * threads * (2 + r.time / 1.5) ? "crowded"
                                                                          : nullptr;
        if (wrong != nullptr) std::printf(" (%s: %d looks)", wrong, r.looks);
        bad += wrong != nullptr;
        before = r.time;
      }
      std::puts("");
    }
  }
  return bad > 0;
}
