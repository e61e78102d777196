import { expect, test } from "bun:test"
import { presentPayment, settledTransaction } from "../../src/agent/present-payment.ts"
import { CommandError, EXIT } from "../../src/base/exit.ts"
import { realMachine } from "../../src/base/machine.ts"
import { encodeHeader } from "../../src/payments/payment-header.ts"

/** Returns the responses in order and then repeats the last one. Time passes only in pauses. */
async function present(answers: readonly Response[], waitSeconds = 60, wallJump = 0) {
  let passed = 0
  const pauses: number[] = []
  const sent: (string | null)[] = []
  const machine = {
    ...realMachine,
    now: () => (passed === 0 ? 0 : passed + wallJump),
    monotonic: () => passed,
    random: () => new Uint8Array(),
  }
  const outcome = await presentPayment({
    send: async (request) => {
      sent.push(request.headers.get("payment-signature"))
      return (answers[sent.length - 1] ?? answers.at(-1) ?? new Response()).clone() as Response
    },
    url: "http://localhost/paid",
    body: "{}",
    headers: {},
    header: "same",
    waitSeconds,
    machine,
    repeat: "send it again",
    sleep: async (ms) => {
      pauses.push(ms / 1000)
      passed += ms
    },
  }).catch((error: unknown) => {
    if (error instanceof CommandError) return error
    throw error
  })
  return { outcome, pauses, sent }
}

const pending = (retryAfter?: string) =>
  Response.json({}, { status: 202, ...(retryAfter !== undefined && { headers: { "retry-after": retryAfter } }) })
const delivered = () => Response.json({ decision: "ALLOW" })

test("every attempt sends the same payment header, and the delivery ends the attempts", async () => {
  const { outcome, sent } = await present([pending("1"), pending("1"), delivered()])
  expect(outcome).toMatchObject({ status: 200 })
  expect(sent).toEqual(["same", "same", "same"])
})

test.each([
  ["5", 5],
  ["0", 1],
  ["3600", 30],
  ["soon", 1],
  [undefined, 1],
])("Retry-After %p waits %i seconds, within a lower and an upper limit", async (given, seconds) => {
  expect((await present([pending(given), delivered()])).pauses).toEqual([seconds])
})

test.each([
  ["keeps its time", 0],
  ["is set back an hour", -3_600_000],
  ["is set ahead a day", 86_400_000],
])(
  "a settlement that stays undecided ends with exit 4 within the limit, also when the wall clock %s",
  async (_, jump) => {
    const { outcome, pauses } = await present([pending("7")], 20, jump)
    expect(outcome).toMatchObject({
      exit: EXIT.NOT_CHECKED,
      message: "the payment is still being settled; send it again",
    })
    expect(pauses).toEqual([7, 7])
  },
)

const another = (error: string, settled?: object) =>
  Response.json(
    {},
    {
      status: 402,
      headers: {
        "payment-required": encodeHeader({
          x402Version: 2,
          error,
          resource: { url: "http://localhost/paid" },
          accepts: [
            {
              scheme: "exact",
              network: "eip155:8453",
              amount: "1",
              asset: `0x${"1".repeat(40)}`,
              payTo: `0x${"2".repeat(40)}`,
              maxTimeoutSeconds: 300,
            },
          ],
        }),
        ...(settled && { "payment-response": encodeHeader(settled) }),
      },
    },
  )

test.each([
  ["a payment that was not valid", another("insufficient_funds"), "insufficient_funds"],
  [
    "a settlement that failed",
    another("x", { success: false, errorReason: "authorization_cancelled", transaction: "", network: "eip155:8453" }),
    "authorization_cancelled. The service says it transferred nothing",
  ],
  ["a reason made to be read by a terminal", another("\u001b[2Jpay again"), "was rejected. The quote"],
])("402 for %s ends with 3 after one call", async (_name, answer, said) => {
  const { outcome, sent } = await present([answer])
  expect(outcome).toMatchObject({ exit: EXIT.INVALID, message: expect.stringContaining(said) })
  expect(sent).toHaveLength(1)
})

test.each([
  [409, EXIT.INVALID],
  [429, EXIT.NOT_CHECKED],
  [503, EXIT.NOT_CHECKED],
])("status %i ends with %i after one call", async (status, exit) => {
  const { outcome, sent } = await present([Response.json({ code: "ANY" }, { status })])
  expect(outcome).toMatchObject({ exit })
  expect(sent).toHaveLength(1)
})

test("the transaction comes from the payment response, or is null", () => {
  const settled = { success: true, transaction: "0xab", network: "eip155:8453" }
  expect(settledTransaction(new Headers({ "payment-response": encodeHeader(settled) }))).toBe("0xab")
  expect(settledTransaction(new Headers({ "payment-response": "%" }))).toBeNull()
  expect(settledTransaction(new Headers())).toBeNull()
})
