import type { SourceBoard } from "../../sources/lists/source-board.ts"
import type { RegisterBoard } from "../../sources/registers/register-board.ts"
import type { SuppressionBook } from "../../sources/screening/suppress.ts"

/** The operator's own lists. A rehearsal reads them and nothing else of the operator. */
export interface RehearsalLists {
  readonly us: SourceBoard
  readonly gb: SourceBoard
  readonly registers: RegisterBoard
  readonly suppressions: () => SuppressionBook
}
