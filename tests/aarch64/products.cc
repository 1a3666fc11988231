// The gradients of weights, of sizes that fill no tile, against sums in double precision.
#include "acrobat/gradients/products.h"

#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

using namespace acrobat;

// No Python is here that signals could arrive at.
bool Signals::due() { return false; }
void Signals::look_now() {}

// The largest difference, where each of so many nodes has so many rows.
template <int kCount, int kNodes>
double worst_of() {
  constexpr int kHeight = 7, kWidth = 19;
  constexpr int kRecord = kCount * (kHeight + kWidth);
  std::mt19937 random(0);
  std::normal_distribution<float> normal;
  std::vector<float> arena(size_t{kNodes} * kRecord + 64);  // read past the last row
  for (float& x : arena) x = normal(random);
  BlockNodes nodes;
  for (int64_t i = 0; i < kNodes; i++) nodes.records.push_back(i * kRecord);
  const RowsOf left{{Place::kOutput, 0, 0, nullptr}, kCount, kHeight, kHeight};
  const RowsOf right{{Place::kOutput, 0, kCount * kHeight, nullptr}, kCount, kWidth, kWidth};
  const Product product{left, right, 0, 0, kWidth};
  TrainedBlock block{};
  block.products = &product;
  block.n_products = 1;
  std::vector<float> out(kHeight * kWidth, NAN);  // what is there does not count
  const WeightOut outs[] = {{out.data(), kHeight * kWidth}};
  ThreadPool pool(2);
  Products products(arena.data(), outs);
  Signals signals;
  PoolTurn turn(pool, signals);
  products.run(block, nodes, turn);
  products.finish(pool);
  double worst = 0;
  for (int i = 0; i < kHeight; i++) {
    for (int j = 0; j < kWidth; j++) {
      double sum = 0;
      for (int r = 0; r < kNodes * kCount; r++) {
        const float* node = arena.data() + r / kCount * kRecord;
        const int row = r % kCount;
        sum += double{node[row * kHeight + i]} * double{node[kCount * kHeight + row * kWidth + j]};
      }
      worst = std::fmax(worst, std::fabs(sum - double{out[size_t(i) * kWidth + size_t(j)]}));
    }
  }
  return worst;
}

int main() {
  // Rows that are copied together, and those of a node that are read in place.
  std::printf("%g\n", std::fmax(worst_of<2, 300>(), worst_of<40, 15>()));
  return 0;
}
