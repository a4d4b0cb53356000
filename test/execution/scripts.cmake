# Whole executables, by the scripts of this folder. Exit code 77: skipped, with the reason.
foreach(script adult plan-bits criteo planted compile-time generated-code checkpoint-python cuda install full-disk
    lookup-speed tune)
  add_test(NAME execution-${script} COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/${script}.sh ${CMAKE_BINARY_DIR})
  set_tests_properties(execution-${script} PROPERTIES TIMEOUT 900 SKIP_RETURN_CODE 77)
endforeach()
set_tests_properties(execution-compile-time execution-lookup-speed PROPERTIES RUN_SERIAL ON)
