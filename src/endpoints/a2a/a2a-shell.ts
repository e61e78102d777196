import type { ServedOperations } from "../../http/served.ts"
import type { Shell } from "../../http/shell.ts"

/** A shell whose served operations are known. */
export type A2aShell = Shell & { readonly served: ServedOperations }
