#include "RowIndex.h"
#include <algorithm>
#include <cstring>

namespace sparsec::data {

static constexpr int64_t markEvery = 4096;

RowIndex::RowIndex(std::vector<RowSource> given, std::string comment, std::string blanks)
    : sources(std::move(given)), comment(std::move(comment)), blanks(std::move(blanks)) {
  for (const RowSource &source : sources)
    comments += source.comments;
  goTo(0, cursor);
  skipToRow(cursor);
}

void RowIndex::goTo(size_t source, Cursor &c) const {
  c.source = source;
  c.offset = 0;
  c.line = source < sources.size() ? sources[source].firstLine : 0;
}

/// The line at the cursor without its line end, and where the one after it starts.
std::string_view RowIndex::lineAt(const Cursor &c, size_t &nextOffset) const {
  std::string_view text = sources[c.source].text;
  const char *start = text.data() + c.offset;
  size_t rest = text.size() - c.offset;
  const void *end = std::memchr(start, '\n', rest);
  size_t length = end ? static_cast<const char *>(end) - start : rest;
  nextOffset = c.offset + length + (end ? 1 : 0);
  if (length && start[length - 1] == '\r')
    --length;
  return {start, length};
}

bool RowIndex::isRow(std::string_view line, bool &isComment) const {
  isComment = !comment.empty() && line.starts_with(comment);
  if (isComment || line.empty())
    return false;
  return blanks.empty() || line.find_first_not_of(blanks) != std::string_view::npos;
}

/// Skips what is no row, from the cursor on; notes what it learns.
void RowIndex::skipToRow(Cursor &c) {
  bool fresh = c.row > frontier && !complete;
  while (!atEnd(c)) {
    if (c.offset == sources[c.source].text.size()) {
      goTo(c.source + 1, c);
      continue;
    }
    size_t nextOffset;
    bool isComment;
    if (isRow(lineAt(c, nextOffset), isComment))
      break;
    comments += fresh && isComment;
    c.offset = nextOffset;
    ++c.line;
  }
  if (!fresh)
    return;
  frontier = c.row;
  complete = atEnd(c);
  if (c.row % markEvery == 0)
    marks.push_back(c);
}

/// The row at the cursor; moves on to the next one.
std::string_view RowIndex::next(Cursor &c) {
  size_t nextOffset;
  std::string_view text = lineAt(c, nextOffset);
  c.offset = nextOffset;
  ++c.line;
  ++c.row;
  skipToRow(c);
  return text;
}

/// A cursor at or before a row, as near as is known.
RowIndex::Cursor RowIndex::before(int64_t row) const {
  Cursor best = marks[std::min<int64_t>(row / markEvery, marks.size() - 1)];
  return cursor.row <= row && cursor.row > best.row ? cursor : best;
}

void RowIndex::advance(int64_t row) {
  cursor = before(row);
  while (cursor.row < row && !atEnd(cursor))
    next(cursor);
}

void RowIndex::rows(int64_t first, int64_t n, std::vector<std::string_view> &texts) {
  texts.clear();
  advance(first);
  for (int64_t i = 0; i < n && !atEnd(cursor); ++i)
    texts.push_back(next(cursor));
}

bool RowIndex::has(int64_t row) {
  if (row > frontier && !complete)
    advance(row);
  return complete ? row < frontier : row <= frontier;
}

int64_t RowIndex::total() {
  if (!complete)
    advance(INT64_MAX);
  return frontier;
}

RowLocation RowIndex::locate(int64_t row) {
  Cursor c = marks[std::min<int64_t>(row / markEvery, marks.size() - 1)];
  while (c.row < row && !atEnd(c))
    next(c);
  if (atEnd(c))
    return {};
  size_t nextOffset;
  return {&sources[c.source], c.line, lineAt(c, nextOffset)};
}

} // namespace sparsec::data
