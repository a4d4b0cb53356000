#!/usr/bin/env bash
# All samples under every strategy on 1x2 and 2x2, on the emulated device against the host; about an hour on one core.
#   test/execution/emulated-all.sh [BUILD]
source "$(dirname "$0")/support/scripts.sh"
SPARSEC_EMULATE_ALL=1 "$build/bin/emulated-test" --gtest_filter='Strategies*' --gtest_brief=1
