/**
 * Vectors of Agent ID. Our code must produce the bytes of the published design vectors (read only when BIZAUTH_VECTORS names their
 * folder) and of the stored history, which has an event of every kind. The independent implementations are json-canonicalize,
 * @noble/curves and http-message-signatures.
 */
import { describe, expect, test } from "bun:test"
import { createHash } from "node:crypto"
import { join } from "node:path"
import { ed25519 } from "@noble/curves/ed25519"
import { httpbis } from "http-message-signatures"
import { canonicalize as otherCanonicalize } from "json-canonicalize"
import { AgentStatusPayload } from "../../schemas/agent-id/identity.ts"
import { KeyEvent } from "../../schemas/agent-id/key-event.ts"
import { SignatureStatement } from "../../schemas/agent-id/signature.ts"
import { agentIdOf, commitmentTo } from "../../src/core/agent-id.ts"
import { canonicalize } from "../../src/core/canonical-json.ts"
import { digestBytes, digestOf } from "../../src/core/digest.ts"
import { keyFromSeed, signWith, verifySignature } from "../../src/core/ed25519.ts"
import { keyIdOf } from "../../src/core/jwk.ts"
import { type ChangeRequest, changeEvent, enrolmentEvent, headOf } from "../../src/core/key-event.ts"
import { applyKeyEvent, type IdentityState, requiredSignatures } from "../../src/core/key-history.ts"
import { signedAnswer } from "../../src/core/signer.ts"
import { compile } from "../../src/http/read-body.ts"
import { generate } from "../fixtures/agent-id-vectors/generate.ts"
import own from "../fixtures/agent-id-vectors/vectors.json" with { type: "json" }

interface LoggedEvent {
  readonly event: KeyEvent
  readonly canonical_utf8: string
  readonly event_digest: string
  readonly accepted_at?: string
  readonly signatures: readonly { readonly role: string; readonly key_id: string; readonly value: string }[]
}

interface Vectors {
  readonly keys: readonly {
    readonly label: string
    readonly seed_hex: string
    readonly key_id: string
    readonly public_jwk: { readonly x: string }
  }[]
  readonly agent_id: string
  readonly key_event_log: readonly LoggedEvent[]
  readonly service_signed_status: {
    readonly payload: object
    readonly digest: string
    readonly signature: { readonly issuer: string; readonly key_id: string; readonly value: string }
  }
}

interface PublishedVectors extends Vectors {
  readonly signature_statement: {
    readonly payload: object
    readonly payload_digest: string
    readonly statement: SignatureStatement
    readonly canonical_utf8: string
    readonly signature: string
  }
  readonly agentEd25519: {
    readonly request: {
      readonly method: string
      readonly url: string
      readonly body: string
      readonly headers: Record<string, string>
    }
    readonly signature_base: string
  }
}

const folder = process.env["BIZAUTH_VECTORS"]
const load = async () => (await Bun.file(join(folder ?? "", "agent-id/design-vectors.json")).json()) as PublishedVectors

const seedOf = ({ keys }: Vectors, keyId: string) => {
  const seed = keys.find(({ key_id }) => key_id === keyId)?.seed_hex ?? ""
  return new Uint8Array(Buffer.from(seed, "hex"))
}
const xOf = ({ keys }: Vectors, keyId: string) => keys.find(({ key_id }) => key_id === keyId)?.public_jwk.x ?? ""

/** The change that was requested, read back from an event. */
function requestOf({ keys, next_operational_key_digest, change }: KeyEvent): ChangeRequest {
  switch (change.kind) {
    case "ENROLL":
      throw new Error("an enrolment is no change")
    case "ROTATE_OPERATIONAL":
      return {
        ...{ kind: change.kind, mode: change.mode, newX: keys.operational?.public_jwk.x ?? "" },
        nextOperationalKeyDigest: next_operational_key_digest,
        compromiseSuspectedSince: change.compromise_suspected_since ?? null,
      }
    case "ROTATE_RECOVERY":
      return { kind: change.kind, newX: keys.recovery?.public_jwk.x ?? "" }
    case "REVOKE_OPERATIONAL":
      return {
        ...{ kind: change.kind, mode: change.authorized_by[0] === "OPERATIONAL" ? "SELF" : "RECOVERY" },
        ...{ reason: change.reason, compromiseSuspectedSince: change.compromise_suspected_since ?? null },
      }
    case "REVOKE_IDENTITY":
      return { kind: change.kind, reason: change.reason }
  }
}

function rebuilt(state: IdentityState | null, event: KeyEvent): KeyEvent {
  const parts = {
    ...{ audience: event.audience, challengeId: event.challenge_id, nonce: event.nonce },
    ...{ issuedAt: event.issued_at, expiresAt: event.expires_at },
  }
  if (state !== null) {
    const head = headOf(state)
    if (!head) throw new Error("nothing can follow a revoked identity")
    return changeEvent(head, requestOf(event), parts)
  }
  const { operational, recovery } = event.keys
  return enrolmentEvent({
    ...parts,
    ...{ operationalX: operational?.public_jwk.x ?? "", recoveryX: recovery?.public_jwk.x ?? "" },
    nextOperationalKeyDigest: event.next_operational_key_digest,
  })
}

/** Our code builds, digests, names and signs every event from its parts alone. */
function expectReproduced(vectors: Vectors): void {
  let state: IdentityState | null = null
  for (const { event, canonical_utf8, event_digest, accepted_at, signatures } of vectors.key_event_log) {
    const built = rebuilt(state, event)
    expect([...compile(KeyEvent).Errors(built)]).toEqual([])
    expect(canonicalize(built)).toBe(canonical_utf8)
    expect(digestOf(built)).toBe(event_digest as never)
    expect(requiredSignatures(state, built)?.map(({ role, key }) => [role, key.key_id])).toEqual(
      signatures.map(({ role, key_id }) => [role, key_id]),
    )
    for (const { key_id, value } of signatures) {
      const { privateKey, x } = keyFromSeed(seedOf(vectors, key_id))
      expect(keyIdOf(x)).toBe(key_id)
      expect(signWith(privateKey, canonicalize(built))).toBe(value)
      expect(verifySignature(x, canonical_utf8, value)).toBe(true)
    }
    const outcome = applyKeyEvent(state, built, digestOf(built), accepted_at ?? event.issued_at)
    if ("fault" in outcome) throw new Error(outcome.fault)
    state = outcome.state
  }
  expect(state?.agentId).toBe(vectors.agent_id)
  expect(agentIdOf(vectors.key_event_log[0]?.event_digest ?? "")).toBe(vectors.agent_id)
}

/** The other libraries produce the same bytes, digests and signatures. */
function expectIndependent(vectors: Vectors): void {
  for (const { event, canonical_utf8, event_digest, signatures } of vectors.key_event_log) {
    const text = new TextEncoder().encode(otherCanonicalize(event))
    expect(new TextDecoder().decode(text)).toBe(canonical_utf8)
    expect(`sha256:${createHash("sha256").update(text).digest("hex")}`).toBe(event_digest)
    for (const { key_id, value } of signatures) {
      const signature = Buffer.from(value, "base64url")
      const publicKey = Buffer.from(xOf(vectors, key_id), "base64url")
      expect(ed25519.verify(signature, text, publicKey, { zip215: false })).toBe(true)
      expect(Buffer.from(ed25519.sign(text, seedOf(vectors, key_id))).toString("base64url")).toBe(value)
    }
  }
}

function expectSignedStatus({ service_signed_status: { payload, digest, signature }, ...vectors }: Vectors): void {
  const whole = { ...vectors, service_signed_status: { payload, digest, signature } }
  const { privateKey } = keyFromSeed(seedOf(whole, signature.key_id))
  const signer = { issuer: signature.issuer, keyId: signature.key_id, privateKey }
  expect(signedAnswer(signer, payload)).toEqual({ payload, digest, signature } as never)
  const text = new TextEncoder().encode(otherCanonicalize(payload))
  const publicKey = Buffer.from(xOf(whole, signature.key_id), "base64url")
  expect(ed25519.verify(Buffer.from(signature.value, "base64url"), text, publicKey, { zip215: false })).toBe(true)
}

describe("a history with an event of every kind", () => {
  const vectors = own as unknown as Vectors

  test("equals the output of its generator", () => {
    expect(JSON.parse(JSON.stringify(generate()))).toEqual(own as never)
  })
  test("is reproduced byte for byte from its parts", () => expectReproduced(vectors))
  test("is signed and verified with the same result by other libraries", () => expectIndependent(vectors))
  test("covers every kind and mode of the signature matrix", () => {
    const kinds = vectors.key_event_log.map(({ event: { change } }) =>
      [change.kind, ...("mode" in change ? [change.mode] : []), change.authorized_by[0]].join(" "),
    )
    expect(new Set(kinds)).toEqual(
      new Set([
        "ENROLL OPERATIONAL",
        "ROTATE_OPERATIONAL ROUTINE OPERATIONAL",
        "ROTATE_OPERATIONAL RECOVERY RECOVERY",
        "ROTATE_RECOVERY RECOVERY",
        "REVOKE_OPERATIONAL OPERATIONAL",
        "REVOKE_OPERATIONAL RECOVERY",
        "REVOKE_IDENTITY RECOVERY",
      ]),
    )
  })
  test("takes the commitment of each event from the id of the next key", () => {
    const [first, second] = vectors.key_event_log
    expect(first?.event.next_operational_key_digest).toBe(commitmentTo(second?.event.keys.operational?.key_id ?? ""))
  })
  test("has a status with the members of rulings 23 and a valid signature", () => {
    expect([...compile(AgentStatusPayload).Errors(vectors.service_signed_status.payload)]).toEqual([])
    expectSignedStatus(vectors)
  })
})

describe.skipIf(!folder)("the published design vectors (skipped unless BIZAUTH_VECTORS names their folder)", () => {
  test("the events are reproduced byte for byte from their parts", async () => expectReproduced(await load()))
  test("other libraries sign and verify the events with the same result", async () => expectIndependent(await load()))
  test("the signed status verifies as published, with the members of an earlier draft", async () =>
    expectSignedStatus(await load()))

  test("our canonical form, digest and signature of the signature statement are the published ones", async () => {
    const vectors = await load()
    const { statement, canonical_utf8, signature, payload, payload_digest } = vectors.signature_statement
    expect([...compile(SignatureStatement).Errors(statement)]).toEqual([])
    expect(digestOf(payload)).toBe(payload_digest as never)
    expect(statement.payload_digest).toBe(payload_digest)
    expect(canonicalize(statement)).toBe(canonical_utf8)
    expect(otherCanonicalize(statement)).toBe(canonical_utf8)
    expect(signWith(keyFromSeed(seedOf(vectors, statement.key_id)).privateKey, canonical_utf8)).toBe(signature)
    const text = new TextEncoder().encode(canonical_utf8)
    expect(Buffer.from(ed25519.sign(text, seedOf(vectors, statement.key_id))).toString("base64url")).toBe(signature)
  })

  test("our signature of the agentEd25519 request (RFC 9421) is the published one", async () => {
    const vectors = await load()
    const { request, signature_base } = vectors.agentEd25519
    const { "signature-input": input = "", signature = "", ...headers } = request.headers
    const keyId = /keyid="([^"]+)"/.exec(input)?.[1] ?? ""
    const parameter = (name: string) => new RegExp(`${name}="?([^";]+)`).exec(input)?.[1] ?? ""
    const digested = createHash("sha256").update(request.body).digest("base64")
    expect(headers["content-digest"]).toBe(`sha-256=:${digested}:`)
    expect(headers["svc-agent-id"]).toBe(vectors.agent_id)

    // Our code signs the base. The library builds the same base from the request, and the same two headers from our signature.
    const { privateKey, x } = keyFromSeed(seedOf(vectors, keyId))
    const bases: string[] = []
    const signed = await httpbis.signMessage(
      {
        key: {
          id: keyId,
          alg: "ed25519",
          sign: async (base) => {
            bases.push(base.toString())
            return Buffer.from(signWith(privateKey, base), "base64url")
          },
        },
        name: "agent",
        fields: ["@method", "@authority", "@path", "content-type", "content-digest", "svc-agent-id"],
        params: ["created", "expires", "nonce", "keyid", "alg", "tag"],
        paramValues: {
          created: new Date(Number(parameter("created")) * 1000),
          expires: new Date(Number(parameter("expires")) * 1000),
          nonce: parameter("nonce"),
          tag: parameter("tag"),
        },
      },
      { method: request.method, url: request.url, headers },
    )
    expect(bases).toEqual([signature_base])
    expect(signed.headers["Signature-Input"]).toBe(input)
    expect(signed.headers["Signature"]).toBe(signature)

    const century = 100 * 365 * 86_400
    const verified = await httpbis.verifyMessage(
      {
        tolerance: century,
        keyLookup: async () => ({
          id: keyId,
          algs: ["ed25519"],
          verify: async (base, value) => ed25519.verify(value, base, Buffer.from(x, "base64url"), { zip215: false }),
        }),
      },
      { method: request.method, url: request.url, headers: request.headers },
    )
    expect(verified).toBe(true)
    expect(digestBytes(request.body)).toBe(`sha256:${Buffer.from(digested, "base64").toString("hex")}` as never)
  })
})
