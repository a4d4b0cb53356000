#include "passes/Import/Description/Stages.h"
#include <cmath>
#include <google/protobuf/descriptor.h>

namespace sparsec::description {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

void feature(Feature &feature) {
  if (!feature.column_size())
    feature.add_column(feature.name(0));
  // What cannot play a part is not spelled out.
  if (feature.has_number() || !feature.max_length_size())
    feature.clear_keep();
  if (feature.has_number())
    feature.clear_missing();
  if (!feature.has_identity() && !(feature.has_vocabulary() && !feature.vocabulary().oov_ids()))
    feature.clear_out_of_range();
  if (feature.has_number())
    return;
  Hint &hint = *feature.mutable_hint();
  if (!hint.bag_length_size())
    hint.add_bag_length(feature.has_separator() ? 10 : 1);
  if (!hint.zipf_size())
    hint.add_zipf(1.05);
}

void table(Table &table, const Training &training) {
  if (!table.has_init())
    table.mutable_init()->set_uniform(std::sqrt(1.0 / static_cast<double>(table.rows(0))));
  if (!table.has_optimizer())
    *table.mutable_optimizer() = training.table_optimizer();
}

void layer(Layer &layer) {
  if (layer.has_linear()) {
    Linear &linear = *layer.mutable_linear();
    if (!linear.has_weight())
      linear.mutable_weight()->set_scaled(Init::GLOROT_UNIFORM);
    if (linear.use_bias() && !linear.has_bias())
      linear.mutable_bias()->set_constant(0);
  }
  if (layer.has_mlp() && !layer.mlp().has_weight())
    layer.mutable_mlp()->mutable_weight()->set_scaled(Init::GLOROT_UNIFORM);
}

// The momentum scale is the group count under sync_weights, which only a plan knows; else 1.
void momentScale(Optimizer &optimizer, bool syncsWeights) {
  if (optimizer.has_row_wise_adagrad() && !optimizer.row_wise_adagrad().has_moment_scale() && !syncsWeights)
    optimizer.mutable_row_wise_adagrad()->set_moment_scale(1);
}

} // namespace

void setSchemaDefaults(Message &message) {
  const auto *r = message.GetReflection();
  const auto &type = *message.GetDescriptor();
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor *field = type.field(i);
    if (field->message_type()) {
      if (field->is_repeated())
        for (int k = 0, n = r->FieldSize(message, field); k < n; ++k)
          setSchemaDefaults(*r->MutableRepeatedMessage(&message, field, k));
      else if (r->HasField(message, field))
        setSchemaDefaults(*r->MutableMessage(&message, field));
    } else if (field->has_default_value() && !r->HasField(message, field)) {
      switch (field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_INT64:
        r->SetInt64(&message, field, field->default_value_int64());
        break;
      case FieldDescriptor::CPPTYPE_UINT64:
        r->SetUInt64(&message, field, field->default_value_uint64());
        break;
      case FieldDescriptor::CPPTYPE_DOUBLE:
        r->SetDouble(&message, field, field->default_value_double());
        break;
      case FieldDescriptor::CPPTYPE_BOOL:
        r->SetBool(&message, field, field->default_value_bool());
        break;
      case FieldDescriptor::CPPTYPE_ENUM:
        r->SetEnum(&message, field, field->default_value_enum());
        break;
      default:
        r->SetString(&message, field, field->default_value_string());
      }
    }
  }
}

void setDefaults(Loaded &loaded) {
  Model &model = loaded.model;
  Training &training = *model.mutable_training();
  bool syncs = training.has_sync_weights();
  setSchemaDefaults(model);
  if (training.has_table_optimizer())
    momentScale(*training.mutable_table_optimizer(), syncs);
  if (!training.has_eval_batch_size())
    training.set_eval_batch_size(training.batch_size());
  for (Label &label : *model.mutable_label())
    if (!label.column_size())
      label.add_column(label.name(0));
  for (Feature &one : *model.mutable_feature())
    feature(one);
  for (int i = 0; i < model.table_size(); ++i) {
    Table &one = *model.mutable_table(i);
    if (!one.has_optimizer())
      loaded.places->add("table")[i].child->add("optimizer") =
          loaded.places->child("training").elements("table_optimizer");
    table(one, training);
    momentScale(*one.mutable_optimizer(), syncs);
  }
  for (Lookup &lookup : *model.mutable_lookup())
    if (!lookup.has_pooling())
      lookup.set_pooling(Lookup::SUM);
  for (Layer &one : *model.mutable_layer())
    layer(one);
}

} // namespace sparsec::description
