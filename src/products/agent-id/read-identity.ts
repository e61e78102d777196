import { canonicalize } from "../../core/canonical-json.ts"
import type { Signer } from "../../core/signer.ts"
import type { Call, Reply } from "../../http/call.ts"
import { etagMatches, heldDocument } from "../../http/conditional.ts"
import type { KeptIdentities, KeptIdentity } from "./kept-identities.ts"
import { jwksOf, profileOf } from "./profile.ts"
import { STATUS_WINDOW_SECONDS, signedStatus, statusWindow } from "./status.ts"

const PUBLIC_MINUTE = Object.freeze({ "cache-control": "public, max-age=60, must-revalidate" })
const STATUS_HEADERS = Object.freeze({ "cache-control": `public, max-age=${STATUS_WINDOW_SECONDS}` })

interface IdentityReads {
  readonly identities: KeptIdentities
  /** The active statement key. A function, because keys rotate. */
  readonly signer: () => Signer
  readonly baseUrl: () => string
  readonly issuerName: string
  readonly logOrigin: string
}

type Read = (reads: IdentityReads, kept: KeptIdentity, call: Call<null>) => Reply

/** Returns a handler for one of the reads below. It returns without a promise if the identity is cached. */
export function replyRead(reads: IdentityReads, read: Read): (call: Call<null>) => Reply | Promise<Reply> {
  return (call) => {
    const kept = reads.identities.find(call.params["agentId"] ?? "", call.poll)
    return kept instanceof Promise ? kept.then((found) => read(reads, found, call)) : read(reads, kept, call)
  }
}

export const profileReply: Read = ({ issuerName, baseUrl }, kept, { headers }) => {
  kept.profile ??= heldDocument(canonicalize(profileOf(kept.identity, issuerName, baseUrl())), PUBLIC_MINUTE)
  return kept.profile(headers)
}

/** Signed once per time window, key and head event. Within the window it always names the same log size. */
export const statusReply: Read = ({ signer, logOrigin }, kept, { at, headers }) => {
  const window = statusWindow(at)
  const by = signer()
  if (kept.status?.window !== window || kept.status.keyId !== by.keyId) {
    const log = { origin: logOrigin, tree_size: kept.treeSize }
    const body = canonicalize(signedStatus(kept, log, by, at))
    kept.status = { window, keyId: by.keyId, answer: heldDocument(body, STATUS_HEADERS) }
  }
  return kept.status.answer(headers)
}

/** The digest of the head event is a strong ETag: the key set changes only with an event. */
export const jwksReply: Read = (_reads, kept, { headers }) => {
  const etag = `"${kept.identity.headEventDigest}"`
  const sent = headers.get("if-none-match")
  if (sent !== null && etagMatches(sent, etag)) return { status: 304, body: null, headers: { ...PUBLIC_MINUTE, etag } }
  kept.jwks ??= {
    status: 200,
    body: canonicalize(jwksOf(kept.identity.keys)),
    headers: Object.freeze({ ...PUBLIC_MINUTE, etag, "content-type": "application/jwk-set+json" }),
  }
  return kept.jwks
}
