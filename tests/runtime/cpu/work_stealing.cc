// A thread pool divides random jobs among some or all of its threads, with threads that come late
// and chunks that take their time, while another thread announces work: every chunk is done once,
// after all of the section before. Arguments: threads, jobs, seed.
#include <acrobat/cpu/thread_pool.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <random>
#include <thread>

using namespace acrobat;

namespace {

struct Section {
  bool alone;
  int at_once, least;
  std::vector<int> share;  // chunks of every owner
  std::vector<int> slow;   // thousandths of the chunks that take a thread long

  int chunks(int owner) const { return share[static_cast<size_t>(owner)]; }
  int chunks() const { return std::accumulate(share.begin(), share.end(), 0); }
};

struct Joined {
  std::thread& thread;
  std::atomic<bool>& over;
  ~Joined() {
    over = true;
    thread.join();
  }
};

int fail(const char* what, int job, size_t section) {
  std::printf("job %d, section %zu: %s\n", job, section, what);
  return 1;
}

}  // namespace

int main(int, char** argv) {
  const int threads = std::atoi(argv[1]), jobs = std::atoi(argv[2]);
  std::mt19937 random(static_cast<unsigned>(std::atoi(argv[3])));
  auto draw = [&](int from, int to) {
    return std::uniform_int_distribution<int>(from, to)(random);
  };
  ThreadPool pool(threads);
  std::atomic<bool> over{false};
  std::thread announcer([&] {
    while (!over) {
      pool.wake();
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  });
  const Joined joined{announcer, over};
  for (int job = 0; job < jobs; job++) {
    const int busy = draw(0, 1) == 0 ? threads : draw(1, threads);
    std::vector<Section> sections(static_cast<size_t>(draw(1, 12)));
    for (Section& s : sections) {
      s.alone = draw(0, 3) == 0;
      s.at_once = draw(1, 4);
      s.least = draw(1, 4);
      for (int t = 0; t < threads; t++) {
        s.share.push_back(s.alone ? (t == 0) : t >= busy || draw(0, 3) == 0 ? 0 : draw(1, 9));
        s.slow.push_back(draw(0, 20) == 0 ? draw(0, 300) : 0);
      }
      if (s.chunks() == 0) s.share[0] = 1;
    }
    // Plain numbers, so that a race is one for a sanitizer, too.
    std::vector<std::vector<std::vector<int>>> done;
    for (const Section& s : sections) {
      done.emplace_back();
      for (int chunks : s.share) done.back().emplace_back(static_cast<size_t>(chunks), 0);
    }
    std::atomic<int> early{0};
    auto complete = [&](size_t i) {
      for (const auto& share : done[i]) {
        for (int times : share) {
          if (times != 1) return false;
        }
      }
      return true;
    };
    auto work = [&](Worker& worker) {
      for (size_t i = 0; i < sections.size(); i++) {
        const Section& s = sections[i];
        auto chunk = [&](int owner, int u) {
          if (i > 0 && !complete(i - 1)) early++;
          done[i][static_cast<size_t>(owner)][static_cast<size_t>(u)]++;
          if (s.slow[static_cast<size_t>(worker.thread())] > (u * 37 + job * 11) % 1000) {
            std::this_thread::sleep_for(std::chrono::microseconds(50));
          }
        };
        if (s.alone) {
          worker.alone([&] { chunk(0, 0); });
        } else {
          worker.run_partitioned(s, [&](int owner, Chunks chunks) {
            for (int u = chunks.first; u < chunks.last; u++) chunk(owner, u);
          });
        }
      }
    };
    pool.run(work, busy);
    if (early != 0) return fail("a chunk began before the section before it was over", job, 0);
    for (size_t i = 0; i < sections.size(); i++) {
      if (!complete(i)) return fail("a chunk was not done once", job, i);
    }
    // The next job sometimes finds the workers asleep.
    if (draw(0, 50) == 0) std::this_thread::sleep_for(std::chrono::microseconds(400));
  }
  std::puts("ok");
}
