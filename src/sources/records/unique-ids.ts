import type { Finding } from "./adapter.ts"
import { soft } from "./findings.ts"
import type { Party } from "./party.ts"

/**
 * Gives the second and later party of one key the suffix `~2`, `~3`. Otherwise a listed party would disappear if its publisher used a key
 * twice.
 */
export function uniqueIds(
  parties: readonly Party[],
  file: string,
): { readonly parties: readonly Party[]; readonly findings: readonly Finding[] } {
  const uses = new Map<string, number>()
  let repeated = 0
  const unique = parties.map((party) => {
    const use = (uses.get(party.entryId) ?? 0) + 1
    uses.set(party.entryId, use)
    if (use === 1) return party
    repeated += 1
    return { ...party, entryId: `${party.entryId}~${use}` }
  })
  return { parties: unique, findings: repeated === 0 ? [] : [soft("DUPLICATE_ID", `${repeated} keys repeat`, file)] }
}
