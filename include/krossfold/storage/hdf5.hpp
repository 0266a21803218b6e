// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// RAII and errors over the HDF5 C API (1.10 to 1.14). Internal: nothing of HDF5 leaves this layer.

#ifndef H5_USE_110_API
#define H5_USE_110_API  // 1.12 and 1.14 give the macros of 1.10
#endif
#include <hdf5.h>

#include <string>
#include <utility>

#include "krossfold/core/error.hpp"

namespace krossfold::storage::hdf5 {

/// Throws an Error "PROBLEM (innermost reason on HDF5's error stack)" and empties that stack.
[[noreturn]] void throw_hdf5_error(const std::string& problem, ExitCode code = ExitCode::failed);

/// The value an HDF5 function returned; throws the error above if it is negative.
template <class T>
T check(T value, const std::string& problem, ExitCode code = ExitCode::failed) {
  if (value < 0) throw_hdf5_error(problem, code);
  return value;
}

/// Keeps HDF5 from printing errors of its own as long as it lives.
class Quiet {
public:
  Quiet();
  ~Quiet();
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

  /// For good: after reading damaged metadata HDF5 misses memory of its own, and would print about it at exit.
  void stay() { restore_ = false; }

private:
  H5E_auto2_t print_ = nullptr;
  void* data_ = nullptr;
  bool restore_ = true;
};

/// Owns an HDF5 identifier; the function that closes it depends on its kind.
class Handle {
public:
  using Closer = herr_t (*)(hid_t);

  Handle() = default;
  Handle(hid_t id, Closer closer) : id_(id), closer_(closer) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)), closer_(other.closer_) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(closer_, other.closer_);
    return *this;
  }
  ~Handle() {
    if (id_ >= 0) closer_(id_);  // after an error, or where nothing is written: what it returns is of no use
  }

  /// Closes it now: what is written may only fail here.
  void close(const std::string& problem) { check(closer_(std::exchange(id_, H5I_INVALID_HID)), problem); }

  hid_t get() const { return id_; }

private:
  hid_t id_ = H5I_INVALID_HID;
  Closer closer_ = nullptr;
};

/// The file types of a Container: little endian whatever the machine. Strings have a fixed length in bytes >= 1, UTF-8,
/// padded with zeros: no type of variable length is ever read, as HDF5 does not check the heap behind it.
Handle string_type(std::size_t length);

/// Creates an attribute of an object; `value` is laid out as the file type says.
void write_attribute(hid_t object, const std::string& name, hid_t type, hid_t space, const void* value);

}  // namespace krossfold::storage::hdf5
