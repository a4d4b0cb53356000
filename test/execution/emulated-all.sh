#!/usr/bin/env bash
# All samples as planned on 1x1, and under every strategy on 1x2 and 2x2, on the emulated device against the host: 50
# steps, 1e-5 for each; about an hour on one core. Prints the failures and a summary; exit status 1 on failures or if the
# run ended early.
#   test/execution/emulated-all.sh [BUILD]
source "$(dirname "$0")/support/scripts.sh"
export SPARSEC_EMULATE_ALL=1
wanted=$("$build/bin/emulated-test" --gtest_list_tests | grep -c '^  ')
"$build/bin/emulated-test" --gtest_brief=1 2>&1 | tee log || true
# With --gtest_brief only failures and the counts are printed.
passed=$(sed -nE 's/^\[  PASSED  \] ([0-9]+) tests?\.$/\1/p' log)
failed=$(grep -cE '^\[  FAILED  \] .*GetParam' log || true)
echo "$test: ${passed:-0} of $wanted combinations of sample, strategy and mesh agree for 50 steps within 1e-5, $failed failed"
[ "${passed:-0}" = "$wanted" ]
