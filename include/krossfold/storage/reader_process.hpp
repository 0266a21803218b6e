// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// HDF5 files are read in a process of their own, so that one which crashes the HDF5 library, or keeps it busy for ever, is an error
// here and not the end of a study. The process runs the same program; it is started (posix_spawn, not fork: memory that a network
// card uses must not be shared) when a file is opened, answers requests through a socket, and ends with the file or with the last KeptReader.

#include <cstdint>
#include <string>
#include <vector>

namespace krossfold::storage {

/// The words of the command that starts such a process: its standard input will be the socket. ArrayFile and read_container() use it from
/// now on; with an empty one, as at first, they read in this process.
void set_reader_command(std::vector<std::string> words);

/// What such a process may take.
struct ReaderLimits {
  std::uint64_t seconds = 120;                ///< of processor time, for each request
  std::uint64_t bytes_a_second = 10'000'000;  ///< so many bytes of the file are worth another second
  /// Bytes beyond what it has at the start; 0 for what is free, or a quarter of the machine's memory if that is more.
  std::uint64_t memory = 0;
};

/// Whether the limit of memory is set: with the sanitizers, which reserve terabytes of addresses, it is not.
inline constexpr bool readers_limit_memory =
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    false;
#else
    true;
#endif

/// Answers requests on the socket `descriptor` until its other end is closed. Before it does, it closes every other descriptor
/// but those up to 2, and limits itself: no core file, no memory and no processor time beyond `limits`, no longer life than its parent's.
/// Returns an exit code.
int serve_reader_requests(int descriptor, const ReaderLimits& limits = {});

/// While one of these exists, one process reads files one after another, rather than one each.
class KeptReader {
public:
  KeptReader();
  KeptReader(const KeptReader&) = delete;
  KeptReader& operator=(const KeptReader&) = delete;
  ~KeptReader();
};

}  // namespace krossfold::storage
