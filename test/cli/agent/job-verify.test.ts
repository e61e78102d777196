/** `agent job verify`: what a buyer checks before anything is paid. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { join } from "node:path"
import { command } from "../../../src/cli/agent/job-verify.ts"
import { runCommand } from "../../fixtures/terminal.ts"
import { type VerifyFolder, verifyFolder } from "../../fixtures/verify-folder.ts"
import { FILES, holding, IN_TIME, permitting } from "../documents/deliverable-files.ts"

let folder: VerifyFolder
beforeAll(async () => {
  folder = await verifyFolder(FILES)
})
afterAll(() => folder[Symbol.asyncDispose]())

const words = (line: string) => line.split(" ").map((word) => (word.endsWith(".json") ? join(folder.path, word) : word))
const check = (line: string, ...more: string[]) => runCommand(command, [...words(line), ...more])
const inTime = (line: string, ...more: string[]) => check(line, "--at", IN_TIME, ...more)

const GOOD = "good.json --requirement final.json --job job.json --issuer jwks.json"
const HOLD = "hold.json --requirement hold-final.json --job hold-job.json --issuer jwks.json"

describe("exit codes", () => {
  test.each([
    [`${GOOD} --submitted ${permitting.keccak256}`, 0],
    [GOOD, 0],
    [`${HOLD} --submitted ${holding.keccak256}`, 0],
    [`${HOLD} --require RELEASE_PAYMENT --environment test`, 9],
    [`${GOOD} --require RELEASE_PAYMENT --environment test`, 0],
    [`${GOOD} --require RELEASE_PAYMENT`, 9],
    [`${GOOD} --environment live`, 9],
    [`${GOOD} --environment sandbox`, 2],
    [GOOD.replace("good.json", "pretty.json"), 0],
    [`${GOOD} --submitted ${holding.keccak256}`, 3],
    [GOOD.replace("good.json", "hold.json"), 3],
    [HOLD.replace("hold.json", "forged.json"), 3],
    [GOOD.replace("good.json", "other-job.json"), 3],
    [GOOD.replace("jwks.json", "revoked-jwks.json"), 3],
    [GOOD.replace("jwks.json", "empty-jwks.json"), 4],
    [GOOD.replace("final.json", "draft.json"), 4],
    [GOOD.replace("good.json", "delivery.json"), 4],
    [GOOD.replace("good.json", "cut.json"), 4],
    [GOOD.replace("good.json", "missing.json"), 4],
    ["good.json --job job.json --issuer jwks.json", 2],
    ["good.json --requirement final.json --issuer jwks.json", 2],
    ["good.json --requirement final.json --job job.json", 2],
    [`${GOOD} --submitted 12`, 2],
    [`${GOOD} --require PAY`, 2],
  ])("%s exits %i", async (line, exit) => {
    expect([line, (await inTime(line)).exit]).toEqual([line, exit as 0])
  })
})

test("a held payment is a correct delivery and no permission", async () => {
  const { out } = await inTime(`${HOLD} --submitted ${holding.keccak256}`)
  expect(out).toContain("delivery   CORRECT: of this requirement and this job, with the submitted hash\n")
  expect(out).toContain("pay        NO: HOLD is a correct delivery, not permission to pay the supplier\n")
})

test("without the submitted hash the text says so; a time in the past permits nothing", async () => {
  const { out } = await inTime(GOOD)
  expect(out).toContain("not compared with the submitted hash (--submitted)\n")
  const isPast = Date.now() > Date.parse(IN_TIME)
  expect(out).toContain(isPast ? "pay        NOT JUDGED: --at is in the past\n" : "pay        YES: RELEASE_PAYMENT")
})

test("a later time at which the decision has ended permits nothing, and the delivery stays correct", async () => {
  const { exit, out } = await check(GOOD, "--at", "2100-01-01T00:00:00Z")
  expect(exit).toBe(9)
  expect(out).toContain("delivery   CORRECT: ")
  expect(out).toContain("pay        NO: the decision ALLOW is EXPIRED\n")
})

test("what is not proven permits nothing", async () => {
  for (const [line, delivery] of [
    [GOOD.replace("good.json", "hold.json"), "NOT_CORRECT"],
    [HOLD.replace("hold.json", "forged.json"), "NOT_CORRECT"],
    [GOOD.replace("jwks.json", "empty-jwks.json"), "NOT_CHECKED: signature"],
  ] as const) {
    const { out } = await inTime(line)
    expect(out).toContain(`delivery   ${delivery}: `)
    expect(out).toContain("pay        NO: the delivery is not proven\n")
  }
  expect((await inTime(GOOD.replace("good.json", "delivery.json"))).err).toContain(
    "this is a delivery, not the deliverable of an ACP job",
  )
})

test("--json has the verdict, and the whole report of verify", async () => {
  const json = async (line: string) => JSON.parse((await inTime(line, "--json")).out)
  expect(await json(`${HOLD} --submitted ${holding.keccak256}`)).toMatchObject({
    version: 1,
    delivery: "CORRECT",
    submitted_hash_compared: true,
    permits_payment: false,
    verify: { version: 2, genuine: "GENUINE", current: "CURRENT", permitted: { machine_action: "HOLD_PAYMENT" } },
  })
  expect(await json(GOOD.replace("final.json", "hold-final.json"))).toMatchObject({
    delivery: "NOT_CORRECT",
    submitted_hash_compared: false,
    permits_payment: false,
    verify: { genuine: "GENUINE", current: null, permitted: null },
  })
})
