/**
 * Measures units on PostgreSQL against SQLite: `bun scripts/bench-postgres.ts [CASES] [SECONDS]`, where SECONDS are those of a slice. Starts a server
 * of its own that waits for its disk. A storm of callers must not be slower than one caller. Appends run on two stores with half a millisecond
 * to the server and back, in turns: capsules that wait for their leaf must be at least eight times as fast as those that get it in their unit.
 */
import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createLog } from "../src/base/log.ts"
import { realMachine } from "../src/base/machine.ts"
import { digestBytes } from "../src/core/digest.ts"
import { PostgresStore } from "../src/store/engine/postgres/postgres-store.ts"
import { sequencing } from "../src/store/engine/postgres/sequencing.ts"
import { readTarget } from "../src/store/engine/postgres/target-text.ts"
import { LogSync } from "../src/store/engine/sqlite/log-sync.ts"
import { SqliteStore } from "../src/store/engine/sqlite/sqlite-store.ts"
import type { Store } from "../src/store/engine/unit.ts"
import { logCapsule, sequencePending } from "../src/store/log/sequenced-log.ts"
import { appendStatement, readTreeSize } from "../src/store/log/transparency-log.ts"
import { spendNonce } from "../src/store/nonces.ts"
import { redeemToken } from "../src/store/tokens/token-moves.ts"
import { openMigrated } from "../test/fixtures/new-database.ts"
import { startPostgres } from "../test/fixtures/postgres.ts"
import { newPostgresDatabase } from "../test/fixtures/postgres-schema.ts"
import { AT, LATER } from "../test/store/money-rows.ts"
import { purchase } from "../test/store/purchase-units.ts"
import { issued, PAYMENT_BINDING, paymentToken } from "../test/store/token-rows.ts"
import { median, quantile } from "./bench/statistics.ts"
import { useTables } from "./bench/used-tables.ts"

const STORM = 32
/** Each is a slice with one caller and a slice with many. */
const ROUNDS = 5
/** The delay in each direction. With the time that this machine takes itself, a round trip is half a millisecond. */
const LINK_US = "150"
const WAITS_FOR_DISK = ["fsync=on", "synchronous_commit=on", "full_page_writes=on", "max_connections=200"]

interface Case {
  /** Tables have the rows of earlier sales. */
  readonly isUsed?: true
  /** Only on PostgreSQL, by two stores far from it. */
  readonly isFar?: true
  /** Another case whose storm takes turns with that of this one, on the same stores. */
  readonly against?: Case
  /** Made before the time runs, for each call of {@link one}. */
  prepare?(store: Store, name: string): Promise<unknown>
  readonly prepared?: number
  one(store: Store, name: string): Promise<unknown>
}

const append: Case = {
  isFar: true,
  one: (store, name) => store.run(() => appendStatement("CAPSULE", digestBytes(name)), "log"),
}

const CASES: Readonly<Record<string, Case>> = {
  nonce: { one: (store, name) => store.run(() => spendNonce("s", name, LATER, AT)) },
  redeem: {
    prepared: 4_000,
    prepare: (store, name) => store.run(() => issued(paymentToken(name))),
    one: (store, name) => {
      const { tokenHash } = paymentToken(name)
      const request = {
        country: "GB",
        tokenHash,
        idempotencyKey: `key-${name}`,
        requestDigest: "d",
        at: Date.parse(AT),
      }
      return store.run(() => redeemToken({ ...request, binding: PAYMENT_BINDING } as Parameters<typeof redeemToken>[0]))
    },
  },
  append,
  waiting: {
    isFar: true,
    against: append,
    one: (store, name) => store.run(() => logCapsule(name, digestBytes(name))),
  },
  purchase: { one: (store, name) => purchase(store, name, `p${name}`, `o${name}`) },
  used: { isUsed: true, one: (store, name) => purchase(store, name, `p${name}`, `o${name}`) },
  payer: { one: (store, name) => purchase(store, name, "payer", "owner") },
}

interface Opened {
  readonly stores: readonly [Store, ...Store[]]
  /** Conflicts and commits so far. */
  counts(): { readonly conflicts: number; readonly committed: number }
  close(): Promise<void>
}

async function onPostgres({ isUsed, isFar }: Case): Promise<Opened> {
  const database = await newPostgresDatabase()
  if (isUsed) {
    const client = new Bun.SQL(database.url, { max: 1 })
    await useTables(client)
    await client.close()
  }
  const link = isFar ? await slowLink(Number(new URL(database.url).port)) : null
  const url = new URL(database.url)
  if (link) url.port = link.port
  const open = () => new PostgresStore(readTarget(url.href))
  const stores: [PostgresStore, ...PostgresStore[]] = isFar ? [open(), open()] : [open()]
  const log = createLog("error", (line) => process.stderr.write(line), realMachine.now)
  const workers = stores.map((store) => sequencing(store, { machine: realMachine, log }))
  for (const worker of workers) worker.start()
  const sum = (counted: (store: PostgresStore) => number) => stores.reduce((all, store) => all + counted(store), 0)
  return {
    stores,
    counts: () => ({
      conflicts: sum(({ counts }) => Object.values(counts.repeats).reduce((all, count) => all + count, 0)),
      committed: sum(({ counts }) => counts.committed),
    }),
    close: async () => {
      for (const worker of workers) await worker.stop()
      for (const store of stores) await store.close()
      link?.close()
      await database.drop()
    },
  }
}

async function slowLink(port: number) {
  const process = Bun.spawn([Bun.argv[0] ?? "bun", join(import.meta.dir, "bench/slow-link.ts"), `${port}`, LINK_US], {
    stdout: "pipe",
  })
  const { value } = await process.stdout.getReader().read()
  return { port: new TextDecoder().decode(value).trim(), close: () => process.kill() }
}

async function roundTripMs(store: Store): Promise<number> {
  const trips: number[] = []
  // Each statement of a unit waits for the one before.
  await store.read(function* () {
    for (let i = 0; i < 200; i++) {
      const started = performance.now()
      yield* readTreeSize()
      trips.push(performance.now() - started)
    }
  })
  return Number(median(trips).toFixed(2))
}

async function onSqlite(): Promise<Opened> {
  const folder = mkdtempSync(join(tmpdir(), "bizauth-bench-"))
  const database = openMigrated(join(folder, "bizauth.db"))
  const store = new SqliteStore(
    database,
    (error) => {
      throw error
    },
    { durability: LogSync.of(database) },
  )
  return {
    stores: [store],
    counts: () => ({ conflicts: 0, committed: 0 }),
    close: async () => {
      await store.close()
      rmSync(folder, { recursive: true })
    },
  }
}

interface Slice {
  readonly perSecond: number
  /** Of each call, in milliseconds. */
  readonly waits: readonly number[]
  readonly repeats: number
}

async function slice({ stores, counts }: Opened, test: Case, callers: number): Promise<Slice> {
  const { prepare, prepared = 0, one } = test
  const [store] = stores
  const names = Array.from({ length: prepared }, newName)
  for (let at = 0; at < names.length; at += 100) {
    await Promise.all(names.slice(at, at + 100).map((name) => prepare?.(store, name)))
  }
  const before = counts()
  const started = performance.now()
  const end = started + seconds * 1_000
  const waits: number[] = []
  const call = async (_: unknown, caller: number) => {
    while (performance.now() < end) {
      const name = prepare ? names.pop() : newName()
      if (name === undefined) return
      const begun = performance.now()
      await one(stores[caller % stores.length] ?? store, name)
      waits.push(performance.now() - begun)
    }
  }
  await Promise.all(Array.from({ length: callers }, call))
  // A capsule counts when it has its leaf.
  while ((await sequencePending(store)) > 0);
  const took = (performance.now() - started) / 1_000
  const { conflicts, committed } = counts()
  return {
    perSecond: waits.length / took,
    waits,
    repeats: (conflicts - before.conflicts) / (committed - before.committed || 1),
  }
}

/** One caller and a storm take turns on the same tables, because the speed of a shared disk changes within seconds. */
async function measure(open: (test: Case) => Promise<Opened>, test: Case) {
  const opened = await open(test)
  const trip = test.isFar && { "round trip ms": await roundTripMs(opened.stores[0]) }
  const rounds: (readonly [alone: Slice, storm: Slice])[] = []
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const [alone, storm] = [await slice(opened, test, 1), await slice(opened, test, STORM)]
    rounds.push([alone, storm])
    if (test.against) times.push(storm.perSecond / (await slice(opened, test.against, STORM)).perSecond)
  }
  await opened.close()
  return {
    ...trip,
    "1 caller": shown(rounds.map(([alone]) => alone)),
    [`${STORM} callers`]: shown(rounds.map(([, storm]) => storm)),
    "times one": Number(median(rounds.map(([alone, storm]) => storm.perSecond / alone.perSecond)).toFixed(2)),
    ...(test.against && { "times the other case": Number(median(times).toFixed(2)) }),
  }
}

function shown(slices: readonly Slice[]): string {
  const waits = slices.flatMap((one) => one.waits)
  const [rate, repeats] = [median(slices.map((one) => one.perSecond)), median(slices.map((one) => one.repeats))]
  const times = `p50 ${median(waits).toFixed(1)} ms, p99 ${quantile(waits, 0.99).toFixed(1)} ms`
  return `${rate.toFixed(0)}/s, ${times}, ${repeats.toFixed(2)} repeats a unit`
}

function newName(): string {
  return randomBytes(12).toString("base64url")
}

const [chosen = Object.keys(CASES).join(","), time = "2"] = process.argv.slice(2)
const seconds = Number(time)
const server = await startPostgres(WAITS_FOR_DISK)
process.env["BIZAUTH_TEST_POSTGRES"] = server.url
for (const name of chosen.split(",")) {
  const known = CASES[name]
  if (!known) throw new Error(`cases: ${Object.keys(CASES).join(", ")}`)
  for (const [engine, open] of [
    ["SQLite", onSqlite],
    ["PostgreSQL", onPostgres],
  ] as const) {
    if (engine === "SQLite" && (known.isFar || known.isUsed)) continue
    console.log(name, engine, await measure(open, known))
  }
}
await server.stop()
process.exit(0)
