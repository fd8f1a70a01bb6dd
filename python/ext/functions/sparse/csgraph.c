/* Walks through graphs, for the functions of tenorite.scipy.sparse.csgraph. */
#include "functions/sparse/csgraph.h"

#include "values/kinds.h"

/* The nodes before and the origins may be None, and all of a cycle of negative weight. */
EXT_CALL(csgraph_paths, EXT_LONG, (csr, graph), (array, sources), (number, method),
         (truth, is_both_ways), (truth, is_merged), (real, limit), (made_or_none, distances),
         (made_or_none, before), (made_or_none, origins)) {
    const tn_path_options options = {(tn_path_method)call->method, call->is_both_ways,
                                     call->is_merged, call->limit};
    bool is_negative;
    return tn_csgraph_paths(&call->distances, &call->before, &call->origins, &is_negative,
                            &call->graph, call->sources, &options, NULL);
}

EXT_FORWARD(csgraph_traverse,
            tn_csgraph_traverse(&call->order, &call->before, &call->graph, call->first,
                                call->is_deep, call->is_both_ways, NULL),
            EXT_LONG, (csr, graph), (int64, first), (truth, is_deep), (truth, is_both_ways),
            (made, order), (made, before))
/* A mask of the elements. */
EXT_FORWARD(csgraph_spanning, tn_csgraph_spanning(&call->is_kept, &call->graph, NULL), EXT_LONG,
            (csr, graph), (made, is_kept))

PyMethodDef ext_csgraph_functions[] = {EXT_ENTRY(csgraph_paths),
                                       EXT_ENTRY(csgraph_traverse),
                                       EXT_ENTRY(csgraph_spanning),
                                       {NULL, NULL, 0, NULL}};
