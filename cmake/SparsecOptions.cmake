# Options that hold for every target: warnings, sanitizers, ccache, the linker.
find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${CCACHE})
endif()

# libstdc++ 12 warns about its own stable_sort under clang.
add_compile_options(-Wall -Wextra -Wno-unused-parameter -Wno-deprecated-declarations -Werror=return-type)
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  add_link_options(-fuse-ld=lld)
endif()
if(SPARSEC_SANITIZE)
  add_compile_options(-fsanitize=${SPARSEC_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
  add_link_options(-fsanitize=${SPARSEC_SANITIZE})
endif()

# sparsec_test(NAME files... LINK libs...): a GoogleTest program; each of its cases is one ctest test. WHOLE: all of them
# are one, for programs that prepare something costly once.
function(sparsec_test name)
  cmake_parse_arguments(T "WHOLE" "" "LINK" ${ARGN})
  add_executable(${name} ${T_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${T_LINK} GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE SPARSEC_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  if(T_WHOLE)
    add_test(NAME ${name} COMMAND ${name})
    set_tests_properties(${name} PROPERTIES TIMEOUT 600)
  else()
    include(GoogleTest)
    gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 300)
  endif()
endfunction()
