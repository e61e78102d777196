/** Imports of small registers into a real database and folder, with a clock that the test sets. */

import { openRegisters } from "../../../src/sources/boards/open-register-board.ts"
import { importRegister, type RegisterImportContext } from "../../../src/sources/import/import-register.ts"
import { readRegisterInput } from "../../../src/sources/import/register-input.ts"
import { rollBackRegister } from "../../../src/sources/import/roll-back-register.ts"
import { ukCompaniesHouse } from "../../../src/sources/publishers/uk-companies-house/bulk-adapter.ts"
import type { RegisterAdapter } from "../../../src/sources/records/register-adapter.ts"
import type { NamedBytes } from "../../fixtures/companies-house-file.ts"
import { importBench } from "../import-bench.ts"

export const REGISTER = "UK_COMPANIES_HOUSE"

export interface GivenRegister extends Partial<Pick<RegisterImportContext, "free" | "work" | "store">> {
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
  const context = { store, machine, root, environment, adapter: ukCompaniesHouse }
  return {
    ...bench,
    parts,
    companiesHouseFiles: `${root}/${REGISTER}`,
    importPaths(paths: readonly string[], given: GivenRegister = {}) {
      const { retrievedAt = null, acceptShrink = null, modifiedAt: _, ...changes } = given
      const options = { retrievedAt, acceptShrink }
      return importRegister({ ...context, ...changes }, readRegisterInput(paths, REGISTER), options)
    },
    /** Imports these files from a folder, as an operator does. */
    bringCompaniesHouse(files: readonly NamedBytes[], given: GivenRegister = {}) {
      return this.importPaths([bench.folder(files, given.modifiedAt)], given)
    },
    rollBack: () => rollBackRegister(context),
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
