import { describe, expect, test } from "bun:test"
import type { BindingEvidence } from "../../../schemas/caller-evidence.ts"
import { payeeBindingEvidence, payeeBindingGate, payeeBindingRows } from "../../../src/checks/us/payee-binding.ts"
import { digestOf } from "../../../src/core/digest.ts"
import { DAY, formatInstant, HOUR } from "../../../src/core/time.ts"

const AT = Date.UTC(2026, 10, 20, 10)
const LIMITS = { payee_binding_days_max: 90 }
const fair: BindingEvidence = {
  type: "IN_PERSON",
  verified_at: formatInstant(AT - DAY),
  valid_until: formatInstant(AT + DAY),
  reference: "case-0001",
}

describe("each limit of a payee binding applies exactly at its time", () => {
  test.each<[string, Partial<BindingEvidence>, string[]]>([
    ["evidence within all limits", {}, []],
    ["a moment before its end", { valid_until: formatInstant(AT + 1) }, []],
    ["at its end", { valid_until: formatInstant(AT) }, ["PAYEE_BINDING_EXPIRED"]],
    ["verified now", { verified_at: formatInstant(AT) }, []],
    ["verified a moment after now", { verified_at: formatInstant(AT + 1) }, ["PAYEE_BINDING_NOT_YET_VALID"]],
    ["verified ninety days ago", { verified_at: formatInstant(AT - 90 * DAY) }, []],
    [
      "verified ninety days and a moment ago",
      { verified_at: formatInstant(AT - 90 * DAY - 1) },
      ["PAYEE_BINDING_TOO_OLD"],
    ],
    ["the supplier's own statement", { type: "SUPPLIER_STATEMENT" }, ["PAYEE_BINDING_WEAK"]],
    ["an end in another time zone", { valid_until: "2026-11-20T12:00:00+02:00" }, ["PAYEE_BINDING_EXPIRED"]],
    [
      "every fault at once",
      { type: "SUPPLIER_STATEMENT", verified_at: formatInstant(AT - 100 * DAY), valid_until: formatInstant(AT - DAY) },
      ["PAYEE_BINDING_EXPIRED", "PAYEE_BINDING_TOO_OLD", "PAYEE_BINDING_WEAK"],
    ],
  ])("%s", (_, changes, codes) => {
    const { codes: found } = payeeBindingGate({ ...fair, ...changes }, LIMITS, AT)
    expect(found).toEqual(codes)
    expect(payeeBindingRows("PAYEE").map(({ code }) => code)).toEqual(expect.arrayContaining([...found]))
  })
})

test("the evidence is a caller attestation with the time that it states and the digest of exactly what was sent", () => {
  const binding = { ...fair, verified_at: "2026-11-19T11:00:00+01:00" }
  expect(payeeBindingEvidence(binding, LIMITS, AT)).toMatchObject({
    source_id: "INDEPENDENT_PAYEE_BINDING_EVIDENCE",
    source_url: "urn:svc:evidence:payee-binding",
    source_version: "caller/1",
    parser_version: "caller/1",
    source_timestamp: formatInstant(AT - DAY),
    retrieved_at: formatInstant(AT),
    raw_sha256: digestOf(binding),
    freshness: "FRESH",
    claims: ["CALLER_ATTESTATION", "BINDING_TYPE:IN_PERSON"],
  })
})

test("evidence past its end or its greatest age is stale", () => {
  for (const changes of [{ valid_until: formatInstant(AT - HOUR) }, { verified_at: formatInstant(AT - 91 * DAY) }]) {
    expect(payeeBindingEvidence({ ...fair, ...changes }, LIMITS, AT).freshness).toBe("STALE")
  }
})
