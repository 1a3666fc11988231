// What a generated program includes, and what it defines for the run-time, which is compiled once
// and linked to every program (src/).
#pragma once

#include "abi.h"
#include "cpu/kernels.h"
#include "graph/context.h"
#include "graph/lists.h"
#include "graph/mathematics.h"
#include "graph/memoised.h"
#include "graph/numbers.h"
#include "graph/records.h"

namespace acrobat {

extern const int kBlocks, kDataTypes, kParameters, kResults, kPhases;
extern const int kSubphases;  // how many parts branches and loops divide a phase into
extern const bool kSuspends;  // whether the program reads tensors
extern const bool kMemoises;  // whether it looks up calls that it has made before
extern const BlockInfo kBlockInfo[];
extern const BlockKernels kPlans[];
extern const int* const kOperandWidths[];
extern const DataType kDataType[];
extern const FieldType kParameter[];
extern const int kParameterOf[];  // of which argument each parameter is a part
extern const int kArguments;      // how many arguments an instance consists of
extern const Text kText[];
extern const int kTexts;
extern const bool kHasTexts;  // whether there are any but those
extern const HostFunction kHostFunction[];
extern const int kHostFunctions;
extern const FieldType kResult[];
extern const char kResultShape[];  // see results.h
void build_instance(Context& cx, const Word* arguments, Word* results);

}  // namespace acrobat
