# MLIR and LLVM 22 as shared libraries, and precompiled headers: the one thing that makes builds bearable.
find_package(MLIR REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/mlir)
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
set(LLVM_ENABLE_EH ON)
set(LLVM_ENABLE_RTTI ON)
include(TableGen)
include(AddLLVM)
set(MLIR_BINARY_DIR ${CMAKE_BINARY_DIR}) # `ninja mlir-doc` writes to docs/ in it
include(AddMLIR)
include_directories(SYSTEM ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
include_directories(${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
find_package(Protobuf REQUIRED)
find_package(CLI11 REQUIRED)

# One precompiled header for all compiler libraries.
file(WRITE ${CMAKE_BINARY_DIR}/pch.cpp "")
add_library(sparsec_pch OBJECT ${CMAKE_BINARY_DIR}/pch.cpp)
target_precompile_headers(sparsec_pch PRIVATE ${CMAKE_SOURCE_DIR}/cmake/pch.h)
target_compile_options(sparsec_pch PRIVATE $<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>)

# sparsec_library(NAME files... LINK libs...): a compiler library against the shared MLIR.
function(sparsec_library name)
  cmake_parse_arguments(L "" "" "LINK;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${L_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PUBLIC ${L_LINK} MLIR LLVM)
  target_precompile_headers(${name} REUSE_FROM sparsec_pch)
  target_compile_options(${name} PRIVATE $<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>)
  if(L_DEPENDS)
    add_dependencies(${name} ${L_DEPENDS})
  endif()
endfunction()

# Programs find the shared MLIR where it was found, whether they are installed or not.
set(CMAKE_INSTALL_RPATH ${LLVM_LIBRARY_DIR})
set(CMAKE_BUILD_WITH_INSTALL_RPATH ON)
