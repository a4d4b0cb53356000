#!/usr/bin/env bash
# All samples under every strategy on 1x2 and 2x2, on the emulated device against the host; about an hour on one core.
#   test/execution/emulated-all.sh [BUILD]
source "$(dirname "$0")/support/scripts.sh"
"$build/bin/emulated-test" --gtest_also_run_disabled_tests --gtest_filter='*DISABLED_All*' --gtest_brief=1
