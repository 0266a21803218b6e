// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// RAII and error handling for the HDF5 C API (1.10 to 1.14). Internal: HDF5 types do not leave this layer.

#ifndef H5_USE_110_API
#define H5_USE_110_API  // selects the 1.10 API macros in 1.12 and 1.14
#endif
#include <hdf5.h>

#include <string>
#include <utility>

#include "krossfold/core/error.hpp"

namespace krossfold::storage::hdf5 {

/// Throws an Error "PROBLEM (innermost reason on HDF5's error stack)" and clears that stack.
[[noreturn]] void throw_hdf5_error(const std::string& problem, ExitCode code = ExitCode::failed);

/// Returns the result of an HDF5 call; throws the above error if it is negative.
template <class T>
T check(T value, const std::string& problem, ExitCode code = ExitCode::failed) {
  if (value < 0) throw_hdf5_error(problem, code);
  return value;
}

/// Suppresses HDF5's own error messages for its lifetime.
class Quiet {
public:
  Quiet();
  ~Quiet();
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

  /// Suppresses them permanently: after reading damaged metadata, HDF5 leaks memory and would report that at exit.
  void stay() { restore_ = false; }

private:
  H5E_auto2_t print_ = nullptr;
  void* data_ = nullptr;
  bool restore_ = true;
};

/// Owns an HDF5 identifier and the close function for its kind.
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
    if (id_ >= 0) closer_(id_);  // after an error, or for read-only objects: the result does not matter
  }

  /// Closes it now, because a write error may only surface here.
  void close(const std::string& problem) { check(closer_(std::exchange(id_, H5I_INVALID_HID)), problem); }

  hid_t get() const { return id_; }

private:
  hid_t id_ = H5I_INVALID_HID;
  Closer closer_ = nullptr;
};

/// The string types of a Container: zero-padded UTF-8 of a fixed length in bytes >= 1, or UTF-8 of H5T_VARIABLE length.
Handle string_type(std::size_t length);

/// Creates an attribute of an object; `value` is laid out as in `type`.
void write_attribute(hid_t object, const std::string& name, hid_t type, hid_t space, const void* value);

}  // namespace krossfold::storage::hdf5
