/** Requests signed as `agentEd25519` by an independent implementation of RFC 9421. */
import { createHash, randomBytes } from "node:crypto"
import { httpbis } from "http-message-signatures"
import type { SigningKey } from "../../src/agent/keys.ts"
import { signWith } from "../../src/core/ed25519.ts"
import type { TestAgent } from "../fixtures/agent.ts"

export const FIELDS = ["@method", "@authority", "@path", "content-type", "content-digest", "svc-agent-id"]
export const PARAMS = ["created", "expires", "nonce", "keyid", "alg", "tag"]

export interface SigningChanges {
  readonly method?: string
  readonly url?: string
  readonly body?: string
  readonly fields?: readonly string[]
  readonly params?: readonly string[]
  readonly label?: string
  readonly nonce?: string
  readonly tag?: string
  readonly keyId?: string
  readonly algorithm?: string
  readonly key?: SigningKey
  readonly digest?: string
  readonly agentId?: string
  /** Milliseconds after the call's own time. */
  readonly created?: number
  readonly expires?: number
}

export interface SignedCall {
  readonly method: string
  readonly url: string
  readonly body: string
  readonly headers: Record<string, string>
}

export function nonce(): string {
  return randomBytes(32).toString("base64url")
}

export function contentDigest(body: string, algorithm: "sha256" | "sha512" = "sha256"): string {
  return `sha-${algorithm.slice(3)}=:${createHash(algorithm).update(body).digest("base64")}:`
}

/** A POST of `given` to `url`, signed at `at`, with some of what is signed changed. */
export async function signedCall(
  agent: TestAgent,
  { url, body: given, at }: { readonly url: string; readonly body: unknown; readonly at: number },
  changes: SigningChanges = {},
): Promise<SignedCall> {
  const body = changes.body ?? (typeof given === "string" ? given : JSON.stringify(given))
  const key = changes.key ?? agent.operational
  const headers: Record<string, string> = {
    "content-type": "application/json",
    "content-digest": changes.digest ?? contentDigest(body),
    "svc-agent-id": changes.agentId ?? agent.agentId,
  }
  const fields = [...(changes.fields ?? [...FIELDS, ...(new URL(changes.url ?? url).search === "" ? [] : ["@query"])])]
  const { headers: signed } = await httpbis.signMessage(
    {
      key: {
        id: changes.keyId ?? key.keyId,
        alg: changes.algorithm ?? "ed25519",
        sign: async (base) => Buffer.from(signWith(key.privateKey, base), "base64url"),
      },
      name: changes.label ?? "agent",
      fields,
      params: [...(changes.params ?? PARAMS)],
      paramValues: {
        created: new Date(at + (changes.created ?? 0)),
        expires: new Date(at + (changes.expires ?? 300_000)),
        nonce: changes.nonce ?? nonce(),
        tag: changes.tag ?? "svc-agent-ed25519",
      },
    },
    { method: changes.method ?? "POST", url: changes.url ?? url, headers },
  )
  return { method: "POST", url, body, headers: signed as Record<string, string> }
}

export function asRequest({ method, url, body, headers }: SignedCall): Request {
  return new Request(url, { method, headers, body })
}
