/** What `bizauth verify` prints. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { SECOND } from "../../../src/core/time.ts"
import { DECIDED_AT } from "../../fixtures/decision.ts"
import { type VerifyFolder, verifyFolder } from "../../fixtures/verify-folder.ts"
import { answered, FILES, type Judged, WHILE_VALID } from "./verified-files.ts"

let folder: VerifyFolder
beforeAll(async () => {
  folder = await verifyFolder(FILES)
})
afterAll(() => folder[Symbol.asyncDispose]())

const verify = (line: string) => folder.verify(line)

async function asJson(line: string, at = WHILE_VALID): Promise<Judged> {
  const { out } = await verify(`${line} --json --at ${at}`)
  expect(out.trimEnd().includes("\n")).toBe(false)
  return JSON.parse(out) as Judged
}

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
