import { describe, expect, test } from "bun:test"
import { generateKeyPairSync } from "node:crypto"
import { Value } from "@sinclair/typebox/value"
import fc from "fast-check"
import { AcpRequirement, AcpRequirementDraft } from "../../../schemas/acp/requirement.ts"
import { canonicalize } from "../../../src/core/canonical-json.ts"
import { digestBytes } from "../../../src/core/digest.ts"
import { signWith } from "../../../src/core/ed25519.ts"
import { jobBinding, jobBindingBytes } from "../../../src/core/jobs/job-binding.ts"
import type { JsonValue } from "../../../src/core/strict-json.ts"
import { bindRequirement } from "../../../src/jobs/buyer-signing/bind-requirement.ts"
import { BindingError } from "../../../src/jobs/buyer-signing/binding-error.ts"
import { generate } from "../../fixtures/acp-vectors/generate.ts"
import { jwk, pem, privateKey, publicKey, VECTORS, vector } from "../../fixtures/acp-vectors/vectors.ts"
import { edits } from "../../fixtures/json-edits.ts"
import { runs } from "../../fixtures/long.ts"

/** Returns code and field of the error. Fails if the call succeeds. */
function fault(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    if (!(error instanceof BindingError)) throw error
    expect(error.message).toBe(`${error.field} ${error.expected}`)
    return `${error.code} ${error.field}`
  }
  throw new Error("nothing was refused")
}

test("the committed vectors are those of the generator, which shares no code with the module", () => {
  expect(JSON.parse(JSON.stringify(generate().vectors))).toEqual(VECTORS)
})

describe.each(VECTORS.map((one) => [one.name, one] as const))("vector: %s", (_, one) => {
  test.each([
    ["KeyObject", privateKey],
    ["PKCS#8 PEM", pem],
    ["private JWK", jwk],
    ["private JWK with kid", { ...jwk, kid: "k", alg: "EdDSA" }],
  ])("a %s gives the final requirement", (_form, key) => {
    expect(bindRequirement(one.draft, one.actual_job, key)).toEqual(one.final)
  })

  test("binding bytes and digest", () => {
    const bytes = jobBindingBytes(jobBinding(one.draft, one.actual_job))
    expect(new TextDecoder().decode(bytes)).toBe(one.binding_text)
    expect(String(digestBytes(bytes))).toBe(one.binding_digest)
  })

  test("draft and final requirement match their schemas", () => {
    expect(Value.Check(AcpRequirementDraft, one.draft)).toBe(true)
    expect(Value.Check(AcpRequirement, one.final)).toBe(true)
    expect(Value.Check(AcpRequirement, one.draft)).toBe(false)
  })
})

test("the draft does not change, and a later change of it does not reach the final requirement", () => {
  const { draft, job } = vector()
  const before = canonicalize(draft)
  const final = bindRequirement(draft, job, privateKey)
  const bound = canonicalize(final)
  expect(canonicalize(draft)).toBe(before)
  draft.request.amount = "1"
  expect(canonicalize(final)).toBe(bound)
  expect(bindRequirement(Object.freeze(vector().draft), job, privateKey)).toEqual(final)
})

test("the case of an address in the job does not change the signature", () => {
  const { draft, job, final } = vector(1)
  const cased = (change: (text: string) => string) => ({
    ...job,
    clientAddress: `0x${change(job.clientAddress.slice(2))}`,
    providerAddress: `0x${change(job.providerAddress.slice(2))}`,
  })
  for (const change of [(text: string) => text.toUpperCase(), (text: string) => text.toLowerCase()]) {
    expect(bindRequirement(draft, cased(change), privateKey)).toEqual(final)
  }
})

describe("job facts that are refused", () => {
  const rows: readonly (readonly [string, object, string])[] = [
    ["a leading zero", { onChainJobId: "07" }, "JOB_INVALID actualJob/onChainJobId"],
    ["job zero", { onChainJobId: "0" }, "JOB_INVALID actualJob/onChainJobId"],
    ["a number as id", { onChainJobId: 7 }, "JOB_INVALID actualJob/onChainJobId"],
    ["a BigInt as id", { onChainJobId: 7n }, "JOB_INVALID actualJob/onChainJobId"],
    ["a line feed after the id", { onChainJobId: "7\n" }, "JOB_INVALID actualJob/onChainJobId"],
    ["79 digits", { onChainJobId: "1".repeat(79) }, "JOB_INVALID actualJob/onChainJobId"],
    ["another chain", { chainId: 84532 }, "JOB_INVALID actualJob/chainId"],
    ["a chain as text", { chainId: "8453" }, "JOB_INVALID actualJob/chainId"],
    ["no client", { clientAddress: undefined }, "JOB_INVALID actualJob/clientAddress"],
    ["a short client", { clientAddress: "0x11" }, "JOB_INVALID actualJob/clientAddress"],
    ["the zero address as client", { clientAddress: `0x${"0".repeat(40)}` }, "JOB_INVALID actualJob/clientAddress"],
    ["another client", { clientAddress: `0x${"22".repeat(20)}` }, "CLIENT_DIFFERS actualJob/clientAddress"],
    ["no provider", { providerAddress: null }, "JOB_INVALID actualJob/providerAddress"],
    ["another provider", { providerAddress: `0x${"22".repeat(20)}` }, "PROVIDER_DIFFERS actualJob/providerAddress"],
    ["an unknown member", { chain: 8453 }, "JOB_INVALID actualJob/chain"],
  ]
  test.each(rows)("%s", (_, change, expected) => {
    const { draft, job } = vector()
    expect(fault(() => bindRequirement(draft, { ...job, ...change }, privateKey))).toBe(expected)
  })

  test.each([[null], [undefined], ["7"]])("%p instead of an object", (job) => {
    expect(fault(() => bindRequirement(vector().draft, job, privateKey))).toBe("JOB_INVALID actualJob")
  })
})

describe("drafts that are refused", () => {
  const { final } = vector()
  const rows: readonly (readonly [string, (draft: AcpRequirementDraft) => unknown, string])[] = [
    ["already signed", () => final, "draft/buyer_authorization"],
    ["an unknown member", (draft) => ({ ...draft, extra: 1 }), "draft/extra"],
    ["an unknown member inside", (d) => ({ ...d, offering: { ...d.offering, fee: 1 } }), "draft/offering/fee"],
    ["envelope version 3", (draft) => ({ ...draft, envelope_version: 3 }), "draft/envelope_version"],
    ["another price", (d) => ({ ...d, purchase: { ...d.purchase, price: "0.80" } }), "draft/purchase/price"],
    ["another offering", (d) => ({ ...d, offering: { ...d.offering, name: "Other" } }), "draft/offering/name"],
    ["no request", ({ request: _, ...draft }) => draft, "draft/request"],
    ["an unpaired surrogate", (d) => ({ ...d, offering: { ...d.offering, id: "\ud800" } }), "draft/offering/id"],
    ["a member that JSON drops", (draft) => ({ ...draft, channel: undefined }), "draft/channel"],
    ["a BigInt", (draft) => ({ ...draft, envelope_version: 4n }), "draft"],
    ["nothing", () => undefined, "draft"],
    ["a text", () => "draft", "draft"],
    ["a list", () => [], "draft"],
  ]
  test.each(rows)("%s", (_, change, field) => {
    const { draft, job } = vector()
    expect(fault(() => bindRequirement(change(draft), job, privateKey))).toBe(`DRAFT_INVALID ${field}`)
  })

  test("a cycle", () => {
    const { draft, job } = vector()
    const cycle: Record<string, unknown> = { ...draft }
    cycle["request"] = cycle
    expect(fault(() => bindRequirement(cycle, job, privateKey))).toBe("DRAFT_INVALID draft")
  })

  test("the message names the member, what was expected, and no given value", () => {
    const { draft, job } = vector()
    const other = { ...draft, purchase: { ...draft.purchase, asset: "SECRET" } }
    expect(() => bindRequirement(other, job, privateKey)).toThrow('draft/purchase/asset must be "USDC"')
  })

  test("a request that changed after its signature", () => {
    const { draft, job } = vector()
    draft.request.amount = "12500.01"
    const expected = "REQUEST_NOT_SIGNED draft/request/requesting_agent/request_signature"
    expect(fault(() => bindRequirement(draft, job, privateKey))).toBe(expected)
    draft.request.requesting_agent.request_signature = "unsigned"
    expect(fault(() => bindRequirement(draft, job, privateKey))).toBe(expected)
  })

  test("a final requirement of more than 64 KiB", () => {
    const { draft, job } = vector()
    const { request_signature: _, ...agent } = draft.request.requesting_agent
    // Each control character is six bytes of JSON.
    const long = "\u0001".repeat(158)
    const names = Array.from({ length: 32 }, (_item, i) => `${long}${10 + i}`)
    const request = {
      ...draft.request,
      supplier: { ...draft.request.supplier, identifiers: Object.fromEntries(names.map((name) => [name, name])) },
      evidence_references: Array.from({ length: 128 }, () => `sha256:${"0".repeat(64)}`),
    }
    const request_signature = signWith(privateKey, canonicalize({ ...request, requesting_agent: agent }))
    const large = { ...draft, request: { ...request, requesting_agent: { ...agent, request_signature } } }
    expect(Value.Check(AcpRequirementDraft, large)).toBe(true)
    expect(fault(() => bindRequirement(large, job, privateKey))).toBe("DRAFT_INVALID draft")
    expect(() => bindRequirement(large, job, privateKey)).toThrow("at most 65536 bytes")
  })

  test("every edit of a draft: the module refuses what the schema refuses", () => {
    const { draft, job } = vector(1)
    const all = edits(draft as unknown as JsonValue)
    let refused = 0
    fc.assert(
      fc.property(fc.nat(all.length - 1), (pick) => {
        const edited = all[pick]?.value
        const code = fault(() => bindRequirement(edited, { ...job, onChainJobId: "bad" }, privateKey)).split(" ")[0]
        expect(code === "DRAFT_INVALID").toBe(!Value.Check(AcpRequirementDraft, edited))
        if (code === "DRAFT_INVALID") refused++
      }),
      { numRuns: runs(3000) },
    )
    expect(refused).toBeGreaterThan(20)
  })
})

describe("keys that are refused", () => {
  const other = generateKeyPairSync("ed25519").privateKey
  const rows: readonly (readonly [string, unknown, string])[] = [
    ["another key", other, "KEY_DIFFERS"],
    ["another key as PEM", other.export({ format: "pem", type: "pkcs8" }), "KEY_DIFFERS"],
    ["the public key", publicKey, "KEY_INVALID"],
    ["the public key as PEM", publicKey.export({ format: "pem", type: "spki" }), "KEY_INVALID"],
    ["a public JWK", { kty: "OKP", crv: "Ed25519", x: jwk.x }, "KEY_INVALID"],
    ["a JWK whose x belongs to another d", { ...other.export({ format: "jwk" }), x: jwk.x }, "KEY_INVALID"],
    ["a JWK without x", { kty: "OKP", crv: "Ed25519", d: jwk.d }, "KEY_INVALID"],
    ["an X25519 key", generateKeyPairSync("x25519").privateKey, "KEY_INVALID"],
    ["a seed in hex", "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60", "KEY_INVALID"],
    ["an encrypted PEM", encrypted(), "KEY_INVALID"],
    ["nothing", undefined, "KEY_INVALID"],
  ]
  test.each(rows)("%s", (_, key, code) => {
    const { draft, job } = vector()
    expect(fault(() => bindRequirement(draft, job, key))).toBe(`${code} privateKey`)
  })

  function encrypted(): string {
    const cipher = { format: "pem", type: "pkcs8", cipher: "aes-256-cbc", passphrase: "p" } as const
    return other.export(cipher).toString()
  }
})
