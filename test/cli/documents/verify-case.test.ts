/** The first lines of `bizauth verify`, and the case in its text and JSON. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { join } from "node:path"
import { Value } from "@sinclair/typebox/value"
import { Case } from "../../../schemas/case.ts"
import { command as jobVerify } from "../../../src/cli/agent/job-verify.ts"
import { command } from "../../../src/cli/documents/verify.ts"
import { runCommand } from "../../fixtures/terminal.ts"
import { type VerifyFolder, verifyFolder } from "../../fixtures/verify-folder.ts"
import { IN_TIME, FILES as JOB_FILES } from "./deliverable-files.ts"
import { FILES, WHILE_VALID } from "./verified-files.ts"

let folder: VerifyFolder
beforeAll(async () => {
  const jobs = Object.entries(JOB_FILES).map(([name, content]) => [`job-${name}`, content])
  folder = await verifyFolder({ ...FILES, ...Object.fromEntries(jobs) })
})
afterAll(() => folder[Symbol.asyncDispose]())

const JUDGED = "Do not pay: it was judged for 10:00 UTC on 20 November 2026, not for now"
const GENUINE = "GENUINE: the issuer signed all of this but billing, delivery"

describe("the first two lines", () => {
  test.each([
    ["delivery.json --issuer jwks.json", JUDGED, GENUINE],
    ["live.json --issuer jwks.json --require RELEASE_PAYMENT", JUDGED, GENUINE],
    [
      "delivery.json --issuer jwks.json --require RELEASE_PAYMENT",
      "Do not pay: it is of the environment test, not live",
      GENUINE,
    ],
    [
      "delivery.json --issuer jwks.json --require HOLD_PAYMENT --environment test",
      "Do not pay: the required action is HOLD_PAYMENT",
      GENUINE,
    ],
    [
      "conditional.json --issuer jwks.json --require RELEASE_PAYMENT",
      "Do not pay: the required action is RELEASE_PAYMENT",
      GENUINE,
    ],
    ["pretty.json --issuer jwks.json", JUDGED, "REFORMATTED: "],
    ["pretty-forged.json --issuer jwks.json", "Do not rely on it", "NOT_GENUINE: "],
    ["delivery.json --issuer revoked-jwks.json", "Do not rely on it", "NOT_GENUINE: key status: "],
    [
      "delivery.json --issuer jwks.json --request other-request.json",
      "Do not rely on it",
      "GENUINE, but not the one you asked for: ",
    ],
    ["delivery.json --issuer empty-jwks.json", "Do not rely on it yet", "NOT_CHECKED: "],
    ["again.json --issuer jwks.json", "Do not rely on it yet", "NOT_CHECKED: capsule: "],
    ["review.json --issuer jwks.json", "Do not go on: hold", "GENUINE: the issuer signed all of this but payment"],
    ["job-good.json --issuer job-jwks.json", JUDGED.replace("10:00", "10:10"), "GENUINE: "],
  ])("of verify %s", async (line, headline, authenticity) => {
    const at = line.startsWith("job-") ? IN_TIME : WHILE_VALID
    const { out } = await folder.verify(`${line} --at ${at}`)
    const [first, second] = out.split("\n")
    expect([first, second?.slice(0, authenticity.length)]).toEqual([headline, authenticity])
    const json = JSON.parse((await folder.verify(`${line} --json --at ${at}`)).out)
    expect(json.headline).toBe(headline)
  })

  test("are those of every check for a document without an answer that is genuine", async () => {
    const { out } = await folder.verify(`passport.json --issuer jwks.json --at ${WHILE_VALID}`)
    expect(out).toMatch(/^ok {4}/)
    const forged = await folder.verify(`edited-passport.json --issuer jwks.json --at ${WHILE_VALID}`)
    expect(forged.out).toStartWith("Do not rely on it\nNOT_GENUINE: ")
  })

  test("of agent job verify forbid a payment by a decision that is about no real money", async () => {
    const path = (name: string) => join(folder.path, name)
    const files = ["--requirement", path("job-final.json"), "--job", path("job-job.json")]
    const words = [path("job-good.json"), ...files, "--issuer", path("job-jwks.json"), "--at", IN_TIME]
    const { out } = await runCommand(jobVerify, words)
    expect(out).toStartWith("Do not pay: a decision of the environment test is about no real money\nGENUINE: ")
    const json = JSON.parse((await runCommand(jobVerify, [...words, "--json"])).out)
    expect(json.verify.headline).toBe("Do not pay: a decision of the environment test is about no real money")
  })
})

describe("--json", () => {
  const read = async (line: string) => JSON.parse((await folder.verify(`${line} --json --at ${WHILE_VALID}`)).out)

  test("has the members of version 2 in their order, then headline and case", async () => {
    expect(Object.keys(await read("bundle.json --issuer jwks.json"))).toEqual([
      ...["version", "genuine", "current", "permitted", "result", "historical", "product", "decision"],
      ...["machine_action", "decision_id", "reference", "valid_until", "checks", "headline", "case"],
    ])
  })

  test("has a case by its schema for what is proven and contains an answer, and else null", async () => {
    for (const name of ["delivery", "bundle", "conditional", "answer", "answer-bundle", "review"]) {
      const { case: one } = await read(`${name}.json --issuer jwks.json`)
      expect([name, Value.Check(Case, one)]).toEqual([name, true])
    }
    for (const line of [
      "passport.json --issuer jwks.json",
      "pretty-forged.json --issuer jwks.json",
      "delivery.json --issuer empty-jwks.json",
      "delivery.json --issuer jwks.json --request other-request.json",
      "broken.json --issuer jwks.json",
    ])
      expect([line, (await read(line)).case]).toEqual([line, null])
  })

  test("a delivery alone has nothing to compare; the request that it answers shows what was asked", async () => {
    const alone = await read("delivery.json --issuer jwks.json")
    expect(alone.case.missing).toEqual(["REQUEST", "FACTS"])
    const { case: one } = await read("delivery.json --issuer jwks.json --request request.json")
    expect(one.missing).toEqual(["FACTS"])
    expect(one.asked).toContainEqual({ label: "supplier", value: "Harbor Light Instruments LLC" })
    expect((await read("answer.json --issuer jwks.json --request asked.json")).case.missing).toEqual(["FACTS"])
  })
})

test("the text is as wide as the terminal says", async () => {
  const words = [join(folder.path, "bundle.json"), "--issuer", join(folder.path, "jwks.json"), "--at", WHILE_VALID]
  const longest = async (columns: string) => {
    const { out } = await runCommand(command, words, { COLUMNS: columns })
    const [ownCase = ""] = out.slice(out.indexOf("What was asked")).split("\n\nok ")
    return Math.max(
      ...ownCase
        .split("\n")
        .filter((line) => !line.includes("sha256:"))
        .map((line) => line.length),
    )
  }
  expect(await longest("60")).toBeLessThanOrEqual(60)
  expect(await longest("160")).toBeGreaterThan(100)
})
