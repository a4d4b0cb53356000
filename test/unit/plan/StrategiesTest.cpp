// Every strategy of plan files is one of the search, and what it writes to a plan file it reads back.
#include "dialect/proto/plan.pb.h"
#include "passes/Plan/Strategy.h"
#include <gtest/gtest.h>
#include <set>

using namespace sparsec;
using namespace sparsec::plan;

namespace {

const google::protobuf::OneofDescriptor &blocks() { return *Placement::descriptor()->FindOneofByName("strategy"); }

TEST(Strategies, AreThoseOfPlanFiles) {
  std::set<std::string> searched, written;
  for (const Strategy *strategy : strategies())
    searched.insert(strategy->name().str());
  for (int i = 0; i < blocks().field_count(); ++i)
    written.insert(std::string(blocks().field(i)->name()));
  EXPECT_EQ(searched, written);
  EXPECT_EQ(searched.size(), strategies().size());
}

TEST(Strategies, WriteWhatTheyRead) {
  for (const Strategy *strategy : strategies()) {
    Choice choice;
    if (strategy->placedBy() != PlacedBy::None)
      choice.places = {3, 1};
    Placement block;
    strategy->write(choice, block);
    const auto *field = block.GetReflection()->GetOneofFieldDescriptor(block, &blocks());
    ASSERT_TRUE(field) << strategy->name().str() << " writes nothing";
    EXPECT_EQ(std::string(field->name()), strategy->name().str());
    for (const Strategy *other : strategies()) {
      std::optional<Choice> read = other->read(block);
      EXPECT_EQ(read.has_value(), other == strategy) << other->name().str() << " of " << strategy->name().str();
      if (read)
        EXPECT_EQ(read->places, choice.places) << strategy->name().str();
    }
    EXPECT_FALSE(strategy->read(Placement())) << strategy->name().str();
  }
}

} // namespace
