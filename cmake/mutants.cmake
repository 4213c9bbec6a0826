# MUSTER_MUTANTS: the cores are compiled from copies of their sources in which each mutant of
# sim/mutants/*.toml is a choice at run time. For muster-sim and the tests of the cores;
# docs/internals/simulation.md.

set(MUSTER_MUTATED "")
if(MUSTER_MUTANTS)
    set(mutate ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/sim/mutants/mutate.py)
    set(MUSTER_MUTATED_DIR ${PROJECT_BINARY_DIR}/mutants)
    execute_process(COMMAND ${mutate} --write ${MUSTER_MUTATED_DIR} COMMAND_ERROR_IS_FATAL ANY)
    execute_process(COMMAND ${mutate} --files
        OUTPUT_VARIABLE MUSTER_MUTATED OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    string(REPLACE "\n" ";" MUSTER_MUTATED "${MUSTER_MUTATED}")
    execute_process(COMMAND ${mutate} --lists
        OUTPUT_VARIABLE lists OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    string(REPLACE "\n" ";" lists "${lists}")
    # Whoever changes one of these gets new copies with the next build.
    set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
        sim/mutants/mutate.py ${lists} ${MUSTER_MUTATED})
endif()

# muster_take_mutated(SOURCES): those of the current directory that have mutants, by their copies.
function(muster_take_mutated sources)
    set(taken "")
    foreach(source IN LISTS ${sources})
        cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} OUTPUT_VARIABLE whole)
        cmake_path(RELATIVE_PATH whole BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE name)
        if(name IN_LIST MUSTER_MUTATED)
            set(source ${MUSTER_MUTATED_DIR}/${name})
        endif()
        list(APPEND taken ${source})
    endforeach()
    set(${sources} ${taken} PARENT_SCOPE)
endfunction()
