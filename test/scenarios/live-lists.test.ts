/** A live directory and the publishers' own files that are old or only a sample: the result is never a FRESH list. Black box. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { realMachine } from "../../src/base/machine.ts"
import { createDataDirectory } from "../../src/data/data-directory.ts"
import { run } from "../fixtures/binary.ts"
import { freshDirectory } from "../fixtures/directories.ts"

const lists = process.env["BIZAUTH_LISTS"]
const present = lists !== undefined && existsSync(lists)
if (!present) console.log("live lists skipped: BIZAUTH_LISTS names no folder with the publishers' files")

const SDN_2021 = "us_ofac_sdn/2021-07-full"
const SAM_2020 = "us_sam/SAM_Exclusions_Public_Extract_20049.ZIP"
const CSL_SAMPLE = "us_csl/csl-sample.csv"
const REASON = "kept for a court case"

interface Outcome {
  readonly path: string
  readonly source: string
  readonly flags: readonly string[]
  readonly exit: number
  /** Hard codes of a refusal, or what `sources status` says of the imported list. */
  readonly codes?: readonly string[]
  readonly health?: string
  readonly freshness?: string
}

const STALE = { exit: 0, health: "STALE", freshness: "STALE" } as const
/** Every outcome, from the operator's first command to the commands that the errors recommend. */
const OUTCOMES: readonly Outcome[] = [
  { path: SDN_2021, source: "US_OFAC_SDN", flags: [], exit: 3, codes: ["BELOW_EXPECTED", "PUBLICATION_UNKNOWN"] },
  {
    path: SDN_2021,
    source: "US_OFAC_SDN",
    flags: ["--published-at", "2021-07-07T00:00:00Z"],
    exit: 3,
    codes: ["BELOW_EXPECTED"],
  },
  {
    path: SDN_2021,
    source: "US_OFAC_SDN",
    flags: ["--published-at", "2021-07-07T00:00:00Z", "--accept-small", REASON],
    ...STALE,
  },
  {
    path: SDN_2021,
    source: "US_OFAC_SDN",
    flags: ["--published-at", "2021-07-07T00:00:00Z", "--accept-old", REASON],
    exit: 0,
    health: "HEALTHY",
    freshness: "AGING",
  },
  { path: SAM_2020, source: "US_SAM_EXCLUSIONS", flags: [], exit: 3, codes: ["BELOW_EXPECTED"] },
  { path: SAM_2020, source: "US_SAM_EXCLUSIONS", flags: ["--accept-small", REASON], ...STALE },
  { path: CSL_SAMPLE, source: "US_TRADE_CSL", flags: [], exit: 3, codes: ["BELOW_EXPECTED", "PUBLICATION_UNKNOWN"] },
  {
    path: CSL_SAMPLE,
    source: "US_TRADE_CSL",
    flags: ["--published-at", "2022-01-01T00:00:00Z", "--accept-small", REASON],
    ...STALE,
  },
  { path: "us_ofac_cons", source: "US_OFAC_CONSOLIDATED", flags: [], exit: 3, codes: ["PUBLICATION_UNKNOWN"] },
  {
    path: "us_ofac_cons",
    source: "US_OFAC_CONSOLIDATED",
    flags: ["--published-at", "2020-01-01T00:00:00Z"],
    ...STALE,
  },
  {
    path: "uk_sanctions_list/uk-sanctions-list-2-real-rows.csv",
    source: "UK_SANCTIONS_LIST",
    flags: [],
    exit: 3,
    codes: ["BELOW_EXPECTED"],
  },
]

describe.skipIf(!present)("a live directory handles the publishers' files:", () => {
  let data = ""
  let close = () => {}
  beforeAll(async () => {
    const fresh = freshDirectory()
    close = () => fresh[Symbol.dispose]()
    data = join(fresh.path, "data")
    await createDataDirectory(data, "live", realMachine)
  }, 60_000)
  afterAll(() => close())

  const stateOf = async (source: string) => {
    const { sources } = JSON.parse((await run(["sources", "status", "--data", data, "--json"])).out)
    return sources.find((one: { source_id: string }) => one.source_id === source)
  }

  test.each(OUTCOMES.map((one) => [`${one.path} ${one.flags.join(" ")}`.trim(), one] as const))(
    "%s",
    async (_name, { path, source, flags, exit, codes, health, freshness }) => {
      const ran = await run(["sources", "import", source, join(lists ?? "", path), ...flags, "--data", data, "--json"])
      const report = JSON.parse(ran.out)
      expect([ran.exit, report.imported, report.is_sample]).toEqual([exit, exit === 0, false])
      const hard = report.findings.filter((one: { severity: string }) => one.severity === "hard")
      expect(hard.map((one: { code: string }) => one.code)).toEqual([...(codes ?? [])])
      const state = await stateOf(source)
      expect(state.freshness).not.toBe("FRESH")
      if (health !== undefined) expect([state.health, state.freshness]).toEqual([health, freshness])
    },
    60_000,
  )

  test("the status shows what was accepted and why, as text and as JSON", async () => {
    const { limitations, acceptances } = (await stateOf("US_OFAC_SDN")).snapshot
    expect(limitations).toEqual(["ACCEPTED_OLD", "ACCEPTED_SMALL"])
    expect(acceptances.map(({ what, reason }: { what: string; reason: string }) => [what, reason])).toEqual([
      ["OLD", REASON],
      ["SMALL", REASON],
    ])
    const words = (await run(["sources", "status", "--data", data])).out
    expect(words).toContain(`although its content is too old: ${REASON}`)
    expect(words).toContain(`although it is too small: ${REASON}`)
    expect(words).toContain("published 2021-07-07T00:00:00.000Z (STATED)")
    const history = (await run(["sources", "history", "US_OFAC_SDN", "--data", data])).out
    expect(history).toMatch(new RegExp(`ACCEPTED +OLD +.*${REASON}`))
  }, 60_000)
})
