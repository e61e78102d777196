import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { command } from "../../src/cli/verify.ts"
import { formatInstant, HOUR, SECOND } from "../../src/core/time.ts"
import { companyCheckRules } from "../../src/products/us/company-check/rules.ts"
import { passportOf } from "../fixtures/company-passport.ts"
import {
  DECIDED_AT,
  decisionFacts,
  deliveredDecision,
  issuerJwks,
  screeningHit,
  screeningOf,
  signedRequest,
} from "../fixtures/decision.ts"
import { companyCheckFacts, companyCheckRequest, deliveredAnswer } from "../fixtures/delivered-answer.ts"
import { runCommand } from "../fixtures/terminal.ts"

const delivered = deliveredDecision()
const held = (() => {
  const request = signedRequest()
  return deliveredDecision(request, decisionFacts(request, { known_destinations: [] }))
})()
const asked = companyCheckRequest()
const answered = deliveredAnswer(companyCheckRules, asked, companyCheckFacts())
const doubted = deliveredAnswer(
  companyCheckRules,
  asked,
  companyCheckFacts({ screening: screeningOf("POSSIBLE_MATCH", [screeningHit()]) }),
)
const passport = passportOf()

const WHILE_VALID = formatInstant(DECIDED_AT + SECOND)
const FILES: Record<string, Uint8Array | string> = {
  "delivery.json": delivered.bytes,
  "bundle.json": delivered.bundle,
  "conditional.json": held.bytes,
  "pretty.json": JSON.stringify(delivered.response, null, 2),
  "broken.json": "{",
  "jwks.json": JSON.stringify(issuerJwks()),
  "empty-jwks.json": '{"keys":[]}',
  "request.json": JSON.stringify(delivered.request),
  "answer.json": answered.copies.paid,
  "answer.json.capsule": answered.capsuleBytes,
  "again.json": answered.copies.fetched,
  "capsule.json": answered.capsuleBytes,
  "header.json": `${answered.capsuleHeader}\n`,
  "edited.json": Buffer.from(answered.copies.paid).toString().replace("ATTESTED_ONLY", "REGISTERED"),
  "edited.json.capsule": answered.capsuleBytes,
  "review.json": doubted.copies.paid,
  "review.json.capsule": doubted.capsuleBytes,
  "answer-bundle.json": answered.bundleBytes,
  "passport.json": passport.bytes,
  "edited-passport.json": Buffer.from(passport.bytes).toString().replace("ATTESTED_ONLY", "REGISTERED"),
  "asked.json": JSON.stringify(asked),
  "other-request.json": JSON.stringify(signedRequest({ request: { amount: "1" } })),
}

let directory = ""
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "bizauth-verify-"))
  for (const [name, content] of Object.entries(FILES)) await writeFile(join(directory, name), content)
})
afterAll(() => rm(directory, { recursive: true }))

/** Words ending in `.json` are files of the test's directory. */
function verify(line: string) {
  return runCommand(
    command,
    line.split(" ").map((word) => (word.endsWith(".json") ? join(directory, word) : word)),
  )
}

describe("exit codes", () => {
  test.each([
    ["delivery.json --issuer jwks.json", 0],
    ["bundle.json --issuer jwks.json", 0],
    ["delivery.json --issuer jwks.json --request request.json", 0],
    ["delivery.json --issuer jwks.json --require RELEASE_PAYMENT", 0],
    ["pretty.json --issuer jwks.json --reformatted", 0],
    ["pretty.json --issuer jwks.json", 3],
    ["delivery.json --issuer jwks.json --request other-request.json", 3],
    ["conditional.json --issuer jwks.json", 0],
    ["conditional.json --issuer jwks.json --require RELEASE_PAYMENT", 3],
    ["delivery.json --issuer empty-jwks.json", 4],
    ["delivery.json --issuer request.json", 4],
    ["delivery.json --issuer missing.json", 4],
    ["missing.json --issuer jwks.json", 4],
    ["broken.json --issuer jwks.json", 4],
    ["jwks.json --issuer jwks.json", 4],
    ["delivery.json --issuer jwks.json --request broken.json", 4],
    ["answer.json --issuer jwks.json", 0],
    ["answer.json --issuer jwks.json --request asked.json --require CONTINUE", 0],
    ["answer-bundle.json --issuer jwks.json --require CONTINUE", 0],
    ["again.json --issuer jwks.json --capsule capsule.json", 0],
    ["again.json --issuer jwks.json --capsule header.json", 0],
    ["review.json --issuer jwks.json", 0],
    ["review.json --issuer jwks.json --require CONTINUE", 3],
    ["answer.json --issuer jwks.json --require RELEASE_PAYMENT", 3],
    ["edited.json --issuer jwks.json", 3],
    ["review.json --issuer jwks.json --capsule capsule.json", 3],
    ["again.json --issuer jwks.json", 4],
    ["again.json --issuer jwks.json --capsule missing.json", 4],
    ["again.json --issuer jwks.json --capsule asked.json", 4],
    ["answer.json --issuer empty-jwks.json", 4],
    ["passport.json --issuer jwks.json", 0],
    ["passport.json --issuer jwks.json --check answer.json", 0],
    ["passport.json --issuer jwks.json --check answer-bundle.json", 0],
    ["passport.json --issuer jwks.json --check review.json", 3],
    ["edited-passport.json --issuer jwks.json", 3],
    ["passport.json --issuer jwks.json --check delivery.json", 4],
    ["passport.json --issuer empty-jwks.json", 4],
    ["answer.json --issuer jwks.json --request request.json", 4],
  ])("verify %s exits %i", async (line, exit) => {
    expect((await verify(`${line} --at ${WHILE_VALID}`)).exit).toBe(exit as 0)
  })

  test.each([
    "delivery.json",
    "--issuer jwks.json",
    "delivery.json --issuer jwks.json --at yesterday",
    "delivery.json --issuer jwks.json --require PAY",
    "delivery.json --issuer jwks.json --network",
    "delivery.json --issuer jwks.json --capsule capsule.json",
    "delivery.json --issuer jwks.json --check answer.json",
    "answer.json --issuer jwks.json --check answer.json",
    "passport.json --issuer jwks.json --require CONTINUE",
    "passport.json --issuer jwks.json --request asked.json",
    "passport.json --issuer jwks.json --capsule capsule.json",
  ])("verify %s is a wrong command line", async (line) => {
    expect((await verify(line)).exit).toBe(2)
  })

  test("without --at the delivery is judged now, and one from the past is expired", async () => {
    const { exit, out } = await verify("delivery.json --issuer jwks.json")
    const isPast = Date.now() >= DECIDED_AT + HOUR
    const isCurrent = !isPast && Date.now() >= DECIDED_AT - 30 * SECOND
    expect(exit).toBe(isCurrent ? 0 : 3)
    expect(out).not.toContain("HISTORICAL")
  })
})

describe("what is printed", () => {
  test("a time in the past prints HISTORICAL", async () => {
    const { out } = await verify(`delivery.json --issuer jwks.json --at ${WHILE_VALID}`)
    expect(out.includes("HISTORICAL")).toBe(DECIDED_AT + SECOND < Date.now())
    expect(out).toContain("billing, delivery")
    expect(out).toContain("digest only, not signed")
    expect(out).toContain("valid: decision ALLOW, RELEASE_PAYMENT\n")
  })
  test("a valid delivery that does not release says that it is no permission", async () => {
    const { out } = await verify(`conditional.json --issuer jwks.json --at ${WHILE_VALID}`)
    expect(out).toContain(
      "valid: decision ALLOW_WITH_CONDITIONS, HOLD_PAYMENT. A correct delivery, not permission to pay\n",
    )
  })
  test("an invalid or unchecked delivery never prints its decision", async () => {
    for (const line of ["pretty.json --issuer jwks.json", "delivery.json --issuer empty-jwks.json"]) {
      const { out } = await verify(`${line} --at ${WHILE_VALID}`)
      expect(out).not.toContain("ALLOW")
      const json = JSON.parse((await verify(`${line} --json --at ${WHILE_VALID}`)).out) as Record<string, unknown>
      expect([json["decision"], json["machine_action"]]).toEqual([null, null])
    }
  })
  test("an answer says what it decided and that a review is no permission to go on", async () => {
    const said = async (file: string) => (await verify(`${file} --issuer jwks.json --at ${WHILE_VALID}`)).out
    expect(await said("answer.json")).toContain("valid: decision APPROVE, CONTINUE\n")
    expect(await said("answer.json")).toMatch(/note {2}payment, .*authorization_token +not signed\n/)
    expect(await said("review.json")).toContain(
      "valid: decision REVIEW, HOLD_FOR_HUMAN_REVIEW. A correct delivery, not permission to go on\n",
    )
    expect(await said("edited.json")).not.toContain("APPROVE")
  })
  test("a passport says that it permits nothing", async () => {
    const { out } = await verify(`passport.json --issuer jwks.json --at ${WHILE_VALID}`)
    expect(out).toContain("valid: a passport: it shows what a company check proved, and permits nothing\n")
    const json = JSON.parse((await verify(`passport.json --issuer jwks.json --json --at ${WHILE_VALID}`)).out)
    expect(json).toMatchObject({ result: "VALID", product: "svc.company-passport.v1", machine_action: null })
  })
  test("--json names the product and the digest under which an answer is evidence", async () => {
    const { out } = await verify(`answer.json --issuer jwks.json --json --at ${WHILE_VALID}`)
    expect(JSON.parse(out)).toMatchObject({
      ...{ version: 1, result: "VALID", product: "us.company.check.v1", decision: "APPROVE" },
      ...{ machine_action: "CONTINUE", decision_id: null, reference: answered.capsule.payload.core_digest },
    })
  })
  test("--json is one line with every check", async () => {
    const { out } = await verify(`delivery.json --issuer jwks.json --json --at ${WHILE_VALID}`)
    const json = JSON.parse(out) as { checks: { state: string }[] }
    expect(json).toMatchObject({ version: 1, result: "VALID", decision: "ALLOW", machine_action: "RELEASE_PAYMENT" })
    expect(json.checks.length).toBeGreaterThan(10)
    expect(out.trimEnd().includes("\n")).toBe(false)
  })
})
