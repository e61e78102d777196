/** `verify` says what kind of file is in the wrong place, and where a file that is not JSON has its error. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { join } from "node:path"
import { ANSWER_PRODUCTS } from "../../../schemas/products.ts"
import { command } from "../../../src/cli/documents/verify.ts"
import { formatInstant, SECOND } from "../../../src/core/time.ts"
import { recogniseFile } from "../../../src/offline/kinds/recognise-file.ts"
import { companyCheckRules } from "../../../src/products/us/company-check/rules.ts"
import { DELIVERABLES } from "../../fixtures/acp-vectors/deliverables.ts"
import { vector } from "../../fixtures/acp-vectors/vectors.ts"
import { passportOf } from "../../fixtures/company-passport.ts"
import { DECIDED_AT, deliveredDecision, issuerJwks } from "../../fixtures/decision.ts"
import { companyCheckFacts, companyCheckRequest, deliveredAnswer } from "../../fixtures/delivered-answer.ts"
import { runCommand } from "../../fixtures/terminal.ts"
import { type VerifyFolder, verifyFolder } from "../../fixtures/verify-folder.ts"

const delivered = deliveredDecision()
const requests = companyCheckRequest()
const answered = deliveredAnswer(companyCheckRules, requests, companyCheckFacts())

const WHILE_VALID = formatInstant(DECIDED_AT + SECOND)
const FILES: Record<string, Uint8Array | string> = {
  "delivery.json": delivered.bytes,
  "bundle.json": delivered.bundle,
  "jwks.json": JSON.stringify(issuerJwks()),
  "deliverable.json": DELIVERABLES[0]?.text ?? "",
  "requirement.json": JSON.stringify(vector().final),
  "job.json": JSON.stringify(vector().job),
  "request.json": JSON.stringify(delivered.request),
  "asked.json": JSON.stringify(requests),
  "answer.json": answered.copies.paid,
  "again.json": answered.copies.fetched,
  "answer-bundle.json": answered.bundleBytes,
  "capsule.json": answered.capsuleBytes,
  "header.json": `${answered.capsuleHeader}\n`,
  "passport.json": passportOf().bytes,
  "cut.json": delivered.bytes.subarray(0, 3000),
  "empty.json": "",
  "garbled.json": Buffer.from(delivered.bytes).toString().replace('"amount":', '"amount"='),
  "zip.json": Uint8Array.of(0x50, 0x4b, 3, 4, 0, 0),
  "page.json": "<!doctype html>",
  "problem.json": JSON.stringify({ type: "about:blank", title: "Gone", status: 503, code: "SOURCE_STALE" }),
  "quote.json": JSON.stringify({ x402Version: 2, accepts: [] }),
  "identity.json": JSON.stringify({ bundle_type: "svc.agent-identity.export.v1", agent_id: "agent_x" }),
  "key.json": JSON.stringify({ operational: { kty: "OKP", crv: "Ed25519", x: "A", d: "B" } }),
}

let folder: VerifyFolder
beforeAll(async () => {
  folder = await verifyFolder(FILES)
})
afterAll(() => folder[Symbol.asyncDispose]())

const verify = (line: string) => folder.verify(line)

describe("the error for a file in the wrong place names what the file is", () => {
  test.each([
    ["jwks.json --issuer jwks.json", "this is a JWK set; it belongs to --issuer"],
    ["request.json --issuer jwks.json", "this is a request; it belongs to --request"],
    ["asked.json --issuer jwks.json", "this is a request; it belongs to --request"],
    ["capsule.json --issuer jwks.json", "this is the capsule of an answer; it belongs to --capsule"],
    ["header.json --issuer jwks.json", "this is the capsule of an answer; it belongs to --capsule"],
    ["identity.json --issuer jwks.json", "this is a bundle of an agent identity; bizauth agent verify-bundle reads it"],
    ["quote.json --issuer jwks.json", "this is a quote; nothing was delivered"],
    ["problem.json --issuer jwks.json", "this is an error response of a service; nothing was delivered"],
    ["key.json --issuer jwks.json", "this is a file of private keys; never share it"],
    ["cut.json --issuer jwks.json", "the file ends early at byte 3000"],
    ["empty.json --issuer jwks.json", "the file is empty"],
    ["garbled.json --issuer jwks.json", "not JSON: syntax error at byte "],
    ["zip.json --issuer jwks.json", "this is a ZIP archive, not JSON"],
    ["page.json --issuer jwks.json", "this is a page or XML, not JSON"],
    ["delivery.json --issuer delivery.json", "is not a set of public keys: this is a delivery; verify it as FILE"],
    ["delivery.json --issuer bundle.json", "is not a set of public keys: this is a bundle; verify it as FILE"],
    ["delivery.json --issuer cut.json", "the file ends early at byte 3000"],
    ["delivery.json --issuer jwks.json --request bundle.json", "this is a bundle; verify it as FILE"],
    ["delivery.json --issuer jwks.json --request quote.json", "this is a quote; nothing was delivered"],
    ["again.json --issuer jwks.json --capsule jwks.json", "this is a JWK set; it belongs to --issuer"],
    ["passport.json --issuer jwks.json --check jwks.json", "this is a JWK set; it belongs to --issuer"],
    ["requirement.json --issuer jwks.json", "this is the requirement of an ACP job; it belongs to --requirement"],
    ["job.json --issuer jwks.json", "this is a file of the facts of an ACP job; it belongs to --job"],
    ["delivery.json --issuer deliverable.json", "this is the deliverable of an ACP job; verify it as FILE"],
    ["missing.json --issuer jwks.json", "there is no such file"],
  ])("verify %s: %s", async (line, says) => {
    const { exit, out, err } = await verify(`${line} --at ${WHILE_VALID}`)
    expect(exit).toBe(4)
    expect(out + err).toContain(says)
  })

  test("every kind of document that verify reads is recognised", async () => {
    const names = [
      "delivery.json",
      "bundle.json",
      "answer.json",
      "answer-bundle.json",
      "passport.json",
      "deliverable.json",
    ]
    for (const name of names) {
      expect(recogniseFile(await Bun.file(join(folder.path, name)).bytes(), ANSWER_PRODUCTS)?.place).toBe("FILE")
    }
  })

  test("a directory is recognised as a directory", async () => {
    const { exit, err } = await runCommand(command, [folder.path, "--issuer", join(folder.path, "jwks.json")])
    expect([exit, err]).toEqual([4, `cannot read ${folder.path}: it is a directory`])
  })
})
