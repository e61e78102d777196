import type { DeskDeps } from "./deps.ts"

/** A passkey that the operator admitted without approvals. */
export interface BreakGlass {
  readonly name: string
  readonly why: string
  /** RFC 3339. */
  readonly since: string
}

export async function breakGlassOf(_deps: DeskDeps): Promise<readonly BreakGlass[]> {
  return []
}
