import { amountMillionths } from "./money.ts"

/** What a token is bound to, by the wire names of `schemas/authorization-token.ts`. Null is a value: there was no earlier destination. */
export type TokenBinding = Readonly<Record<string, string | null>>

/**
 * Names of the members in which what a redeemer repeats differs from what the token is bound to, in alphabetical order; a member that
 * only one of the two has differs. Amounts compare as decimals, wallets without regard to case, all else as it is.
 */
export function bindingDifferences(bound: TokenBinding, repeated: TokenBinding): string[] {
  const names = new Set([...Object.keys(bound), ...Object.keys(repeated)])
  return [...names].filter((name) => !isSame(name, bound[name], repeated[name])).sort()
}

function isSame(name: string, bound: string | null | undefined, repeated: string | null | undefined): boolean {
  if (typeof bound !== "string" || typeof repeated !== "string") return bound === repeated
  if (name === "amount") return amountMillionths(bound) === amountMillionths(repeated)
  return name === "wallet" ? bound.toLowerCase() === repeated.toLowerCase() : bound === repeated
}
