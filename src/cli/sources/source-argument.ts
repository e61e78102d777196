import { CommandError, EXIT } from "../../base/exit.ts"
import { isDenied, systemFault } from "../../base/system-fault.ts"
import { guess } from "../../core/nearest.ts"
import { ImportBusy } from "../../sources/import/import-lock.ts"
import { NoRoom } from "../../sources/import/register-input.ts"
import { ADAPTERS, adapterOf } from "../../sources/list-registry.ts"
import type { SourceAdapter } from "../../sources/records/adapter.ts"
import { InputError } from "../../sources/records/input-error.ts"
import { REGISTER_ADAPTERS, registerAdapterOf } from "../../sources/register-registry.ts"
import { databaseFaultOf } from "../../store/engine/database-fault.ts"
import { classify, StoreUnavailable } from "../../store/engine/store-error.ts"

/** Exits with 2 and suggests the nearest id if the text is not a source id. */
export function needSource(id: string): SourceAdapter {
  const adapter = adapterOf(id)
  if (adapter) return adapter
  if (registerAdapterOf(id)) {
    throw new CommandError(EXIT.USAGE, `${id} is a register; this is for the lists ${Object.keys(ADAPTERS).join(", ")}`)
  }
  const known = [...Object.keys(ADAPTERS), ...REGISTER_ADAPTERS.map((register) => register.id)]
  throw new CommandError(
    EXIT.USAGE,
    `unknown source ${id}${guess(id.toUpperCase(), known) || "."} Known: ${known.join(", ")}`,
  )
}

/** Converts the error of an unreadable input file: exit 7 if this user may not read it, otherwise 4. */
export function asInputRefusal(error: unknown): unknown {
  if (!(error instanceof InputError)) return error
  return new CommandError(isDenied(error.cause) ? EXIT.DATA : EXIT.NOT_CHECKED, error.message)
}

/** Converts an error of the data directory (another import, a full or closed disk) to exit 7. Nothing was activated. */
export function asImportRefusal(error: unknown): unknown {
  if (error instanceof NoRoom) return new CommandError(EXIT.DATA, `${error.message}; the active snapshot is unchanged`)
  if (error instanceof ImportBusy) return new CommandError(EXIT.DATA, error.message)
  const ofFile = databaseFaultOf(error)
  if (ofFile !== null) return new CommandError(EXIT.DATA, `${ofFile.message}; the active snapshot is unchanged`)
  const failure = classify(error)
  if (failure instanceof StoreUnavailable || isDiskFailure(failure)) {
    return new CommandError(EXIT.DATA, `${systemFault(failure) ?? failure.message}; the active snapshot is unchanged`)
  }
  return error
}

function isDiskFailure(error: unknown): error is Error {
  const code = error instanceof Error && "code" in error ? error.code : null
  return typeof code === "string" && /^E(NOSPC|FBIG|DQUOT|ROFS|ACCES|PERM|IO|EXIST|NOTDIR)$/.test(code)
}
