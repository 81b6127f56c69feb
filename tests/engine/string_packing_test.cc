// Packed strings: the same ids and answers as those that are not, whatever is packed, for
// tables that go on from one another and readers beside them.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <atomic>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "engine/arrays/cold_strings.h"
#include "engine/arrays/string_table.h"

namespace plexus {
namespace {

using Words = std::vector<std::uint64_t>;

Words Bits(std::size_t count, const auto& chosen) {
  Words words((count + 63) / 64, 0);
  for (std::size_t id = 0; id < count; ++id)
    if (chosen(id)) words[id / 64] |= std::uint64_t{1} << id % 64;
  return words;
}

// Texts that count up, random ones, long ones and such that begin alike; each once.
std::string NumberedText(std::uint32_t i) {
  switch (i % 7) {
    case 0:
      return "memory-" + std::to_string(100000 + i);
    case 1:
      return std::to_string(i * 2654435761u) + std::to_string(i);
    case 2:
      return std::string(i % 300, 'x') + std::to_string(i);
    case 3:
      return std::to_string(i) + std::string(1000, 'y');
    case 4:
      return std::string(1, static_cast<char>(i)) + '\0' + std::to_string(i);
    default:
      return "memory-" + std::to_string(100000 + i);
  }
}

void ExpectTexts(const StringTable::View& view, const std::vector<std::string>& texts) {
  ASSERT_EQ(view.size(), texts.size());
  StringTable::Cursor cursor(view);
  for (std::uint32_t id = 0; id < texts.size(); ++id) {
    ASSERT_EQ(view.Find(texts[id]), id) << texts[id];
    ASSERT_EQ(cursor[id], texts[id]);
  }
  for (std::uint32_t id = 0; id < texts.size(); id += 3) ASSERT_EQ(view[id], texts[id]);
  for (const char* none : {"memory-", "memory-1", "nobody", "memory-99999999"})
    ASSERT_FALSE(view.Find(none)) << none;
}

TEST(StringPacking, EqualsTheTableWhateverIsPacked) {
  std::mt19937 random(1);
  for (const std::uint32_t count : {1u, 64u, 65u, 8192u, 30'000u})
    for (int part = 0; part <= 4; ++part) {
      StringTable table;
      std::vector<std::string> texts;
      for (std::uint32_t i = 0; i < count; ++i) table.Insert(texts.emplace_back(NumberedText(i)));
      const StringTable::View before = table.Publish();
      std::vector<char> chosen(count);
      for (char& c : chosen) c = static_cast<int>(random() % 4) < part;
      StringTable packed =
          StringTable::Packed(before, Bits(count, [&](std::size_t id) { return chosen[id]; }));
      EXPECT_EQ(packed.packed_count(), std::count(chosen.begin(), chosen.end(), 1));
      ExpectTexts(packed.Publish(), texts);
      ExpectTexts(before, texts);
      // Strings that are new, and that were packed, go in as ever.
      for (std::uint32_t i = 0; i < 100; ++i) {
        const auto known = packed.Insert(texts[i % count]);
        ASSERT_FALSE(known.is_new);
        ASSERT_EQ(known.id, i % count);
        const std::string text = "new" + std::to_string(i);
        const auto added = packed.Insert(text);
        ASSERT_TRUE(added.is_new);
        ASSERT_EQ(added.id, texts.size());
        texts.push_back(text);
      }
      ExpectTexts(packed.Publish(), texts);
      // And once more, another choice: what was packed may be so no more.
      const StringTable again = StringTable::Packed(
          packed.Publish(), Bits(count, [&](std::size_t id) { return id % 3 == 0; }));
      EXPECT_EQ(again.packed_count(), (count + 2) / 3);
      ExpectTexts(again.Publish(), texts);
      // From the texts alone, as a checkpoint does.
      std::vector<std::uint64_t> offsets = {0};
      std::string bytes;
      for (const std::string& text : texts) offsets.push_back((bytes += text).size());
      const auto read = StringTable::Packed(
          offsets, bytes, Bits(count, [&](std::size_t id) { return chosen[id]; }));
      ASSERT_TRUE(read);
      ExpectTexts(read->Publish(), texts);
    }
}

TEST(StringPacking, RefusesEqualTexts) {
  // Both packed, one of them, neither.
  const std::vector<std::uint64_t> offsets = {0, 1, 2, 3};
  for (std::uint64_t pack = 0; pack < 8; ++pack) {
    const Words words = {pack};
    EXPECT_FALSE(StringTable::Packed(offsets, "aba", words)) << pack;
    EXPECT_TRUE(StringTable::Packed(offsets, "abc", words)) << pack;
  }
  EXPECT_TRUE(StringTable::Packed(std::vector<std::uint64_t>{0, 0, 1}, "a", Words{3}))
      << "the empty one";
}

TEST(StringPacking, TwoTablesGoOnFromAPackedView) {
  constexpr std::uint32_t kCount = 3 * 8192;  // the last page is full, and may be packed
  for (const bool all : {false, true}) {
    StringTable table;
    std::vector<std::string> texts;
    for (std::uint32_t i = 0; i < kCount; ++i) table.Insert(texts.emplace_back(NumberedText(i)));
    const StringTable::View view =
        StringTable::Packed(table.Publish(),
                            Bits(kCount, [&](std::size_t id) { return all || id < kCount / 2; }))
            .Publish();
    StringTable a(view), b(view);
    std::vector<std::string> of_a = texts, of_b = texts;
    for (int i = 0; i < 500; ++i) {
      a.Insert(of_a.emplace_back("a" + std::to_string(i)));
      b.Insert(of_b.emplace_back("b" + std::to_string(i)));
    }
    ExpectTexts(a.Publish(), of_a);
    ExpectTexts(b.Publish(), of_b);
    ExpectTexts(view, texts);
  }
}

TEST(StringPacking, TakesAThird) {
  constexpr std::uint32_t kCount = 200'000;
  StringTable table;
  std::vector<std::uint64_t> offsets = {0};
  std::string bytes;
  for (std::uint32_t i = 0; i < kCount; ++i) {
    const std::string text = "memory-" + std::to_string(10'000'000 + i);
    table.Insert(text);
    offsets.push_back((bytes += text).size());
  }
  const Words all(kCount / 64 + 1, ~std::uint64_t{0});
  const std::uint64_t before = table.size_bytes();
  EXPECT_GT(before, std::uint64_t{30} * kCount);
  const StringTable packed = StringTable::Packed(table.Publish(), all);
  EXPECT_LT(packed.size_bytes(), std::uint64_t{10} * kCount);
  EXPECT_LT(StringTable::Packed(offsets, bytes, all)->size_bytes(), std::uint64_t{10} * kCount);
  StringTable::View view = packed.Publish();
  for (std::uint32_t id = 0; id < kCount; id += 64)
    ASSERT_EQ(view[id], "memory-" + std::to_string(10'000'000 + id));
  EXPECT_GT(packed.size_bytes(), std::uint64_t{14} * kCount) << "what was unpacked counts";
}

TEST(StringPacking, ViewsOfUnpackedTextsStay) {
  StringTable table;
  for (std::uint32_t i = 0; i < 1000; ++i) table.Insert(NumberedText(i));
  StringTable::View view =
      StringTable::Packed(table.Publish(), Words(16, ~std::uint64_t{0})).Publish();
  std::vector<std::string_view> texts;
  for (std::uint32_t i = 0; i < 1000; ++i) texts.push_back(view[i]);
  for (std::uint32_t i = 0; i < 1000; ++i) EXPECT_EQ(view[i].data(), texts[i].data());
  for (std::uint32_t i = 0; i < 1000; ++i) EXPECT_EQ(texts[i], NumberedText(i));
}

TEST(StringPacking, ReadersUnpackAtOnce) {
  constexpr std::uint32_t kCount = 20'000;
  StringTable table;
  for (std::uint32_t i = 0; i < kCount; ++i) table.Insert(NumberedText(i));
  const StringTable::View view =
      StringTable::Packed(table.Publish(), Words(kCount / 64 + 1, ~std::uint64_t{0})).Publish();
  std::atomic<int> wrong = 0;
  std::vector<std::thread> readers;
  for (int r = 0; r < 4; ++r)
    readers.emplace_back([&, r] {
      for (std::uint32_t i = 0; i < kCount; ++i) {
        const std::uint32_t id = (i * 7 + static_cast<std::uint32_t>(r)) % kCount;
        const std::string text = NumberedText(id);
        wrong += view[id] != text || view.Find(text) != id;
      }
    });
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(wrong, 0);
}

RC_GTEST_PROP(StringPackingProperty, EqualsAMap,
              (const std::vector<std::string>& texts, std::uint64_t pack)) {
  StringTable table;
  std::vector<std::string> all;
  for (const std::string& text : texts)
    if (table.Insert(text).is_new) all.push_back(text);
  const StringTable packed = StringTable::Packed(
      table.Publish(), Bits(all.size(), [&](std::size_t id) { return pack >> id % 64 & 1; }));
  for (std::uint32_t id = 0; id < all.size(); ++id) {
    RC_ASSERT(packed.Find(all[id]) == id);
    RC_ASSERT(packed[id] == all[id]);
    const std::string longer = all[id] + "z", shorter = all[id].substr(0, all[id].size() / 2);
    RC_ASSERT(packed.Find(longer) == table.Find(longer));
    RC_ASSERT(packed.Find(shorter) == table.Find(shorter));
  }
}

}  // namespace
}  // namespace plexus
