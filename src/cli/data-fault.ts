import { CommandError, EXIT } from "../base/exit.ts"
import { systemFault } from "../base/system-fault.ts"
import { databaseFaultOf } from "../store/engine/sqlite/database-fault.ts"
import { classify, damageOf } from "../store/engine/sqlite/sqlite-code.ts"
import { DatabaseRefused, StoreUnavailable } from "../store/engine/store-error.ts"

/**
 * Converts a damaged page, a full disk, an unreadable file or a lock to a CommandError, because these are states of the machine and not
 * bugs. Returns any other `error` unchanged.
 */
export function asDataFault(error: unknown): unknown {
  const ofAnother = databaseFaultOf(error)
  if (ofAnother !== null) return new CommandError(EXIT.DATA, ofAnother.message)
  if (error instanceof DatabaseRefused) return new CommandError(EXIT.DATA, error.message)
  const damage = damageOf(error)
  if (damage !== null) {
    const wayOut = "put back your newest backup and keep the damaged file"
    return new CommandError(EXIT.DATA, `the database of the data directory is damaged (${damage}); ${wayOut}`)
  }
  const fault = systemFault(error)
  if (fault !== null) return new CommandError(EXIT.DATA, fault)
  const failure = classify(error)
  if (!(failure instanceof StoreUnavailable)) return error
  return new CommandError(EXIT.DATA, unavailableText(failure))
}

/** Says what a person does, too. */
export function unavailableText({ file, reason, wayOut }: StoreUnavailable): string {
  return `the database ${file ?? "of the data directory"} cannot be used now (${reason}); ${wayOut}`
}
