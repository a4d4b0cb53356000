// Symbols that belong to a kernel.
#pragma once
#include "llvm/ADT/StringRef.h"
#include <string>

namespace sparsec::codegen::device {

inline constexpr llvm::StringLiteral moduleName = "kernels";
/// Its record, in the program's module.
inline std::string recordName(llvm::StringRef kernel) { return "kernel." + kernel.str(); }
/// Its shared memory, in the module of kernels.
inline std::string sharedName(llvm::StringRef kernel) { return kernel.str() + "_shared"; }
/// What the emulator runs, in the program's module.
inline std::string emulatedName(llvm::StringRef kernel) { return "emulated." + kernel.str(); }

} // namespace sparsec::codegen::device
