/**
 * One directory holds everything that must survive: database, private keys, configuration, stored source files. `init` creates it once, for
 * one environment. Opening it fails on any condition that could cause a wrong answer (key files open to others, another schema).
 */
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { type MigrationWatch, SchemaMismatch } from "../../db/applied-migrations.ts"
import { syncFolder } from "../base/durable-file.ts"
import { type LongWork, UNWATCHED } from "../base/long-work.ts"
import type { Machine } from "../base/machine.ts"
import { makeSecretFile, readSecretFile, SecretFileError, writeSecretFile } from "../base/secret-file.ts"
import { settings } from "../base/settings.ts"
import { TOKEN_KEY_BYTES } from "../core/authorization-token.ts"
import { formatInstant } from "../core/time.ts"
import { type EnrolledUse, enrolOwnIdentities, knownKeys } from "../keys/own-identity.ts"
import { requireKeyFiles } from "../keys/require-key-files.ts"
import type { DatabaseNames, Engine, EngineOptions } from "../store/engine/engine.ts"
import { createDatabase, openEngine } from "../store/engine/open-engine.ts"
import { databaseFaultOf } from "../store/engine/sqlite/database-fault.ts"
import { classify, damageOf } from "../store/engine/sqlite/sqlite-code.ts"
import { DatabaseRefused, StoreUnavailable } from "../store/engine/store-error.ts"
import { MOVED_TO } from "../store/engine/tables.ts"
import type { Store } from "../store/engine/unit.ts"
import { keysOfUses } from "../store/identity/service-identities.ts"
import { fixedLogOrigin, logOrigin } from "../store/log/log-origin.ts"
import { insertMeta, metaValue } from "../store/meta.ts"
import { fileFault } from "./data-files.ts"
import { type DataPaths, dataPaths } from "./data-paths.ts"
import { databasePlace } from "./database-place.ts"
import { closeFiles } from "./file-modes.ts"
import { type Founding, foundingConfiguration } from "./founding.ts"
import { type HmacKeys, keepKeyChecks, keyCheckFault, keyChecksOf, storedKeyChecks, wayOutOfLoss } from "./hmac-keys.ts"
import { missingFiles } from "./missing-files.ts"
import { type MoveMark, movedMark, movedText, readMark } from "./move-mark.ts"
import { LOCAL_DISK, sharedMountNotice } from "./network-mount.ts"
import { otherHostsNotice } from "./other-hosts.ts"

export type Environment = "test" | "live"

/** The data directory cannot be used in its present state. The message says why and what to do. */
export class DataDirectoryError extends Error {}

/** The directory is sound, but its database needs a migration, which only `serve` may apply. */
export class MigrationPending extends DataDirectoryError {
  constructor(
    readonly migration: string,
    readonly environment: Environment | null,
    copies: boolean,
  ) {
    const copy = copies ? ", after making a copy of the database" : ""
    super(`the database needs migration ${migration}; bizauth serve applies it${copy}`)
  }
}

export interface DataDirectory extends HmacKeys {
  readonly paths: DataPaths
  readonly engine: Engine
  /** That of the engine. */
  readonly store: Store
  readonly environment: Environment
  /** Migrations that this open applied, and the copy made before them. */
  readonly applied: readonly string[]
  readonly copy: string | null
  /** What a person should clean up. None of it causes a wrong answer. */
  readonly notices: readonly string[]
}

const QUOTE_KEY_BYTES = 32

/** The migration that added tokens, and with them their key. */
const TOKEN_MIGRATION = "0018_authorization_token"

interface Founded {
  readonly paths: DataPaths
  readonly database: DatabaseNames
  readonly enrolled: readonly EnrolledUse[]
  readonly schema: number
  readonly logOrigin: string | null
}

/** Creates a data directory, or leaves an empty one. Its last row is `environment`, without which it does not count as initialised. */
export async function createDataDirectory(
  directory: string,
  environment: Environment,
  machine: Machine,
  founding: Founding = {},
): Promise<Founded> {
  const paths = dataPaths(directory)
  requireFresh(paths)
  makeDirectory(paths.directory)
  // Only one of two commands makes this folder, so only one of them may remove what is beside it.
  mkdirSync(paths.keys, { mode: 0o700 })
  try {
    return { paths, ...(await fill(paths, environment, machine, founding)) }
  } catch (error) {
    for (const name of readdirSync(paths.directory))
      rmSync(join(paths.directory, name), { recursive: true, force: true })
    throw error instanceof DatabaseRefused ? new DataDirectoryError(error.message) : error
  }
}

async function fill(
  paths: DataPaths,
  environment: Environment,
  machine: Machine,
  founding: Founding,
): Promise<Omit<Founded, "paths">> {
  const { issuerId = settings.issuer_id.default, logHost, databaseFile } = founding
  const createdAt = formatInstant(machine.now())
  const place = databasePlace(paths, databaseFile ?? null)
  mkdirSync(paths.snapshots, { mode: 0o700 })
  const keys: HmacKeys = { quoteKey: machine.random(QUOTE_KEY_BYTES), tokenKey: machine.random(TOKEN_KEY_BYTES) }
  writeSecretFile(paths.quoteKey, keys.quoteKey)
  writeSecretFile(paths.tokenKey, keys.tokenKey)
  writeSecretFile(paths.configuration, foundingConfiguration(founding))
  const { store, schema, names } = await createDatabase(place, createdAt)
  try {
    const enrolled = await enrolOwnIdentities({ store, keysDirectory: paths.keys, issuerId, machine }, function* () {
      yield* insertMeta("created_at", createdAt)
      yield* insertMeta("environment", environment)
      yield* keepKeyChecks(keyChecksOf(keys))
      if (logHost !== undefined) yield* fixedLogOrigin(logHost)
    })
    return { database: names, enrolled, schema, logOrigin: await store.read(logOrigin) }
  } finally {
    await store.close()
    syncFolder(paths.directory)
  }
}

function makeDirectory(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    chmodSync(directory, 0o700)
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : null
    if (code === null) throw error
    throw new DataDirectoryError(
      `${directory} cannot be made (${code}); choose a place that this user may write to, or an empty directory that belongs to this user`,
    )
  }
}

function requireFresh({ directory, database }: DataPaths): void {
  if (!existsSync(directory)) return
  if (!statSync(directory).isDirectory()) throw new DataDirectoryError(`${directory} is not a directory`)
  if (existsSync(database)) {
    throw new DataDirectoryError(
      `${directory} holds a bizauth.db already; nothing was changed. Its keys exist once: keep them.`,
    )
  }
  if (readdirSync(directory).length > 0) {
    throw new DataDirectoryError(
      `${directory} is not empty and holds no bizauth.db; choose an empty or a new directory`,
    )
  }
}

export interface OpenOptions extends EngineOptions {
  readonly machine: Machine
  /** The value of the setting `database_file`. */
  readonly databaseFile?: string | null
  /** Only `serve` applies pending migrations, so that listing keys cannot change a schema as a side effect. */
  readonly migrate: boolean
  /** True for commands that replace a key with its recovery key. They run without the key that they replace. */
  readonly forRecovery?: boolean
  /** True for a command that only reads: file modes stay unchanged. */
  readonly inspect?: boolean
  /** Watches the copy before migrations, and the migrations. */
  readonly work?: LongWork
  /** See {@link MigrationWatch}. */
  readonly onMigrationWait?: MigrationWatch["waits"]
}

/** Throws {@link DataDirectoryError} and closes the database again. */
export async function openDataDirectory(directory: string, options: OpenOptions): Promise<DataDirectory> {
  const paths = dataPaths(directory)
  const place = databasePlace(paths, options.databaseFile ?? null)
  const fault = fileFault(paths, directory, place)
  if (fault !== null) throw new DataDirectoryError(fault)
  const closed = closeFiles(paths, { change: options.inspect !== true })
  if (closed.fault !== null) throw new DataDirectoryError(closed.fault)
  let engine: Engine | null = null
  try {
    engine = await openEngine(place, options)
    const directory = await opened(paths, engine, options)
    // Only who serves works on the file for long.
    const shared = place.kind === "FILE" && options.migrate ? await sharedNotices(directory, options.machine) : []
    return { ...directory, notices: [...closed.notices, ...directory.notices, ...shared] }
  } catch (error) {
    engine?.abandon()
    throw explained(error, paths)
  }
}

/** What endangers a database file that more than one machine may open. */
async function sharedNotices({ paths, store }: DataDirectory, machine: Machine): Promise<readonly string[]> {
  const { directory } = paths
  const found = [sharedMountNotice(directory), await store.read(() => otherHostsNotice(directory, machine.now()))]
  return found.filter((notice) => notice !== null).map((notice) => `${notice}; ${LOCAL_DISK}`)
}

async function opened(paths: DataPaths, engine: Engine, options: OpenOptions): Promise<DataDirectory> {
  const { applied, copy } = await bringUpToDate(paths, engine, options)
  const { store } = engine
  const { environment, checks, moved } = await store.read(function* () {
    return {
      environment: yield* metaValue("environment"),
      checks: yield* storedKeyChecks(),
      moved: yield* movedMark(),
    }
  })
  requireNotMoved(engine.names, moved)
  if (environment !== "test" && environment !== "live") {
    throw new DataDirectoryError(
      `an init of ${paths.directory} did not finish; nothing was signed with its keys. Remove ${engine.names.remains(paths.directory)} and run bizauth init again.`,
    )
  }
  if (engine.isShared) await requireOwnKeys(store, engine.names)
  if (engine.isShared && !options.forRecovery) await requireCopiedKeys(store, paths, engine.names)
  const keys = hmacKeys(paths)
  const found = keyChecksOf(keys)
  // A database of an earlier release has none. Only `serve` writes them, and of two that start at once the first one.
  const stored = checks ?? (options.migrate ? await store.run(() => keepKeyChecks(found)) : found)
  const fault = keyCheckFault(paths, found, stored, engine.names.name)
  if (fault !== null) throw new DataDirectoryError(fault)
  const notices = await requireKeyFiles(paths.keys, {
    known: () => store.read(knownKeys),
    missingIsNotice: options.forRecovery ?? false,
  })
  // Compare again after opening, because the file could have been replaced in between.
  if (!engine.isInPlace())
    throw new DataDirectoryError(`${paths.directory} was replaced while it was opened; try again`)
  return { paths, engine, store, environment, ...keys, applied, copy, notices }
}

function requireNotMoved({ name }: DatabaseNames, mark: MoveMark | null): void {
  if (mark !== null) throw new DataDirectoryError(movedText(name, mark))
}

/** Several servers may start at once on a shared database, each with its own folder of keys, so none of them makes a key. */
async function requireOwnKeys(store: Store, { name }: DatabaseNames): Promise<void> {
  const missing = (await store.read(keysOfUses)).find(({ agentId }) => agentId === null)
  if (!missing) return
  throw new DataDirectoryError(
    `${name} has no ${missing.use} identity: bizauth init makes the keys of a database on a server, and serve makes none`,
  )
}

/** A further instance gets its key files by a copy. Names all that are missing. */
async function requireCopiedKeys(store: Store, paths: DataPaths, { name }: DatabaseNames): Promise<void> {
  const { signing } = await store.read(knownKeys)
  const missing = missingFiles(paths, signing)
  if (missing.length === 0) return
  throw new DataDirectoryError(
    `${missing.join(", ")}: missing. ${name} has these keys: copy keys/ and bizauth.toml of the directory that init made for it, or put the files back from where you keep them${ifLost(paths, missing)}`,
  )
}

function ifLost(paths: DataPaths, missing: readonly string[]): string {
  const lost = (["quoteKey", "tokenKey"] as const).filter((key) => missing.includes(paths[key]))
  return lost.length === 0 ? "" : `. ${wayOutOfLoss(lost)}`
}

/** Throws {@link DataDirectoryError} and SecretFileError. */
export function hmacKeys({ quoteKey, tokenKey }: DataPaths): HmacKeys {
  for (const [key, path] of [
    ["quoteKey", quoteKey],
    ["tokenKey", tokenKey],
  ] as const) {
    if (!existsSync(path)) {
      throw new DataDirectoryError(`${path} is missing: put it back from where you keep it. ${wayOutOfLoss([key])}`)
    }
  }
  return { quoteKey: secretKey(quoteKey, QUOTE_KEY_BYTES), tokenKey: secretKey(tokenKey, TOKEN_KEY_BYTES) }
}

function secretKey(path: string, byteLength: number): Uint8Array {
  const key = new Uint8Array(readSecretFile(path))
  if (key.length !== byteLength) throw new DataDirectoryError(`${path} must have exactly ${byteLength} bytes`)
  return key
}

async function bringUpToDate(
  paths: DataPaths,
  engine: Engine,
  { machine, migrate: apply, work = UNWATCHED, onMigrationWait: waits = () => {} }: OpenOptions,
): Promise<{ applied: readonly string[]; copy: string | null }> {
  await requireOurs(paths, engine)
  const pending = await engine.pendingMigrations()
  const [next] = pending
  if (!next) return { applied: [], copy: null }
  // Before a migration, because one that was moved stays as it was.
  requireNotMoved(engine.names, readMark(await engine.metaBefore(MOVED_TO)))
  if (!apply) {
    throw new MigrationPending(next.name, knownEnvironment(await engine.metaBefore("environment")), !engine.isShared)
  }
  const copy = await engine.copyBefore(next.ordinal, work)
  // INVARIANT: the key is on disk before the table is, so a directory with the table but without the key has lost it.
  if (pending.some(({ name }) => name === TOKEN_MIGRATION)) {
    makeSecretFile(paths.tokenKey, machine.random(TOKEN_KEY_BYTES))
  }
  work.step({ what: "upgrading the database", number: { at: 2, of: 2 }, unit: "migrations", total: pending.length })
  const applied = (count: number) => work.done(count)
  return { applied: await engine.migrate(formatInstant(machine.now()), { applied, waits }), copy }
}

function knownEnvironment(value: string | null): Environment | null {
  return value === "test" || value === "live" ? value : null
}

/** A database that no release of this program made is never migrated: it belongs to another program, or its content is lost. */
async function requireOurs({ directory }: DataPaths, engine: Engine): Promise<void> {
  const { name } = engine.names
  const contents = await engine.contents()
  if (contents === "OWN") return
  throw new DataDirectoryError(
    contents === "FOREIGN"
      ? `${name} is the database of another program; nothing was changed. Put back the database that belongs to ${directory}`
      : `${name} is empty: an init did not finish, or the content was lost. If ${directory} was ever used, put back your backup; otherwise remove it and run bizauth init again`,
  )
}

function explained(error: unknown, { directory }: DataPaths): unknown {
  if (error instanceof DataDirectoryError) return error
  if (error instanceof DatabaseRefused) return new DataDirectoryError(error.message)
  if (error instanceof SecretFileError) return new DataDirectoryError(error.message)
  if (error instanceof SchemaMismatch) {
    return new DataDirectoryError(`${error.message}; use the release that made it, or a newer one`)
  }
  const ofCopy = databaseFaultOf(error)
  if (ofCopy !== null) return new DataDirectoryError(ofCopy.message)
  const damage = damageOf(error)
  if (damage !== null)
    return new DataDirectoryError(
      `the database of ${directory} is damaged (${damage}); put back your newest backup and keep the damaged file`,
    )
  const failure = classify(error)
  if (failure instanceof StoreUnavailable) {
    const { reason, wayOut } = failure
    return new DataDirectoryError(`the database of ${directory} cannot be used now (${reason}); ${wayOut}`)
  }
  return error
}
