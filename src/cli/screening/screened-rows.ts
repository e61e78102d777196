/** What `screen --file` writes for each row of the input, and what it counts. */
import { canonicalize } from "../../core/canonical-json.ts"
import { unhealthy } from "../../sources/boards/provable-state.ts"
import type { NameRow } from "../../sources/screening/names-file.ts"
import type { ScreenQuery, ScreenResult } from "../../sources/screening/screen.ts"
import { csvLine } from "../csv-line.ts"
import { nearMissText, reasonOf } from "./hit-text.ts"
import { resultOf, type ScreeningLists, screenIn } from "./screening-lists.ts"

export interface RowOptions {
  readonly threshold: number
  /** One JSON line for each name in place of a CSV row. */
  readonly json: boolean
}

/** Counts of names. */
export interface Tally {
  readonly names: number
  readonly states: Readonly<Record<string, number>>
  /** By the list of the worst hit. */
  readonly lists: Readonly<Record<string, number>>
  /** Names without a hit and with a near miss. */
  readonly near_misses: number
  /** Names with a hit that the operator judged to be another party. */
  readonly suppressed: number
}

export const NOTHING_COUNTED: Tally = { names: 0, states: {}, lists: {}, near_misses: 0, suppressed: 0 }

export interface ScreenedRows {
  readonly text: string
  readonly tally: Tally
}

export const ROW_HEADER: string = csvLine([
  ...["id", "name", "state", "best_score", "basis", "source_id", "entry_id", "matched_name"],
  ...["reason", "near_misses"],
])

/** The same rows give the same text in every thread and in every division of the file. */
export function screenRows(lists: ScreeningLists, rows: readonly NameRow[], options: RowOptions): ScreenedRows {
  const incomplete = unhealthy(lists.sources).map(({ sourceId, health }) => `${sourceId} is ${health}`)
  let text = ""
  let tally = NOTHING_COUNTED
  for (const row of rows) {
    const result = screenIn(lists, queryOf(row, options.threshold))
    text += options.json ? jsonLine(lists, row, result, options.threshold) : csvLine(cellsOf(row, result, incomplete))
    tally = counted(tally, tallyOf(result))
  }
  return { text, tally }
}

export function counted(a: Tally, b: Tally): Tally {
  return {
    names: a.names + b.names,
    states: added(a.states, b.states),
    lists: added(a.lists, b.lists),
    near_misses: a.near_misses + b.near_misses,
    suppressed: a.suppressed + b.suppressed,
  }
}

function added(a: Readonly<Record<string, number>>, b: Readonly<Record<string, number>>): Record<string, number> {
  const sum: Record<string, number> = { ...a }
  for (const [key, count] of Object.entries(b)) sum[key] = (sum[key] ?? 0) + count
  return sum
}

function tallyOf(result: ScreenResult): Tally {
  const hit = shownHit(result)
  return {
    names: 1,
    states: { [stateOf(result)]: 1 },
    lists: hit ? { [hit.sourceId]: 1 } : {},
    near_misses: result.hits.length === 0 && result.nearMisses.length > 0 ? 1 : 0,
    suppressed: result.suppressedHits.length > 0 ? 1 : 0,
  }
}

export function queryOf({ name, type, country }: NameRow, threshold: number): ScreenQuery {
  return { name, type, identifiers: [], countries: country === null ? [] : [country], threshold }
}

/**
 * CHOICE: a file has one state in addition to CLEAR, POSSIBLE_MATCH, MATCH and SCRIPT_UNSUPPORTED: INSUFFICIENT, if there is neither a hit
 * nor enough data for CLEAR. A condition alone is a POSSIBLE_MATCH, because a person must read the condition.
 */
export function stateOf({ state }: Pick<ScreenResult, "state">): string {
  return state === "PROGRAM_CONDITION" ? "POSSIBLE_MATCH" : state
}

/** The worst hit; also a suppressed hit if it still causes a hold. */
export function shownHit({ hits, suppressedHits }: ScreenResult) {
  return hits[0] ?? suppressedHits.find(({ tier }) => tier === "BLOCK")
}

/** The row names the worst hit and its score. Without a hit the score is that of the best near miss. */
function cellsOf({ id, name }: NameRow, result: ScreenResult, incomplete: readonly string[]): readonly string[] {
  const hit = shownHit(result)
  const found = hit ? [hit.basis, hit.sourceId, hit.entryId, hit.matchedName] : ["", "", "", ""]
  const state = stateOf(result)
  const reason = reasonOf(result, hit ?? null, state === "INSUFFICIENT" ? incomplete : [])
  const near = result.nearMisses.map(nearMissText).join("; ")
  return [id, name, state, (hit?.score ?? result.bestScore).toFixed(4), ...found, reason, near]
}

function jsonLine(lists: ScreeningLists, row: NameRow, result: ScreenResult, threshold: number): string {
  return `${canonicalize({ ...resultOf(lists, result, threshold), ...row, state: stateOf(result) })}\n`
}
