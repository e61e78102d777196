import { describe, expect, test } from "bun:test"
import { digestOf } from "../../../src/core/digest.ts"
import { DAY, formatInstant, HOUR, instant, SECOND } from "../../../src/core/time.ts"
import { knownList, LISTS } from "../../../src/sources/boards/known-source.ts"
import { loadSnapshots } from "../../../src/sources/boards/load-snapshots.ts"
import { type HealthInput, sourceState, sourceStates } from "../../../src/sources/boards/source-health.ts"
import { rollBack } from "../../../src/sources/import/roll-back.ts"
import { listSource } from "../../../src/sources/import/source.ts"
import { ADAPTERS } from "../../../src/sources/list-registry.ts"
import type { SourceAdapter } from "../../../src/sources/records/adapter.ts"
import type { SourceCheckRow } from "../../../src/store/sources/source-checks.ts"
import type { AttemptRow } from "../../../src/store/sources/sources.ts"
import { sampleLists } from "../../fixtures/sample-lists.ts"
import { activeSnapshotRow } from "../../fixtures/snapshot-judgement.ts"
import { asSourceFiles, replacing, withFile } from "../../fixtures/source-files.ts"
import { importBench, START } from "../import-bench.ts"

const snapshot = activeSnapshotRow("US_OFAC_SDN", START)
const broken: AttemptRow = {
  sourceId: "US_OFAC_SDN",
  at: formatInstant(START),
  outcome: "REFUSED",
  rawSha256: digestOf(3),
  findings: "[]",
  schemaBreak: 1,
  breakPublished: null,
}
interface Given extends Partial<HealthInput> {
  readonly adapter?: Pick<SourceAdapter, "id">
}

const judged = (at: number, { adapter = ADAPTERS.US_OFAC_SDN, ...given }: Given = {}) =>
  sourceState(knownList(adapter.id), {
    snapshot,
    attempt: null,
    check: null,
    disabled: false,
    fetching: false,
    at,
    ...given,
  })

describe("freshness and health change exactly at the ends of the windows", () => {
  const rows: readonly [age: number, freshness: string, health: string, reasons: readonly string[]][] = [
    [0, "FRESH", "HEALTHY", []],
    [24 * HOUR - 1, "FRESH", "HEALTHY", []],
    [24 * HOUR, "AGING", "HEALTHY", ["SOURCE_AGING"]],
    [72 * HOUR - 1, "AGING", "HEALTHY", ["SOURCE_AGING"]],
    [72 * HOUR, "STALE", "STALE", ["SOURCE_STALE"]],
  ]
  test.each(rows)("at %d ms it is %s and %s", (age, freshness, health, reasonCodes) => {
    expect(judged(START + age)).toMatchObject({
      freshness,
      health,
      reasonCodes,
      ageSeconds: Math.floor(age / SECOND),
      staleAt: formatInstant(START + 72 * HOUR),
    })
  })

  test("the UK list has OFAC's windows", () => {
    const adapter = ADAPTERS.UK_SANCTIONS_LIST
    expect(judged(START + 24 * HOUR - 1, { adapter }).freshness).toBe("FRESH")
    expect(judged(START + 24 * HOUR, { adapter }).freshness).toBe("AGING")
    expect(judged(START + 72 * HOUR - 1, { adapter }).health).toBe("HEALTHY")
    expect(judged(START + 72 * HOUR, { adapter })).toMatchObject({ sourceId: "UK_SANCTIONS_LIST", health: "STALE" })
  })

  test("the daily lists have the longer windows", () => {
    for (const adapter of [ADAPTERS.US_TRADE_CSL, ADAPTERS.US_SAM_EXCLUSIONS]) {
      expect(judged(START + 36 * HOUR - 1, { adapter }).freshness).toBe("FRESH")
      expect(judged(START + 36 * HOUR, { adapter }).freshness).toBe("AGING")
      expect(judged(START + 96 * HOUR, { adapter }).health).toBe("STALE")
    }
  })
})

test("a clock that was set back gives no negative age", () => {
  expect(judged(START - HOUR)).toMatchObject({ ageSeconds: 0, freshness: "FRESH", health: "HEALTHY" })
})

test("DISABLED goes before UNAVAILABLE, UNAVAILABLE before SCHEMA_BREAK, and SCHEMA_BREAK before STALE", () => {
  const stale = START + 5 * DAY
  expect(judged(stale, { disabled: true, snapshot: null, attempt: broken }).health).toBe("DISABLED")
  expect(judged(stale, { snapshot: null, attempt: broken }).health).toBe("UNAVAILABLE")
  expect(judged(stale, { attempt: broken })).toMatchObject({
    health: "SCHEMA_BREAK",
    reasonCodes: ["SOURCE_SCHEMA_BREAK"],
  })
})

describe("a check of a publisher with nothing newer", () => {
  const DAY_LATER = formatInstant(START + DAY)
  const check = (given: Partial<SourceCheckRow> = {}): SourceCheckRow => ({
    sourceId: "US_OFAC_SDN",
    attemptedAt: DAY_LATER,
    outcome: "NOT_MODIFIED",
    code: null,
    detail: null,
    failures: 0,
    retryAfterUntil: null,
    checkedAt: DAY_LATER,
    checkedSnapshotId: snapshot.snapshotId,
    filesCheckedAt: DAY_LATER,
    validators: "[]",
    marker: null,
    ...given,
  })

  test("makes its snapshot as fresh as the check: with a 304 every day for a week it stays HEALTHY", () => {
    for (let day = 1; day <= 7; day++) {
      const checkedAt = formatInstant(START + day * DAY)
      const state = judged(START + day * DAY + HOUR, { check: check({ attemptedAt: checkedAt, checkedAt }) })
      expect(state).toMatchObject({ health: "HEALTHY", freshness: "FRESH", ageSeconds: 3600, checkedAt })
      expect(state.snapshot?.retrievedAt).toBe(formatInstant(START))
    }
    expect(judged(START + 7 * DAY)).toMatchObject({ health: "STALE", checkedAt: formatInstant(START) })
  })

  test("does not affect a snapshot that it did not confirm", () => {
    const other = check({ checkedSnapshotId: "snp_other" })
    expect(judged(START + DAY + HOUR, { check: other })).toMatchObject({ ageSeconds: 25 * 3600, freshness: "AGING" })
  })

  test("that fails for four days makes the source STALE, counted from the last successful check", () => {
    const silent = check({
      outcome: "FAILED",
      code: "TIMEOUT",
      failures: 40,
      attemptedAt: formatInstant(START + 4 * DAY),
    })
    expect(judged(START + 4 * DAY - 1, { check: silent }).health).toBe("HEALTHY")
    const state = judged(START + 4 * DAY, { check: silent })
    expect(state).toMatchObject({
      health: "STALE",
      reasonCodes: ["SOURCE_STALE"],
      staleAt: formatInstant(START + 4 * DAY),
    })
    expect(state.lastAttempt).toEqual({ at: formatInstant(START + 4 * DAY), outcome: "FAILED" })
  })

  test("that is older than the retrieval does not make the snapshot older", () => {
    expect(judged(START, { check: check({ checkedAt: formatInstant(START - DAY) }) }).ageSeconds).toBe(0)
  })

  test("is the last attempt only if nothing came after it", () => {
    const attempt = { ...broken, schemaBreak: 0, outcome: "ROLLED_BACK", at: formatInstant(START + 2 * DAY) } as const
    expect(judged(START, { check: check(), attempt }).lastAttempt?.outcome).toBe("ROLLED_BACK")
    expect(judged(START, { check: check(), attempt: { ...attempt, at: DAY_LATER } }).lastAttempt?.outcome).toBe(
      "ROLLED_BACK",
    )
    expect(
      judged(START, { check: check(), attempt: { ...attempt, at: formatInstant(START) } }).lastAttempt?.outcome,
    ).toBe("NOT_MODIFIED")
  })

  test("gives the time of the next attempt if the service fetches, and never a time that has passed", () => {
    const next = (given: Partial<Parameters<typeof judged>[1]> = {}, at = START + DAY) =>
      judged(at, { check: check(), fetching: true, ...given }).nextAttemptAt
    expect(judged(START + DAY, { check: check() }).nextAttemptAt).toBeNull()
    expect(next({ disabled: true })).toBeNull()
    expect(next({ check: null })).toBe(DAY_LATER)
    expect(instant(next() ?? "")).toBeGreaterThanOrEqual(START + DAY + HOUR)
    expect(next({}, START + 9 * DAY)).toBe(formatInstant(START + 9 * DAY))
  })
})

describe("a publication that cannot be read", () => {
  const SDN = "US_OFAC_SDN"
  type Bench = ReturnType<typeof importBench>
  const otherColumns = (bench: Bench) =>
    withFile(asSourceFiles(bench.sdn()), "sdn.csv", replacing("90001,", "90001,1,"))
  const health = async ({ store, root, log, machine }: Bench) => {
    const loaded = await loadSnapshots({ store, snapshotsDirectory: root, log })
    return sourceStates(LISTS, loaded, { disabled: [], at: machine.now() }).find(({ sourceId }) => sourceId === SDN)
      ?.health
  }

  test("makes the source SCHEMA_BREAK at once if it is newer than the active one", async () => {
    await using bench = importBench()
    await bench.bring(SDN, bench.sdn(), { modifiedAt: START - HOUR })
    expect(await health(bench)).toBe("HEALTHY")
    await bench.bring(SDN, otherColumns(bench))
    expect(await health(bench)).toBe("SCHEMA_BREAK")
  })

  test("keeps the source SCHEMA_BREAK through other refusals and a rollback, until an import succeeds", async () => {
    await using bench = importBench()
    for (const day of [0, 1]) {
      bench.machine.set(START + day * DAY)
      await bench.bring(SDN, bench.sdn())
    }
    bench.machine.set(START + 1 * DAY + HOUR)
    await bench.bring(SDN, otherColumns(bench))
    await bench.bring(SDN, bench.sdn().slice(1))
    expect(await health(bench)).toBe("SCHEMA_BREAK")
    await rollBack({ ...bench, source: listSource(ADAPTERS[SDN]) })
    expect(await health(bench)).toBe("SCHEMA_BREAK")
    await bench.bring(SDN, bench.sdn())
    expect(await health(bench)).toBe("HEALTHY")
  })

  test("changes nothing if it is older than the active one or only a damaged copy", async () => {
    await using bench = importBench()
    await bench.bring(SDN, bench.sdn(), { modifiedAt: START - HOUR })
    await bench.bring(SDN, otherColumns(bench), { modifiedAt: START - 2 * HOUR })
    expect(await health(bench)).toBe("HEALTHY")
    const cut = withFile(otherColumnsFiles(bench), "sdn.csv", (bytes) => bytes.subarray(0, bytes.length - 20))
    await bench.bring(SDN, cut)
    expect(await health(bench)).toBe("HEALTHY")
  })
  const otherColumnsFiles = (bench: Bench) => asSourceFiles(otherColumns(bench))

  test("keeps the source SCHEMA_BREAK if a later import is still older than it", async () => {
    await using bench = importBench()
    const sam = (day: number) => sampleLists({ publishedAt: START + day * DAY }).US_SAM_EXCLUSIONS
    const samHealth = async () => {
      const loaded = await loadSnapshots({ ...bench, snapshotsDirectory: bench.root })
      return sourceStates(LISTS, loaded, { disabled: [], at: bench.machine.now() })[2]
    }
    await bench.bring("US_SAM_EXCLUSIONS", sam(-3))
    bench.database.run(
      "UPDATE source_attempt SET schema_break = 1, break_published = '2026-11-20T00:00:00.000Z' WHERE source_id = 'US_SAM_EXCLUSIONS'",
    )
    await bench.bring("US_SAM_EXCLUSIONS", sam(-1))
    expect(await samHealth()).toMatchObject({ sourceId: "US_SAM_EXCLUSIONS", health: "SCHEMA_BREAK" })
    await bench.bring("US_SAM_EXCLUSIONS", sam(0))
    expect((await samHealth())?.health).toBe("HEALTHY")
  })
})
