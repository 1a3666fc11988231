// Cuts kernels of all shapes: every row of every column block is in one chunk of one thread, groups
// begin at multiples of tiles, and so do the parts of a kernel with a single height of tiles. With
// an argument, prints tile plans: "usual tallest twelve: rows height*tiles ...".
#include <acrobat/cpu/partition.h>

#include <algorithm>
#include <cstdio>
#include <vector>

using namespace acrobat;

namespace {

int kernel_of_tvm(void*, const PackedArg*, int32_t, PackedArg*) { return 0; }

KernelInfo kernel(int usual, int tallest, bool twelve, int rows, int blocks) {
  KernelInfo k{};
  for (int r = 1; r <= tallest; r++) k.variant[r] = kernel_of_tvm;
  if (twelve) k.variant[12] = kernel_of_tvm;
  k.variant[usual] = kernel_of_tvm;
  k.usual_tile = usual;
  k.join = std::min(4, usual / 2);
  k.rows = rows;
  k.column_blocks = blocks;
  k.rows_at_once = 8 * usual;
  return k;
}

bool covered(const KernelInfo& k, int64_t n, int threads, Grain grain) {
  static_cast<Split&>(grain) = split_among(k, n, threads);
  if (grain.owners < 1 || grain.owners > threads) return false;
  const KernelPartition partition(k, n, grain);
  const auto blocks = static_cast<size_t>(k.column_blocks);
  std::vector<int> times(static_cast<size_t>(n * k.rows) * blocks, 0);
  int chunks = 0;
  for (int owner = 0; owner < threads; owner++) {
    chunks += partition.chunks(owner);
    for (int u = 0; u < partition.chunks(owner); u++) {
      const KernelChunk p = partition.chunk(owner, u);
      const bool single = k.variant[1] == nullptr;
      if (single && p.first_row < p.last_row && p.first_row % k.usual_tile != 0) return false;
      for (int64_t row = p.first_row; row < p.last_row; row++) {
        for (int b = p.first_block; b < p.last_block; b++) {
          times[static_cast<size_t>(row) * blocks + static_cast<size_t>(b)]++;
        }
      }
    }
  }
  for (int t : times) {
    if (t != 1) return false;
  }
  return chunks == partition.chunks();
}

bool covered(int64_t n, int threads, Grain grain) {
  grain.owners = threads;
  const NodePartition partition(n, grain);
  int64_t next = 0;
  for (int owner = 0; owner < threads; owner++) {
    for (int u = 0; u < partition.chunks(owner); u++) {
      if (partition.begin(owner, u) != next || partition.begin(owner, u + 1) < next) return false;
      next = partition.begin(owner, u + 1);
    }
  }
  return next == n;
}

void print_plans(int usual, int tallest, bool twelve) {
  const KernelInfo k = kernel(usual, tallest, twelve, 1, 1);
  for (int64_t rows = 0; rows < 120; rows++) {
    std::printf("%d %d %d: %d", usual, tallest, twelve, static_cast<int>(rows));
    for (int64_t row = 0; row < rows;) {
      auto [height, tiles] = next_tiles(k, rows - row);
      std::printf(" %d*%d", height, static_cast<int>(tiles));
      row += height * tiles;
    }
    std::puts("");
  }
}

}  // namespace

int main(int argc, char**) {
  if (argc > 1) {
    print_plans(6, 6, false);
    print_plans(6, 8, true);
    print_plans(8, 8, false);
    print_plans(12, 8, true);
    return 0;
  }
  for (int usual : {4, 6, 12}) {
    for (int rows : {1, 3, 12}) {
      const bool single = rows % usual == 0;
      for (int blocks : {1, 2, 3, 4, 7, 16}) {
        const KernelInfo k = kernel(usual, single ? 0 : 8, false, rows, blocks);
        for (int threads : {1, 2, 3, 5, 64}) {
          for (int groups : {1, 2, 5, 16}) {
            Grain grain{{}, groups, 1, 1, usual};
            for (int64_t n : {1, 2, 7, 12, 13, 64, 250}) {
              if (covered(k, n, threads, grain) && covered(n, threads, grain)) continue;
              std::printf("usual %d, rows %d, blocks %d, threads %d, groups %d, n %d\n", usual,
                          rows, blocks, threads, groups, static_cast<int>(n));
              return 1;
            }
          }
        }
      }
    }
  }
  std::puts("ok");
}
