/** What a restore paused and nobody has confirmed yet, for the report, the checks and the status of the operator. */
import { listMandateKeys, listOrganizations } from "./buyers/buyers.ts"
import type { Unit } from "./engine/unit.ts"
import { PAUSED_AGENTS_LISTED, pausedAgents } from "./identity/paused-agents.ts"
import { restores } from "./restores.ts"
import { pausedSuppressions } from "./sources/suppressions.ts"

export interface PausedRights {
  /** RFC 3339. The newest restore without the declaration that its backup was the newest state. */
  readonly since: string
  readonly suppressions: number
  readonly organizations: number
  readonly mandateKeys: number
  /** Agents, at most {@link PAUSED_AGENTS_LISTED}. */
  readonly identities: number
}

/** Null when no restore pauses anything. `at`: RFC 3339. */
export function* pausedRights(at: string): Unit<PausedRights | null> {
  const open = (yield* restores()).filter((one) => one.newest_declared_at === null).at(-1)
  if (!open) return null
  let [organizations, mandateKeys] = [0, 0]
  for (const { organizationId, state } of yield* listOrganizations()) {
    if (state === "REVOKED") continue
    if (state === "PAUSED") organizations++
    mandateKeys += (yield* listMandateKeys(organizationId)).filter((key) => key.state === "PAUSED").length
  }
  const suppressions = (yield* pausedSuppressions(at)).length
  const identities = (yield* pausedAgents()).length
  return { since: open.restored_at, suppressions, organizations, mandateKeys, identities }
}

/** One line for each kind, with the command that shows and the one that confirms them. Empty when nothing is paused. */
export function pausedLines(paused: PausedRights): readonly string[] {
  const { suppressions, organizations, mandateKeys, identities } = paused
  const counted = (count: number, one: string, many = `${one}s`) => `${count} ${count === 1 ? one : many}`
  return [
    ...(suppressions === 0
      ? []
      : [
          `${counted(suppressions, "judgement")} of bizauth suppressions: list shows them, bizauth suppressions confirm ID ends the pause of one`,
        ]),
    ...(organizations + mandateKeys === 0
      ? []
      : [
          `${counted(organizations, "organization")} and ${counted(mandateKeys, "mandate key")} of bizauth buyers: list shows them, bizauth buyers confirm ID KEY_ID ends the pause of one`,
        ]),
    ...(identities === 0
      ? []
      : [
          `${identities === PAUSED_AGENTS_LISTED ? "at least " : ""}${counted(identities, "identity", "identities")} of agents: bizauth identities list shows them, and the next event of an agent or bizauth identities confirm AGENT_ID ends the pause of one`,
        ]),
  ]
}
