/** A buyer without knowledge of this service: the published x402 client for fetch, against the program. */
import { expect, setDefaultTimeout, setSystemTime, test } from "bun:test"
import { decodePaymentRequiredHeader, decodePaymentSignatureHeader } from "@x402/core/http"
import { ExactEvmScheme } from "@x402/evm/exact/client"
import { validateDiscoveryExtension } from "@x402/extensions/bazaar"
import { decodePaymentResponseHeader, wrapFetchWithPayment, x402Client } from "@x402/fetch"
import { PAYMENT_DECISION_PATH } from "../../schemas/us/payment-decision.ts"
import { DEV_ACCOUNTS } from "../fixtures/chain.ts"
import { expectProblem } from "../fixtures/problems.ts"
import { ask, keepDelivery, openTestOperator, SCENARIO_MS, type Signed } from "../fixtures/test-operator.ts"

setDefaultTimeout(SCENARIO_MS)

const FEE_ATOMIC = 790_000n
const { payer, payTo } = DEV_ACCOUNTS

/** The client, the status of every response that it got, and the extensions that it was quoted and sent back. */
function officialBuyer(origin: string, { request }: Signed) {
  const statuses: number[] = []
  const extensions: (Record<string, unknown> | undefined)[] = []
  const watched = async (input: RequestInfo | URL, init?: RequestInit) => {
    const sent = new Request(input, init)
    const presented = sent.headers.get("payment-signature")
    if (presented) extensions.push(decodePaymentSignatureHeader(presented).extensions)
    const answer = await fetch(sent)
    statuses.push(answer.status)
    const quote = answer.headers.get("payment-required")
    if (quote) extensions.push(decodePaymentRequiredHeader(quote).extensions)
    return answer
  }
  const client = new x402Client().register("eip155:8453", new ExactEvmScheme(payer))
  const paying = wrapFetchWithPayment(watched as typeof fetch, client)
  const buy = () =>
    paying(origin + PAYMENT_DECISION_PATH, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(request),
    })
  return { buy, statuses, extensions }
}

test("the official x402 client buys one decision end to end, pays 0.79 USDC once, and never pays for it again", async () => {
  await using operator = await openTestOperator()
  await using server = await operator.serve()
  const balances = async () => [
    await operator.chain.balanceOf(payer.address),
    await operator.chain.balanceOf(payTo.address),
  ]
  const [payerHad = 0n, serviceHad = 0n] = await balances()
  const signed = await operator.sign()
  const { buy, statuses, extensions } = officialBuyer(server.origin, signed)

  const answer = await buy()
  const bytes = await answer.text()
  expect([answer.status, statuses]).toEqual([200, [402, 200]])
  // The client sends the quote's discovery extension back with its payment.
  const [quoted, echoed] = extensions
  expect([echoed, extensions.length]).toEqual([quoted, 2])
  const bazaar = quoted?.["bazaar"] as Parameters<typeof validateDiscoveryExtension>[0]
  expect(validateDiscoveryExtension(bazaar)).toEqual({ valid: true })
  expect(answer.headers.get("cache-control")).toBe("private, no-store")
  const settled = decodePaymentResponseHeader(answer.headers.get("payment-response") ?? "")
  expect(settled).toMatchObject({ success: true, network: "eip155:8453", payer: payer.address, amount: "790000" })
  expect(await operator.transfers()).toEqual([
    { from: payer.address, value: FEE_ATOMIC, hash: settled.transaction as `0x${string}` },
  ])
  expect(await balances()).toEqual([payerHad - FEE_ATOMIC, serviceHad + FEE_ATOMIC])
  const file = keepDelivery(operator, "official", bytes)
  const verified = await operator.verify(file, [
    "--request",
    signed.path,
    "--require",
    "RELEASE_PAYMENT",
    "--environment",
    "test",
  ])
  expect([verified.exit, verified.err]).toEqual([0, ""])

  // The same call again: the client only signs after a 402, and there is none.
  await expectProblem(await buy(), 409, "ALREADY_ACQUIRED")
  expect(statuses).toEqual([402, 200, 409])
  expect(await operator.recover(server.origin, signed)).toEqual({ exit: 0, bytes })
  expect((await operator.transfers()).length).toBe(1)
})

test("while its payment waits for a block the client gets 202, and a new call makes it pay no second time", async () => {
  await using operator = await openTestOperator()
  await using server = await operator.serve(["--settle-wait-ms", "300"])
  const signed = await operator.sign()
  const { buy, statuses } = officialBuyer(server.origin, signed)
  await operator.chain.setAutomine(false)
  const answer = await buy()
  expect(await answer.json()).toMatchObject({ state: "PENDING", charged: "UNKNOWN" })
  expect(answer.headers.get("retry-after")).toBe("2")
  expect((await buy()).status).toBe(202)
  expect((await ask(server.origin, signed.request)).headers.has("payment-required")).toBe(false)
  expect(statuses).toEqual([402, 202, 202])
  expect(await operator.transfers()).toEqual([])

  await operator.chain.setAutomine(true)
  await operator.chain.mine(1)
  await server.logged('"event":"delivered"')
  await expectProblem(await buy(), 409, "ALREADY_ACQUIRED")
  expect((await operator.recover(server.origin, signed)).exit).toBe(0)
  expect((await operator.transfers()).length).toBe(1)
})

test.each([300, -180])("a client whose clock is %d s off pays a chain whose clock is 45 s ahead once", async (off) => {
  await using operator = await openTestOperator()
  await using server = await operator.serve()
  const signed = await operator.sign()
  const { buy, statuses } = officialBuyer(server.origin, signed)
  await operator.chain.increaseTime(45)
  await operator.chain.mine(1)
  setSystemTime(new Date(Date.now() + off * 1000))
  try {
    const answer = await buy()
    expect([answer.status, statuses]).toEqual([200, [402, 200]])
  } finally {
    setSystemTime()
  }
  expect((await operator.transfers()).length).toBe(1)
})
