// The gradient of a table of which rows are read several times: each row that was read once, with
// the sum of its contributions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace acrobat {

// `n` rows of floats, one after the other, and the numbers of the rows that they are added to.
// acrobat/backward/row_sums.py has the same.
struct RowPart {
  const int64_t* numbers;
  const float* values;
  int64_t n;
};

// Writes the numbers that the parts have, ascending, to `rows`, and the sums of their values, of
// `width` floats, to `sums`, added in the order of the parts: by one thread, so the bits are the
// same for any number of them. Returns how many numbers there are; `slots` has one place, of any
// content, for each of the table's rows.
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
