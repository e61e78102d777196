/** A mark finds what an agent named before. The service need not keep the name itself. */
import { hash } from "node:crypto"
import { canonicalize } from "../../../core/canonical-json.ts"

/** What an agent names once. Its members tell what it is. */
type Named = { readonly agent_id: string } & (
  | { readonly domain: string; readonly idempotency_key: string }
  | { readonly key_id: string; readonly nonce: string }
  | { readonly event_id: string }
)

const BYTES = 20
/** An id ends with random characters. Six of base64url hold four bytes. */
const AGENT_CHARS = 6
const AGENT_BYTES = 4

/**
 * Returns 20 bytes: 4 from the end of the agent's id, then bytes 4 to 19 of SHA-256 over the canonical form. The first ones keep the marks of
 * one agent adjacent, so that a message changes few pages of their index.
 */
export function markOf(named: Named): Uint8Array {
  const mark = hash("sha256", canonicalize(named), "buffer").subarray(0, BYTES)
  mark.write(named.agent_id.slice(-AGENT_CHARS), 0, AGENT_BYTES, "base64url")
  return mark
}
