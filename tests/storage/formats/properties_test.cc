// Properties that a host builds (engine/properties/properties.h) are those that the JSON importer
// writes: the same bytes.
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "engine/properties/properties.h"
#include "storage/formats/base/properties.h"

namespace plexus::formats::internal {
namespace {

void Same(const PropertyMapBuilder& made, const char* json) {
  const auto bytes = made.Finish();
  const auto imported = PropertiesFromJson(json);
  ASSERT_TRUE(bytes && imported) << json;
  EXPECT_EQ(*bytes, *imported) << json;
}

TEST(TextProperties, TheBytesOfTheJsonImporter) {
  Same({}, "{}");
  Same(PropertyMapBuilder().Null("a").Bool("b", true).Bool("c", false),
       R"({"c":false,"b":true,"a":null})");
  Same(PropertyMapBuilder()
           .Int("least", std::numeric_limits<std::int64_t>::min())
           .Uint("most", std::numeric_limits<std::uint64_t>::max())
           .Uint("small", 300)
           .Int("minus", -1),
       R"({"least":-9223372036854775808,"most":18446744073709551615,"small":300,"minus":-1})");
  Same(PropertyMapBuilder().Double("a", 0.1).Double("b", 2.5).Double("c", 1e300).Double("d", 1.0),
       R"({"a":0.1,"b":2.5,"c":1e300,"d":1.0})");
  Same(PropertyMapBuilder()
           .String("", "empty name")
           .String("caf\xC3\xA9", "\xF0\x9F\x98\x80")
           .String("z", ""),
       R"({"":"empty name","café":"😀","z":""})");
  Same(PropertyMapBuilder()
           .BeginMap("outer")
           .Int("z", 1)
           .BeginMap("inner")
           .Int("z", 2)
           .Int("a", 3)
           .End()
           .End()
           .BeginList("list")
           .Int(1)
           .Double(2.5)
           .String("x")
           .BeginList()
           .End()
           .BeginMap()
           .Int("z", 4)
           .End()
           .Null()
           .End(),
       R"({"list":[1,2.5,"x",[],{"z":4},null],"outer":{"z":1,"inner":{"z":2,"a":3}}})");
  PropertyMapBuilder many;
  std::string json = "{";
  for (int i = 0; i < 400; ++i) {
    const std::string name = "member " + std::to_string(i);
    many.String(name, std::string(static_cast<std::size_t>(i), 'x'));
    json +=
        (i ? ",\"" : "\"") + name + "\":\"" + std::string(static_cast<std::size_t>(i), 'x') + "\"";
  }
  Same(many, (json + "}").c_str());
}

TEST(TextProperties, TheImportersBytesAreRead) {
  const auto bytes =
      PropertiesFromJson(R"({"n":[1,[2,{"deep":[true]}]],"s":"text","u":18446744073709551615})");
  ASSERT_TRUE(bytes);
  const auto map = PropertyMap::Read(*bytes);
  ASSERT_TRUE(map) << map.error().message;
  EXPECT_EQ((*map->root().Find("n"))[1][1].Find("deep")->operator[](0).AsBool(), true);
  EXPECT_EQ(map->root().Find("s")->AsString(), "text");
  EXPECT_EQ(map->root().Find("u")->AsUint(), std::numeric_limits<std::uint64_t>::max());
}

}  // namespace
}  // namespace plexus::formats::internal
