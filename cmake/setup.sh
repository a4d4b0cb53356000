#!/usr/bin/env bash
# Installs what sparsec needs on Debian 12 and builds it into build/. Safe to run again: what is there stays.
#
#   cmake/setup.sh            the compiler, the runtime and the samples' tools
#   cmake/setup.sh --tests    also the tests and what they need
set -euo pipefail
cd "$(dirname "$0")/.."

tests=OFF
[ "${1:-}" = --tests ] && tests=ON

packages=(ca-certificates clang-22 lld-22 llvm-22-dev libmlir-22-dev mlir-22-tools cmake ninja-build ccache
  libboost-context-dev libdnnl-dev libprotobuf-dev protobuf-compiler libcli11-dev nlohmann-json3-dev libfmt-dev libxxhash-dev
  zlib1g-dev libzstd-dev)
if [ $tests = ON ]; then
  packages+=(llvm-22-tools libgtest-dev libbenchmark-dev openmpi-bin libopenmpi-dev python3-pip python3-numpy
    xz-utils)
fi

missing=()
for package in "${packages[@]}"; do
  [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
  sudo=
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || { echo "setup: run as root, or install sudo, to install: ${missing[*]}" >&2; exit 1; }
    sudo=sudo
  fi
  echo "setup: installing ${#missing[@]} packages"
  log=$(mktemp)
  $sudo apt-get update -qq >"$log" 2>&1 || true
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >>"$log" 2>&1 ||
    { tail -n 20 "$log" >&2; echo "setup: installing failed" >&2; exit 1; }
  rm -f "$log"
fi

echo "setup: building (tests $tests)"
mkdir -p build
log=build/setup.log
cmake -G Ninja -S . -B build -DCMAKE_C_COMPILER=clang-22 -DCMAKE_CXX_COMPILER=clang++-22 -DSPARSEC_TESTS=$tests >$log 2>&1 ||
  { cat $log >&2; exit 1; }
ninja -C build >$log 2>&1 || { grep -E -A8 'error|FAILED' $log | head -n 60 >&2; exit 1; }
echo "setup: done"
