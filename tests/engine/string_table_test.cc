// StringTable: ids in order of first appearance, views that stay true while the
// writer goes on, look-ups from other threads, growth.
#include "engine/arrays/string_table.h"

#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace plexus {
namespace {

struct Joined {
  std::vector<std::uint64_t> offsets{0};
  std::string bytes;
  void Add(std::string_view s) {
    bytes += s;
    offsets.push_back(bytes.size());
  }
};

TEST(StringTable, StartsEmpty) {
  StringTable t;
  EXPECT_EQ(t.size(), 0u);
  EXPECT_FALSE(t.Find("a"));
  EXPECT_FALSE(t.Publish().Find(""));
  StringTable::View none;
  EXPECT_EQ(none.size(), 0u);
  EXPECT_FALSE(none.Find("a"));
}

TEST(StringTable, IdsInOrderOfAppearance) {
  StringTable t;
  EXPECT_EQ(t.Insert("b").id, 0u);
  EXPECT_EQ(t.Insert("a").id, 1u);
  auto again = t.Insert("b");
  EXPECT_EQ(again.id, 0u);
  EXPECT_FALSE(again.is_new);
  EXPECT_TRUE(t.Insert("").is_new);  // the empty string is a string
  EXPECT_EQ(t.Find(""), 2u);
  EXPECT_EQ(t[0], "b");
  EXPECT_EQ(t[2], "");
  EXPECT_GT(t.size_bytes(), 0u);
}

TEST(StringTable, BytesOfEveryKind) {
  StringTable t;
  std::vector<std::string> texts = {
      std::string("a\0b", 3), std::string("a\0c", 3),  "a",
      std::string(1024, 'x'), std::string(65535, 'y'), std::string(1024, 'x') + "z"};
  for (std::uint32_t i = 0; i < texts.size(); ++i) EXPECT_EQ(t.Insert(texts[i]).id, i);
  auto v = t.Publish();
  for (std::uint32_t i = 0; i < texts.size(); ++i) {
    EXPECT_EQ(v[i], texts[i]);
    EXPECT_EQ(v.Find(texts[i]), i);
  }
}

TEST(StringTable, ViewSeesAPrefix) {
  StringTable t;
  t.Insert("one");
  StringTable::View before = t.Publish();
  t.Insert("two");
  StringTable::View after = t.Publish();
  EXPECT_EQ(before.size(), 1u);
  EXPECT_FALSE(before.Find("two")) << "a view must not see later strings";
  EXPECT_EQ(after.Find("two"), 1u);
  EXPECT_EQ(before.Find("one"), 0u);
}

TEST(StringTable, GrowthKeepsEverythingAndOldViews) {
  StringTable t;
  std::vector<StringTable::View> views;
  constexpr std::uint32_t kCount = 200'000;
  for (std::uint32_t i = 0; i < kCount; ++i) {
    if ((i & (i - 1)) == 0) views.push_back(t.Publish());
    ASSERT_EQ(t.Insert("key" + std::to_string(i)).id, i);
  }
  views.push_back(t.Publish());
  for (const auto& v : views) {
    for (std::uint32_t i = 0; i < v.size(); i += 1 + v.size() / 100) {
      std::string key = "key" + std::to_string(i);
      ASSERT_EQ(v[i], key);
      ASSERT_EQ(v.Find(key), i);
    }
    ASSERT_FALSE(v.Find("key" + std::to_string(v.size())));
  }
}

// A caller's hash is trusted for speed only: strings that share one (a flood, or
// plain luck) stay apart.
TEST(StringTable, EqualHashesDoNotMixStrings) {
  StringTable t;
  constexpr std::uint64_t kHash = 0x1234567890abcdef;
  for (std::uint32_t i = 0; i < 500; ++i) {
    auto r = t.Insert(std::to_string(i), kHash);
    ASSERT_EQ(r.id, i);
    ASSERT_TRUE(r.is_new);
  }
  auto v = t.Publish();
  for (std::uint32_t i = 0; i < 500; ++i) {
    ASSERT_EQ(t.Find(std::to_string(i), kHash), i);
    ASSERT_EQ(v.Find(std::to_string(i), kHash), i);
    ASSERT_FALSE(t.Insert(std::to_string(i), kHash).is_new);
  }
  EXPECT_FALSE(v.Find("absent", kHash));
}

TEST(StringTable, HashIsStableInOneProcess) {
  EXPECT_EQ(StringTable::Hash("abc"), StringTable::Hash(std::string("abc")));
  EXPECT_NE(StringTable::Hash("abc"), StringTable::Hash("abd"));
}

TEST(StringTable, ReserveAndPrefetchChangeNothing) {
  StringTable t;
  t.Reserve(1000, 100'000);
  for (int i = 0; i < 3000; ++i) {
    std::string s = std::to_string(i);
    t.Prefetch(StringTable::Hash(s));
    t.Insert(s);
  }
  t.Reserve(10, 10);  // smaller than what is there
  for (std::uint32_t i = 0; i < 3000; ++i) ASSERT_EQ(t.Find(std::to_string(i)), i);
}

TEST(StringTable, ViewsOutliveTheTable) {
  StringTable::View v;
  std::string_view text;
  {
    StringTable t;
    t.Insert("keep me");
    v = t.Publish();
    text = v[0];
    StringTable moved = std::move(t);
    moved.Insert("more");
  }
  EXPECT_EQ(text, "keep me");
  EXPECT_EQ(v.Find("keep me"), 0u);
}

// A table made from a view goes on where the view stood, whatever the writer
// that published it did later, and does not disturb it.
TEST(StringTable, GoesOnFromAViewOfALiveWriter) {
  StringTable a;
  for (int i = 0; i < 100; ++i) a.Insert("a" + std::to_string(i));
  StringTable::View v = a.Publish();
  for (int i = 0; i < 9000; ++i) a.Insert("later" + std::to_string(i));
  StringTable b(v);
  EXPECT_EQ(b.size(), 100u);
  EXPECT_FALSE(b.Find("later0"));
  EXPECT_EQ(b.Insert("b100").id, 100u);
  EXPECT_EQ(b.Insert("later7").id, 101u);
  EXPECT_EQ(a.Find("later0"), 100u);
  EXPECT_EQ(a[100], "later0");
  EXPECT_FALSE(a.Find("b100"));
  StringTable c(std::move(v));  // a view may be continued twice
  EXPECT_EQ(c.Insert("c100").id, 100u);
  EXPECT_EQ(b[100], "b100");
  EXPECT_EQ(c[99], "a99");
}

TEST(StringTable, GoesOnFromAnOldViewAfterItsWriterDied) {
  for (int later : {1, 20, 100, 9000, 40'000}) {
    StringTable::View v;
    {
      StringTable a;
      for (int i = 0; i < 100; ++i) a.Insert("a" + std::to_string(i));
      v = a.Publish();
      for (int i = 0; i < later; ++i) a.Insert("later" + std::to_string(i));
    }
    StringTable b(std::move(v));
    ASSERT_EQ(b.size(), 100u);
    for (int i = 0; i < later; ++i) ASSERT_FALSE(b.Find("later" + std::to_string(i))) << later;
    for (std::uint32_t i = 0; i < 20'000; ++i)
      ASSERT_EQ(b.Insert("b" + std::to_string(i)).id, 100 + i);
    for (int i = 0; i < 100; ++i) ASSERT_EQ(b.Find("a" + std::to_string(i)), i);
    for (int i = 0; i < later; ++i) ASSERT_FALSE(b.Find("later" + std::to_string(i))) << later;
  }
}

// Continuing a view shares the index until something new is inserted: then one of the tables
// goes on in it, and the others in copies.
TEST(StringTable, TablesThatShareAnIndexKeepApart) {
  for (const bool first_goes_on : {true, false}) {
    Joined joined;
    for (int i = 0; i < 1000; ++i) joined.Add("k" + std::to_string(i));
    StringTable a;
    ASSERT_TRUE(a.AppendAll(joined.offsets, joined.bytes));
    const StringTable::View v = a.Publish();
    StringTable b(v), c(v);
    StringTable& first = first_goes_on ? a : b;
    ASSERT_EQ(first.Insert("new").id, 1000u);
    for (StringTable* other : {&a, &b, &c}) {
      if (other == &first) continue;
      EXPECT_FALSE(other->Find("new"));
      EXPECT_EQ(other->Insert("other").id, 1000u);
      EXPECT_EQ(other->Insert("new").id, 1001u);
    }
    EXPECT_FALSE(first.Find("other"));
    EXPECT_FALSE(v.Find("new"));
    for (const StringTable* t : {&a, &b, &c})
      for (std::uint32_t i = 0; i < 1000; ++i) ASSERT_EQ(t->Find("k" + std::to_string(i)), i);
  }
}

TEST(StringTable, TwoTablesGoOnFromOneViewAtOnce) {
  for (int round = 0; round < 20; ++round) {
    StringTable a;
    for (int i = 0; i < 500; ++i) a.Insert("k" + std::to_string(i));
    const StringTable::View v = a.Publish();
    std::atomic<int> ready{0};
    auto go_on = [&](const std::string& prefix) {
      StringTable t(v);
      ++ready;
      while (ready < 2) std::this_thread::yield();
      for (std::uint32_t i = 0; i < 2000; ++i)
        ASSERT_EQ(t.Insert(prefix + std::to_string(i)).id, 500 + i);
      for (std::uint32_t i = 0; i < 500; ++i) ASSERT_EQ(t.Find("k" + std::to_string(i)), i);
      for (std::uint32_t i = 0; i < 2000; ++i)
        ASSERT_EQ(t.Find(prefix + std::to_string(i)), 500 + i);
    };
    std::thread x(go_on, "x"), y(go_on, "y");
    x.join();
    y.join();
    for (std::uint32_t i = 0; i < 500; ++i) ASSERT_EQ(v.Find("k" + std::to_string(i)), i);
    EXPECT_FALSE(v.Find("x0"));
  }
}

// Of a large table: each has an index of its own over the shared one, until it has many strings.
TEST(StringTable, TablesOverALargeIndexKeepApart) {
  constexpr std::uint32_t kMany = 10'000;
  const auto key = [](const char* prefix, std::uint32_t i) { return prefix + std::to_string(i); };
  StringTable a;
  for (std::uint32_t i = 0; i < kMany; ++i) a.Insert(key("k", i));
  for (std::uint32_t round = 0; round < 3; ++round) {
    const StringTable::View v = a.Publish();
    const std::uint32_t size = v.size();
    StringTable b(v);
    ASSERT_EQ(b.Insert(key("b", round)).id, size);
    const StringTable::View of_b = b.Publish();
    StringTable c(of_b);  // over b's, as a preview of a preview
    ASSERT_EQ(c.Insert("c").id, size + 1);
    ASSERT_EQ(a.Insert(key("a", round)).id, size);
    for (std::uint32_t i = 0; i < 20'000; ++i) {  // past the part at which one is made of two
      ASSERT_EQ(b.Insert(key("more", i)).id, size + 1 + i);
      ASSERT_FALSE(b.Insert(key("k", i % kMany)).is_new);
    }
    std::vector<std::uint64_t> offsets = {0, 1, 3};
    StringTable d(of_b), e(of_b);
    EXPECT_TRUE(d.AppendAll(offsets, "xyz"));
    EXPECT_EQ(d.Find("yz"), size + 2);
    offsets = {0, 2};
    EXPECT_FALSE(e.AppendAll(offsets, "k7"));  // it is below
    StringTable packed = StringTable::Packed(c.Publish(), {});
    for (const StringTable* t : {&a, &b, &c, &d, &packed})
      for (std::uint32_t i = 0; i < kMany; ++i) ASSERT_EQ(t->Find(key("k", i)), i);
    EXPECT_EQ(packed.Find("c"), size + 1);
    EXPECT_EQ(c.Find(key("b", round)), size);
    EXPECT_FALSE(c.Find(key("a", round)));
    EXPECT_FALSE(c.Find("more0"));
    EXPECT_FALSE(of_b.Find("c"));
    EXPECT_FALSE(a.Find(key("b", round)));
    EXPECT_FALSE(v.Find(key("b", round)));
    EXPECT_FALSE(v.Find(key("a", round)));
    EXPECT_EQ(v.Find("k9"), 9u);
  }
}

// The writer replaced its spine but still appends to the page the view ends in.
TEST(StringTable, ContinuingAViewLeavesTheWritersPageAlone) {
  StringTable a;
  std::string big(1000, 'x');
  for (int i = 0; i < 10; ++i) a.Insert(big + std::to_string(i));
  StringTable::View v = a.Publish();
  for (int i = 10; i < 100; ++i) a.Insert(big + std::to_string(i));  // new chunks: new spine
  StringTable b(std::move(v));
  for (int i = 0; i < 50; ++i) b.Insert("b" + std::to_string(i));
  for (int i = 0; i < 100; ++i) ASSERT_EQ(a[i], big + std::to_string(i));
}

TEST(StringTable, GoesOnFromNothing) {
  StringTable t{StringTable::View()};
  EXPECT_EQ(t.Insert("a").id, 0u);
}

TEST(StringTable, AppendAllEqualsInsertOneByOne) {
  StringTable t;
  t.Insert("before");
  Joined joined;
  for (int i = 0; i < 50'000; ++i) joined.Add("k" + std::to_string(i * 7));
  ASSERT_TRUE(t.AppendAll(joined.offsets, joined.bytes));
  EXPECT_EQ(t.size(), 50'001u);
  auto v = t.Publish();
  for (std::uint32_t i = 0; i < 50'000; i += 13) {
    ASSERT_EQ(v[i + 1], "k" + std::to_string(i * 7));
    ASSERT_EQ(v.Find(v[i + 1]), i + 1);
  }
  EXPECT_EQ(t.Insert("before").id, 0u);
  EXPECT_EQ(t.Insert("after").id, 50'001u);
}

TEST(StringTable, AppendAllRefusesDuplicates) {
  Joined twice;
  twice.Add("a");
  twice.Add("b");
  twice.Add("a");
  StringTable t;
  EXPECT_FALSE(t.AppendAll(twice.offsets, twice.bytes));

  StringTable has;
  has.Insert("a");
  Joined one;
  one.Add("a");
  EXPECT_FALSE(has.AppendAll(one.offsets, one.bytes)) << "equal to a string that was there before";

  StringTable empties;
  Joined empty;
  empty.Add("");
  EXPECT_TRUE(empties.AppendAll(empty.offsets, empty.bytes));
  EXPECT_EQ(empties.Find(""), 0u);
}

// A large chunk must not make the next one as large.
TEST(StringTable, OneStringAfterManyTakesLittle) {
  Joined joined;
  for (int i = 0; i < 200'000; ++i) joined.Add("a rather long key " + std::to_string(i));
  StringTable t;
  ASSERT_TRUE(t.AppendAll(joined.offsets, joined.bytes));
  const std::uint64_t before = t.size_bytes();
  t.Insert("one more");
  EXPECT_LT(t.size_bytes(), before + (100 << 10));
}

TEST(StringTable, AppendAllOfNothing) {
  StringTable t;
  EXPECT_TRUE(t.AppendAll(std::vector<std::uint64_t>{0}, ""));
  EXPECT_TRUE(t.AppendAll({}, ""));
  EXPECT_EQ(t.size(), 0u);
}

RC_GTEST_PROP(StringTableProperty, EqualsAMap, (const std::vector<std::string>& texts)) {
  StringTable t;
  std::map<std::string, std::uint32_t> model;
  for (const std::string& text : texts) {
    auto [it, is_new] = model.emplace(text, model.size());
    auto got = t.Insert(text);
    RC_ASSERT(got.id == it->second);
    RC_ASSERT(got.is_new == is_new);
  }
  auto v = t.Publish();
  RC_ASSERT(v.size() == model.size());
  for (const auto& [text, id] : model) {
    RC_ASSERT(v.Find(text) == id);
    RC_ASSERT(v[id] == text);
  }
}

// One writer inserts and publishes; readers look up in the newest view they got
// and in old ones. Run under TSan.
TEST(StringTable, ReadersWhileInserting) {
  StringTable t;
  constexpr std::uint32_t kCount = 60'000;
  std::mutex mutex;
  StringTable::View newest = t.Publish();
  auto load = [&] {
    std::lock_guard lock(mutex);
    return newest;
  };
  std::atomic<bool> done = false;
  std::atomic<int> wrong = 0;
  std::vector<std::thread> readers;
  for (int r = 0; r < 3; ++r) {
    readers.emplace_back([&, r] {
      std::mt19937 rng(static_cast<unsigned>(r));
      StringTable::View old = load();
      while (!done.load()) {
        StringTable::View v = load();
        for (int k = 0; k < 50; ++k) {
          std::uint32_t id = rng() % (2 * kCount);
          auto found = v.Find("s" + std::to_string(id));
          if (found != (id < v.size() ? std::optional(id) : std::nullopt)) ++wrong;
          if (id < old.size() && old[id] != "s" + std::to_string(id)) ++wrong;
        }
        if (rng() % 64 == 0) old = v;
      }
    });
  }
  for (std::uint32_t i = 0; i < kCount; ++i) {
    t.Insert("s" + std::to_string(i));
    if (i % 97) continue;
    StringTable::View v = t.Publish();
    std::lock_guard lock(mutex);
    newest = std::move(v);
  }
  done.store(true);
  for (auto& reader : readers) reader.join();
  EXPECT_EQ(wrong.load(), 0);
}

}  // namespace
}  // namespace plexus
