// The gradient of a table with rows that are read several times: every row that was read occurs
// once, with the sum of its contributions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace acrobat {

// `n` rows of floats, one after the other, and the numbers of the rows that they are added to.
// Mirrored in acrobat/backward/row_sums.py.
struct RowPart {
  const int64_t* numbers;
  const float* values;
  int64_t n;
};

// Writes the row numbers that occur in the parts to `rows`, in ascending order, and the sums of
// their values, of `width` floats each, to `sums`. One thread adds them in the order of the parts,
// so the bits do not depend on the number of threads. Returns how many numbers there are; `slots`
// has one element, of any content, per row of the table.
inline int64_t sum_rows(std::span<const RowPart> parts, int64_t width, std::span<int64_t> slots,
                        int64_t* rows, float* sums) {
  constexpr int64_t kUnread = -1, kRead = -2;
  std::fill(slots.begin(), slots.end(), kUnread);
  for (const RowPart& part : parts) {
    for (int64_t i = 0; i < part.n; i++) slots[static_cast<size_t>(part.numbers[i])] = kRead;
  }
  int64_t n = 0;
  for (size_t row = 0; row < slots.size(); row++) {
    if (slots[row] == kUnread) continue;
    rows[n] = static_cast<int64_t>(row);
    slots[row] = n++;
  }
  std::vector<uint8_t> seen(static_cast<size_t>(n), 0);
  for (const RowPart& part : parts) {
    for (int64_t i = 0; i < part.n; i++) {
      const int64_t slot = slots[static_cast<size_t>(part.numbers[i])];
      const float* __restrict__ from = part.values + i * width;
      float* __restrict__ to = sums + slot * width;
      if (seen[static_cast<size_t>(slot)]) {
        for (int64_t j = 0; j < width; j++) to[j] += from[j];
      } else {
        std::copy_n(from, width, to);
        seen[static_cast<size_t>(slot)] = 1;
      }
    }
  }
  return n;
}

}  // namespace acrobat
