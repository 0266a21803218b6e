// SPDX-License-Identifier: BSD-3-Clause
#include "krossfold/interchange/export_model.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>

#include "krossfold/core/text.hpp"
#include "krossfold/interchange/import_model.hpp"
#include "krossfold/storage/atomic_file.hpp"
#include "src/interchange/new_files.hpp"
#include "src/interchange/npz/npz_writer.hpp"
#include "test/model/sample_models.hpp"

namespace krossfold::interchange {
namespace {

TEST(ExportModel, and_import_make_files_with_the_permissions_that_the_umask_leaves) {
  const test::TemporaryFolder folder;
  storage::write_container(folder / "svm.h5", model::to_container(test::sample_machine()));
  for (const auto& [mask, expected] : {std::pair{0022U, 0644U}, {0077U, 0600U}}) {
    const test::Umask umask(mask);
    for (const char* ending : {".npz", ".onnx"}) {
      const std::string path = folder / text(mask, ending);
      export_model(folder / "svm.h5", path);
      EXPECT_EQ(test::permissions_of(path), expected) << path << ", umask " << mask;
    }
    const std::string again = folder / text(mask, ".h5");
    import_model(folder / text(mask, ".npz"), again, {});
    EXPECT_EQ(test::permissions_of(again), expected) << again << ", umask " << mask;
  }
}

TEST(ExportModel, writes_through_no_link) {
  const test::TemporaryFolder folder;
  storage::write_container(folder / "svm.h5", model::to_container(test::sample_machine()));
  test::put(folder / "precious", "precious");
  std::filesystem::create_symlink("precious", folder / "a.npz");
  std::filesystem::create_symlink("none", folder / "b.npz");
  for (const char* name : {"a.npz", "b.npz"}) {
    const std::string message =
        test::message_of(ExitCode::usage, [&] { export_model(folder / "svm.h5", folder / name); });
    EXPECT_NE(message.find("exists"), std::string::npos) << message;
  }
  EXPECT_EQ(test::content_of(folder / "precious"), "precious");
  EXPECT_FALSE(std::filesystem::exists(folder / "none"));
}

/// A file of `networks` networks of another program; `add` adds more arrays.
template <class Add>
void put_networks(const std::string& path, int networks, const Add& add) {
  NpzWriter writer;
  writer.add("classes_", {3}, std::vector<std::int64_t>{1, 2, 3});
  writer.add("image_shape", {3}, std::vector<std::int64_t>{1, 2, 3});
  const model::NetworkModel network = test::sample_network();
  for (int m = 0; m < networks; ++m) {
    for (const nn::Parameter& one : network.parameters) {
      writer.add(networks == 1 ? one.name : text(m, '.', one.name), one.shape, one.value);
    }
  }
  add(writer);
  storage::create_atomically(path, writer.finish());
}

TEST(ImportModel, warns_of_pixels_that_a_file_of_networks_does_not_say) {
  const test::TemporaryFolder folder;
  const auto notes = [&](const std::string& name, const auto& add) {
    put_networks(folder / (name + ".npz"), 1, add);
    return joined(import_model(folder / (name + ".npz"), folder / (name + ".h5"), {}).notes, "\n");
  };
  const std::string silent = notes("silent", [](NpzWriter&) {});
  EXPECT_NE(silent.find("pixels from 0 (black) to 255 (white)"), std::string::npos) << silent;
  EXPECT_NE(silent.find("image_black and image_white"), std::string::npos) << silent;
  for (const double white : {1.0, 16.0}) {
    const std::string name = text(white), said = notes(name, [&](NpzWriter&writer) {
                                            writer.add("image_black", 0.0);
                                            writer.add("image_white", white);
                                          });
    EXPECT_EQ(said.find("Warning"), std::string::npos) << said;
    const std::string file = folder / (name + ".h5");
    const model::NetworkModel model = model::network_from_container(storage::read_container(file), file);
    EXPECT_EQ(model.image.white, static_cast<float>(white));
    EXPECT_EQ(model.image.integer, white == 16) << "fractions are not rounded to 0 and 1";
  }
}

TEST(ImportModel, makes_a_folder_of_several_networks_at_once_or_not_at_all) {
  const test::TemporaryFolder folder;
  put_networks(folder / "bag.npz", 2, [](NpzWriter&) {});
  const test::Umask umask(0022);
  import_model(folder / "bag.npz", folder / "bag.models", {});
  EXPECT_EQ(folder.files(), 2) << "nothing is left beside it";
  EXPECT_EQ(test::permissions_of(folder / "bag.models"), 0755U);
  for (const char* name : {"bootstrap_00.h5", "bootstrap_01.h5"}) {
    EXPECT_TRUE(std::filesystem::exists(folder / (std::string("bag.models/") + name))) << name;
  }
  std::filesystem::create_directory(folder / "empty");
  EXPECT_NE(test::message_of(ExitCode::usage, [&] { import_model(folder / "bag.npz", folder / "empty", {}); })
                .find("empty exists"),
            std::string::npos);
  EXPECT_TRUE(std::filesystem::is_empty(folder / "empty"));
  {
    const test::FileSizeLimit limit(1000);
    const std::vector<NewFile> files{{"small", std::vector<std::byte>(10)}, {"large", std::vector<std::byte>(5000)}};
    test::message_of(ExitCode::failed, [&] { write_new_folder(folder / "new", files); });
  }
  EXPECT_EQ(folder.files(), 3);
}

}  // namespace
}  // namespace krossfold::interchange
