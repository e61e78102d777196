/** Makes keys and signs requests in the caller's process. Nothing is sent. */
import { CommandError, EXIT } from "../../base/exit.ts"
import { keyIdOf } from "../../core/jwk.ts"
import type { JsonValue } from "../../core/strict-json.ts"
import { generateKey, generateKeyFile } from "../keys.ts"
import { checkedMandate, signMandate } from "../mandate.ts"
import { completeDraft } from "../request-draft.ts"
import { signRequest as signDecisionRequest } from "../sign-request.ts"
import { signVendorChange as signChange } from "../sign-vendor-change.ts"
import type { AgentKeys, JsonObject, OrganizationKey, RequestToSign } from "./client.d.ts"
import { withClientErrorsAtOnce } from "./client-error.ts"
import { ENGINE } from "./engine.ts"
import { enrolledKey, organizationSigner } from "./signers.ts"

const MANDATE_MINUTES_DEFAULT = 120

export function createKeys(): AgentKeys {
  return generateKeyFile(ENGINE.random) as AgentKeys
}

export function createOrganizationKey(): {
  readonly key: OrganizationKey
  readonly publicKey: Omit<OrganizationKey, "d">
} {
  const { kty, crv, x, d } = generateKey(ENGINE.random)
  const publicKey = { crv, kid: keyIdOf(x), kty, x }
  return { key: { ...publicKey, d }, publicKey }
}

export function signRequest(given: RequestToSign): JsonObject {
  return withClientErrorsAtOnce(() => {
    const { organizationKey, mandate: signedElsewhere, mandateMinutes = MANDATE_MINUTES_DEFAULT } = given
    if ((organizationKey === undefined) === (signedElsewhere === undefined)) {
      throw new CommandError(EXIT.USAGE, "give either organizationKey or mandate")
    }
    const { agentId, key } = enrolledKey(given.keys)
    const draft = completeDraft({
      draft: given.draft as JsonValue,
      agentId,
      keyId: key.keyId,
      machine: ENGINE,
      keepTime: organizationKey === undefined,
    })
    const mandate =
      organizationKey === undefined
        ? checkedMandate(signedElsewhere, draft, ENGINE)
        : signMandate(draft, organizationSigner(organizationKey, draft.buyer.organization_id), mandateMinutes, ENGINE)
    return signDecisionRequest(draft, mandate, key) as unknown as JsonObject
  })
}

export function signVendorChange({ draft, keys }: Pick<RequestToSign, "draft" | "keys">): JsonObject {
  return withClientErrorsAtOnce(
    () => signChange(draft as JsonValue, { ...enrolledKey(keys), machine: ENGINE }) as unknown as JsonObject,
  )
}
