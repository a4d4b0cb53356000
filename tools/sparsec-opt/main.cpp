// Runs any passes of sparsec on IR in a file. Plugins: --load-pass-plugin, --load-dialect-plugin.
#include "codegen/Common/Passes.h"
#include "codegen/Targets.h"
#include "dialect/Comm/Comm.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "passes/Pipelines.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry dialects;
  dialects.insert<sparsec::rec::RecDialect, sparsec::comm::CommDialect>();
  sparsec::codegen::registerCodegenDialects(dialects);
  sparsec::codegen::registerTargetDialects(dialects);
  sparsec::registerAllPasses();
  sparsec::codegen::registerTargetPasses();
  sparsec::codegen::registerCodegenCommonPasses();
  mlir::bufferization::registerBufferizationPasses();
  mlir::registerLinalgPasses();
  mlir::registerTransformsPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "sparsec-opt: passes of the sparsec compiler\n", dialects));
}
