import { expect, spyOn, test } from "bun:test"
import { canonicalizeAgentCard, type AgentCard as SdkCard, verifyAgentCardSignature } from "@a2a-js/sdk"
import { flattenedVerify, importJWK } from "jose"
import type { AgentCard } from "../../../schemas/discovery/agent-card.ts"
import { canonicalBytes, canonicalize } from "../../../src/core/canonical-json.ts"
import { agentCard } from "../../../src/discovery/documents/agent-card.ts"
import { ADDED, BASE, DOCUMENT_SIGNER, discoveryParts, ROWS } from "../../fixtures/discovery-parts.ts"

const jwk = { kty: "OKP", crv: "Ed25519", x: DOCUMENT_SIGNER.x, alg: "EdDSA", kid: DOCUMENT_SIGNER.keyId } as const
const sdkForm = (card: unknown) => card as SdkCard

/** Verifies as the official SDK does, with the key that the header names. */
const verify = verifyAgentCardSignature(async (kid, jku) => {
  expect([kid, jku]).toEqual([DOCUMENT_SIGNER.keyId, `${BASE}/.well-known/jwks.json`])
  return jwk
})

test("the official SDK verifies the card, and its canonical form is the one that was signed", async () => {
  const card = agentCard(discoveryParts())
  await verify(sdkForm(card))
  const { signatures: _, ...unsigned } = card
  expect(canonicalizeAgentCard(sdkForm(card))).toBe(canonicalize(unsigned))
  await verify(sdkForm(agentCard(discoveryParts([...ROWS, ADDED]))))
})

test("a verifier that keeps every member verifies it too: no member is unknown or empty", async () => {
  const { signatures, ...unsigned } = agentCard(discoveryParts())
  const [signature] = signatures
  if (!signature) throw new Error("no signature")
  const payload = Buffer.from(canonicalBytes(unsigned)).toString("base64url")
  const { protectedHeader } = await flattenedVerify({ ...signature, payload }, await importJWK(jwk, "EdDSA"))
  expect(protectedHeader).toEqual({
    alg: "EdDSA",
    typ: "JOSE",
    kid: DOCUMENT_SIGNER.keyId,
    jku: `${BASE}/.well-known/jwks.json`,
  })
})

test("a card with one changed byte fails, wherever the byte is", async () => {
  const quiet = spyOn(console, "debug").mockImplementation(() => {})
  const text = JSON.stringify(agentCard(discoveryParts()))
  const places = [...text.matchAll(/[a-z]{3}/g)].map(({ index }) => index)
  let rejected = 0
  for (const place of places.filter((_, n) => n % 11 === 0)) {
    const changed = `${text.slice(0, place)}${text[place] === "q" ? "z" : "q"}${text.slice(place + 1)}`
    const card = JSON.parse(changed) as AgentCard
    await expect(verify(sdkForm(card))).rejects.toThrow(/No (valid )?signatures found/)
    rejected++
  }
  expect(rejected).toBeGreaterThan(30)
  quiet.mockRestore()
})
