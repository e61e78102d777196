import type { Policy } from "./policy.ts"

/** Returns null if the product has no such version. */
export function findPolicy<P extends Policy<unknown>>(
  { policies }: { readonly policies: readonly P[] },
  { id, version }: Pick<Policy<unknown>, "id" | "version">,
): P | null {
  return policies.find((policy) => policy.id === id && policy.version === version) ?? null
}
