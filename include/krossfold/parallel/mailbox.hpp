// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

namespace krossfold::parallel {

/// Passes one item at a time from one thread of a process to another.
template <class T>
class Mailbox {
public:
  /// Puts an item in. Precondition: the box is empty, which holds if each side waits for the other's answer.
  void put(T item) {
    {
      const std::lock_guard lock(mutex_);
      item_ = std::move(item);
    }
    filled_.notify_one();
  }
  /// Takes the item if there is one or one arrives within `patience`.
  template <class Duration = std::chrono::seconds>
  std::optional<T> poll(Duration patience = Duration::zero()) {
    std::unique_lock lock(mutex_);
    filled_.wait_for(lock, patience, [this] { return item_.has_value(); });
    std::optional<T> item;
    item.swap(item_);
    return item;
  }
  /// Sleeps until there is an item and takes it.
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
