import { ConstraintBroken, type ConstraintKind, StoreUnavailable } from "../store-error.ts"
import type { FaultKind, PostgresFault } from "./postgres-fault.ts"

/** By SQLSTATE. */
const CONSTRAINTS: Readonly<Record<string, ConstraintKind>> = {
  "23502": "NOT_NULL",
  "23503": "REFERENCE",
  "23505": "UNIQUE",
  "23514": "CHECK",
}

const REASONS: Readonly<Partial<Record<FaultKind, StoreUnavailable["reason"]>>> = {
  CONFLICT: "BUSY",
  BUSY: "BUSY",
  FULL: "FULL",
  IO: "IO",
  LOST: "IO",
  REFUSED: "IO",
  LOG_SHORTER: "LOG_SHORTER",
  SCHEMA_NEWER: "SCHEMA_NEWER",
  MOVED: "MOVED",
}

/** What a caller gets for a fault. One that is neither the database's state nor a constraint stays itself, as a bug. */
export function rejectionOf(fault: PostgresFault): StoreUnavailable | ConstraintBroken | PostgresFault {
  const constraint = CONSTRAINTS[fault.code]
  if (constraint) return new ConstraintBroken(constraint, fault.names.table ?? null, fault)
  const reason = REASONS[fault.kind]
  return reason ? new StoreUnavailable(reason, { cause: fault }) : fault
}
