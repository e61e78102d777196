/** What `verifyDocument` of the published modules returns: the members that their types declare, and the text of `bizauth verify`. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { verifyDocument } from "../../../src/agent/module/verify-document.ts"
import { FILES, held, WHILE_VALID } from "../../cli/documents/verified-files.ts"
import { heldByEntries, listedEntry } from "../../fixtures/listed-entry.ts"
import { type VerifyFolder, verifyFolder } from "../../fixtures/verify-folder.ts"

const { bundle: listed } = heldByEntries({ hits: [{ entry: listedEntry() }] })
const files: Readonly<Record<string, Uint8Array | string>> = {
  ...FILES,
  "listed.json": listed,
  "held.json": held.bundle,
}

let folder: VerifyFolder
beforeAll(async () => {
  folder = await verifyFolder(files)
})
afterAll(() => folder[Symbol.asyncDispose]())

test.each([
  ["delivery.json", "GOOD", "ALLOW"],
  ["held.json", "GOOD", "ALLOW_WITH_CONDITIONS"],
  ["listed.json", "GOOD", "HOLD"],
  ["answer-bundle.json", "GOOD", "APPROVE"],
  ["passport.json", "GOOD", null],
  ["pretty-forged.json", "REFUSED", null],
] as const)("%s", async (name, verdict, decision) => {
  const issuer = String(FILES["jwks.json"])
  const verified = await verifyDocument(files[name] ?? "", { issuer, at: WHILE_VALID })
  expect(Object.keys(verified)).toEqual(["verdict", "decision", "machineAction", "text"])
  expect([verified.verdict, verified.decision]).toEqual([verdict, decision])
  expect(verified.text).toBe((await folder.verify(`${name} --issuer jwks.json --at ${WHILE_VALID}`)).out)
})
