// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/studies/train/load_task.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "krossfold/core/text.hpp"
#include "test/storage/temporary_folder.hpp"

namespace krossfold::studies {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class LoadTask : public ::testing::Test {
protected:
  const parallel::Communicator comm{MPI_COMM_WORLD};
  const test::TemporaryFolder folder;  // of this rank: only that of rank 0 has the file
  const std::string path = folder / "list.txt";

  void put(const std::string& letters) const {
    if (comm.is_root()) test::put(path, letters);
  }
};

TEST_F(LoadTask, every_rank_has_the_names_that_rank_0_read) {
  put("Ann\nZo\xC3\xAB\nBob\n123\nBob\nEve+\n");
  const LoadedTask loaded = load_train_task(comm, true, {.train = "names:" + path});
  EXPECT_THAT(loaded.task.names.train.name, ElementsAre("ann", "zoe", "bob", "bob"));
  EXPECT_THAT(loaded.task.names.held_out.name, ElementsAre("eve"));
  EXPECT_TRUE(loaded.task.has_names());
  EXPECT_EQ(loaded.task.samples.train.size(), 0);
  // One letter folded; three digits and a plus, which stands for the end of a name, dropped; one entry empty.
  EXPECT_THAT(loaded.note, HasSubstr("list.txt: 5 names; 1 characters folded, 4 dropped, 1 entries without letters"));
  const auto digests = parallel::all_gather(comm, text(loaded.task.names.train.digest));
  EXPECT_THAT(digests, testing::Each(digests.front()));
  const auto notes = parallel::all_gather(comm, loaded.note);
  EXPECT_THAT(notes, testing::Each(notes.front()));
}

TEST_F(LoadTask, the_limit_keeps_the_first_names_that_train) {
  put("a\nb\nc\nd\ne\n");
  const LoadedTask loaded = load_train_task(comm, true, {.train = "names:" + path, .limit = 2});
  EXPECT_THAT(loaded.task.names.train.name, ElementsAre("a", "b"));
  EXPECT_THAT(loaded.task.names.held_out.name, ElementsAre("e"));
}

TEST_F(LoadTask, every_rank_has_the_samples_that_rank_0_read_and_no_note) {
  put("1,2,x\n3,4,y\n5,6,x\n7,8,y\n9,10,x\n");
  const LoadedTask loaded = load_train_task(comm, false, {.train = "csv:" + path});
  EXPECT_FALSE(loaded.task.has_names());
  EXPECT_EQ(loaded.note, "");
  const data::Task& samples = loaded.task.samples;
  ASSERT_EQ(samples.train.size(), 4);
  ASSERT_EQ(samples.test.size(), 1);
  EXPECT_THAT(samples.train.class_name, ElementsAre("x", "y"));
  EXPECT_EQ(samples.train.raw(3, 1), 8);
  EXPECT_EQ(samples.train.label(3), 1);
  EXPECT_EQ(samples.test.raw(0, 0), 9);
}

TEST_F(LoadTask, errors_are_those_of_rank_0_on_every_rank) {
  const std::string missing = folder / "none.txt";
  for (const bool names : {true, false}) {
    const std::string message = test::message_of(
        ExitCode::usage, [&] { load_train_task(comm, names, {.train = (names ? "names:" : "csv:") + missing}); });
    EXPECT_THAT(message, HasSubstr("none.txt"));
    const auto messages = parallel::all_gather(comm, message);
    EXPECT_THAT(messages, testing::Each(messages.front()));
  }
  put("a\nb\nc\n");
  EXPECT_THAT(
      test::message_of(ExitCode::usage, [&] { load_train_task(comm, true, {.train = "names:" + path, .limit = 3}); }),
      HasSubstr("limit "));
}

}  // namespace
}  // namespace krossfold::studies
