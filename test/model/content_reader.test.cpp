// SPDX-License-Identifier: BSD-3-Clause
#include "src/model/content_reader.hpp"

#include <gmock/gmock.h>

#include "test/model/sample_models.hpp"

namespace krossfold::model {
namespace {

using testing::AllOf, testing::HasSubstr;

TEST(ContentReader, takes_integers_from_0_to_a_million_for_whole_numbers) {
  storage::Container content;
  content.attributes["kind"] = std::string("thing");
  const ContentReader file(content, "thing", "t.h5", "thing");
  const auto whole = [&](const storage::Attribute& value) {
    content.attributes["n"] = value;
    return file.whole("n");
  };
  EXPECT_EQ(whole(std::int64_t{0}), 0);
  EXPECT_EQ(whole(std::int64_t{1000000}), 1000000);
  EXPECT_EQ(whole(7.0), 7);
  for (const storage::Attribute& bad : {storage::Attribute(std::int64_t{-1}), storage::Attribute(std::int64_t{1000001}),
                                        storage::Attribute(0.5), storage::Attribute(1e300)}) {
    EXPECT_THAT(test::message_of(ExitCode::usage, [&] { whole(bad); }),
                AllOf(HasSubstr("t.h5 is not a usable thing"), HasSubstr("attribute n is out of range")));
  }
  EXPECT_THAT(test::message_of(ExitCode::usage, [&] { whole(std::string("7")); }), HasSubstr("not a finite number"));
  EXPECT_THAT(test::message_of(ExitCode::usage, [&] { file.number("m"); }), HasSubstr("attribute m is missing"));
}

TEST(ContentReader, takes_images_as_wide_as_any_table) {
  storage::Container content;
  content.attributes["kind"] = std::string("thing");
  const ContentReader file(content, "thing", "t.h5", "thing", "Look again.");
  const auto image = [&](std::int64_t width, std::int64_t height, std::int64_t channels) {
    content.attributes["image_width"] = width;
    content.attributes["image_height"] = height;
    content.attributes["image_channels"] = channels;
    return file.image();
  };
  for (const int width : {10'000'001, 2'147'483'647}) {
    EXPECT_EQ(image(width, 1, 1), (data::ImageShape{width, 1, 1}));
  }
  EXPECT_EQ(image(0, 0, 1), data::ImageShape());
  for (const data::ImageShape& shape :
       {data::ImageShape{-1, 1, 1}, {10'000'001, 10'000'001, 10'000'001}, {100'000, 100'000, 1}}) {
    EXPECT_THAT(test::message_of(ExitCode::usage, [&] { image(shape.width, shape.height, shape.channels); }),
                AllOf(HasSubstr("t.h5 is not a usable thing"), HasSubstr("Look again.")));
  }
}

TEST(ContentReader, refuses_columns_that_are_both_label_and_feature) {
  storage::Container content;
  content.attributes["kind"] = std::string("thing");
  add_encoding(content, std::make_shared<data::TableEncoding>(data::plain_encoding(3)));
  const ContentReader file(content, "thing", "t.h5", "thing");
  ASSERT_EQ(file.encoding(3)->label_column, 4);
  for (const std::int64_t label : {1, 3}) {
    content.attributes["label_column"] = label;
    EXPECT_THAT(test::message_of(ExitCode::usage, [&] { file.encoding(3); }),
                AllOf(HasSubstr("t.h5 is not a usable thing"), HasSubstr("the label is a feature, too")));
  }
}

TEST(ContentReader, says_what_a_file_of_another_kind_holds) {
  storage::Container content;
  const auto read = [&] { ContentReader(content, "thing", "t.h5", "thing"); };
  EXPECT_THAT(test::message_of(ExitCode::usage, read), AllOf(HasSubstr("t.h5"), HasSubstr("does not say")));
  content.attributes["kind"] = std::string("other");
  EXPECT_THAT(test::message_of(ExitCode::usage, read), AllOf(HasSubstr("t.h5"), HasSubstr("it holds: other")));
}

}  // namespace
}  // namespace krossfold::model
