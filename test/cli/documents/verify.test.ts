import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { DAY, formatInstant, HOUR, SECOND } from "../../../src/core/time.ts"
import { DECIDED_AT } from "../../fixtures/decision.ts"
import { type VerifyFolder, verifyFolder } from "../../fixtures/verify-folder.ts"
import { FILES, type Judged, WHILE_VALID } from "./verified-files.ts"

let folder: VerifyFolder
beforeAll(async () => {
  folder = await verifyFolder(FILES)
})
afterAll(() => folder[Symbol.asyncDispose]())

const verify = (line: string) => folder.verify(line)

describe("exit codes", () => {
  test.each([
    ["delivery.json --issuer jwks.json", 0],
    ["bundle.json --issuer jwks.json", 0],
    ["delivery.json --issuer jwks.json --request request.json", 0],
    ["delivery.json --issuer jwks.json --require RELEASE_PAYMENT --environment test", 0],
    ["pretty.json --issuer jwks.json --reformatted", 0],
    ["pretty.json --issuer jwks.json", 0],
    ["line-feed.json --issuer jwks.json", 0],
    ["pretty.json --issuer jwks.json --require RELEASE_PAYMENT --environment test", 0],
    ["pretty.json --issuer empty-jwks.json", 4],
    ["pretty-forged.json --issuer jwks.json", 3],
    ["delivery.json --issuer revoked-jwks.json", 3],
    ["two-issuers.json --issuer jwks.json", 3],
    ["delivery.json --issuer jwks.json --request other-request.json", 3],
    ["conditional.json --issuer jwks.json", 0],
    ["conditional.json --issuer jwks.json --require RELEASE_PAYMENT --environment test", 9],
    ["conditional.json --issuer empty-jwks.json --require RELEASE_PAYMENT --environment test", 4],
    [
      "conditional.json --issuer jwks.json --request other-request.json --require RELEASE_PAYMENT --environment test",
      3,
    ],
    ["delivery.json --issuer empty-jwks.json", 4],
    ["delivery.json --issuer request.json", 4],
    ["delivery.json --issuer missing.json", 4],
    ["missing.json --issuer jwks.json", 4],
    ["broken.json --issuer jwks.json", 4],
    ["jwks.json --issuer jwks.json", 4],
    ["delivery.json --issuer jwks.json --request broken.json", 4],
    ["answer.json --issuer jwks.json", 0],
    ["answer.json --issuer jwks.json --request asked.json --require CONTINUE --environment test", 0],
    ["answer-bundle.json --issuer jwks.json --require CONTINUE --environment test", 0],
    ["again.json --issuer jwks.json --capsule capsule.json", 0],
    ["again.json --issuer jwks.json --capsule header.json", 0],
    ["review.json --issuer jwks.json", 0],
    ["review.json --issuer jwks.json --require CONTINUE --environment test", 9],
    ["answer.json --issuer jwks.json --require RELEASE_PAYMENT --environment test", 9],
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
    "passport.json --issuer jwks.json --require CONTINUE --environment test",
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
    ["delivery.json --issuer jwks.json --require HOLD_PAYMENT --environment test", 9],
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
    const line = "conditional.json --issuer jwks.json --environment test --require"
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

  describe("--require means live, unless another environment is named", () => {
    const ANY = [
      ["delivery", "live", "RELEASE_PAYMENT"],
      ["bundle", "live-bundle", "RELEASE_PAYMENT"],
      ["answer", "live-answer", "CONTINUE"],
    ] as const
    test.each(ANY)("a genuine test %s does not pass for live", async (name, _live, action) => {
      const line = `${name}.json --issuer jwks.json --require ${action}`
      const { exit, out } = await verify(`${line} --at ${WHILE_VALID}`)
      expect(exit).toBe(9)
      expect(out).toMatch(/^ok {4}require +/m)
      expect(out).toMatch(/^FAIL {2}environment +test, not live: no decision about real money$/m)
      expect(out).toMatch(/^permitted {2}.*, of the environment test, not live, no permission to (pay|go on)/m)
      const json = await asJson(line)
      expect(json).toMatchObject({
        genuine: "GENUINE",
        current: "CURRENT",
        permitted: {
          machine_action: action,
          environment: "test",
          required: action,
          required_environment: "live",
          is_met: false,
        },
        result: "INVALID",
      })
      expect(json.checks).toContainEqual({
        check: "environment",
        state: "INVALID",
        detail: "test, not live: no decision about real money",
      })
    })

    test.each(ANY)("a %s passes only for its own environment", async (test, live, action) => {
      for (const [file, environment, exit] of [
        [test, "", 9],
        [test, " --environment live", 9],
        [test, " --environment test", 0],
        [live, "", 0],
        [live, " --environment live", 0],
        [live, " --environment test", 9],
      ] as const) {
        const line = `${file}.json --issuer jwks.json --require ${action}${environment}`
        const ran = await verify(`${line} --at ${WHILE_VALID}`)
        expect([line, ran.exit as number]).toEqual([line, exit])
        const { permitted } = await asJson(line)
        expect(permitted).toMatchObject({
          required_environment: environment === " --environment test" ? "test" : "live",
          is_met: exit === 0,
        })
      }
    })

    test("--environment alone is required too, also of a passport", async () => {
      for (const [line, exit] of [
        ["delivery.json --issuer jwks.json --environment live", 9],
        ["delivery.json --issuer jwks.json --environment test", 0],
        ["live.json --issuer jwks.json --environment live", 0],
        ["live.json --issuer jwks.json --environment test", 9],
        ["passport.json --issuer jwks.json --environment test", 0],
        ["passport.json --issuer jwks.json --environment live", 9],
      ] as const) {
        expect([line, (await verify(`${line} --at ${WHILE_VALID}`)).exit as number]).toEqual([line, exit])
      }
    })

    test("the other exits keep their precedence", async () => {
      for (const [line, exit] of [
        ["pretty-forged.json --issuer jwks.json --require HOLD_PAYMENT", 3],
        ["delivery.json --issuer jwks.json --request other-request.json --require RELEASE_PAYMENT", 3],
        ["delivery.json --issuer empty-jwks.json --require RELEASE_PAYMENT", 4],
      ] as const) {
        expect([line, (await verify(`${line} --at ${WHILE_VALID}`)).exit as number]).toEqual([line, exit])
      }
    })

    test("a word that is no environment is a wrong command line", async () => {
      const ran = await verify("delivery.json --issuer jwks.json --environment production")
      expect([ran.exit as number, ran.err]).toEqual([2, "--environment takes one of live, test, sandbox"])
    })
  })

  test("`result` keeps the values it had in version 1", async () => {
    const result = async (line: string, at?: string) => (await asJson(line, at)).result
    expect(await result("delivery.json --issuer jwks.json")).toBe("VALID")
    expect(await result("delivery.json --issuer jwks.json", ENDED)).toBe("INVALID")
    expect(await result("pretty.json --issuer jwks.json")).toBe("INVALID")
    expect(await result("pretty.json --issuer jwks.json --reformatted")).toBe("VALID")
    expect(await result("conditional.json --issuer jwks.json --require RELEASE_PAYMENT --environment test")).toBe(
      "INVALID",
    )
    expect(await result("delivery.json --issuer empty-jwks.json")).toBe("NOT_CHECKED")
  })
})
