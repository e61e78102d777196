import { CommandError, EXIT } from "../../base/exit.ts"
import { isDenied, systemFault } from "../../base/system-fault.ts"
import { guess } from "../../core/nearest.ts"
import { ImportBusy } from "../../sources/import/import-lock.ts"
import { NoRoom } from "../../sources/import/room.ts"
import type { ListSource, Source } from "../../sources/import/source.ts"
import { InputError } from "../../sources/records/input-error.ts"
import { SOURCES, sourceOf } from "../../sources/registry.ts"
import { databaseFaultOf } from "../../store/engine/sqlite/database-fault.ts"
import { classify } from "../../store/engine/sqlite/sqlite-code.ts"
import { DatabaseRefused, StoreUnavailable } from "../../store/engine/store-error.ts"
import { unavailableText } from "../data-fault.ts"

/** Returns the list or the register. Exits with 2 and suggests the nearest id if the text is not a source id. */
export function needSource(id: string): Source {
  const source = sourceOf(id)
  if (source) return source
  const known = SOURCES.map((one) => one.id)
  throw new CommandError(
    EXIT.USAGE,
    `unknown source ${id}${guess(id.toUpperCase(), known) || "."} Known: ${known.join(", ")}`,
  )
}

/** The same for the screened lists alone. */
export function needList(id: string): ListSource {
  const source = needSource(id)
  if (source.kind === "LIST") return source
  const lists = SOURCES.filter(({ kind }) => kind === "LIST").map((one) => one.id)
  throw new CommandError(EXIT.USAGE, `${id} is a register; this is for the lists ${lists.join(", ")}`)
}

/** Converts the error of an unreadable input file: exit 7 if this user may not read it, otherwise 4. */
export function asInputRefusal(error: unknown): unknown {
  if (!(error instanceof InputError)) return error
  return new CommandError(isDenied(error.cause) ? EXIT.DATA : EXIT.NOT_CHECKED, error.message)
}

/** Converts an error of the data directory (another import, a full or closed disk) to exit 7. Nothing was activated. */
export function asImportRefusal(error: unknown): unknown {
  if (error instanceof NoRoom) return new CommandError(EXIT.DATA, `${error.message}; the active snapshot is unchanged`)
  if (error instanceof DatabaseRefused)
    return new CommandError(EXIT.DATA, `${error.message}; the active snapshot is unchanged`)
  if (error instanceof ImportBusy) return new CommandError(EXIT.DATA, error.message)
  const ofFile = databaseFaultOf(error)
  if (ofFile !== null) return new CommandError(EXIT.DATA, `${ofFile.message}; the active snapshot is unchanged`)
  const failure = classify(error)
  if (failure instanceof StoreUnavailable) {
    return new CommandError(EXIT.DATA, `${unavailableText(failure)}; the active snapshot is unchanged`)
  }
  if (isDiskFailure(failure)) {
    return new CommandError(EXIT.DATA, `${systemFault(failure) ?? failure.message}; the active snapshot is unchanged`)
  }
  return error
}

function isDiskFailure(error: unknown): error is Error {
  const code = error instanceof Error && "code" in error ? error.code : null
  return typeof code === "string" && /^E(NOSPC|FBIG|DQUOT|ROFS|ACCES|PERM|IO|EXIST|NOTDIR)$/.test(code)
}
