/** One message as a requirement: draft, final, or faulty; never an error. */
import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import type { JsonValue } from "../../src/core/strict-json.ts"
import { faultDetail, REQUIREMENT_FAULTS, readRequirement } from "../../src/jobs/read-requirement.ts"
import { DEV_ACCOUNTS } from "../fixtures/chain.ts"
import { signedRequest } from "../fixtures/decision.ts"
import { draftOf, finalOf } from "../fixtures/job-buyer.ts"
import { OFFERING } from "../fixtures/job-worker.ts"
import { edits } from "../fixtures/json-edits.ts"
import { runs } from "../fixtures/long.ts"

const offering = { ...OFFERING, implementations: [] }
const client = DEV_ACCOUNTS.payer
const request = signedRequest({ request: { decision_fee_payer: client.address } })
const final = finalOf({ jobId: "7", client, request })
const read = (value: unknown) => readRequirement(typeof value === "string" ? value : JSON.stringify(value), offering)
const code = (value: unknown): string => {
  const reading = read(value)
  return reading.kind === "faulty" ? reading.code : reading.kind
}

test("a draft, and the final requirement with every member", () => {
  expect(read(draftOf(request))).toEqual({ kind: "draft" })
  expect(read(final)).toEqual({ kind: "final", requirement: final })
  expect(code(JSON.stringify(final, null, 2))).toBe("final")
})

test("addresses of the offering in any case", () => {
  const { provider_address: provider, escrow_contract: contract } = final.offering
  const lower = { provider_address: provider.toLowerCase(), escrow_contract: contract.toLowerCase() }
  expect(code({ ...final, offering: { ...final.offering, ...lower } })).toBe("final")
})

describe("faults", () => {
  test.each<[string, unknown]>([
    ["REQUIREMENT_NOT_JSON", ""],
    ["REQUIREMENT_NOT_JSON", "Payment Decision"],
    ["REQUIREMENT_NOT_JSON", `${JSON.stringify(final)}x`],
    ["REQUIREMENT_NOT_JSON", `\ufeff${JSON.stringify(final)}`],
    ["REQUIREMENT_NOT_JSON", JSON.stringify(final).replace("{", '{"type":"x",')],
    ["REQUIREMENT_SCHEMA", "null"],
    ["REQUIREMENT_SCHEMA", []],
    ["REQUIREMENT_SCHEMA", { ...final, envelope_version: 3 }],
    ["REQUIREMENT_SCHEMA", { ...final, note: 1 }],
    ["REQUIREMENT_SCHEMA", { ...final, purchase: { ...final.purchase, price_atomic: "790001" } }],
    ["REQUIREMENT_SCHEMA", { ...final, buyer_authorization: { algorithm: "none", signature: "" } }],
    ["REQUIREMENT_SCHEMA", { ...final, buyer_authorization: undefined }],
    ["OFFERING_DIFFERS", { ...final, channel: "other" }],
    ["OFFERING_DIFFERS", { ...final, offering: { ...final.offering, id: "OFFERING-1" } }],
    ["OFFERING_DIFFERS", { ...final, offering: { ...final.offering, provider_address: client.address } }],
    ["OFFERING_DIFFERS", { ...final, offering: { ...final.offering, escrow_contract: client.address } }],
    ["RAW_BANK_DATA", { ...final, request: { ...request, economic_purpose: "to DE89370400440532013000" } }],
  ])("%s", (expected, value) => {
    expect(code(value)).toBe(expected)
  })

  test("64 KiB are read, one byte more is not", () => {
    expect(code(JSON.stringify(final).padEnd(64 * 1024))).toBe("final")
    expect(code(JSON.stringify(final).padEnd(64 * 1024 + 1))).toBe("REQUIREMENT_TOO_LARGE")
  })

  test("each has a sentence for the buyer", () => {
    for (const fault of REQUIREMENT_FAULTS) expect(faultDetail(fault, [])).toMatch(/^[A-Z].*\.$/)
    expect(faultDetail("SECRET", ["", "/request/correlation/trace_id"])).toEndWith("(/request/correlation/trace_id)")
  })
})

test("no edit of a requirement, and no text, is an error", () => {
  const known = new Set(["draft", "final", ...REQUIREMENT_FAULTS])
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => known.has(code(text))),
    { numRuns: runs(1_000) },
  )
  for (const { value } of edits(final as unknown as JsonValue)) expect(known.has(code(value))).toBe(true)
})
