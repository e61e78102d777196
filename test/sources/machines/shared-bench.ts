/** Several machines that share one PostgreSQL database: each has an engine and a folder of snapshots of its own. The test moves their clock. */
import { mkdirSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createLog } from "../../../src/base/log.ts"
import { SECOND } from "../../../src/core/time.ts"
import { boardByRounds } from "../../../src/sources/boards/open-board.ts"
import type { BoardSharing } from "../../../src/sources/boards/shared-snapshots.ts"
import { type ImportReport, importSource } from "../../../src/sources/import/import-source.ts"
import { INPUT_LIMITS, readInput } from "../../../src/sources/import/read-input.ts"
import { rollBack } from "../../../src/sources/import/roll-back.ts"
import { listSource } from "../../../src/sources/import/source.ts"
import { ADAPTERS } from "../../../src/sources/list-registry.ts"
import { sharedOf } from "../../../src/sources/machines/shared-database.ts"
import { REQUIRED_US_SOURCES, type SourceId } from "../../../src/sources/records/party.ts"
import type { Engine } from "../../../src/store/engine/engine.ts"
import type { Store } from "../../../src/store/engine/unit.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { type SampleFile, type SampleOptions, sampleLists } from "../../fixtures/sample-lists.ts"
import { clockAt } from "../../fixtures/service.ts"
import { newDatabaseOn, type TestDatabase } from "../../fixtures/test-database.ts"
import { START } from "../import-bench.ts"

export const SKEW_MS = 120_000

export async function sharedBench({ start = START, skewMs = SKEW_MS } = {}) {
  const fresh = freshDirectory()
  const database = await newDatabaseOn("postgres")
  const clock = clockAt(start)
  const stores: Store[] = []
  return {
    database,
    clock,
    /** `aheadMs`: of the clock of the database. */
    machine: async (name: string, inPlaceOf: (own: Store) => Store = (own) => own, aheadMs = 0) => {
      const { engine, store } = await database.open()
      stores.push(store)
      return machineOf({ name, engine, store: inPlaceOf(store), clock, aheadMs, skewMs, root: join(fresh.path, name) })
    },
    /** Writes the sample of the list into a folder of its own and returns it. */
    files: (id: SourceId, options: Partial<SampleOptions> = {}) =>
      written(
        join(fresh.path, `input-${crypto.randomUUID()}`),
        sampleLists({ publishedAt: clock.now(), ...options })[id],
        clock.now(),
      ),
    [Symbol.asyncDispose]: async () => {
      await Promise.all(stores.map((store) => store.close()))
      await database.close()
      fresh[Symbol.dispose]()
    },
  }
}

export type SharedBench = Awaited<ReturnType<typeof sharedBench>>
export type BenchMachine = Awaited<ReturnType<SharedBench["machine"]>>

function written(folder: string, files: readonly SampleFile[], at: number): string {
  mkdirSync(folder)
  for (const { name, bytes } of files) {
    writeFileSync(join(folder, name), bytes)
    utimesSync(join(folder, name), at / 1000, at / 1000)
  }
  return folder
}

interface MachineParts {
  readonly name: string
  readonly engine: Engine
  readonly store: Store
  readonly clock: ReturnType<typeof clockAt>
  readonly aheadMs: number
  readonly skewMs: number
  readonly root: string
}

function machineOf({ name, engine, store, clock: ofDatabase, aheadMs, skewMs, root }: MachineParts) {
  const clock = { ...ofDatabase, now: () => ofDatabase.now() + aheadMs }
  const logged: Record<string, unknown>[] = []
  const log = createLog("debug", (line) => logged.push(JSON.parse(line) as Record<string, unknown>), clock.now)
  const serverClock = () => ({ offsetMs: aheadMs, now: ofDatabase.now })
  const shared = sharedOf({ exclusive: engine.exclusive, serverClock }, clock)
  if (shared === null) throw new Error("a server keeps this database")
  const sharing: BoardSharing = { shared, instanceId: name, skewMs }
  const place = { store, machine: clock, root, shared }
  return {
    name,
    engine,
    store,
    root,
    log,
    logged,
    shared,
    sharing,
    place,
    import: (id: SourceId, folder: string): Promise<ImportReport> =>
      importSource(
        { ...place, environment: "test", source: listSource(ADAPTERS[id]) },
        readInput([folder], id, INPUT_LIMITS),
        {
          retrievedAt: null,
          acceptShrink: null,
        },
      ),
    rollBack: (id: SourceId) => rollBack({ ...place, source: listSource(ADAPTERS[id]) }),
    board: (parts: Partial<Pick<Parameters<typeof boardByRounds>[0], "name" | "sources" | "build" | "sharing">> = {}) =>
      boardByRounds({
        ...{ store, machine: clock, log, sharing, name: "US", sources: REQUIRED_US_SOURCES, disabled: [] },
        snapshotsDirectory: root,
        ...parts,
      }),
  }
}

/** Two machines, of which the first imported two publications of the same list, a second apart. */
export async function twoPublications(bench: SharedBench, list: SourceId = "US_OFAC_SDN") {
  const [one, other] = [await bench.machine("one"), await bench.machine("other")]
  const { snapshotId: first } = await one.import(list, bench.files(list))
  bench.clock.set(START + SECOND)
  const { snapshotId: second } = await one.import(list, bench.files(list))
  return { one, other, first, second }
}

/** Rows of the bytes of lists. */
export async function storedRows({ count }: TestDatabase): Promise<Record<string, number>> {
  const tables = ["list_part", "list_upload", "list_file", "list_activation"]
  return Object.fromEntries(await Promise.all(tables.map(async (table) => [table, await count(table)])))
}
