/**
 * Two instances on a primary with a synchronous standby, behind a balancer. Each process is killed while purchases are under way. The long form
 * is `bun scripts/drill-instances.ts`: 200 purchases for each kill instead of 40.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { drill, type Ledger, type Outcome, openLedger } from "../../../scripts/drill/kills.ts"
import { openPair, type Pair } from "../../../scripts/drill/pair.ts"
import { HAS_PG_BASEBACKUP, NO_PG_BASEBACKUP } from "../../fixtures/debian-postgres.ts"
import { SCENARIO_MS } from "../../fixtures/test-operator.ts"

setDefaultTimeout(2 * SCENARIO_MS)

const OPTIONS = { purchases: 40, standbyAwayMs: 2_000 }
const FIRST_SALE_MS_MAX = 10_000
/** The lease of a killed instance ends after three seconds. A busy machine needs more for the rest. */
const TAKEN_OVER_MS_MAX = 20_000

describe.skipIf(!HAS_PG_BASEBACKUP)(`with 40 purchases under way${NO_PG_BASEBACKUP}`, () => {
  let pair: Pair
  let ledger: Ledger
  beforeAll(async () => {
    pair = await openPair()
    ledger = await openLedger(pair)
  })
  afterAll(() => pair?.close())

  /** Every buyer has its answer, the service gives it out again, and all sums are equal. */
  async function expectWhole(name: string): Promise<Outcome> {
    const outcome = await drill(name, pair, ledger, OPTIONS)
    if (process.env["BIZAUTH_SHOW"]) console.log(name, outcome.measured, outcome.statuses)
    expect(outcome.answers).toBe(OPTIONS.purchases)
    expect(outcome.missing).toEqual([])
    expect(outcome.sums).toEqual(outcome.expected)
    expect(outcome.audit).toEqual([0, expect.stringContaining("result   VALID")])
    expect(outcome.measured["under way at the kill"]).toBeGreaterThan(OPTIONS.purchases / 2)
    return outcome
  }

  test("the primary is killed: the standby is promoted, sales go on within ten seconds, and no answer is missing", async () => {
    const { measured } = await expectWhole("primary")
    expect(measured["first sale after promotion"]).toBeLessThan(FIRST_SALE_MS_MAX)
  })

  test("the synchronous standby is killed: sales wait until a standby is there again", async () => {
    const { measured } = await expectWhole("standby")
    expect(measured["sold without the standby"]).toBe(0)
    expect(measured["commits that waited"]).toBeGreaterThan(0)
  })

  test.each(["first instance", "second instance"])(
    "the %s is killed: the other sells on and ends its purchases",
    async (name) => {
      const { measured } = await expectWhole(name)
      expect(measured["first sale after the kill"]).toBeLessThan(TAKEN_OVER_MS_MAX)
    },
  )

  test("the balancer is killed: buyers repeat their payments when it is back", async () => {
    await expectWhole("balancer")
  })
})
