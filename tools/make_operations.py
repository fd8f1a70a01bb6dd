#!/usr/bin/env python3
"""Write include/tenorite/operations.h, the public enum of element-wise operations.

    make_operations.py src/ops/ops.def operations.h

Reads the OP, FUNCTION and HELPER lines of the table, in their order.
"""

import re
import sys

HEAD = """\
/* The element-wise operations: made from src/ops/ops.def by tools/make_operations.py. */
#ifndef TENORITE_OPERATIONS_H
#define TENORITE_OPERATIONS_H

typedef enum tn_op {
    TN_OP_NONE = -1,
"""
TAIL = """\
    TN_OP_COUNT
} tn_op;

#endif
"""
LINE = re.compile(r'^(?:OP|FUNCTION|HELPER)\((\w+),.*, "(.*)"\)$', re.MULTILINE)


def main(table, output):
    with open(table, encoding="utf-8") as file:
        operations = LINE.findall(file.read())
    width = max(len(name) for name, _ in operations)
    with open(output, "w", encoding="utf-8") as file:
        file.write(HEAD)
        for name, doc in operations:
            file.write(f"    {'TN_OP_' + name.upper() + ',':<{width + 7}} /* {doc} */\n")
        file.write(TAIL)


if __name__ == "__main__":
    main(*sys.argv[1:])
