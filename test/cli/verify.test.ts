import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { command } from "../../src/cli/verify.ts"
import { formatInstant, HOUR, SECOND } from "../../src/core/time.ts"
import { DECIDED_AT, decisionFacts, deliveredDecision, issuerJwks, signedRequest } from "../fixtures/decision.ts"
import { runCommand } from "../fixtures/terminal.ts"

const delivered = deliveredDecision()
const held = (() => {
  const request = signedRequest()
  return deliveredDecision(request, decisionFacts(request, { known_destinations: [] }))
})()

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
  ])("verify %s exits %i", async (line, exit) => {
    expect((await verify(`${line} --at ${WHILE_VALID}`)).exit).toBe(exit as 0)
  })

  test.each([
    "delivery.json",
    "--issuer jwks.json",
    "delivery.json --issuer jwks.json --at yesterday",
    "delivery.json --issuer jwks.json --require PAY",
    "delivery.json --issuer jwks.json --network",
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
  test("--json is one line with every check", async () => {
    const { out } = await verify(`delivery.json --issuer jwks.json --json --at ${WHILE_VALID}`)
    const json = JSON.parse(out) as { checks: { state: string }[] }
    expect(json).toMatchObject({ version: 1, result: "VALID", decision: "ALLOW", machine_action: "RELEASE_PAYMENT" })
    expect(json.checks.length).toBeGreaterThan(10)
    expect(out.trimEnd().includes("\n")).toBe(false)
  })
})
