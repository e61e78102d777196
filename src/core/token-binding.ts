import { amountMillionths } from "./money.ts"

/**
 * The values that a token is bound to, by the wire names of `schemas/authorization-token.ts`. Null is a value: there was no earlier
 * destination.
 */
export type TokenBinding = Readonly<Record<string, string | null>>

/**
 * Returns the names of the members that differ between the binding and the redeemer's request, in alphabetical order. A member that only
 * one side has differs. Amounts compare as decimals, wallets without regard to case, all other values as exact text.
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
