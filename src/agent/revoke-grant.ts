/** An organization ends what it permitted: a delegation to an agent's key, or a mandate. */
import { BUYER_ONBOARDING_PATH } from "../../schemas/us/buyer-onboarding.ts"
import { CommandError, EXIT } from "../base/exit.ts"
import type { Machine } from "../base/machine.ts"
import { encodeBase64url } from "../core/base64url.ts"
import { type Signer, signValue } from "../core/signer.ts"
import { type JsonValue, memberOf } from "../core/strict-json.ts"
import { formatInstant } from "../core/time.ts"
import { postJson, refused, type Send } from "./service-call.ts"

export type Grant =
  | { readonly kind: "DELEGATION"; readonly id: string }
  | { readonly kind: "MANDATE"; readonly id: string; readonly digest: string }

interface GrantDeps {
  readonly send: Send
  /** Origin of the service. */
  readonly server: string
  readonly organization: Signer
  readonly machine: Pick<Machine, "now" | "random">
}

/**
 * Returns the signed record of the service. It may be called again after a lost answer: the service then gives its first record. Throws
 * CommandError: 3 refused or a record of something else, 4 no answer.
 */
export async function revokeGrant(deps: GrantDeps, grant: Grant, reason: string): Promise<JsonValue> {
  const { send, server, organization, machine } = deps
  const [path, members] =
    grant.kind === "DELEGATION"
      ? [
          `delegations/${encodeURIComponent(grant.id)}/revoke`,
          { domain: "svc.delegation-revocation.v1", delegation_id: grant.id },
        ]
      : ["mandates/revoke", { domain: "svc.mandate-revocation.v1", mandate_id: grant.id, mandate_digest: grant.digest }]
  const content = {
    schema_version: "1.0.0",
    ...members,
    audience: server,
    organization_id: organization.issuer,
    reason,
    issued_at: formatInstant(machine.now()),
    nonce: encodeBase64url(machine.random(32)),
  }
  const signed = { ...content, signature: signValue(organization, content) }
  const reply = await postJson(send, `${server}${BUYER_ONBOARDING_PATH}/${path}`, signed)
  if (reply.status !== 200) throw refused("revocation", reply)
  const record = memberOf(reply.body, "payload")
  if (memberOf(record, "subject_id") !== grant.id || memberOf(record, "state") !== "REVOKED") {
    throw new CommandError(EXIT.INVALID, "the service recorded something other than this revocation")
  }
  return reply.body
}
