// The `comm` dialect: collectives over named mesh axes. CommOps.td says what each does.
#pragma once
#include "dialect/Rec/Rec.h"

#include "dialect/Comm/CommDialect.h.inc"
#define GET_TYPEDEF_CLASSES
#include "dialect/Comm/CommOpInterfaces.h.inc"
#include "dialect/Comm/CommTypes.h.inc"
#define GET_OP_CLASSES
#include "dialect/Comm/CommOps.h.inc"
