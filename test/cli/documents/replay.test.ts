import { afterAll, beforeAll, expect, test } from "bun:test"
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { DeliveryBundle } from "../../../schemas/us/delivery-bundle.ts"
import { command } from "../../../src/cli/documents/replay.ts"
import { canonicalBytes } from "../../../src/core/canonical-json.ts"
import { companyCheckRules } from "../../../src/products/us/company-check/rules.ts"
import { deliveredDecision, issuerJwks } from "../../fixtures/decision.ts"
import { companyCheckFacts, companyCheckRequest, deliveredAnswer } from "../../fixtures/delivered-answer.ts"
import { runCommand } from "../../fixtures/terminal.ts"

const delivered = deliveredDecision()
const changed = JSON.parse(Buffer.from(delivered.bundle).toString()) as DeliveryBundle
changed.facts.delegation.state = "REVOKED"
const answered = deliveredAnswer(companyCheckRules, companyCheckRequest(), companyCheckFacts())
const changedAnswer = { ...answered.bundle, facts: { ...answered.bundle.facts, base_url: "https://x" } }

const FILES: Record<string, Uint8Array | string> = {
  "good/a.json": delivered.bundle,
  "good/b.json": delivered.bundle,
  "good/notes.txt": "not read",
  "mixed/a.json": delivered.bundle,
  "mixed/b.json": canonicalBytes(changed),
  "mixed/c.json": delivered.bytes,
  "partial/a.json": delivered.bundle,
  "partial/b.json": delivered.bytes,
  "answers/a.json": answered.bundleBytes,
  "answers/b.json": delivered.bundle,
  "changed-answers/a.json": answered.bundleBytes,
  "changed-answers/b.json": canonicalBytes(changedAnswer),
  "answer.json": answered.copies.paid,
  "empty/notes.txt": "",
  "jwks.json": JSON.stringify(issuerJwks()),
  "no-keys.json": '{"keys":[]}',
}

let directory = ""
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "bizauth-replay-"))
  for (const [name, content] of Object.entries(FILES)) {
    await mkdir(join(directory, name, ".."), { recursive: true })
    await writeFile(join(directory, name), content)
  }
})
afterAll(() => rm(directory, { recursive: true }))

const replay = (operand: string, ...flags: string[]) => runCommand(command, [join(directory, operand), ...flags])

test.each([
  ["good/a.json", 0],
  ["good", 0],
  ["mixed/b.json", 3],
  ["mixed", 3],
  ["partial", 4],
  ["answers/a.json", 0],
  ["answers", 0],
  ["changed-answers", 3],
  ["answer.json", 4],
  ["missing", 4],
  ["empty", 5],
])("replay %s exits %i", async (operand, exit) => {
  expect((await replay(operand)).exit).toBe(exit as 0)
})

test("issuer keys that are given are used instead of the bundle's", async () => {
  expect((await replay("good/a.json", "--issuer", join(directory, "jwks.json"))).exit).toBe(0)
  expect((await replay("good/a.json", "--issuer", join(directory, "no-keys.json"))).exit).toBe(4)
})

test("one JSON answer lists every file", async () => {
  const { out } = await replay("mixed", "--json")
  const { files } = JSON.parse(out) as { files: { result: string }[] }
  expect(files.map((file) => file.result)).toEqual(["VALID", "INVALID", "NOT_CHECKED"])
})
