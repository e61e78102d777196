/** States that are kept equal the states that are judged anew, at every instant. */
import { expect } from "bun:test"
import { DAY, formatInstant, HOUR, SECOND } from "../../../src/core/time.ts"
import { KeptStates, spanOf } from "../../../src/sources/boards/kept-states.ts"
import { knownList } from "../../../src/sources/boards/known-source.ts"
import { sourceStates } from "../../../src/sources/boards/source-health.ts"
import type { SourceId } from "../../../src/sources/records/party.ts"
import type { SourceCheckRow } from "../../../src/store/sources/source-checks.ts"
import type { SnapshotRow } from "../../../src/store/sources/sources.ts"
import { chance } from "../../fixtures/chance.ts"
import { SEED } from "../../fixtures/long.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { activeSnapshotRow } from "../../fixtures/snapshot-judgement.ts"
import { START } from "../import-bench.ts"

const test = slowTests(import.meta.path)

const IDS = ["US_OFAC_SDN", "US_OFAC_CONSOLIDATED", "US_SAM_EXCLUSIONS"] as const satisfies readonly SourceId[]

function checkOf(sourceId: SourceId, attemptedAt: number, failures: number): SourceCheckRow {
  return {
    sourceId,
    attemptedAt: formatInstant(attemptedAt),
    outcome: failures > 0 ? "FAILED" : "NOT_MODIFIED",
    code: null,
    detail: null,
    failures,
    retryAfterUntil: null,
    checkedAt: null,
    checkedSnapshotId: null,
    filesCheckedAt: null,
    validators: "[]",
    marker: null,
  }
}

/** A board of three sources, some without a snapshot, and the instants at which something about it may change. */
function randomBoard(random: () => number) {
  const within = (span: number) => Math.floor(random() * span)
  const snapshots = new Map<string, { row: SnapshotRow }>()
  const checks = new Map<string, SourceCheckRow>()
  const times = [START]
  for (const id of IDS) {
    const retrieved = START - within(4 * DAY)
    times.push(retrieved, retrieved + 24 * HOUR, retrieved + 72 * HOUR, retrieved + (within(300_000) + 1) * SECOND)
    if (random() < 0.85) snapshots.set(id, { row: activeSnapshotRow(id, retrieved) })
    if (random() < 0.5) checks.set(id, checkOf(id, START - within(DAY), within(3)))
  }
  const disabled = random() < 0.2 ? [IDS[within(IDS.length)] as string] : []
  const fetching = random() < 0.5
  const judge = (at: number) =>
    sourceStates(IDS.map(knownList), { snapshots, attempts: new Map(), checks }, { disabled, fetching, at })
  return { judge, times }
}

test("kept states are those of now, at every instant around every change", () => {
  const random = chance(SEED)
  let kept = 0
  for (let board = 0; board < 60; board++) {
    const { judge, times } = randomBoard(random)
    const states = new KeptStates()
    const from = {}
    for (const time of times) {
      for (let poll = 0; poll < 40; poll++) {
        const at = time + Math.floor((random() - 0.5) * (poll % 2 === 0 ? 4 : 3000))
        let judged = 0
        const given = states.at(at, from, () => {
          judged++
          return judge(at)
        })
        if (judged === 0) kept++
        expect({ seed: SEED, at, given }).toEqual({ seed: SEED, at, given: judge(at) })
      }
    }
  }
  // A run that judges every time proves nothing.
  expect(kept).toBeGreaterThan(500)
})

test("other rows, and only they, are judged again within a second", () => {
  const states = new KeptStates()
  const { judge } = randomBoard(chance(1))
  const first = states.at(START, "rows", () => judge(START))
  expect(states.at(START, "rows", () => judge(START))).toBe(first)
  expect(states.at(START, "other rows", () => judge(START))).not.toBe(first)
})

test("a board without data keeps its states for ever", () => {
  const empty = sourceStates(
    IDS.map(knownList),
    { snapshots: new Map(), attempts: new Map(), checks: new Map() },
    { disabled: [], at: START },
  )
  expect(spanOf(empty, START)).toEqual({ first: Number.NEGATIVE_INFINITY, end: Number.POSITIVE_INFINITY })
})
