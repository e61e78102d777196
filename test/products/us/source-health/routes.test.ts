import { describe, expect, test } from "bun:test"
import { SourceHealthAnswer } from "../../../../schemas/us/source-health.ts"
import { digestOf } from "../../../../src/core/digest.ts"
import { formatInstant, HOUR, SECOND } from "../../../../src/core/time.ts"
import { compile } from "../../../../src/http/read-body.ts"
import { router } from "../../../../src/http/router.ts"
import { sourceHealth, sourceHealthAnswer } from "../../../../src/products/us/source-health/routes.ts"
import type { SourceBoard, SourceState } from "../../../../src/sources/boards/source-board.ts"
import { REQUIRED_US_SOURCES } from "../../../../src/sources/records/party.ts"
import { NameIndex } from "../../../../src/sources/screening/name-index.ts"
import { testShell } from "../../../fixtures/shell.ts"
import { WHOLE_LIST } from "../../../fixtures/snapshot-judgement.ts"

const AT = Date.UTC(2026, 10, 20, 12)
const PATH = "http://localhost/v1/us/federal/source-health"

function healthy(sourceId: SourceState["sourceId"], given: Partial<SourceState> = {}): SourceState {
  return {
    sourceId,
    health: "HEALTHY",
    freshness: "FRESH",
    staleAt: formatInstant(AT + 70 * HOUR),
    ageSeconds: 7200,
    checkedAt: formatInstant(AT - 2 * HOUR),
    nextAttemptAt: null,
    reasonCodes: [],
    isAccepted: false,
    snapshot: {
      snapshotId: "snp_secret",
      sourceUrl: "https://lists.example/sdn",
      sourceVersion: "2026-11-20#5",
      sourceTimestamp: formatInstant(AT - 3 * HOUR),
      retrievedAt: formatInstant(AT - 2 * HOUR),
      parserVersion: "p/1",
      rawSha256: digestOf(sourceId),
      entries: 5,
      ...WHOLE_LIST,
    },
    lastAttempt: { at: formatInstant(AT - 2 * HOUR), outcome: "IMPORTED" },
    ...given,
  }
}
const absent = (sourceId: SourceState["sourceId"]): SourceState =>
  healthy(sourceId, {
    health: "UNAVAILABLE",
    freshness: "STALE",
    staleAt: null,
    ageSeconds: null,
    reasonCodes: ["SOURCE_UNAVAILABLE"],
    snapshot: null,
    lastAttempt: null,
  })

function requests(states: (at: number) => readonly SourceState[]) {
  let calls = 0
  const board: SourceBoard = {
    index: () => new NameIndex({ snapshotIds: {}, parties: [] }),
    states: (at) => {
      calls += 1
      return states(at)
    },
  }
  const { shell } = testShell()
  const app = router(shell, [sourceHealth({ shell, sources: board })])
  return { ask: (init?: RequestInit) => app.handle(new Request(PATH, init)), calls: () => calls }
}

test("the response lists exactly the four required sources in id order, public, marked FEDERAL_ONLY, in the documented form", async () => {
  const { ask } = requests(() => REQUIRED_US_SOURCES.map((id) => healthy(id)))
  const answer = await ask()
  expect(answer.status).toBe(200)
  expect(answer.headers.get("x-coverage")).toBe("FEDERAL_ONLY")
  expect(answer.headers.get("access-control-allow-origin")).toBe("*")
  const body = await answer.json()
  expect(compile(SourceHealthAnswer).Check(body)).toBe(true)
  expect(body.sources.map(({ source_id }: { source_id: string }) => source_id)).toEqual([
    "US_OFAC_CONSOLIDATED",
    "US_OFAC_SDN",
    "US_SAM_EXCLUSIONS",
    "US_TRADE_CSL",
  ])
  expect(body.sources[1]).toEqual({
    source_id: "US_OFAC_SDN",
    health: "HEALTHY",
    freshness: "FRESH",
    reason_codes: [],
    source_version: "2026-11-20#5",
    source_timestamp: formatInstant(AT - 3 * HOUR),
    retrieved_at: formatInstant(AT - 2 * HOUR),
    age_seconds: 7200,
    stale_at: formatInstant(AT + 70 * HOUR),
    entries: 5,
    raw_sha256: digestOf("US_OFAC_SDN"),
    last_attempt: { at: formatInstant(AT - 2 * HOUR), outcome: "IMPORTED" },
    next_attempt_at: null,
  })
})

test("before any import the route still answers 200 in the same form, and recommends no purchase", async () => {
  const { ask } = requests(() => REQUIRED_US_SOURCES.map(absent))
  const answer = await ask()
  const body = await answer.json()
  expect([answer.status, compile(SourceHealthAnswer).Check(body)]).toEqual([200, true])
  expect(body.next_machine_action).toBe("RETRY_LATER_WITHOUT_PAYMENT")
})

test("states are judged once, at the time of each request", async () => {
  const { ask, calls } = requests((at) => REQUIRED_US_SOURCES.map((id) => healthy(id, { ageSeconds: at % 1000 })))
  await ask()
  await ask()
  expect(calls()).toBe(2)
})

describe("the response is valid until", () => {
  const four = (given: Partial<SourceState> = {}) =>
    REQUIRED_US_SOURCES.map((id, at) => healthy(id, at === 2 ? given : {}))
  const rows: readonly [what: string, states: readonly SourceState[], until: number][] = [
    ["a minute later", four(), AT + 60 * SECOND],
    ["the first source goes stale", four({ staleAt: formatInstant(AT + 7 * SECOND) }), AT + 7 * SECOND],
    ["the same instant when one is stale already", four({ staleAt: formatInstant(AT - HOUR), health: "STALE" }), AT],
  ]
  test.each(rows)("%s", (_what, states, until) => {
    const answer = sourceHealthAnswer(states, AT)
    expect([answer.as_of, answer.valid_as_of, answer.valid_until]).toEqual([
      formatInstant(AT),
      formatInstant(AT),
      formatInstant(until),
    ])
  })
})

test("one source that is not HEALTHY prevents a purchase, and AGING does not", () => {
  const with1 = (given: Partial<SourceState>) =>
    sourceHealthAnswer(
      REQUIRED_US_SOURCES.map((id, at) => healthy(id, at === 0 ? given : {})),
      AT,
    ).next_machine_action
  expect(with1({})).toBe("REQUEST_QUOTE")
  expect(with1({ freshness: "AGING", reasonCodes: ["SOURCE_AGING"] })).toBe("REQUEST_QUOTE")
  for (const health of ["STALE", "SCHEMA_BREAK", "UNAVAILABLE", "DISABLED"] as const) {
    expect(with1({ health })).toBe("RETRY_LATER_WITHOUT_PAYMENT")
  }
})

test("the response has metadata only: no snapshot id, address, name or record", () => {
  const text = JSON.stringify(
    sourceHealthAnswer(
      REQUIRED_US_SOURCES.map((id) => healthy(id)),
      AT,
    ),
  )
  expect(text).not.toContain("snp_secret")
  expect(text).not.toContain("lists.example")
})
