/** Tests that run on both engines. */
import { describe } from "bun:test"
import { HAS_POSTGRES, NOT_RUN } from "../../fixtures/postgres.ts"

/** Registers the tests of `body` once for each engine, with what gives a test its database there. */
export function onEngines<On>(on: { readonly SQLite: On; readonly PostgreSQL: On }) {
  return (what: string, body: (on: On) => void): void => {
    describe(`SQLite: ${what}`, () => body(on.SQLite))
    describe.skipIf(!HAS_POSTGRES)(`PostgreSQL: ${what}${NOT_RUN}`, () => body(on.PostgreSQL))
  }
}
