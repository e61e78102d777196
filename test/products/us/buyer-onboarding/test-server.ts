/** Only the onboarding routes, on a real database. The test controls the clock. */
import { BUYER_ONBOARDING_PATH } from "../../../../schemas/us/buyer-onboarding.ts"
import { createLog } from "../../../../src/base/log.ts"
import type { RateLimiter } from "../../../../src/http/rate-limit.ts"
import { router } from "../../../../src/http/router.ts"
import { buyerOnboarding } from "../../../../src/products/us/buyer-onboarding/routes.ts"
import type { Store } from "../../../../src/store/engine/unit.ts"
import { testKey } from "../../../fixtures/buyers.ts"
import { newStore } from "../../../fixtures/new-store.ts"
import { clockAt } from "../../../fixtures/service.ts"

export const BASE_URL = "http://localhost"
export const START = Date.UTC(2026, 0, 1)

export interface Answered {
  readonly status: number
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever came back
  readonly json: any
}

export async function openTestServer() {
  const opened = await newStore()
  const { store } = opened
  const machine = clockAt(START)
  const service = testKey("svc", 200)
  const logged: string[] = []
  const log = createLog("debug", (line) => logged.push(line), machine.now)
  const limits = { take: () => null } as unknown as RateLimiter
  const shell = {
    machine,
    log,
    limiter: limits,
    trustedProxies: new Set<string>(),
    baseUrl: () => "http://localhost",
    network: "eip155:8453",
  }
  // The change by another process between the check and the write.
  let meanwhile: () => Promise<unknown> = async () => undefined
  const raced: Store = {
    run: (unit) => store.run(unit),
    runInPlace: (unit) => store.runInPlace(unit),
    read: async (unit) => {
      const seen = await store.read(unit)
      await meanwhile()
      return seen
    },
    readTogether: (unit) => store.readTogether(unit),
    version: () => store.version(),
    close: () => store.close(),
  }
  const deps = { shell, store: raced, machine, signer: () => service, baseUrl: () => BASE_URL }
  const app = router(shell, buyerOnboarding(deps))

  async function post(path: string, body: unknown): Promise<Answered> {
    const response = await app.handle(
      new Request(`${BASE_URL}${BUYER_ONBOARDING_PATH}${path}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
    )
    const text = await response.text()
    return { status: response.status, text, json: JSON.parse(text) }
  }
  return {
    ...opened,
    machine,
    service,
    logged,
    post,
    meanwhile: (does: () => Promise<unknown>) => {
      meanwhile = does
    },
  }
}
