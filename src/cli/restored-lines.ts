/** What both commands that bring an earlier state back say of it. */
import type { MarkedLog } from "../data/backup/record-restore.ts"
import { type PausedRights, pausedLines } from "../store/paused-rights.ts"

type Line = readonly string[]

const WORD_WIDTH = 9

export function linesText(lines: readonly Line[]): string {
  return lines.map(([word = "", text = ""]) => `${word.padEnd(WORD_WIDTH)}${text}\n`).join("")
}

export function logLine({ origin, originBefore, size }: MarkedLog): string {
  const newName = origin === originBefore ? "keeps its name" : `was ${originBefore}`
  return `${origin ?? "without a name"}, ${size} leaves; ${newName}`
}

export function rightsLines(paused: PausedRights | null): readonly Line[] {
  return (paused === null ? [] : pausedLines(paused)).map((line) => ["paused", line])
}

export function rightsAsJson(paused: PausedRights | null) {
  return (
    paused && {
      suppressions: paused.suppressions,
      organizations: paused.organizations,
      mandate_keys: paused.mandateKeys,
      identities: paused.identities,
    }
  )
}

export const VOID_LINES: readonly Line[] = [
  [
    "void",
    "tokens, delegations, mandates, consents and challenges from before the restore; identities without a newer event are UNKNOWN",
  ],
  [
    "as then",
    "agent sales, accepted lists and own keys: bizauth sales status, sources status, keys list; the job rail waits for acp resume",
  ],
  ["lost", "what the decisions of the lost hours joined to a supplier; bizauth buyers supplier links it again"],
  ["selling", "stops for at least 60 minutes (RESTORED_RECENTLY); then look at bizauth payments owed"],
  ["if", "nothing happened after the backup: bizauth restore --backup-is-newest --data DIR ends both"],
]
