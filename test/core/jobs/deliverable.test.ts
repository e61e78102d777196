import { describe, expect } from "bun:test"
import { Value } from "@sinclair/typebox/value"
import fc from "fast-check"
import { canonicalize as independent } from "json-canonicalize"
import { ACP_TOKEN, AcpDeliverable } from "../../../schemas/acp/deliverable.ts"
import { ACP_ASSET_ADDRESS, ACP_DELIVERABLE_BYTES_MAX } from "../../../schemas/acp/terms.ts"
import { canonicalize } from "../../../src/core/canonical-json.ts"
import { responseDigest } from "../../../src/core/capsule/capsule.ts"
import { digestOf } from "../../../src/core/digest.ts"
import { DeliverableTooLarge, deliverableOf } from "../../../src/core/jobs/deliverable.ts"
import { deliverableFaults } from "../../../src/core/jobs/deliverable-faults.ts"
import type { DeliverableExpectations } from "../../../src/core/jobs/deliverable-rules.ts"
import { settlementReference } from "../../../src/core/jobs/settlement-reference.ts"
import { keccak256 } from "../../../src/core/keccak256.ts"
import type { JsonValue } from "../../../src/core/strict-json.ts"
import { DELIVERABLES, deliverableVector } from "../../fixtures/acp-vectors/deliverables.ts"
import { generate } from "../../fixtures/acp-vectors/generate-deliverables.ts"
import { agentKey } from "../../fixtures/buyers.ts"
import { decisionFacts, deliveredDecision, screeningHit, screeningOf, signedRequest } from "../../fixtures/decision.ts"
import { edits } from "../../fixtures/json-edits.ts"
import { runs, sample } from "../../fixtures/long.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

/** Edits of one deliverable that a short run tries. */
const EDITS = 100

function change(document: object, pointer: string, value: unknown): void {
  const names = pointer.slice(1).split("/")
  const last = names.pop() ?? ""
  const parent = names.reduce(
    (node, name) => node[name] as Record<string, unknown>,
    document as Record<string, unknown>,
  )
  if (value === undefined) delete parent[last]
  else parent[last] = value
}

const codes = (given: string | object, expected: DeliverableExpectations = {}) =>
  deliverableFaults(given, expected).map(({ code, pointer }) => `${code} ${pointer}`.trimEnd())

test("the committed vectors are those of the generator, which shares no code with deliverableOf", () => {
  expect(JSON.parse(JSON.stringify(generate().deliverables))).toEqual(DELIVERABLES)
  expect(DELIVERABLES.map(({ text }) => independent(JSON.parse(text)) === text)).toEqual([true, true])
})

test("keccak256 is that of the EVM: known answers", () => {
  expect(keccak256("")).toBe("0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470")
  expect(keccak256("abc")).toBe("0x4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45")
  expect(ACP_TOKEN).toBe("0x833589fcd6edb6e08f4c7c32d4f71b54bda02913")
  expect(ACP_TOKEN).toBe(ACP_ASSET_ADDRESS.toLowerCase() as typeof ACP_TOKEN)
})

describe.each([0, 1])("vector %i", (at) => {
  test("the parts give the text, and the text has no fault for all that the buyer knows", () => {
    const { parts, text, expected, keccak256: submitted } = deliverableVector(at)
    const frozen = deliverableOf(parts)
    expect(frozen.text).toBe(text)
    expect([frozen.sha256, frozen.keccak256 as string]).toEqual([DELIVERABLES[at]?.sha256 ?? "", submitted])
    expect(deliverableOf(parts)).toEqual(frozen)
    expect(frozen.deliverable).toEqual(JSON.parse(text))
    expect(codes(text, expected)).toEqual([])
    expect(codes(frozen.deliverable, expected)).toEqual([])
    expect(codes(text)).toEqual([])
  })

  test("every edit of every member is a fault, and gives another hash", () => {
    const { text, expected } = deliverableVector(at)
    const all = edits(JSON.parse(text) as JsonValue)
    const touched = new Set(all.map(({ pointer }) => pointer.split("/")[1]))
    expect([...touched].filter((name) => name !== undefined).sort()).toEqual(
      Object.keys(AcpDeliverable.properties).sort(),
    )
    expect(all.length).toBeGreaterThan(300)
    for (const { pointer, value } of sample(all, EDITS)) {
      const edited = canonicalize(value)
      expect([pointer, keccak256(edited) === expected.submitted]).toEqual([pointer, false])
      expect([pointer, codes(edited, expected).includes("SUBMITTED_HASH")]).toEqual([pointer, true])
    }
  })

  test("without the hash, only what nobody else states can be edited unseen", () => {
    const { text, expected } = deliverableVector(at)
    const { submitted: _, ...known } = expected
    const changed = edits(JSON.parse(text) as JsonValue)
    const isUnseen = ({ value }: { value: unknown }) => codes(value as object, known).length === 0
    const unseen = sample(changed, EDITS).filter(isUnseen)
    const UNSEEN = [
      "/funding_observation/block_hash",
      "/funding_observation/block_number",
      "/funding_observation/implementation",
      "/funding_observation/log_index",
      "/funding_observation/safe_block_hash",
      "/funding_observation/safe_block_number",
      "/issued_at",
      "/issuer/jwks_uri",
      "/issuer/revocation_uri",
    ]
    expect(unseen.filter(({ pointer }) => !UNSEEN.includes(pointer))).toEqual([])
    expect(changed.filter(({ pointer }) => pointer.endsWith("/log_index")).some(isUnseen)).toBe(true)
  })
})

describe("each fault by its code and pointer", () => {
  type Changes = Readonly<Record<string, unknown>>
  /** Pointer and new value; undefined removes the member. */
  const rows: readonly (readonly [string, Changes, readonly string[]])[] = [
    ["a missing member", { "/issued_at": undefined }, ["SCHEMA /issued_at"]],
    ["an unknown member", { "/job/extra": 1 }, ["SCHEMA /job/extra"]],
    ["an upper-case address", { "/job/escrow_contract": `0x${"AB".repeat(20)}` }, ["SCHEMA /job/escrow_contract"]],
    [
      "a response that was edited",
      { "/response/decision": "BLOCK" },
      ["RESPONSE_DIGEST /response/delivery/response_digest"],
    ],
    ["another response digest", { "/response_digest": digestOf(1) }, ["RESPONSE_DIGEST /response_digest"]],
    ["another request digest", { "/request_digest": digestOf(1) }, ["REQUEST_DIGEST /request_digest"]],
    [
      "another funding transaction",
      { "/funding_observation/tx_hash": `0x${"00".repeat(32)}` },
      ["SETTLEMENT_REFERENCE /response/billing/settlement_reference"],
    ],
    [
      "a funding after the safe block",
      { "/funding_observation/safe_block_number": "23456788" },
      ["FUNDING_NOT_SAFE /funding_observation/safe_block_number"],
    ],
    [
      "one block number with two hashes",
      { "/funding_observation/safe_block_number": "23456789" },
      ["FUNDING_NOT_SAFE /funding_observation/safe_block_hash"],
    ],
    ["another issuer name", { "/issuer/name": "other" }, ["ISSUER_DIFFERS /issuer/name"]],
    [
      "another key id",
      { "/issuer/key_id": `ed25519-${"A".repeat(43)}` },
      ["ISSUER_DIFFERS /issuer/key_id", "ISSUER_DIFFERS /issuer/jwk"],
    ],
    ["another key", { "/issuer/jwk/x": agentKey.x }, ["ISSUER_DIFFERS /issuer/jwk"]],
    [
      "a key set of another service",
      { "/issuer/jwks_uri": "https://svc.example.evil/.well-known/jwks.json" },
      ["ISSUER_DIFFERS /issuer/jwks_uri"],
    ],
    [
      "a user before the host",
      { "/issuer/revocation_uri": "https://svc.example@evil.example/revoked" },
      ["ISSUER_DIFFERS /issuer/revocation_uri"],
    ],
    ["another recovery route", { "/recovery/uri": "https://svc.example/recover" }, ["RECOVERY_DIFFERS /recovery/uri"]],
    ["another requirement digest", { "/requirement_digest": digestOf(1) }, ["REQUIREMENT_DIGEST /requirement_digest"]],
    ["another binding digest", { "/binding_digest": digestOf(1) }, ["BINDING_DIGEST /binding_digest"]],
    [
      "another correlation",
      { "/correlation": { correlation_id: "other", trace_id: "other" } },
      ["CORRELATION /correlation/correlation_id", "CORRELATION /correlation/trace_id"],
    ],
    [
      "another job",
      { "/job/on_chain_job_id": "8" },
      [
        "SETTLEMENT_REFERENCE /response/billing/settlement_reference",
        "BINDING_DIGEST /binding_digest",
        "JOB_DIFFERS /job/on_chain_job_id",
      ],
    ],
    [
      "another client, provider and offering",
      {
        "/job/client_address": `0x${"22".repeat(20)}`,
        "/job/provider_address": `0x${"33".repeat(20)}`,
        "/job/offering_id": "OFFERING-1",
      },
      [
        "BINDING_DIGEST /binding_digest",
        "JOB_DIFFERS /job/client_address",
        "JOB_DIFFERS /job/provider_address",
        "JOB_DIFFERS /job/offering_id",
      ],
    ],
  ]
  test.each(rows)("%s", (_, changes, faults) => {
    const { deliverable, expected } = deliverableVector()
    const { submitted: _hash, ...known } = expected
    for (const [pointer, value] of Object.entries(changes)) change(deliverable, pointer, value)
    expect(codes(deliverable, known)).toEqual([...faults])
    expect(codes(deliverable, expected)).toEqual(["SUBMITTED_HASH", ...faults])
  })

  test("the reference of an x402 payment, with the digest recomputed", () => {
    const { deliverable, expected } = deliverableVector()
    const { submitted: _hash, ...known } = expected
    change(deliverable, "/response/billing/settlement_reference", `eip155:8453/tx/0x${"5e".repeat(32)}`)
    const digest = responseDigest(deliverable.response)
    change(deliverable, "/response/delivery/response_digest", digest)
    change(deliverable, "/response_digest", digest)
    expect(codes(deliverable, known)).toEqual(["SETTLEMENT_REFERENCE /response/billing/settlement_reference"])
  })

  test("text that is not JSON, not canonical, of another hash", () => {
    const { text, deliverable, expected } = deliverableVector()
    expect(codes(text.slice(0, -1), expected)).toEqual(["NOT_JSON"])
    expect(codes(text.replace('{"binding_digest"', '{"issued_at":"","binding_digest"'))).toEqual(["NOT_JSON"])
    for (const copy of [`${text}\n`, JSON.stringify(deliverable, null, 2)]) {
      expect(codes(copy, expected)).toEqual(["NOT_CANONICAL"])
    }
    expect(codes(text, { submitted: `0x${"00".repeat(32)}` })).toEqual(["SUBMITTED_HASH"])
    expect(codes(text, { submitted: expected.submitted?.toUpperCase().replace("0X", "0x") ?? "" })).toEqual([])
  })

  test("no text and no value makes the check throw", () => {
    const { expected } = deliverableVector()
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(codes(text, expected).length).toBeGreaterThan(0)
      }),
      { numRuns: runs(500) },
    )
  })

  test("the other job's requirement, facts and hash are refused", () => {
    const { text } = deliverableVector(0)
    const { expected } = deliverableVector(1)
    expect(codes(text, expected)).toEqual([
      "SUBMITTED_HASH",
      "REQUIREMENT_DIGEST /requirement_digest",
      "REQUEST_DIGEST /response/request_digest",
      "BINDING_DIGEST /binding_digest",
      "JOB_DIFFERS /job/on_chain_job_id",
      "JOB_DIFFERS /job/client_address",
    ])
  })
})

describe("the limit", () => {
  /** The signature of the response is not checked here. */
  function withText(bytes: number) {
    const { parts } = deliverableVector()
    const { response } = parts
    const sized = (length: number) => {
      const longer = { ...response, remediation: ["x".repeat(length)] }
      const delivery = { ...response.delivery, response_digest: responseDigest(longer) }
      return { ...parts, response: { ...longer, delivery } }
    }
    return sized(bytes - Buffer.byteLength(deliverableOf(sized(0)).text))
  }

  test("32 KiB are delivered, and one byte more is not", () => {
    const { text } = deliverableOf(withText(ACP_DELIVERABLE_BYTES_MAX))
    expect([Buffer.byteLength(text), codes(text)]).toEqual([32_768, []])
    const over = () => deliverableOf(withText(ACP_DELIVERABLE_BYTES_MAX + 1))
    expect(over).toThrow(DeliverableTooLarge)
    expect(over).toThrow(new Error("the deliverable has 32769 bytes, and at most 32768 are allowed"))
    expect(codes(text.replace("xxxx", "xxxxx"))).toContain("TOO_LARGE")
  })
})

test("the longest texts of a request, each character as long as JSON makes it, leave a quarter of the limit free", () => {
  const { parts, final } = deliverableVector()
  const long = (codePoints: number) => "\u0001".repeat(codePoints)
  const request = signedRequest({
    request: {
      requesting_agent: { ...final.request.requesting_agent, agent_id: long(160) },
      supplier: { ...final.request.supplier, entity_id: long(160), legal_name: long(350) },
      evidence_references: Array.from({ length: 128 }, (_, at) => digestOf(at)),
      correlation: { correlation_id: long(512), trace_id: long(512) },
      invoice: { obligation_id: long(512), document_digest: digestOf(1) },
      exposure_valuation_basis: long(240),
    },
  })
  const facts = decisionFacts(request, {
    known_destinations: [],
    screening: screeningOf("POSSIBLE_MATCH", [screeningHit()]),
  })
  const { response } = deliveredDecision(request, facts, parts.response.billing.settlement_reference)
  const job = { ...parts.job, offeringId: long(160) }
  const { text } = deliverableOf({ ...parts, job, request, response })
  expect(Buffer.byteLength(text)).toBeGreaterThan(20_000)
  expect(Buffer.byteLength(text)).toBeLessThan((ACP_DELIVERABLE_BYTES_MAX * 3) / 4)
})

test("parts that do not belong together make no deliverable", () => {
  const { parts } = deliverableVector()
  const { parts: other } = deliverableVector(1)
  expect(() => deliverableOf({ ...parts, job: other.job })).toThrow("SETTLEMENT_REFERENCE")
  expect(() => deliverableOf({ ...parts, funding: { ...parts.funding, safeBlockNumber: 1n } })).toThrow(
    "FUNDING_NOT_SAFE",
  )
  expect(() => deliverableOf({ ...parts, issuer: { ...parts.issuer, x: "A".repeat(43) } })).toThrow("ISSUER_DIFFERS")
  expect(() => deliverableOf({ ...parts, issuedAt: "yesterday" })).toThrow("SCHEMA at /issued_at")
})

test("the settlement reference names the contract in lower case, the job and the transaction", () => {
  const job = { chainId: 8453, escrowContract: `0x${"AB".repeat(20)}`, onChainJobId: "7" }
  expect(settlementReference(job, "0xFE")).toBe(`eip155:8453/0x${"ab".repeat(20)}/job/7#0xfe`)
  const longest = settlementReference({ ...job, onChainJobId: "9".repeat(78) }, `0x${"f".repeat(64)}`)
  const { settlement_reference } = AcpDeliverable.properties.response.properties.billing.properties
  expect(Value.Check(settlement_reference, longest)).toBe(true)
})
