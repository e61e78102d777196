import type { Policy } from "../checks/policy.ts"

/** What new answers are decided by: the last of the versions a product has published. */
export function policyInForce({ policies }: { readonly policies: readonly Policy<unknown>[] }): Policy<unknown> {
  const policy = policies.at(-1)
  if (!policy) throw new TypeError("a product without a policy")
  return policy
}
