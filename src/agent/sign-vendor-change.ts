/** Builds a US vendor change from a person's input: fills in constants, key ids, time and key, and signs with the delegated agent key. */
import { TypeCompiler } from "@sinclair/typebox/compiler"
import { VendorChangeRequest } from "../../schemas/us/vendor-change.ts"
import type { Machine } from "../base/machine.ts"
import { requestSigningBytes } from "../checks/policy/digests.ts"
import { encodeBase64url } from "../core/base64url.ts"
import { signWith } from "../core/ed25519.ts"
import { isSignedForm, signedForms } from "../core/signed-forms.ts"
import { type JsonValue, memberOf } from "../core/strict-json.ts"
import { unsignedRequest } from "../core/unsigned-request.ts"
import type { SigningKey } from "./keys.ts"
import { freshness, members, requestingAgent } from "./request-draft.ts"
import { requireForm } from "./require-form.ts"

const { domain } = signedForms.VENDOR_CHANGE
const checkChange = TypeCompiler.Compile(VendorChangeRequest)

export function isVendorChangeDraft(draft: JsonValue): boolean {
  return memberOf(draft, "domain") === domain
}

interface ChangeSigner {
  readonly agentId: string
  readonly key: SigningKey
  readonly machine: Pick<Machine, "now" | "random">
}

/**
 * Never fills in the target service, the vendor's current payment destination or the changed authorization: these are what is signed.
 * Throws CommandError: 2 if it is not a valid change, 3 if it names another agent.
 */
export function signVendorChange(draft: JsonValue, { agentId, key, machine }: ChangeSigner): VendorChangeRequest {
  const given = members(draft, "")
  const filled = {
    schema_version: "1.0.0",
    jurisdiction: "US",
    coverage: "FEDERAL_ONLY",
    idempotency_key: encodeBase64url(machine.random(16)),
    ...given,
    requesting_agent: requestingAgent(given, { agentId, keyId: key.keyId }),
    freshness_requirements: freshness(given, { keepTime: false, machine }),
  }
  const completed = requireForm(checkChange, filled, "the change was not signed")
  if (!isSignedForm("VENDOR_CHANGE", unsignedRequest(completed))) throw new Error("not a change to sign")
  const request_signature = signWith(key.privateKey, requestSigningBytes(completed))
  return { ...completed, requesting_agent: { ...completed.requesting_agent, request_signature } }
}
