// Calls of two threads that go by the same order: one enlarges its rooms, the other finds a new
// order first. The rooms must stay those of the order that is kept.
#include <acrobat/schedule/choice.h>

#include <cstdio>
#include <memory>
#include <utility>
#include <vector>

using namespace acrobat;

namespace {

constexpr size_t kInstances = 64, kBlocks = 2;
const Costs kCosts{.batch_ns = 1000, .work_per_ns = 1};

Advice advise(Choice& choice) { return choice.advise(kInstances, true, Scheduler::kAuto); }
size_t rooms_of(const Advice& advice) { return advice.rooms->nodes[0].size(); }

// A call that has looked, and found an order of so many batches.
void find(Choice& choice, Advice advice, size_t batches) {
  advice.looked = true;
  advice.found = {.nodes = 10, .work = 1, .inline_depth = 1000, .lookahead = 1};
  advice.order = std::make_shared<const Order>(std::vector<uint32_t>(batches, 0), kBlocks);
  advice.rooms = nullptr;
  advice.make_rooms(std::vector<uint32_t>((batches + kBlocks) * kBlocks, 1), kBlocks);
  choice.note(kInstances, std::move(advice), kCosts);
}

}  // namespace

int main() {
  Choice choice;
  find(choice, advise(choice), 3);
  Advice slow = advise(choice);
  if (slow.order == nullptr || rooms_of(slow) != slow.order->size() + kBlocks) return 1;
  find(choice, advise(choice), 9);
  slow.make_rooms(std::vector<uint32_t>(rooms_of(slow) * kBlocks, 100), kBlocks);
  choice.note(kInstances, std::move(slow), kCosts);
  const Advice now = advise(choice);
  std::printf("%u batches, %zu rooms\n", now.order->size(), rooms_of(now));
}
