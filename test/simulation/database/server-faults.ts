/** What happens to a statement on its way to a server, drawn by the seed. */
import type { Random } from "../random.ts"
import type { Conditions } from "./conditions.ts"

/** SQLSTATE. The transaction is rolled back. */
export type Refusal = "40001" | "40P01" | "53100"

export type StatementFault =
  | { readonly kind: "REFUSED"; readonly code: Refusal }
  /** `isAfter`: the server has run the statement, and only its answer is lost. */
  | { readonly kind: "CUT"; readonly isAfter: boolean; readonly isNoticed: boolean }
  /** The session is lost at once, and the statement arrives later all the same; virtual ms. */
  | { readonly kind: "LATE"; readonly ms: number }
  /** The process is killed. */
  | { readonly kind: "KILL"; readonly isAfter: boolean }

/** A COMMIT decides most. */
const COMMIT_TIMES = 6

/** `isWriting`: in a transaction that may write. */
export function serverFault(
  { time, rates, diskFullUntil, awayUntil }: Conditions,
  random: Random,
  text: string,
  isWriting: boolean,
): StatementFault | null {
  const cut = (): StatementFault => ({ kind: "CUT", isAfter: random.chance(0.5), isNoticed: random.chance(0.6) })
  if (time < awayUntil) return cut()
  const { server, database } = rates
  const times = text === "commit" ? COMMIT_TIMES : 1
  const chance = random.fraction()
  let edge = server.cut * times
  if (chance < edge) return random.chance(0.3) ? { kind: "LATE", ms: 5 + random.fraction() * 2_500 } : cut()
  edge += database.kill * times
  if (chance < edge) return { kind: "KILL", isAfter: random.chance(0.5) }
  if (!isWriting || text === "rollback") return null
  if (time < diskFullUntil && random.chance(0.3)) return { kind: "REFUSED", code: "53100" }
  edge += server.conflict * times
  if (chance < edge) return { kind: "REFUSED", code: random.chance(0.8) ? "40001" : "40P01" }
  return null
}
