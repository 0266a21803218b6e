// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

namespace krossfold::parallel {

/// Hands one item at a time from one thread of a process to another.
template <class T>
class Mailbox {
public:
  /// Puts an item in; the box must be empty, as each side waits for the other's answer.
  void put(T item) {
    {
      const std::lock_guard lock(mutex_);
      item_ = std::move(item);
    }
    filled_.notify_one();
  }
  /// The item if there is one, or if one comes within that time.
  template <class Duration = std::chrono::seconds>
  std::optional<T> poll(Duration patience = Duration::zero()) {
    std::unique_lock lock(mutex_);
    filled_.wait_for(lock, patience, [this] { return item_.has_value(); });
    std::optional<T> item;
    item.swap(item_);
    return item;
  }
  /// Sleeps until there is an item.
  T wait() {
    std::unique_lock lock(mutex_);
    filled_.wait(lock, [this] { return item_.has_value(); });
    std::optional<T> item;
    item.swap(item_);
    return std::move(*item);
  }

private:
  std::mutex mutex_;
  std::condition_variable filled_;
  std::optional<T> item_;
};

}  // namespace krossfold::parallel
