# Tests that run the tools on text: RUN lines in the files themselves. `ninja check-lit`, or `lit build/test`.
import os
import lit.formats

config.name = "sparsec"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "unit", "benchmark"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = config.build_root

for folder in (config.llvm_tools, config.sparsec_tools):
    config.environment["PATH"] = folder + os.pathsep + config.environment["PATH"]
config.substitutions.append(("%examples", os.path.join(config.test_source_root, "Inputs", "language", "examples")))
config.substitutions.append(("%dialects", os.path.join(config.build_root, "..", "dialect")))
