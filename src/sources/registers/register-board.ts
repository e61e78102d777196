/** What a decision may ask of the bulk registers: an entry by a key, and each register's state at one moment. */
import type { SourceState } from "../lists/source-board.ts"
import type { RegisterEntry } from "../records/register-adapter.ts"
import type { RegisterId } from "../records/register-id.ts"

/** The same words as for a restricted-party source. */
export interface RegisterState extends Omit<SourceState, "sourceId"> {
  readonly sourceId: RegisterId
}

export interface RegisterBoard {
  /** All registers that can be imported, judged at `at` (milliseconds); one never imported is UNAVAILABLE. */
  states(at: number): readonly RegisterState[]
  /**
   * The entry of the active snapshot with this key, in whatever form it is written; null where there is none, where no form of the
   * key fits, and where the register is not HEALTHY enough to be open: look at `states` first. `scheme` is `number`, `uei`, `cage`,
   * `lei` or `cik`. A further key that several entries carry gives the first of them in key order.
   */
  find(id: RegisterId, scheme: string, value: string): RegisterEntry | null
}
