import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { realMachine } from "../../../../src/base/machine.ts"
import { router } from "../../../../src/http/router.ts"
import { productRoutes } from "../../../../src/products/common/product-route.ts"
import { paymentDecisionSlice } from "../../../../src/products/us/payment-decision/slice.ts"
import { NO_SUPPRESSIONS } from "../../../../src/sources/screening/suppress.ts"
import { testShell } from "../../../fixtures/shell.ts"
import { freshRequest, issuer, NO_REGISTERS, ORIGIN, PATH } from "../../../fixtures/test-server.ts"
import { healthyBoard, openSeller, type Problem, type Seller } from "./seller.ts"

let seller: Seller
beforeAll(async () => {
  seller = await openSeller()
})
afterAll(() => seller.close())

/** The same routes on the same database, with payments switched off. */
function withoutPayments() {
  const { deps } = seller.server
  const decision = paymentDecisionSlice({
    machine: realMachine,
    sources: healthyBoard,
    registers: NO_REGISTERS,
    suppressions: () => NO_SUPPRESSIONS,
    environment: "test",
    signer: () => issuer,
    baseUrl: () => ORIGIN,
  })
  const { shell } = testShell()
  const delivery = { ...deps, payments: null }
  const routes = productRoutes({ shell, delivery, isRestrictedWallet: () => false, reviewOf: () => null }, decision)
  const app = router(shell, routes)
  return (method: string, path: string, body?: unknown) =>
    app.handle(
      new Request(`${ORIGIN}${path}`, {
        method,
        ...(body !== undefined && { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
      }),
    )
}

describe("caching and other origins", () => {
  test("a quote and a refusal cannot be stored or read from another origin", async () => {
    for (const body of [freshRequest(), {}]) {
      const { headers } = await seller.server.post(body)
      expect(headers.get("cache-control")).toContain("no-store")
      expect(headers.get("access-control-allow-origin")).toBeNull()
    }
  })
})

describe("with payments off", () => {
  test("nothing is sold, and an invalid request still gets its error", async () => {
    const send = withoutPayments()
    const right = await send("POST", PATH, freshRequest())
    expect([right.status, ((await right.json()) as Problem).code]).toEqual([503, "PAYMENTS_OFF"])
    const wrong = await send("POST", PATH, { ...freshRequest(), amount: "1.00" })
    expect([wrong.status, ((await wrong.json()) as Problem).code]).toEqual([422, "DIGEST_MISMATCH"])
  })

  test("eligibility still works", async () => {
    const answer = await withoutPayments()("POST", `${PATH}/eligibility`, freshRequest())
    expect([answer.status, ((await answer.json()) as { eligible: boolean }).eligible]).toEqual([200, true])
  })
})
