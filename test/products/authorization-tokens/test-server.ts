/** Only the token routes, on a real database file. The test controls the clock. */
import { join } from "node:path"
import { HOUR } from "../../../src/core/time.ts"
import { RateLimiter } from "../../../src/http/rate-limit.ts"
import { router } from "../../../src/http/router.ts"
import { authorizationTokens } from "../../../src/products/authorization-tokens/routes.ts"
import { SqliteStore } from "../../../src/store/engine/sqlite/sqlite-store.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import type { TokenWish } from "../../fixtures/held-tokens.ts"
import { type HeldToken, heldToken, redeemBody, revokeBody, statusBody, tokenPath } from "../../fixtures/held-tokens.ts"
import { openMigrated } from "../../fixtures/new-database.ts"
import { clockAt } from "../../fixtures/service.ts"
import { testShell } from "../../fixtures/shell.ts"

export const START = Date.UTC(2026, 10, 21, 10)
export const END = START + HOUR

export function openTestServer(limits: "limited" | "unlimited" = "unlimited") {
  const fresh = freshDirectory()
  const database = openMigrated(join(fresh.path, "bizauth.db"))
  const store = new SqliteStore(database, (error) => {
    throw error
  })
  const machine = clockAt(START)
  const { shell, logged } = testShell({ machine, ...(limits === "limited" && { limiter: new RateLimiter(machine) }) })
  const app = router(shell, authorizationTokens({ shell, store }))
  const post = (path: string, body: unknown): Promise<Response> =>
    app.handle(
      new Request(`http://localhost${path}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
    )
  return {
    database,
    store,
    machine,
    logged,
    post,
    issue: (name: string, wish: TokenWish = {}) => heldToken(store, name, { issuedAt: START, ...wish }),
    redeem: (held: HeldToken, changes: object = {}) => post(tokenPath(held, "redeem"), redeemBody(held, changes)),
    revoke: (held: HeldToken, changes: object = {}) => post(tokenPath(held, "revoke"), revokeBody(held, changes)),
    status: (held: HeldToken) => post(tokenPath(held, "status"), statusBody(held)),
    async [Symbol.asyncDispose]() {
      await store.close()
      fresh[Symbol.dispose]()
    },
  }
}
