/** A service that is assembled on an invented network sells there, and names no other network to its callers. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { checkCompany } from "../../../schemas/us/company-check.ts"
import type { PaymentRequired } from "../../../schemas/x402.ts"
import type { Network } from "../../../src/payments/networks/network.ts"
import { SERVED_NETWORK } from "../../../src/payments/networks/networks.ts"
import { domainSeparatorOf } from "../../../src/payments/usdc-contract.ts"
import { companyCheckExample } from "../../../src/products/us/company-check/example.ts"
import { openSandbox, SANDBOX_BASE_URL, type Sandbox } from "../../../src/sandbox/open-sandbox.ts"
import { syntheticBoards } from "../../../src/sandbox/synthetic-boards.ts"
import { signPayment } from "../../../src/sandbox/synthetic-chain.ts"
import { routes } from "../../../src/server/app.ts"

const CLOCK = Date.UTC(2026, 10, 20)
const asset = {
  chainId: 990_001,
  network: "eip155:990001",
  address: "0x0000000000000000000000000000000000012345",
  name: "Invented Dollar",
  version: "7",
} as const
const INVENTED: Network = {
  asset,
  domainSeparator: domainSeparatorOf(asset),
  isLive: false,
  safeTag: "finalized",
  gas: { limitMax: 110_000n, limitMaxWithCode: 200_000n, priorityFeeMax: 1_000_000n, l1FeeOracle: null },
}

let sandbox: Sandbox
beforeAll(async () => {
  const boards = syntheticBoards(CLOCK)
  sandbox = await openSandbox({ journey: "network", seed: 7, clock: CLOCK, boards, routes, network: INVENTED })
})
afterAll(() => sandbox.close())

const post = (path: string, body: object, headers: Record<string, string> = {}) =>
  sandbox.send(
    new Request(SANDBOX_BASE_URL + path, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    }),
  )

test("a company check is quoted, paid and settled there", async () => {
  const body = companyCheckExample({ at: sandbox.machine.now(), key: "invented-network-0001" })
  const quote = await post(checkCompany.path, body)
  expect(quote.status).toBe(402)
  const [terms] = ((await quote.json()) as PaymentRequired).accepts
  expect(terms).toMatchObject({
    network: asset.network,
    asset: asset.address,
    extra: { name: asset.name, version: asset.version },
  })
  if (!terms) throw new Error("the quote has no terms")
  const payment = await signPayment(sandbox.chain, terms, sandbox.machine)
  const paid = await post(checkCompany.path, body, { "payment-signature": payment })
  expect(paid.status).toBe(200)
  const answer = (await paid.json()) as { payment: object; economic_activity: object }
  expect(answer.payment).toMatchObject({ payment_status: "SETTLED", network: asset.network })
  expect(answer.economic_activity).toMatchObject({ charged: true })
  expect(JSON.stringify(answer)).not.toContain(SERVED_NETWORK.asset.network)
})

test("a payment that is signed for the served network is refused", async () => {
  const body = companyCheckExample({ at: sandbox.machine.now(), key: "invented-network-0002" })
  const [terms] = ((await (await post(checkCompany.path, body)).json()) as PaymentRequired).accepts
  if (!terms) throw new Error("the quote has no terms")
  const served = { ...terms, network: SERVED_NETWORK.asset.network, asset: SERVED_NETWORK.asset.address }
  const payment = await signPayment(sandbox.chain, served, sandbox.machine)
  const refused = await post(checkCompany.path, body, { "payment-signature": payment })
  expect(refused.status).toBe(402)
})

test.each(["/v1/agent/capabilities", "/.well-known/svc-capabilities.json", "/.well-known/agent-map.json"])(
  "%s names this network and no other",
  async (path) => {
    const answer = await sandbox.send(new Request(SANDBOX_BASE_URL + path))
    expect(answer.status).toBe(200)
    const text = await answer.text()
    expect(text).toContain(`"${asset.network}"`)
    expect(text).not.toContain(`"${SERVED_NETWORK.asset.network}"`)
  },
)
