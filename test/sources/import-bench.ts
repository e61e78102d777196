/** Imports of sample lists into a real database and folder, with a clock that the test sets. */
import { mkdirSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createLog } from "../../src/base/log.ts"
import { formatInstant } from "../../src/core/time.ts"
import { type ImportReport, importSource } from "../../src/sources/import/import-source.ts"
import type { ImportOptions } from "../../src/sources/import/import-times.ts"
import type { Environment } from "../../src/sources/import/judge-snapshot.ts"
import { INPUT_LIMITS, readInput } from "../../src/sources/import/read-input.ts"
import { listSource } from "../../src/sources/import/source.ts"
import { ADAPTERS } from "../../src/sources/list-registry.ts"
import type { SourceAdapter } from "../../src/sources/records/adapter.ts"
import type { SourceId } from "../../src/sources/records/party.ts"
import { SqliteStore } from "../../src/store/engine/sqlite/sqlite-store.ts"
import type { Store } from "../../src/store/engine/unit.ts"
import { activeSnapshot } from "../../src/store/sources/sources.ts"
import { freshDirectory } from "../fixtures/directories.ts"
import { openMigrated } from "../fixtures/new-database.ts"
import { type SampleFile, type SampleOptions, sampleLists } from "../fixtures/sample-lists.ts"
import { clockAt } from "../fixtures/service.ts"

export const START = Date.UTC(2026, 10, 20, 12)

export interface Given extends Partial<ImportOptions> {
  readonly adapter?: SourceAdapter
  readonly store?: Store
  /** Retrieval time of the files in milliseconds; by default the clock's time. */
  readonly modifiedAt?: number
  readonly environment?: Environment
  /** Public keys. One of them must have signed the manifest. */
  readonly pinned?: readonly string[]
}

/** A live directory refuses a list that is too small or of unknown age; a test directory imports it as a sample. */
export function importBench(environment: Environment = "test") {
  const fresh = freshDirectory()
  const path = join(fresh.path, "bizauth.db")
  const database = openMigrated(path, formatInstant(START))
  const store = new SqliteStore(database, (error) => {
    throw error
  })
  const machine = clockAt(START)
  const root = join(fresh.path, "snapshots")
  const logged: Record<string, unknown>[] = []
  const log = createLog("debug", (line) => logged.push(JSON.parse(line) as Record<string, unknown>), machine.now)
  let inputs = 0
  const bench = {
    database,
    store,
    machine,
    root,
    environment,
    log,
    logged,
    directory: fresh.path,
    /** Writes files into a folder of their own and returns it. */
    folder(files: readonly SampleFile[], modifiedAt = machine.now()): string {
      const at = join(fresh.path, `input-${++inputs}`)
      mkdirSync(at)
      for (const { name, bytes } of files) {
        writeFileSync(join(at, name), bytes)
        utimesSync(join(at, name), modifiedAt / 1000, modifiedAt / 1000)
      }
      return at
    },
    /** Imports these files from a folder, as an operator does. */
    bring(id: SourceId, files: readonly SampleFile[], given: Given = {}): Promise<ImportReport> {
      return bench.importFrom(id, bench.folder(files, given.modifiedAt), given)
    },
    importFrom(id: SourceId, folder: string, given: Given = {}): Promise<ImportReport> {
      const { adapter = ADAPTERS[id], pinned = [], environment: of = environment, ...options } = given
      const context = { store: given.store ?? store, machine, root, environment: of, source: listSource(adapter) }
      const files = readInput([folder], id, INPUT_LIMITS, pinned)
      return importSource(context, files, { retrievedAt: null, acceptShrink: null, ...options })
    },
    sdn(options: Partial<SampleOptions> = {}): readonly SampleFile[] {
      return sampleLists({ publishedAt: machine.now(), ...options }).US_OFAC_SDN
    },
    active: (id: SourceId) => store.read(() => activeSnapshot(id)),
    events: () =>
      database
        .query<{ source_id: string; kind: string; snapshot_id: string | null; detail: string }, []>(
          "SELECT source_id, kind, snapshot_id, detail FROM source_event ORDER BY id",
        )
        .all(),
    [Symbol.asyncDispose]: async () => {
      await store.close()
      fresh[Symbol.dispose]()
    },
  }
  return bench
}

export const hardCodes = ({ findings }: ImportReport): string[] =>
  findings.filter(({ severity }) => severity === "hard").map(({ code }) => code)
