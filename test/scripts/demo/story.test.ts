import { expect, test } from "bun:test"
import { expectSame, Story, UnexpectedOutcome } from "../../../scripts/demo/story.ts"

function story() {
  let balance = 0n
  let printed = ""
  const told = new Story(
    async () => balance,
    (text) => {
      printed += text
    },
  )
  return { told, printed: () => printed, receive: (atomic: bigint) => (balance += atomic) }
}

test("a step is printed with its outcome and its charge on the chain", async () => {
  const { told, printed, receive } = story()
  await told.tell("ALLOW", 790_000n, async () => {
    receive(790_000n)
    return { outcome: "delivered", facts: { transaction: "0x1" } }
  })
  expect(told.steps).toMatchObject([
    { name: "ALLOW", status: "OK", outcome: "delivered", charged_atomic: "790000", facts: { transaction: "0x1" } },
  ])
  expect(printed()).toContain("charged 0.790000 USDC")
  expect(printed()).toContain("0x1")
})

test("a step with a wrong charge is a failure, even if it ended well", async () => {
  const { told, receive } = story()
  const step = told.tell("recover", 0n, async () => {
    receive(1n)
    return { outcome: "recovered" }
  })
  await expect(step).rejects.toThrow(UnexpectedOutcome)
  expect(told.steps).toMatchObject([{ status: "FAILED", charged_atomic: "1" }])
})

test("a step that throws is printed before the story ends", async () => {
  const { told, printed } = story()
  const step = told.tell("verify", 0n, async () => {
    expectSame("the exit code", 3, 0)
    return { outcome: "never" }
  })
  await expect(step).rejects.toThrow("the exit code is 3, not 0")
  expect(told.steps).toMatchObject([{ name: "verify", status: "FAILED", outcome: "the exit code is 3, not 0" }])
  expect(printed()).toContain("FAIL")
})
