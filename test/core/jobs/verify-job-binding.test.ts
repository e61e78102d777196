import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import type { JobBinding } from "../../../schemas/acp/job-binding.ts"
import type { AcpRequirement } from "../../../schemas/acp/requirement.ts"
import { keyFromSeed, signatureFault } from "../../../src/core/ed25519.ts"
import { jobBinding, jobBindingBytes } from "../../../src/core/jobs/job-binding.ts"
import type { JobFacts } from "../../../src/core/jobs/job-binding-members.ts"
import { jobBindingFault } from "../../../src/core/jobs/verify-job-binding.ts"
import { isReservedPayload, signedFormOf } from "../../../src/core/signed-forms.ts"
import type { JsonValue } from "../../../src/core/strict-json.ts"
import { bindRequirement } from "../../../src/jobs/buyer-signing/bind-requirement.ts"
import { PUBLIC_X, privateKey, VECTORS, vector } from "../../fixtures/acp-vectors/vectors.ts"
import { edits } from "../../fixtures/json-edits.ts"
import { runs } from "../../fixtures/long.ts"

test.each(VECTORS.map((one) => [one.name, one] as const))("the vector verifies: %s", (_, { final, actual_job }) => {
  expect(jobBindingFault(final, actual_job, PUBLIC_X)).toBeNull()
})

describe("another job than the signed one", () => {
  const rows: readonly (readonly [string, Partial<JobFacts>, string])[] = [
    ["job id", { onChainJobId: "8" }, "SIGNATURE_MISMATCH"],
    ["job id with a leading zero", { onChainJobId: "07" }, "NOT_A_BINDING"],
    ["chain", { chainId: 84532 }, "CHAIN_DIFFERS"],
    ["client", { clientAddress: `0x${"22".repeat(20)}` }, "CLIENT_DIFFERS"],
    ["provider", { providerAddress: `0x${"22".repeat(20)}` }, "PROVIDER_DIFFERS"],
  ]
  test.each(rows)("%s", (_, change, fault) => {
    const { final, job } = vector()
    expect(jobBindingFault(final, { ...job, ...change }, PUBLIC_X)).toBe(fault as never)
  })

  test("client and fee payer changed together still break the signature", () => {
    const { final, job } = vector()
    const clientAddress = `0x${"22".repeat(20)}`
    final.request.decision_fee_payer = clientAddress
    expect(jobBindingFault(final, { ...job, clientAddress }, PUBLIC_X)).toBe("SIGNATURE_MISMATCH")
  })

  test("a requirement signed for one job is not valid for another job with the same text", () => {
    const { draft, job } = vector()
    const other = bindRequirement(draft, { ...job, onChainJobId: "8" }, privateKey)
    expect(jobBindingFault(other, job, PUBLIC_X)).toBe("SIGNATURE_MISMATCH")
  })
})

const HEX = [..."0123456789abcdefABCDEF"]
const address = fc
  .array(fc.constantFrom(...HEX), { minLength: 40, maxLength: 40 })
  .map((digits) => `0x${digits.join("")}`)
const jobs = fc.record({
  onChainJobId: fc.oneof(fc.constant("7"), fc.bigInt({ min: 1n, max: 2n ** 256n - 1n }).map(String)),
  chainId: fc.oneof(fc.constant(8453), fc.nat()),
  clientAddress: fc.oneof(fc.constant(`0x${"11".repeat(20)}`), address),
  providerAddress: fc.oneof(fc.constant(`0x${"00".repeat(19)}aB`), address),
})

test("of random jobs a requirement is valid for exactly the one that it was signed for", () => {
  const { final, job } = vector()
  const text = (facts: JobFacts) => JSON.stringify(Object.entries(facts).toSorted()).toLowerCase()
  fc.assert(
    fc.property(jobs, (other) => {
      expect(jobBindingFault(final, other, PUBLIC_X) === null).toBe(text(other) === text(job))
    }),
    { numRuns: runs(5000) },
  )
})

test("another key, and another signature, are refused", () => {
  const { final, job } = vector()
  expect(jobBindingFault(final, job, keyFromSeed(new Uint8Array(32)).x)).toBe("KEY_DIFFERS")
  const with_ = (signature: string) => ({ ...final, buyer_authorization: { algorithm: "Ed25519" as const, signature } })
  expect(jobBindingFault(with_("A".repeat(86)), job, PUBLIC_X)).toBe("SIGNATURE_SMALL_ORDER_R")
  const { signature } = final.buyer_authorization
  expect(jobBindingFault(with_(`${signature.slice(0, 85)}B`), job, PUBLIC_X)).toBe("SIGNATURE_ENCODING_NON_CANONICAL")
})

test("each field of the binding is covered: a change of any one breaks the signature", () => {
  const { final, job } = vector(1)
  const binding = jobBinding(final, job)
  const { signature } = final.buyer_authorization
  const isValid = (value: unknown) => signatureFault(PUBLIC_X, jobBindingBytes(value as JobBinding), signature) === null
  expect(isValid(binding)).toBe(true)
  const changed = edits(binding as unknown as JsonValue)
  const named = Object.keys(binding).filter((name) => changed.some(({ value }) => !sameMember(value, binding, name)))
  expect(named).toEqual(Object.keys(binding))
  for (const { value } of changed) expect(isValid(value)).toBe(false)
})

function sameMember(value: unknown, binding: JobBinding, name: string): boolean {
  const other = (value as Readonly<Record<string, unknown>> | null)?.[name]
  return JSON.stringify(other) === JSON.stringify(binding[name as keyof JobBinding])
}

test("every edit of the requirement outside buyer_authorization is refused", () => {
  const { final, job } = vector(1)
  const { buyer_authorization, ...covered } = final
  const all = edits(covered as unknown as JsonValue)
  fc.assert(
    fc.property(fc.nat(all.length - 1), (pick) => {
      const edited = all[pick]?.value as Omit<AcpRequirement, "buyer_authorization">
      const isEnvelope = typeof edited === "object" && edited !== null && "request" in edited && "offering" in edited
      // The caller checks the schema first: an edit that takes away an object on the way is refused there.
      fc.pre(isEnvelope && isReadable(edited))
      expect(jobBindingFault({ ...edited, buyer_authorization }, job, PUBLIC_X)).not.toBeNull()
    }),
    { numRuns: runs(2000) },
  )
})

function isReadable({ offering, purchase, request }: Omit<AcpRequirement, "buyer_authorization">): boolean {
  return (
    typeof offering?.provider_address === "string" &&
    typeof purchase === "object" &&
    purchase !== null &&
    typeof request?.decision_fee_payer === "string" &&
    typeof request.requesting_agent?.key_id === "string"
  )
}

test("a binding is its own signed form, and nobody signs it as a free payload", () => {
  for (const { draft, actual_job } of VECTORS) {
    const binding = jobBinding(draft, actual_job)
    expect(signedFormOf(binding)).toBe("JOB_BINDING")
    expect(isReservedPayload(binding)).toBe(true)
  }
})
