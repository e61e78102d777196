import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { command } from "../../../src/cli/documents/verify.ts"
import { DAY, formatInstant, HOUR, SECOND } from "../../../src/core/time.ts"
import { companyCheckRules } from "../../../src/products/us/company-check/rules.ts"
import { passportOf } from "../../fixtures/company-passport.ts"
import {
  DECIDED_AT,
  decisionFacts,
  deliveredDecision,
  issuerJwks,
  issuerKey,
  screeningHit,
  screeningOf,
  signedRequest,
} from "../../fixtures/decision.ts"
import { companyCheckFacts, companyCheckRequest, deliveredAnswer } from "../../fixtures/delivered-answer.ts"
import { runCommand } from "../../fixtures/terminal.ts"

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
  "line-feed.json": `${Buffer.from(delivered.bytes).toString()}\n`,
  "pretty-forged.json": JSON.stringify({ ...delivered.response, machine_action: "HOLD_PAYMENT" }, null, 2),
  "two-issuers.json": JSON.stringify({
    ...delivered.response,
    proof_capsule: {
      ...delivered.response.proof_capsule,
      signature: { ...delivered.response.proof_capsule.signature, issuer: "another" },
    },
  }),
  "revoked-jwks.json": JSON.stringify(issuerJwks(issuerKey, { svc_status: "REVOKED" })),
  "broken.json": "{",
  "jwks.json": JSON.stringify(issuerJwks()),
  "empty-jwks.json": '{"keys":[]}',
  "request.json": JSON.stringify(delivered.request),
  "answer.json": answered.copies.paid,
  "answer.json.capsule": answered.capsuleBytes,
  "again.json": answered.copies.fetched,
  "capsule.json": answered.capsuleBytes,
  "pretty-capsule.json": JSON.stringify(answered.capsule, null, 2),
  "header.json": `${answered.capsuleHeader}\n`,
  "edited.json": Buffer.from(answered.copies.paid).toString().replace("ATTESTED_ONLY", "REGISTERED"),
  "edited.json.capsule": answered.capsuleBytes,
  "edited-unsigned.json": Buffer.from(answered.copies.paid).toString().replace('"replayed":false', '"replayed":true'),
  "edited-unsigned.json.capsule": answered.capsuleBytes,
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
    ["pretty.json --issuer jwks.json", 0],
    ["line-feed.json --issuer jwks.json", 0],
    ["pretty.json --issuer jwks.json --require RELEASE_PAYMENT", 0],
    ["pretty.json --issuer empty-jwks.json", 4],
    ["pretty-forged.json --issuer jwks.json", 3],
    ["delivery.json --issuer revoked-jwks.json", 3],
    ["two-issuers.json --issuer jwks.json", 3],
    ["delivery.json --issuer jwks.json --request other-request.json", 3],
    ["conditional.json --issuer jwks.json", 0],
    ["conditional.json --issuer jwks.json --require RELEASE_PAYMENT", 9],
    ["conditional.json --issuer empty-jwks.json --require RELEASE_PAYMENT", 4],
    ["conditional.json --issuer jwks.json --request other-request.json --require RELEASE_PAYMENT", 3],
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
    ["review.json --issuer jwks.json --require CONTINUE", 9],
    ["answer.json --issuer jwks.json --require RELEASE_PAYMENT", 9],
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

  test("without --at the delivery is judged at the current time, so a past one is expired", async () => {
    const { exit, out } = await verify("delivery.json --issuer jwks.json")
    const isPast = Date.now() >= DECIDED_AT + HOUR
    const isCurrent = !isPast && Date.now() >= DECIDED_AT - 30 * SECOND
    expect(exit).toBe(isCurrent ? 0 : 9)
    expect(out).not.toContain("HISTORICAL")
  })
})

const ENDED = formatInstant(DECIDED_AT + 31 * DAY)
const BEFORE = formatInstant(DECIDED_AT - HOUR)

describe("a time outside the window", () => {
  test.each([
    ["delivery.json --issuer jwks.json", 9],
    ["delivery.json --issuer jwks.json --require HOLD_PAYMENT", 9],
    ["pretty.json --issuer jwks.json", 9],
    ["answer.json --issuer jwks.json", 9],
    ["passport.json --issuer jwks.json", 9],
    ["delivery.json --issuer jwks.json --request other-request.json", 3],
    ["passport.json --issuer jwks.json --check review.json", 3],
    ["delivery.json --issuer revoked-jwks.json", 3],
    ["edited.json --issuer jwks.json", 3],
    ["delivery.json --issuer empty-jwks.json", 4],
    ["delivery.json --issuer jwks.json --request asked.json", 4],
  ])("verify %s exits %i after the end and before the start", async (line, exit) => {
    for (const at of [ENDED, BEFORE]) expect((await verify(`${line} --at ${at}`)).exit).toBe(exit as 9)
  })
})

interface Judged {
  readonly version: number
  readonly genuine: string
  readonly current: string | null
  readonly permitted: { readonly decision: string; readonly reasons: readonly { readonly why: string }[] } | null
  readonly result: string
  readonly decision: string | null
  readonly machine_action: string | null
  readonly checks: readonly { readonly check: string; readonly state: string }[]
}

async function asJson(line: string, at = WHILE_VALID): Promise<Judged> {
  const { out } = await verify(`${line} --json --at ${at}`)
  expect(out.trimEnd().includes("\n")).toBe(false)
  return JSON.parse(out) as Judged
}

describe("the three status words", () => {
  const words = ({ genuine, current, permitted }: Judged) => [genuine, current, permitted?.decision ?? null]
  test.each<[string, (string | null)[]]>([
    ["delivery.json --issuer jwks.json", ["GENUINE", "CURRENT", "ALLOW"]],
    ["bundle.json --issuer jwks.json", ["GENUINE", "CURRENT", "ALLOW"]],
    ["pretty.json --issuer jwks.json", ["REFORMATTED", "CURRENT", "ALLOW"]],
    ["line-feed.json --issuer jwks.json", ["REFORMATTED", "CURRENT", "ALLOW"]],
    ["pretty.json --issuer jwks.json --reformatted", ["REFORMATTED", "CURRENT", "ALLOW"]],
    ["review.json --issuer jwks.json", ["GENUINE", "CURRENT", "REVIEW"]],
    ["again.json --issuer jwks.json --capsule pretty-capsule.json", ["REFORMATTED", "CURRENT", "APPROVE"]],
    ["delivery.json --issuer jwks.json --request other-request.json", ["GENUINE", null, null]],
    ["delivery.json --issuer jwks.json --request asked.json", ["GENUINE", null, null]],
    ["passport.json --issuer jwks.json --check review.json", ["GENUINE", null, null]],
    ["edited.json --issuer jwks.json", ["NOT_GENUINE", null, null]],
    ["pretty-forged.json --issuer jwks.json", ["NOT_GENUINE", null, null]],
    ["delivery.json --issuer revoked-jwks.json", ["NOT_GENUINE", null, null]],
    ["delivery.json --issuer empty-jwks.json", ["NOT_CHECKED", null, null]],
    ["broken.json --issuer jwks.json", ["NOT_CHECKED", null, null]],
  ])("verify %s says %j", async (line, expected) => {
    expect(words(await asJson(line))).toEqual(expected)
  })

  test("a genuine delivery that expired or has not started still shows its decision", async () => {
    const line = "delivery.json --issuer jwks.json"
    expect(words(await asJson(line, ENDED))).toEqual(["GENUINE", "EXPIRED", "ALLOW"])
    expect(words(await asJson(line, BEFORE))).toEqual(["GENUINE", "NOT_YET_VALID", "ALLOW"])
    expect((await verify(`${line} --at ${ENDED}`)).out).toMatch(
      /^genuine {4}GENUINE: .+\ncurrent {4}EXPIRED: .+\npermitted {2}RELEASE_PAYMENT, decision ALLOW, no permission to pay: /m,
    )
  })

  test("--require is compared with the machine action, and --json has both", async () => {
    const line = "conditional.json --issuer jwks.json --require"
    expect(await asJson(`${line} RELEASE_PAYMENT`)).toMatchObject({
      permitted: { machine_action: "HOLD_PAYMENT", required: "RELEASE_PAYMENT", is_met: false },
    })
    expect(await asJson(`${line} HOLD_PAYMENT`)).toMatchObject({
      permitted: { machine_action: "HOLD_PAYMENT", required: "HOLD_PAYMENT", is_met: true },
    })
    expect((await verify(`${line} RELEASE_PAYMENT --at ${WHILE_VALID}`)).out).toContain(
      "permitted  HOLD_PAYMENT, decision ALLOW_WITH_CONDITIONS, not the required RELEASE_PAYMENT, no permission to pay: ",
    )
  })

  test("`result` keeps the values it had in version 1", async () => {
    const result = async (line: string, at?: string) => (await asJson(line, at)).result
    expect(await result("delivery.json --issuer jwks.json")).toBe("VALID")
    expect(await result("delivery.json --issuer jwks.json", ENDED)).toBe("INVALID")
    expect(await result("pretty.json --issuer jwks.json")).toBe("INVALID")
    expect(await result("pretty.json --issuer jwks.json --reformatted")).toBe("VALID")
    expect(await result("conditional.json --issuer jwks.json --require RELEASE_PAYMENT")).toBe("INVALID")
    expect(await result("delivery.json --issuer empty-jwks.json")).toBe("NOT_CHECKED")
  })
})

describe("the printed report", () => {
  test("says HISTORICAL for a time in the past", async () => {
    const { out } = await verify(`delivery.json --issuer jwks.json --at ${WHILE_VALID}`)
    expect(out.includes("HISTORICAL")).toBe(DECIDED_AT + SECOND < Date.now())
    expect(out).toContain("billing, delivery")
    expect(out).toContain("digest only, not signed")
    expect(out).toMatch(
      /\ngenuine {4}GENUINE: the issuer signed all of this but billing, delivery\ncurrent {4}CURRENT: valid until \S+\npermitted {2}RELEASE_PAYMENT, decision ALLOW: Every gate passed on current evidence\.\n/,
    )
  })
  test("lists the unsigned members beside GENUINE, so that nobody trusts an edited one", async () => {
    const { out, exit } = await verify(`edited-unsigned.json --issuer jwks.json --at ${WHILE_VALID}`)
    expect(exit).toBe(0)
    expect(out).toContain(
      "\ngenuine    GENUINE: the issuer signed all of this but payment, economic_activity, replayed, authorization_token\n",
    )
  })
  test("says that a held delivery is genuine, gives the reason in one sentence, and says that it permits nothing", async () => {
    const { out, exit } = await verify(`conditional.json --issuer jwks.json --at ${WHILE_VALID}`)
    expect(exit).toBe(0)
    expect(out).toEndWith(
      "permitted  HOLD_PAYMENT, decision ALLOW_WITH_CONDITIONS, no permission to pay: Nothing was ever authorized to this destination.\n",
    )
  })
  test("gives each reason in --json with its code, the policy's sentence and the action", async () => {
    expect(await asJson("conditional.json --issuer jwks.json")).toMatchObject({
      permitted: {
        reasons: [
          {
            code: "FIRST_PAYMENT_TO_DESTINATION",
            why: "Nothing was ever authorized to this destination.",
            remediation: "VERIFY_PAYEE_OR_AUTHORIZE_DESTINATION",
          },
        ],
      },
    })
  })
  test("names a reformatted copy as such", async () => {
    const { out } = await verify(`pretty.json --issuer jwks.json --at ${WHILE_VALID}`)
    expect(out).toMatch(/^note {2}bytes +not the bytes that were sent, but the same JSON: a reformatted copy$/m)
    expect(out).toContain("genuine    REFORMATTED: ")
    expect(out).not.toContain("FAIL")
  })
  test("never shows the decision of an invalid or unchecked delivery", async () => {
    for (const line of [
      "pretty-forged.json --issuer jwks.json",
      "delivery.json --issuer empty-jwks.json",
      "delivery.json --issuer jwks.json --request other-request.json",
    ]) {
      const { out } = await verify(`${line} --at ${WHILE_VALID}`)
      expect(out).not.toContain("ALLOW")
      expect(out).toContain("current    not judged\npermitted  nothing\n")
      const json = await asJson(line)
      expect([json.permitted, json.decision, json.machine_action]).toEqual([null, null, null])
    }
  })
  test("shows what an answer decided and says that a REVIEW permits nothing", async () => {
    const said = async (file: string) => (await verify(`${file} --issuer jwks.json --at ${WHILE_VALID}`)).out
    expect(await said("answer.json")).toContain("permitted  CONTINUE, decision APPROVE: ")
    expect(await said("answer.json")).toMatch(/note {2}payment, .*authorization_token +not signed\n/)
    expect(await said("review.json")).toContain(
      "permitted  HOLD_FOR_HUMAN_REVIEW, decision REVIEW, no permission to go on: The company resembles a listed party",
    )
    expect(await said("edited.json")).not.toContain("APPROVE")
  })
  test("says that a passport permits nothing", async () => {
    const { out } = await verify(`passport.json --issuer jwks.json --at ${WHILE_VALID}`)
    expect(out).toContain("permitted  nothing: a passport shows what a company check proved\n")
    const json = await asJson("passport.json --issuer jwks.json")
    expect(json).toMatchObject({ result: "VALID", product: "svc.company-passport.v1", machine_action: null })
  })
  test("names in --json the product and the digest that identifies an answer as evidence", async () => {
    expect(await asJson("answer.json --issuer jwks.json")).toMatchObject({
      ...{ version: 2, result: "VALID", product: "us.company.check.v1", decision: "APPROVE" },
      ...{ machine_action: "CONTINUE", decision_id: null, reference: answered.capsule.payload.core_digest },
    })
  })
  test("lists every check in --json", async () => {
    const json = await asJson("delivery.json --issuer jwks.json")
    expect(json).toMatchObject({ version: 2, result: "VALID", decision: "ALLOW", machine_action: "RELEASE_PAYMENT" })
    expect(json.checks.length).toBeGreaterThan(10)
  })
})
