/** The authentication of routes that an agent signs as HTTP messages (scheme `agentEd25519`). It runs after the schema of the body. */

import { hash } from "node:crypto"
import { ServiceError } from "../base/errors.ts"
import {
  acceptSignature,
  CLOCK_SKEW_SECONDS,
  checkHttpSignature,
  expectedHeaders,
  type MalformedSignature,
  readHttpSignature,
  type SignatureProblem,
} from "../core/http-signature/http-signature.ts"
import { formatInstant, SECOND } from "../core/time.ts"
import type { Store, Unit } from "../store/engine/unit.ts"
import { admit, type NotAdmitted } from "../store/free-writes/admit.ts"
import {
  readSignatureKey,
  type SpendOutcome,
  spendHttpSignature,
  type UnspentSignature,
} from "../store/identity/http-signatures.ts"
import type { Call } from "./call.ts"
import { notAdmittedError } from "./free-writes.ts"

/**
 * A nonce is remembered for this long after its signature can be accepted: a request is judged by its arrival, and a slow body or the
 * slower clock of another instance must not outlive the memory.
 */
const NONCE_MARGIN_SECONDS = 60

interface AgentSignatureDeps {
  readonly store: Store
  readonly baseUrl: () => string
}

type SignedCall = Pick<Call<unknown>, "received" | "headers" | "at" | "requestId">

/**
 * Returns who signed the call. The signature is verified and its nonce was not spent when it was read; the acting unit spends it with
 * {@link spendHttpSignature}. Throws the rejection of the first fault. A call that did not arrive as its own HTTP request has no signature.
 */
export async function requireAgentSignature(
  { store, baseUrl }: AgentSignatureDeps,
  { received, headers, at, requestId }: SignedCall,
): Promise<UnspentSignature> {
  const unsigned = { headers, at, requestId, query: received?.query ?? "" }
  if (!received) throw refusalOf({ code: "REQUIRED" }, unsigned)
  const { method, path, query, bytes } = received
  const message = {
    method,
    path,
    query,
    authority: authorityOf(baseUrl()),
    contentType: contentTypeOf(headers),
    body: bytes,
  }
  const presented = readHttpSignature(message, headers, at)
  if ("code" in presented) throw refusalOf(presented, unsigned)
  const { x, isSpent } = await store.readTogether(() => readSignatureKey(presented, formatInstant(at)))
  const problem = checkHttpSignature(presented, x)
  if (problem) throw refusalOf(problem, unsigned)
  if (isSpent) throw nonceReplay()
  const { agentId, keyId, nonce, expires } = presented
  return {
    agentId,
    keyId,
    nonce,
    nonceUntil: formatInstant((expires + CLOCK_SKEW_SECONDS + NONCE_MARGIN_SECONDS) * SECOND),
  }
}

/** The rejection of a signature that the acting unit did not spend. */
export function refusalOfUnspent(outcome: "KEY_NOT_ACCEPTED" | "NONCE_REPLAY"): ServiceError {
  return outcome === "NONCE_REPLAY" ? nonceReplay() : invalid(outcome)
}

/** Spends the nonce of a call that only reads. */
export async function spendReadingSignature(
  store: Store,
  signature: UnspentSignature,
  call: Pick<Call<unknown>, "at" | "writer">,
): Promise<void> {
  const { at } = call
  const writer = call.writer()
  const outcome = await store.run(function* (): Unit<SpendOutcome | NotAdmitted> {
    return (yield* admit("SIGNED_CALLS", writer)) ?? (yield* spendHttpSignature(signature, formatInstant(at)))
  })
  if (typeof outcome !== "string") throw notAdmittedError(outcome, at)
  if (outcome !== "SPENT") throw refusalOfUnspent(outcome)
}

/** As RFC 9421 section 2.2.3 says: lower case, without the default port of the scheme. */
function authorityOf(baseUrl: string): string {
  return new URL(baseUrl).host
}

function contentTypeOf(headers: Headers): string {
  return headers.get("content-type") ?? ""
}

/** What the answer to a call without an acceptable signature is made of. */
interface Unsigned extends Pick<SignedCall, "headers" | "at" | "requestId"> {
  readonly query: string
}

function refusalOf(problem: SignatureProblem, unsigned: Unsigned): ServiceError {
  const { headers, query, at } = unsigned
  switch (problem.code) {
    case "REQUIRED":
      return new ServiceError(
        "AGENT_SIGNATURE_REQUIRED",
        "Send Svc-Agent-Id, Content-Digest, Signature-Input and Signature; Accept-Signature names what to sign.",
        {
          headers: hintOf(unsigned),
          errors: expectedHeaders(query)
            .filter(([name]) => !headers.get(name))
            .map(([name, expected]) => ({ pointer: `header:${name}`, code: "HEADER_REQUIRED", expected })),
        },
      )
    case "PARAMETERS": {
      const { reason } = problem
      const wrong = expectedHeaders(query).filter(([name]) => isAbout(reason, name))
      return new ServiceError(
        "SIGNATURE_PARAMETERS_INVALID",
        `The signature headers have one fixed form; the reason code names the first difference.${CLOCK.has(reason) ? ` This service's clock says ${formatInstant(at)}.` : ""}`,
        {
          reasonCodes: [reason],
          headers: hintOf(unsigned),
          errors: wrong.map(([name, expected]) => ({ pointer: `header:${name}`, code: reason, expected })),
        },
      )
    }
    case "INVALID":
      return invalid(problem.reason)
  }
}

const CLOCK: ReadonlySet<MalformedSignature> = new Set(["CREATED_IN_FUTURE", "EXPIRED"])
/** Faults that any of the four headers may have. */
const OF_ALL: ReadonlySet<MalformedSignature> = new Set(["DUPLICATE_HEADER", "SYNTAX"])

function isAbout(reason: MalformedSignature, header: string): boolean {
  if (OF_ALL.has(reason)) return true
  if (reason === "LABEL") return header.startsWith("Signature")
  return header === (reason === "DIGEST_ALGORITHM" ? "Content-Digest" : "Signature-Input")
}

/** A nonce must be new, and need not be secret, so it is made of the request id. */
function hintOf({ query, requestId }: Unsigned): Readonly<Record<string, string>> {
  return { "accept-signature": acceptSignature(query, hash("sha256", requestId, "base64url")) }
}

function invalid(reason: string): ServiceError {
  return new ServiceError(
    "AGENT_SIGNATURE_INVALID",
    "Sign this method, host, path, query and body with the agent's active operational key.",
    { reasonCodes: [reason] },
  )
}

function nonceReplay(): ServiceError {
  return new ServiceError("NONCE_REPLAY", "Sign the request again with a new nonce.")
}
