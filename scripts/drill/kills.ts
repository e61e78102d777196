/**
 * One drill for each process: it is killed while purchases are under way, what an operator does then is done, every buyer gets its answer, and
 * the sums are compared. A drill leaves the pair whole.
 */
import { run } from "../../test/fixtures/binary.ts"
import { untilReady } from "../../test/fixtures/test-operator.ts"
import { until } from "../../test/fixtures/until.ts"
import { expectedSums, firstSaleAfter, quietSums, type Sums, sumsOf } from "./books.ts"
import { DATABASE, type Pair, untilSynchronous } from "./pair.ts"
import { Crowd, missingAgain, signSales } from "./sales.ts"

export interface Outcome {
  readonly name: string
  readonly answers: number
  /** Milliseconds and counts that a drill measured, by name. */
  readonly measured: Readonly<Record<string, number>>
  /** Status of an answer → how often; 0 is a broken connection. */
  readonly statuses: Readonly<Record<string, number>>
  readonly sums: Sums
  readonly expected: Sums
  /** Answers that a buyer holds and the service did not give out again byte for byte. */
  readonly missing: readonly string[]
  /** Exit code and text of `bizauth log audit`. */
  readonly audit: readonly [number, string]
}

export interface Ledger {
  /** Of all drills so far. */
  readonly answered: { answers: number; decisions: number }
  /** Leaves of the log before the first sale. */
  readonly leavesBefore: number
}

export async function openLedger(pair: Pair): Promise<Ledger> {
  return { answered: { answers: 0, decisions: 0 }, leavesBefore: (await sumsOf(pair)).leaves }
}

interface DrillOptions {
  /** Under way when the kill comes, except those that already have their answer. */
  readonly purchases: number
  /** For as long as this the standby is away while sales wait. */
  readonly standbyAwayMs: number
}

interface Staged extends DrillOptions {
  readonly pair: Pair
}

/** Kills something while purchases are under way, and mends it. Returns what it measured. */
type Kill = (staged: Staged) => Promise<Record<string, number>>

/** A look at the rows right after a kill sees units whose commit the standby has already stored. */
const LAST_COMMITS_MS = 1_000

const primary: Kill = async ({ pair }) => {
  const killedAt = Date.now()
  await pair.primary.kill()
  pair.standby.promote()
  const promotedAt = Date.now()
  ;[pair.primary, pair.standby] = [pair.standby, pair.primary]
  const first = await firstSale(pair, promotedAt)
  // The promoted server sells alone until it has a standby.
  await pair.standby.follow(pair.primary)
  await untilSynchronous(pair)
  return { "promoted after": promotedAt - killedAt, "first sale after promotion": first }
}

/** With `synchronous_standby_names` a COMMIT waits for the standby, so no buyer has the answer of a sale that only the primary has. */
const standby: Kill = async ({ pair, standbyAwayMs }) => {
  await pair.standby.kill()
  await Bun.sleep(LAST_COMMITS_MS)
  const before = (await sumsOf(pair)).delivered
  await Bun.sleep(standbyAwayMs)
  const sold = (await sumsOf(pair)).delivered - before
  const waiting = await sessions(pair, "AND wait_event = 'SyncRep'")
  const all = await sessions(pair)
  const startedAt = Date.now()
  await pair.standby.follow(pair.primary)
  await untilSynchronous(pair)
  const backAt = Date.now()
  const first = await firstSale(pair, backAt)
  return {
    "sold without the standby": sold,
    "commits that waited": waiting,
    "sessions then": all,
    "new standby after": backAt - startedAt,
    "first sale after it": first,
  }
}

/** Connections to the database on the primary. */
async function sessions(pair: Pair, which = ""): Promise<number> {
  const text = `SELECT count(*) AS n FROM pg_stat_activity WHERE datname = '${DATABASE}' ${which}`
  return Number((await pair.primary.query(text))[0]?.["n"])
}

const instance =
  (at: 0 | 1): Kill =>
  async ({ pair }) => {
    const killed = pair.instances[at]
    await killed.kill()
    const killedAt = Date.now()
    const first = await firstSale(pair, killedAt)
    await killed.start()
    await untilReady(killed.origin)
    return { "first sale after the kill": first }
  }

const balancer: Kill = async ({ pair }) => {
  await pair.balancer.kill()
  await Bun.sleep(500)
  await pair.balancer.start()
  return { "first sale after its start": await firstSale(pair, Date.now()) }
}

export const KILLS: Readonly<Record<string, Kill>> = {
  primary,
  standby,
  "first instance": instance(0),
  "second instance": instance(1),
  balancer,
}

/** Milliseconds from an instant to the first sale delivered after it. */
async function firstSale(pair: Pair, at: number): Promise<number> {
  let first: number | null = null
  await until(
    "a sale",
    async () => {
      first = await firstSaleAfter(pair, at)
      return first !== null
    },
    { everyMs: 50, withinMs: 30_000 },
  )
  return (first ?? at) - at
}

export async function drill(name: string, pair: Pair, ledger: Ledger, options: DrillOptions): Promise<Outcome> {
  const kill = KILLS[name]
  if (kill === undefined) throw new Error(`no drill has the name ${name}`)
  const { origin } = pair.balancer
  const { purchases } = options
  const sales = await signSales(pair, purchases)
  const crowd = new Crowd(origin, sales)
  await until("the first answers", () => crowd.answered.length >= purchases / 20, { withinMs: 60_000 })
  const underWay = purchases - crowd.answered.length
  const begun = performance.now()
  const measured = await kill({ pair, ...options })
  await crowd.all()
  const ended = performance.now() - begun
  ledger.answered.answers += crowd.answered.length
  ledger.answered.decisions += crowd.answered.filter(({ isDecision }) => isDecision).length
  const sums = await quietSums(pair)
  const missing = await missingAgain(origin, crowd.answered)
  const audit = await run(["log", "audit", "--data", pair.operator.data])
  return {
    name,
    answers: crowd.answered.length,
    measured: { "under way at the kill": underWay, ...measured, "all answered after": Math.round(ended) },
    statuses: Object.fromEntries(crowd.statuses),
    sums,
    expected: expectedSums(ledger.answered, ledger.leavesBefore),
    missing,
    audit: [audit.exit, audit.out + audit.err],
  }
}
