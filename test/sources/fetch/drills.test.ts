/**
 * Faults of publishers and networks, each with a real server and real imports. The active list stays in use, nothing is left behind, the
 * record states what happened, and the health stays the same until its window ends.
 */
import { expect } from "bun:test"
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { zipSync } from "fflate"
import { DAY, formatInstant, HOUR } from "../../../src/core/time.ts"
import type { SourceId } from "../../../src/sources/records/party.ts"
import { drip, file, internet, PUBLIC, partly, redirect, silence, status } from "../../fixtures/publisher.ts"
import { sampleLists } from "../../fixtures/sample-lists.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { START } from "../import-bench.ts"
import { CROWD, CSL, type FetchBench, fetchBench, type RoundOptions, SDN, UK } from "./fetch-bench.ts"

const test = slowTests(import.meta.path)

const SAM = "US_SAM_EXCLUSIONS"
const UK_FILE = "UK-Sanctions-List.csv"
const CSL_FILE = "consolidated.csv"

const bytesOf = (id: SourceId, given: Parameters<typeof sampleLists>[0]) => {
  const [first] = sampleLists(given)[id]
  if (!first) throw new Error(`no sample of ${id}`)
  return Buffer.from(first.bytes)
}

interface Drill {
  readonly what: string
  readonly source: SourceId
  readonly prepare: (operator: FetchBench) => RoundOptions | undefined
  readonly outcome: "FAILED" | "REFUSED"
  readonly code: string
  /** Health right after the fault; HEALTHY if not given. */
  readonly health?: string
}

const dayLater = { publishedAt: START + DAY }

const drills: readonly Drill[] = [
  {
    what: "a truncated body",
    source: CSL,
    prepare: (operator) =>
      void operator.answer(CSL, CSL_FILE, partly({ "Content-Length": 99_999 }, bytesOf(CSL, dayLater), true)),
    outcome: "FAILED",
    code: "TRUNCATED",
  },
  {
    what: "a body longer than its length",
    source: CSL,
    prepare: (operator) =>
      void operator.answer(CSL, CSL_FILE, partly({ "Content-Length": 900 }, bytesOf(CSL, dayLater), true)),
    outcome: "FAILED",
    code: "TRUNCATED",
  },
  {
    what: "a list cut inside a row, with the length of the cut",
    source: UK,
    prepare: (operator) => void operator.answer(UK, UK_FILE, file(bytesOf(UK, dayLater).subarray(0, -20))),
    outcome: "REFUSED",
    code: "TRUNCATED",
  },
  {
    what: "a web page with status 200",
    source: UK,
    prepare: (operator) => void operator.answer(UK, UK_FILE, file("<!DOCTYPE html><html><title>Sorry</title></html>")),
    outcome: "FAILED",
    code: "NOT_DATA",
  },
  {
    what: "an empty file",
    source: UK,
    prepare: (operator) => void operator.answer(UK, UK_FILE, file("")),
    outcome: "FAILED",
    code: "NOT_DATA",
  },
  {
    what: "a redirect to an address of this machine",
    source: CSL,
    prepare: (operator) =>
      void operator.answer(CSL, CSL_FILE, redirect(`http://127.0.0.1:${operator.server.port + 1}/x`)),
    outcome: "FAILED",
    code: "URL_REFUSED",
  },
  {
    what: "a redirect to the metadata service",
    source: CSL,
    prepare: (operator) => void operator.answer(CSL, CSL_FILE, redirect("https://169.254.169.254/latest/meta-data/")),
    outcome: "FAILED",
    code: "ADDRESS_REFUSED",
  },
  {
    what: "a publisher's name that leads to an inner address",
    source: CSL,
    prepare: (operator) => ({ network: internet({ "data.trade.gov": [["10.1.2.3"]] }, operator.server.port) }),
    outcome: "FAILED",
    code: "ADDRESS_REFUSED",
  },
  {
    what: "a redirect loop",
    source: CSL,
    prepare: (operator) => void operator.answer(CSL, CSL_FILE, redirect(CSL_FILE)),
    outcome: "FAILED",
    code: "TOO_MANY_REDIRECTS",
  },
  {
    what: "a redirect from the mirror to http elsewhere",
    source: CSL,
    prepare: (operator) => void operator.answer(CSL, CSL_FILE, redirect("http://lists.example.test/x")),
    outcome: "FAILED",
    code: "URL_REFUSED",
  },
  {
    what: "a slow drip",
    source: CSL,
    prepare: (operator) => {
      operator.answer(CSL, CSL_FILE, drip({ "Content-Length": 90_000 }))
      return { limits: { paceWindowMs: 100 } }
    },
    outcome: "FAILED",
    code: "TOO_SLOW",
  },
  {
    what: "a server that never answers",
    source: CSL,
    prepare: (operator) => {
      operator.answer(CSL, CSL_FILE, silence)
      return { limits: { firstByteMs: 150 } }
    },
    outcome: "FAILED",
    code: "TIMED_OUT",
  },
  {
    what: "a length that no list has",
    source: CSL,
    prepare: (operator) => void operator.answer(CSL, CSL_FILE, partly({ "Content-Length": 5e9 }, "a", false)),
    outcome: "FAILED",
    code: "TOO_LARGE",
  },
  {
    what: "a packed body that unpacks to gigabytes",
    source: CSL,
    prepare: (operator) => {
      const bomb = gzipSync(Buffer.alloc(300 * 1024 * 1024), { level: 1 })
      operator.answer(CSL, CSL_FILE, file(bomb, { "Content-Encoding": "gzip" }))
      return { limits: { paceWindowMs: 20_000, idleMs: 20_000, wholeMs: 30_000 } }
    },
    outcome: "FAILED",
    code: "TOO_LARGE",
  },
  {
    what: "an archive that unpacks to more than the limit",
    source: SAM,
    prepare: (operator) => {
      const stem = "SAM_Exclusions_Public_Extract_V2_26325"
      operator.answer(
        SAM,
        `${stem}.ZIP`,
        file(hollow(zipSync({ [`${stem}.CSV`]: new Uint8Array(1000) }, { mtime: START }))),
      )
      return undefined
    },
    outcome: "REFUSED",
    code: "TOO_LARGE",
  },
  {
    what: "a third fewer rows",
    source: SDN,
    prepare: (operator) =>
      operator.offer(SDN, sampleLists({ publishedAt: START + DAY, extraSdn: CROWD.slice(0, 40) })[SDN]) as undefined,
    outcome: "REFUSED",
    code: "SHRUNK",
  },
  {
    what: "files of two publications in every try",
    source: SDN,
    prepare: (operator) => {
      const more = [...CROWD, { number: 90300, name: "ZEPHYR MARLOWE SYNDICATE", programs: ["SDGT"] }]
      operator.offer(SDN, sampleLists({ publishedAt: START + DAY, extraSdn: more })[SDN].slice(0, 1))
      return undefined
    },
    outcome: "REFUSED",
    code: "MIXED_PUBLICATION",
  },
  {
    what: "a renamed column",
    source: CSL,
    prepare: (operator) => {
      const renamed = bytesOf(CSL, dayLater).toString("utf8").replace(",name,", ",party_name,")
      operator.answer(CSL, CSL_FILE, file(renamed, { "Last-Modified": new Date(START + DAY).toUTCString() }))
      return undefined
    },
    outcome: "REFUSED",
    code: "SCHEMA_BREAK",
    health: "SCHEMA_BREAK",
  },
  {
    what: "a list that no longer exists",
    source: UK,
    prepare: (operator) => void operator.answer(UK, UK_FILE, status(404)),
    outcome: "FAILED",
    code: "NOT_FOUND",
  },
  {
    what: "a server with an internal error",
    source: UK,
    prepare: (operator) => void operator.answer(UK, UK_FILE, status(500)),
    outcome: "FAILED",
    code: "STATUS",
  },
  {
    what: "a server that asks to wait",
    source: UK,
    prepare: (operator) => void operator.answer(UK, UK_FILE, status(503, { "Retry-After": "3600" })),
    outcome: "FAILED",
    code: "ASKED_TO_WAIT",
  },
  {
    what: "an unknown host name",
    source: UK,
    prepare: (operator) => ({ network: internet({}, operator.server.port) }),
    outcome: "FAILED",
    code: "DNS_FAILED",
  },
  {
    what: "a connection that is refused",
    source: UK,
    prepare: () => ({ network: internet({ "sanctionslist.fcdo.gov.uk": [[PUBLIC]] }, 1) }),
    outcome: "FAILED",
    code: "CONNECT_FAILED",
  },
]

/** An archive that states gigabytes for its one entry, in the directory and before the entry. */
function hollow(zip: Uint8Array): Uint8Array {
  const bytes = Buffer.from(zip)
  bytes.writeUInt32LE(3_000_000_000, 22)
  bytes.writeUInt32LE(3_000_000_000, bytes.indexOf(Buffer.from([0x50, 0x4b, 1, 2])) + 24)
  return bytes
}

test.each(drills)("$what: no list is lost", async ({ source, prepare, outcome, code, health = "HEALTHY" }) => {
  await using operator = await fetchBench()
  // Imported by hand on the day before, so that a list is in use.
  await operator.bring(source, sampleLists({ publishedAt: START, extraSdn: CROWD })[source])
  const before = await operator.untouched(source)
  operator.machine.set(START + DAY)
  const offered = sampleLists({ publishedAt: START + DAY, extraSdn: CROWD })
  if (source === SDN) operator.offer(SDN, offered[SDN])
  const options = prepare(operator) ?? {}
  const report = await operator.round(source, options)
  expect([report.outcome, report.code, report.active?.snapshotId]).toEqual([
    outcome,
    code,
    before.active?.snapshotId ?? "",
  ])
  const after = await operator.untouched(source)
  expect([after.active, after.staging]).toEqual([before.active, false])
  expect(await operator.check(source)).toMatchObject({
    outcome,
    code,
    attemptedAt: formatInstant(START + DAY),
    failures: outcome === "FAILED" ? 1 : 0,
    checkedAt: null,
  })
  // A failure is not an import and adds no history. A refusal is recorded with every finding.
  const refusals = after.events.filter(({ kind }) => kind === "REFUSED")
  expect(refusals.length > 0).toBe(outcome === "REFUSED")
  for (const { detail } of refusals) expect(detail).toContain(`"${code}"`)
  const kept = readdirSync(join(operator.root, source))
  expect(kept).toEqual([before.active?.snapshotId ?? ""])
  const state = await operator.state(source)
  expect([state.health, state.reasonCodes]).toEqual([
    health as never,
    health === "HEALTHY" ? agingOf(source) : [`SOURCE_${health}`],
  ])
  // The fault ends. The next round imports the day's list, or gets the answer that there is no new one.
  operator.offer(source, offered[source])
  operator.machine.set(START + DAY + HOUR)
  const mended = await operator.round(source)
  expect(mended.outcome).toBe(isUndated(source) && health === "HEALTHY" ? "NOT_MODIFIED" : "IMPORTED")
  expect(await operator.check(source)).toMatchObject({
    code: null,
    failures: 0,
    checkedAt: operator.now(),
    retryAfterUntil: null,
  })
  expect((await operator.state(source)).health).toBe("HEALTHY")
  expect(existsSync(join(operator.root, ".fetch", source))).toBe(false)
})

/** Sources with the same sample bytes every day. */
const isUndated = (source: SourceId) => source === CSL || source === SDN
/** After exactly a day the lists with a window of one day are ageing. That is still healthy, with a reason code. */
const agingOf = (source: SourceId) => (source === CSL || source === SAM ? [] : ["SOURCE_AGING"])
