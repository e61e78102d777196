/** Imports of small registers into a real database and folder, with a clock that the test sets. */

import { openRegisters } from "../../../src/sources/boards/open-register-board.ts"
import { type ImportContext, importSource } from "../../../src/sources/import/import-source.ts"
import { findInput } from "../../../src/sources/import/read-input.ts"
import { rollBack } from "../../../src/sources/import/roll-back.ts"
import { registerSource } from "../../../src/sources/import/source.ts"
import { ukCompaniesHouse } from "../../../src/sources/publishers/uk-companies-house/bulk-adapter.ts"
import type { RegisterAdapter } from "../../../src/sources/records/register-adapter.ts"
import type { NamedBytes } from "../../fixtures/companies-house-file.ts"
import { importBench } from "../import-bench.ts"

export const REGISTER = "UK_COMPANIES_HOUSE"

export interface GivenRegister extends Partial<Pick<ImportContext, "free" | "work" | "store">> {
  readonly adapter?: RegisterAdapter
  readonly retrievedAt?: number
  readonly acceptShrink?: string
  /** Retrieval time of the files in milliseconds; by default the clock's time. */
  readonly modifiedAt?: number
}

export function registerBench() {
  const bench = importBench()
  const { store, machine, root, environment, log } = bench
  const adapters = [ukCompaniesHouse]
  const parts = { store, machine, root, log, adapters, disabled: [] }
  const context = { store, machine, root, environment }
  return {
    ...bench,
    parts,
    companiesHouseFiles: `${root}/${REGISTER}`,
    importPaths(paths: readonly string[], given: GivenRegister = {}) {
      const { retrievedAt = null, acceptShrink = null, modifiedAt: _, adapter = ukCompaniesHouse, ...changes } = given
      const options = { retrievedAt, acceptShrink }
      return importSource(
        { ...context, source: registerSource(adapter), ...changes },
        findInput(paths, REGISTER),
        options,
      )
    },
    /** Imports these files from a folder, as an operator does. */
    bringCompaniesHouse(files: readonly NamedBytes[], given: GivenRegister = {}) {
      return this.importPaths([bench.folder(files, given.modifiedAt)], given)
    },
    rollBack: () => rollBack({ ...context, source: registerSource(ukCompaniesHouse) }),
    /** The register's current answer. */
    async ask<T>(question: (registers: Awaited<ReturnType<typeof openRegisters>>) => T): Promise<T> {
      const registers = await openRegisters(parts)
      try {
        return question(registers)
      } finally {
        registers.close()
      }
    },
    [Symbol.asyncDispose]: bench[Symbol.asyncDispose],
  }
}
