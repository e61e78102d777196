/** The register data that a decision reads: an entry by its key, and the state of each register at one moment. */

import type { RegisterEntry } from "../records/register-adapter.ts"
import type { RegisterId } from "../records/register-id.ts"
import type { SourceState } from "./source-board.ts"

export type RegisterState = SourceState<RegisterId>

export interface RegisterBoard {
  /** Returns all registers that can be imported, judged at `at` (milliseconds). One that was never imported is UNAVAILABLE. */
  states(at: number): readonly RegisterState[]
  /**
   * Returns the entry of the active snapshot with this key, in any accepted spelling. Returns null if there is no entry, if the key is
   * invalid, or if the register is not healthy enough to be open: check `states` first. `scheme` is `number`, `uei`, `cage`, `lei` or
   * `cik`. If several entries have the same other key, returns the first in key order.
   */
  find(id: RegisterId, scheme: string, value: string): RegisterEntry | null
}
