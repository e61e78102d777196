/** What a caller gets while the database takes no work. */
import { expect, test } from "bun:test"
import { refusalOf } from "../../src/http/problem.ts"
import { StoreUnavailable } from "../../src/store/engine/store-error.ts"

test.each([
  ["IO", "STORE_UNAVAILABLE", "DATABASE_IO"],
  ["MOVED", "DATABASE_MOVED", "DATABASE_MOVED"],
  ["SCHEMA_NEWER", "STORE_UNAVAILABLE", "MIGRATIONS_UNKNOWN"],
] as const)("a database that is unavailable with %s is %s because of %s", (reason, code, reasonCode) => {
  const refusal = refusalOf(new StoreUnavailable(reason))
  expect(refusal).toMatchObject({ code, context: { reasonCodes: [reasonCode], retryAfterSeconds: 5 } })
})
