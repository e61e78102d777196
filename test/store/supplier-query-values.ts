import { GROWN, grownInstant } from "../fixtures/grown-row.ts"
import type { Values } from "./job-query-values.ts"

/** Values of the queries about identity sets, for row `n`. */
export function ofSuppliers(n: number): Values {
  return {
    supplierId: GROWN.supplierId,
    rootId: GROWN.supplierId,
    destination: "destination",
    decidedAt: grownInstant(n),
    key0: GROWN.supplierKey,
    key1: `uei:${n}`,
    key2: "",
    key3: "",
    key4: "",
    keys: JSON.stringify([GROWN.supplierKey, `uei:${n}`]),
    entityId: `entity-${n}`,
    grade: "ANCHOR",
    from: "",
    to: "~",
    document: "{}",
  }
}
