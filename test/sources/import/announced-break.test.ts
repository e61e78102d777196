import { describe, expect, test } from "bun:test"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { formatInstant, HOUR } from "../../../src/core/time.ts"
import { announcedBreak } from "../../../src/sources/import/announced-break.ts"
import type { Finding, Parsed } from "../../../src/sources/records/adapter.ts"
import { hard } from "../../../src/sources/records/findings.ts"
import type { SnapshotRow } from "../../../src/store/sources/sources.ts"
import { hardCodes, importBench, START } from "../import-bench.ts"

test("after a loss of the active snapshot's bytes its counts still guard, and the loss is reported", async () => {
  await using bench = importBench()
  const extraSdn = Array.from({ length: 20 }, (_, at) => ({
    number: 90101 + at,
    name: `${"ABCDEFGHIJKLMNOPQRST"[at]}LDERWICK ${at} ESTATES`,
    programs: ["SDGT"],
  }))
  await bench.bring("US_OFAC_SDN", bench.sdn({ extraSdn }))
  rmSync(join(bench.root, "US_OFAC_SDN"), { recursive: true })
  const refused = await bench.bring("US_OFAC_SDN", bench.sdn())
  expect(new Set(hardCodes(refused))).toEqual(new Set(["SHRUNK"]))
  expect(refused.findings).toContainEqual(expect.objectContaining({ code: "CORRUPT", severity: "soft" }))
})

describe("an unreadable publication is a schema break only if it is newer", () => {
  const active = { sourceTimestamp: formatInstant(START), retrievedAt: formatInstant(START) } as SnapshotRow
  const unstated = { ...active, sourceTimestamp: null }
  const broken = [hard("SCHEMA_BREAK", "other columns")]
  const later = START + HOUR
  const announced = (
    findings: readonly Finding[],
    timestamp: number | null,
    modifiedAt: number,
    row: SnapshotRow | null,
  ) => {
    const parsed = { timestamp: timestamp === null ? null : formatInstant(timestamp) } as Parsed
    const files = [{ name: "sdn.csv", bytes: new Uint8Array(1), modifiedAt }]
    return announcedBreak(findings, parsed, { files }, row)
  }
  const rows: readonly [what: string, told: ReturnType<typeof announced>, expected: ReturnType<typeof announced>][] = [
    [
      "stated as later than the active one",
      announced(broken, later, START, active),
      { published: formatInstant(later) },
    ],
    ["stated as old as the active one, with any file time", announced(broken, START, later, active), null],
    ["without a stated time, in a newer file", announced(broken, null, later, active), { published: null }],
    [
      "in a newer file, if the active one stated no time",
      announced(broken, later, later, unstated),
      { published: null },
    ],
    ["without a stated time, in an older file", announced(broken, null, START, unstated), null],
    [
      "damaged, so a change of the schema is not certain",
      announced([...broken, hard("TRUNCATED", "")], later, later, active),
      null,
    ],
    ["refused only for its size", announced([hard("SHRUNK", "")], later, later, active), null],
    ["before anything was imported", announced(broken, later, later, null), null],
  ]
  test.each(rows)("%s", (_what, told, expected) => {
    expect(told).toEqual(expected)
  })
})
