/** A register as the release before read it, and its second reading in this process. */
import type { LongWork } from "../../../src/base/long-work.ts"
import { readKeptRegister } from "../../../src/sources/import/read-kept-register.ts"
import { type RegisterReadAgainParts, readRegistersAgain } from "../../../src/sources/import/read-register-again.ts"
import { ukCompaniesHouse } from "../../../src/sources/publishers/uk-companies-house/bulk-adapter.ts"
import type { RegisterAdapter } from "../../../src/sources/records/register-adapter.ts"

/** Its names are in lower case. */
export const EARLIER: RegisterAdapter = {
  ...ukCompaniesHouse,
  parserVersion: `${ukCompaniesHouse.parserVersion.split(".")[0]}.0.9`,
  read: (files, emit, progress) =>
    ukCompaniesHouse.read(files, (entry) => emit({ ...entry, name: entry.name.toLowerCase() }), progress),
}

/** Without a thread, so that a test can watch each step. */
export function readHere(parts: RegisterReadAgainParts, work?: LongWork, failed = new Set<string>()): Promise<void> {
  const read: RegisterReadAgainParts["read"] = (adapter, kept) => readKeptRegister(adapter, kept, work)
  return readRegistersAgain({ ...parts, read }, failed, new AbortController().signal)
}
