import { canonicalize } from "../../core/canonical-json.ts"
import type { Signer } from "../../core/signer.ts"
import { ServiceError } from "../../errors.ts"
import type { Answer, Call } from "../../http/call.ts"
import { findIdentity, type Identity } from "../../store/agent-identity.ts"
import type { Store } from "../../store/unit.ts"
import { etagMatches } from "./etag.ts"
import { jwksOf, profileOf } from "./profile.ts"
import { STATUS_WINDOW_SECONDS, type StatusTexts } from "./status.ts"

const AGENT_ID = /^svc:agent:[A-Za-z0-9_-]{32}$/
const PUBLIC_MINUTE = "public, max-age=60, must-revalidate"

/** The identity a path names. Unknown and malformed ids get one answer: ids are not enumerable. */
async function requireIdentity(store: Store, call: Call<null>): Promise<Identity> {
  const agentId = call.params["agentId"] ?? ""
  const identity = AGENT_ID.test(agentId) ? await store.read(() => findIdentity(agentId)) : null
  if (!identity) throw new ServiceError("AGENT_NOT_FOUND", "No identity has this id.")
  return identity
}

export async function answerProfile(
  deps: { store: Store; issuerName: string; baseUrl: () => string },
  call: Call<null>,
): Promise<Answer> {
  const identity = await requireIdentity(deps.store, call)
  const body = profileOf(identity, deps.issuerName, deps.baseUrl())
  return { status: 200, body, headers: { "cache-control": PUBLIC_MINUTE } }
}

export async function answerStatus(
  deps: { store: Store; signer: () => Signer; texts: StatusTexts },
  call: Call<null>,
): Promise<Answer> {
  const identity = await requireIdentity(deps.store, call)
  return {
    status: 200,
    body: deps.texts.textOf(identity, deps.signer(), call.at),
    headers: { "cache-control": `public, max-age=${STATUS_WINDOW_SECONDS}` },
  }
}

/** The head event's digest is a strong ETag: the set changes with an event and with nothing else. */
export async function answerJwks(deps: { store: Store }, call: Call<null>): Promise<Answer> {
  const identity = await requireIdentity(deps.store, call)
  const headers = { etag: `"${identity.headEventDigest}"`, "cache-control": PUBLIC_MINUTE }
  if (etagMatches(call.headers.get("if-none-match"), headers.etag)) return { status: 304, body: null, headers }
  return {
    status: 200,
    body: canonicalize(jwksOf(identity.keys)),
    headers: { ...headers, "content-type": "application/jwk-set+json" },
  }
}
