import { StoreUnavailable } from "../store-error.ts"
import type { PostgresFault } from "./postgres-fault.ts"

/** What a caller gets for a fault. One that is not the database's state stays itself, as a bug. */
export function unavailable(fault: PostgresFault): StoreUnavailable | PostgresFault {
  const options = { cause: fault }
  switch (fault.kind) {
    case "CONFLICT":
    case "BUSY":
      return new StoreUnavailable("BUSY", options)
    case "FULL":
      return new StoreUnavailable("FULL", options)
    case "IO":
    case "LOST":
    case "REFUSED":
      return new StoreUnavailable("IO", options)
    default:
      return fault
  }
}
