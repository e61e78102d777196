import { reasonsInWords } from "../../../checks/policy/reasons-in-words.ts"
import type { DocumentCrypto } from "../../../core/crypto/document-crypto.ts"
import { digestedRequest } from "../../../core/unsigned-request.ts"
import type { VerifyRules } from "./bundle.ts"
import type { PaymentDecisionPolicy } from "./policy.ts"

/** What offline verification needs from the Payment Decision: its published policies, as data, and a hash function. */
export function verifyRules(
  policies: readonly PaymentDecisionPolicy[],
  { digestOf }: Pick<DocumentCrypto, "digestOf">,
): VerifyRules {
  const find = (id: string, version: string) =>
    policies.find((policy) => policy.id === id && policy.version === version) ?? null
  return {
    requestDigest: (request) => digestOf(digestedRequest(request)),
    policyChecksum: (id, version) => {
      const policy = find(id, version)
      return policy && digestOf(policy)
    },
    reasonsInWords: (delivery) =>
      reasonsInWords(find(delivery.policy.id, delivery.policy.version)?.reasons ?? null, delivery),
  }
}
