// From a program in the rec dialect to an executable that trains on a file.
#include "codegen/CPU/Target.h"
#include "codegen/Emit/Compile.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <sstream>

using namespace sparsec;
namespace fs = std::filesystem;

namespace {

class Executable : public testing::Test {
protected:
  void SetUp() override {
    folder = fs::temp_directory_path() / ("sparsec-emit-" + std::to_string(std::random_device()()));
    fs::create_directories(folder);
    codegen::registerCodegenDialects(registry);
    codegen::registerEmitTranslations(registry);
    options.target = target.get();
    options.link.libraryDir = SPARSEC_TEST_LIBRARY_DIR;
  }
  void TearDown() override { fs::remove_all(folder); }

  bool compile(const std::string &path) {
    mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
    mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
      messages += diagnostic.str() + "\n";
      for (mlir::Diagnostic &note : diagnostic.getNotes())
        messages += note.str() + "\n";
      return mlir::success();
    });
    auto module =
        mlir::parseSourceFile<mlir::ModuleOp>(SPARSEC_SOURCE_DIR "/test/codegen/emit/Inputs/regression.mlir", &context);
    return module && succeeded(codegen::compileProgram(*module, options, path));
  }
  std::string run(const std::string &arguments) {
    std::string command = model() + " " + arguments + " > " + (folder / "out").string() + " 2>&1";
    status = std::system(command.c_str());
    return read(folder / "out");
  }
  std::string model() const { return (folder / "model").string(); }
  static std::string read(const fs::path &path) {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }

  fs::path folder;
  mlir::DialectRegistry registry;
  std::unique_ptr<codegen::Target> target = codegen::makeCPUTarget();
  codegen::CompileOptions options;
  std::string messages;
  int status = 0;
};

/// y = 2 a - 3 b + 1
std::string writeData(const fs::path &folder, int rows) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::ofstream file(folder / "data.csv");
  file << "y,a,b\n";
  for (int i = 0; i < rows; ++i) {
    double a = uniform(random), b = uniform(random);
    file << 2 * a - 3 * b + 1 << ',' << a << ',' << b << '\n';
  }
  return (folder / "data.csv").string();
}

TEST_F(Executable, Trains) {
  ASSERT_TRUE(compile(model())) << messages;
  std::string data = writeData(folder, 2000);
  std::string log = (folder / "log.jsonl").string();
  std::string output = run("train --data " + data + " --steps 400 --log " + log);
  ASSERT_EQ(status, 0) << output;
  std::ifstream lines(log);
  std::string line, last;
  while (std::getline(lines, line))
    if (line.find("\"loss\"") != std::string::npos)
      last = line;
  ASSERT_FALSE(last.empty()) << output;
  double loss = std::atof(last.c_str() + last.find("\"loss\":") + 7);
  EXPECT_LT(loss, 1e-4) << last;
}

TEST_F(Executable, SaysWhatItIs) {
  ASSERT_TRUE(compile(model())) << messages;
  std::string info = run("info --json");
  EXPECT_EQ(status, 0) << info;
  EXPECT_NE(info.find("regression"), std::string::npos) << info;
}

TEST_F(Executable, NeedsFewLibraries) {
  ASSERT_TRUE(compile(model())) << messages;
  std::string command = "ldd " + model() + " > " + (folder / "ldd").string();
  ASSERT_EQ(std::system(command.c_str()), 0);
  std::string libraries = read(folder / "ldd");
  for (const char *name : {"LLVM", "MLIR", "mpi", "protobuf", "libzstd", "libz."})
    EXPECT_EQ(libraries.find(name), std::string::npos) << libraries;
}

TEST_F(Executable, OtherKinds) {
  options.kind = codegen::OutputKind::llvmText;
  options.emit.cpu = "x86-64-v3";
  ASSERT_TRUE(compile((folder / "model.ll").string())) << messages;
  std::string text = read(folder / "model.ll");
  EXPECT_NE(text.find("@sparsec_program"), std::string::npos);
  EXPECT_NE(text.find("\"target-cpu\"=\"x86-64-v3\""), std::string::npos);
  EXPECT_NE(text.find("\"prefer-vector-width\"=\"512\""), std::string::npos);
  options.kind = codegen::OutputKind::assembly;
  ASSERT_TRUE(compile((folder / "model.s").string())) << messages;
  EXPECT_NE(read(folder / "model.s").find("sparsec_gemm"), std::string::npos);
}

TEST_F(Executable, SaysWhatIsMissing) {
  options.link.linker = "no-such-linker";
  EXPECT_FALSE(compile(model()));
  EXPECT_NE(messages.find("no linker found"), std::string::npos) << messages;
  messages.clear();
  options.link.linker.clear();
  options.link.libraryDir = folder.string();
  EXPECT_FALSE(compile(model()));
  EXPECT_NE(messages.find("expected the runtime library `libsparsec_main.a`"), std::string::npos) << messages;
  messages.clear();
  options.emit.cpu = "z80";
  EXPECT_FALSE(compile(model()));
  EXPECT_NE(messages.find("unknown CPU `z80`"), std::string::npos) << messages;
}

TEST_F(Executable, AFullDeviceIsAnError) {
  for (auto kind : {codegen::OutputKind::llvmText, codegen::OutputKind::assembly, codegen::OutputKind::object}) {
    options.kind = kind;
    messages.clear();
    EXPECT_FALSE(compile("/dev/full"));
    EXPECT_EQ(messages, "cannot write `/dev/full`: No space left on device\n");
  }
  EXPECT_TRUE(fs::exists("/dev/full"));
}

} // namespace
