/** The agent's side of the scheme `agentEd25519`: signs one HTTP request on the agent's machine. */

import type { Machine } from "../base/machine.ts"
import { decodeBase64url, encodeBase64url } from "../core/base64url.ts"
import { signWith } from "../core/ed25519.ts"
import { signedHttpHeaders, WINDOW_SECONDS_MAX } from "../core/http-signature/http-signature.ts"
import { SECOND } from "../core/time.ts"
import type { SigningKey } from "./keys.ts"

export interface SigningAgent {
  readonly agentId: string
  readonly key: SigningKey
}

/** Returns the headers for a POST of exactly this text to `url`. The signature is valid for five minutes and once. */
export function signHttpRequest(
  { agentId, key }: SigningAgent,
  { url, text }: { readonly url: string; readonly text: string },
  machine: Pick<Machine, "now" | "random">,
): Record<string, string> {
  const { host, pathname, search } = new URL(url)
  const contentType = "application/json"
  const body = new TextEncoder().encode(text)
  const message = { method: "POST", authority: host, path: pathname, query: search, contentType, body }
  const created = Math.floor(machine.now() / SECOND)
  const nonce = encodeBase64url(machine.random(32))
  const names = { agentId, keyId: key.keyId, nonce, created, expires: created + WINDOW_SECONDS_MAX }
  const headers = signedHttpHeaders(message, names, (base) => {
    // An Ed25519 signature always has 64 bytes.
    return decodeBase64url(signWith(key.privateKey, base), 64) as Uint8Array
  })
  return { "content-type": contentType, ...headers }
}
