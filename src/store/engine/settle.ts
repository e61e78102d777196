import type { CommitOutcomeUnknown } from "./store-error.ts"

/** Receives null when everything before is on the disk. */
export type Settle = (failure: CommitOutcomeUnknown | null) => void
