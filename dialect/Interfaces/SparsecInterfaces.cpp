#include "dialect/Interfaces/SparsecInterfaces.h"

#include "dialect/Interfaces/SparsecAttrInterfaces.cpp.inc"
#include "dialect/Interfaces/SparsecOpInterfaces.cpp.inc"
