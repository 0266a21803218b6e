// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// HDF5 files are read in a process of their own, so that one which crashes the HDF5 library, or keeps it busy for ever, is an error
// here and not the end of a study. The process runs the same program; it is started (posix_spawn, not fork: memory that a network
// card uses must not be shared) when a file is opened, answers requests through a socket, and ends with the file or with the last KeptReader.

#include <string>
#include <vector>

namespace krossfold::storage {

/// The words of the command that starts such a process: its standard input will be the socket. ArrayFile and read_container() use it from
/// now on; with an empty one, as at first, they read in this process.
void set_reader_command(std::vector<std::string> words);

/// Answers requests on the socket `descriptor` until its other end is closed. Before it does, it closes every other descriptor
/// but those up to 2, and limits itself: no core file, no memory beyond what is free (or a quarter of the machine's), two minutes of processor
/// time for a request and ten seconds more for each 100 MB of the file, no longer life than its parent's. Returns an exit code.
int serve_reader_requests(int descriptor);

/// While one of these exists, one process reads files one after another, rather than one each.
class KeptReader {
public:
  KeptReader();
  KeptReader(const KeptReader&) = delete;
  KeptReader& operator=(const KeptReader&) = delete;
  ~KeptReader();
};

}  // namespace krossfold::storage
