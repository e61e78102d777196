/**
 * Units of two stores that meet at a few rows end as if they had run one after the other. Each unit reads two rows, and adds its name to one. The
 * rows say in which order names were added, and what a unit read says which names it saw. From both follows which unit came before which, and that
 * must have no circle.
 */
import { describe, expect } from "bun:test"
import type { PostgresStore } from "../../../../src/store/engine/postgres/postgres-store.ts"
import type { Unit } from "../../../../src/store/engine/unit.ts"
import { chance } from "../../../fixtures/chance.ts"
import { atLength, howMany, SEED } from "../../../fixtures/long.ts"
import { HAS_POSTGRES, NOT_RUN } from "../../../fixtures/postgres.ts"
import { slowTests } from "../../../fixtures/slow-tests.ts"
import { payloadOf, put, setPayload } from "../../nonce-rows.ts"
import { meeting } from "./lasting.ts"
import { type PostgresBench, postgresBench } from "./postgres-bench.ts"

const test = slowTests(import.meta.path)

const ALL = 10_000
const UNITS = atLength(500, ALL)
const ROWS = 6
const CALLERS = 16

/** The names in each row that a unit read, before it added its own to the first of them. */
type Seen = Readonly<Record<string, readonly string[]>>

interface Ran {
  readonly name: string
  readonly added: string
  readonly seen: Seen
}

function namesIn(text: string): string[] {
  return text.split(" ").filter((name) => name !== "")
}

function* readAndAdd(name: string, added: string, other: string, meet?: () => Unit<void>): Unit<Ran> {
  const own = yield* payloadOf(added)
  const beside = yield* payloadOf(other)
  if (meet) yield* meet()
  yield* setPayload(added, `${own} ${name}`)
  return { name, added, seen: { [other]: namesIn(beside), [added]: namesIn(own) } }
}

/** Two units, each of which reads what the other changes, before either does. */
async function runCrossed(stores: readonly PostgresStore[]): Promise<Ran[]> {
  const meet = meeting(2)
  const units = stores.map((store, at) => store.run(() => readAndAdd(`crossed${at}`, `row${at}`, `row${1 - at}`, meet)))
  return await Promise.all(units)
}

async function runAll(stores: readonly PostgresStore[]): Promise<Ran[]> {
  const random = chance(SEED)
  const row = () => `row${Math.floor(random() * ROWS)}`
  const ran = await runCrossed(stores)
  let next = ran.length
  const call = async (caller: number) => {
    while (next < UNITS) {
      const [name, added, other] = [String(next++), row(), row()]
      const done = await stores[caller % stores.length]?.run(() => readAndAdd(name, added, other)).catch(() => null)
      if (done) ran.push(done)
    }
  }
  await Promise.all(Array.from({ length: CALLERS }, (_, caller) => call(caller)))
  return ran
}

/** Returns for each unit the ones that come after it. */
function mustPrecede(ran: readonly Ran[], rows: ReadonlyMap<string, readonly string[]>): Map<string, Set<string>> {
  const before = new Map(ran.map(({ name }) => [name, new Set<string>()]))
  const precede = (one: string | undefined, other: string | undefined) => {
    if (one !== undefined && other !== undefined && one !== other) before.get(one)?.add(other)
  }
  for (const names of rows.values()) for (const [at, name] of names.entries()) precede(name, names[at + 1])
  for (const { name, seen } of ran) {
    for (const [row, names] of Object.entries(seen)) {
      precede(names.at(-1), name)
      precede(name, rows.get(row)?.[names.length])
    }
  }
  return before
}

/** Returns the units that are in a circle, or after one: removes each unit that no remaining one must precede, until there is none. */
function circle(before: Map<string, Set<string>>): string[] {
  const waits = new Map([...before.keys()].map((name) => [name, 0]))
  for (const later of before.values()) for (const name of later) waits.set(name, (waits.get(name) ?? 0) + 1)
  const free = [...waits].filter(([, count]) => count === 0).map(([name]) => name)
  for (const name of free) {
    waits.delete(name)
    for (const later of before.get(name) ?? []) {
      const left = (waits.get(later) ?? 0) - 1
      waits.set(later, left)
      if (left === 0) free.push(later)
    }
  }
  return [...waits.keys()]
}

async function outcomeOf({ store, further, admin }: PostgresBench) {
  for (let at = 0; at < ROWS; at++) await store.run(() => put(`row${at}`, "s", ""))
  const ran = await runAll([store, further()])
  const found: { nonce: string; text: string }[] = await admin`select nonce, expires_at as text from used_nonce`
  const rows = new Map(found.map(({ nonce, text }) => [nonce, namesIn(text)]))
  return { ran, rows, inCircle: circle(mustPrecede(ran, rows)) }
}

describe.skipIf(!HAS_POSTGRES)(`${howMany(ALL, UNITS)} units of two stores${NOT_RUN}`, () => {
  test(
    "end as in a serial order, and each committed unit is there once",
    postgresBench(async (bench) => {
      const { ran, rows, inCircle } = await outcomeOf(bench)
      expect(inCircle).toEqual([])
      expect(ran.length).toBe(UNITS)
      expect([...rows.values()].flat().toSorted()).toEqual(ran.map(({ name }) => name).toSorted())
    }),
    atLength(60_000, 600_000),
  )

  test(
    "end in no serial order with REPEATABLE READ: a test of the test above",
    postgresBench(
      async (bench) => {
        expect((await outcomeOf(bench)).inCircle).not.toEqual([])
      },
      { isolation: "repeatable read" },
    ),
    atLength(60_000, 600_000),
  )
})
