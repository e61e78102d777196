/** Only the token routes, on a real database. The test controls the clock. */
import { HOUR } from "../../../src/core/time.ts"
import { RateLimiter } from "../../../src/http/rate-limit.ts"
import { router } from "../../../src/http/router.ts"
import { authorizationTokens } from "../../../src/products/authorization-tokens/routes.ts"
import type { Store } from "../../../src/store/engine/unit.ts"
import type { TokenWish } from "../../fixtures/held-tokens.ts"
import { type HeldToken, heldToken, redeemBody, revokeBody, statusBody, tokenPath } from "../../fixtures/held-tokens.ts"
import { newStore } from "../../fixtures/new-store.ts"
import { clockAt } from "../../fixtures/service.ts"
import { testShell } from "../../fixtures/shell.ts"

export const START = Date.UTC(2026, 10, 21, 10)
export const END = START + HOUR

type Limits = "limited" | "unlimited"

export async function openTestServer(limits: Limits = "unlimited") {
  const opened = await newStore()
  return { ...opened, ...serverOver(opened.store, limits) }
}

export function serverOver(store: Store, limits: Limits = "unlimited") {
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
    machine,
    logged,
    post,
    issue: (name: string, wish: TokenWish = {}) => heldToken(store, name, { issuedAt: START, ...wish }),
    redeem: (held: HeldToken, changes: object = {}) => post(tokenPath(held, "redeem"), redeemBody(held, changes)),
    revoke: (held: HeldToken, changes: object = {}) => post(tokenPath(held, "revoke"), revokeBody(held, changes)),
    status: (held: HeldToken) => post(tokenPath(held, "status"), statusBody(held)),
  }
}
