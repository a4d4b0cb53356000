// The JSON fields of each struct of Program.h, once for both directions:
// visit(name, field) for each.
#pragma once
#include "sparsec/Program.h"

namespace sparsec::program {

template <typename V> void fields(V &visit, Mesh &m) {
  visit("groups", m.groups);
  visit("nodes", m.nodes);
  visit("shards", m.shards);
}

template <typename V> void fields(V &visit, DataFormat &d) {
  visit("delimiter", d.delimiter);
  visit("header", d.header);
  visit("column", d.column);
  visit("missing", d.missing);
  visit("trim", d.trim);
  visit("quote", d.quote);
  visit("comment", d.comment);
}

template <typename V> void fields(V &visit, LabelColumn &l) {
  visit("name", l.name);
  visit("column", l.column);
  visit("positive", l.positive);
  visit("negative", l.negative);
}

template <typename V> void fields(V &visit, NumberStep &s) {
  visit("kind", s.kind, {"min", "max", "log_plus", "scale", "standardise"});
  visit("value", s.value);
  visit("mean", s.mean);
  visit("stddev", s.stddev);
}

template <typename V> void fields(V &visit, FeatureColumn &f) {
  visit("name", f.name);
  visit("column", f.column);
  visit("kind", f.kind, {"number", "identity", "modulo", "hash", "vocabulary", "bucketize"});
  visit("fill", f.fill);
  visit("steps", f.steps);
  visit("width", f.width);
  visit("ids", f.ids);
  visit("hashSeed", f.hashSeed);
  visit("words", f.words);
  visit("oovIds", f.oovIds);
  visit("bounds", f.bounds);
  visit("separator", f.separator);
  visit("weightSeparator", f.weightSeparator);
  visit("maxLength", f.maxLength);
  visit("keep", f.keep, {"FIRST", "LAST"});
  visit("sameLengthAs", f.sameLengthAs);
  visit("missing", f.missing, {"REFUSE", "EMPTY_BAG", "AS_TEXT"});
  visit("outOfRange", f.outOfRange, {"ERROR", "DROP", "CLAMP", "ZERO"});
}

template <typename V> void fields(V &visit, InputBlock &b) {
  visit("features", b.features);
  visit("width", b.width);
}

template <typename V> void fields(V &visit, InitialValues &i) {
  visit("kind", i.kind, {"constant", "uniform", "normal", "values"});
  visit("value", i.value);
  visit("values", i.values);
}

template <typename V> void fields(V &visit, StateField &s) {
  visit("name", s.name);
  visit("perRow", s.perRow);
  visit("start", s.start);
}

template <typename V> void fields(V &visit, OptimizerUse &o) {
  visit("rule", o.rule);
  visit("hyperparameters", o.hyperparameters);
  visit("states", o.states);
}

template <typename V> void fields(V &visit, TablePart &p) {
  visit("col0", p.col0);
  visit("dim", p.dim);
  visit("replicated", p.replicated);
  visit("first", p.first);
  visit("count", p.count);
}

template <typename V> void fields(V &visit, TableInfo &t) {
  visit("name", t.name);
  visit("rows", t.rows);
  visit("dim", t.dim);
  visit("strategy", t.strategy);
  visit("init", t.init);
  visit("optimizer", t.optimizer);
  visit("whole", t.whole);
  visit("parts", t.parts);
}

template <typename V> void fields(V &visit, ParamInfo &p) {
  visit("name", p.name);
  visit("shape", p.shape);
  visit("init", p.init);
  visit("optimizer", p.optimizer);
}

template <typename V> void fields(V &visit, TaskInfo &t) {
  visit("name", t.name);
  visit("loss", t.loss);
  visit("label", t.label);
  visit("weight", t.weight);
}

template <typename V> void fields(V &visit, Program &p) {
  visit("model", p.model);
  visit("fingerprint", p.fingerprint);
  visit("target", p.target);
  visit("matmul", p.matmul);
  visit("compiler", p.compiler);
  visit("mesh", p.mesh);
  visit("batchSize", p.batchSize);
  visit("evalBatchSize", p.evalBatchSize);
  visit("epochs", p.epochs);
  visit("shuffleRows", p.shuffleRows);
  visit("warmupSteps", p.warmupSteps);
  visit("seed", p.seed);
  visit("data", p.data);
  visit("labels", p.labels);
  visit("features", p.features);
  visit("inputs", p.inputs);
  visit("tables", p.tables);
  visit("params", p.params);
  visit("tasks", p.tasks);
  visit("plan", p.plan);
}

} // namespace sparsec::program
