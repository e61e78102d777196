/**
 * Makes a backup: one file, a tar inside zstd, first its manifest. Every step writes under a temporary name beside the file; the last step
 * renames it. So a crash leaves no file of that name, or a whole one (rulings 82).
 */
import { createHash } from "node:crypto"
import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync, rmSync, statSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { Readable } from "node:stream"
import { constants, createZstdCompress } from "node:zlib"
import {
  BACKUP_FORMAT,
  BACKUP_MEMBERS_MAX,
  type BackupManifest,
  type BackupMember,
} from "../../../schemas/backup-manifest.ts"
import { COMMIT, VERSION } from "../../base/build-facts.ts"
import { renameDurably, writeStreamed } from "../../base/durable-file.ts"
import { adding, type LongWork, stepsOf, UNWATCHED } from "../../base/long-work.ts"
import type { Machine } from "../../base/machine.ts"
import { canonicalBytes } from "../../core/canonical-json.ts"
import { type TarSource, writeTar } from "../../core/tar/tar.ts"
import { formatInstant } from "../../core/time.ts"
import { DETAILS_FILE } from "../../sources/details/details-file.ts"
import { SNAPSHOTS_FOLDER } from "../../sources/import/snapshot-files.ts"
import type { DataPaths } from "../data-paths.ts"
import {
  CONFIGURATION_NAME,
  DATABASE_NAME,
  isMemberName,
  KEYS_NAME,
  MANIFEST_NAME,
  PUBLIC_KEYS_NAME,
  tarNameOf,
} from "./backup-members.ts"
import { BackupRefusal } from "./backup-refusal.ts"
import { copyDatabase, databaseFacts, requireSound } from "./copy-database.ts"
import { endOf } from "./file-end.ts"
import { type Checked, checkBackup } from "./read-backup.ts"
import { isProcessAlive } from "./remains.ts"
import { SCRYPT_WORK_FACTOR, sealKeys } from "./sealed-keys.ts"

export interface BackupOrder {
  readonly paths: DataPaths
  /** New file. */
  readonly file: string
  readonly includesLists: boolean
  /** Null: the backup holds no private key. */
  readonly passphrase: string | null
}

interface BackupParts {
  readonly machine: Pick<Machine, "now">
  /** Called before each step. A test kills the process there. */
  readonly trace?: (step: BackupStep) => void
  readonly work?: LongWork
  /** See {@link SCRYPT_WORK_FACTOR}. Tests use less. */
  readonly workFactor?: number
}

export const BACKUP_STEPS = ["COPY", "CHECK_COPY", "SEAL_KEYS", "DIGEST", "WRITE", "CHECK_FILE", "RENAME"] as const
export type BackupStep = (typeof BACKUP_STEPS)[number]

const WORDS: Readonly<Record<BackupStep, string>> = {
  COPY: "copying the database",
  CHECK_COPY: "checking every page of the copy",
  SEAL_KEYS: "collecting keys and settings",
  DIGEST: "computing the digests",
  WRITE: "writing the backup",
  CHECK_FILE: "reading the backup again",
  RENAME: "putting the backup in place",
}

const LEVEL = 3
const PIECE_BYTES = 1024 * 1024

/** Throws {@link BackupRefusal} for a damaged database, and errors of the operating system. Nothing of the file's name is left then. */
export async function makeBackup(
  order: BackupOrder,
  { machine, trace = () => {}, work = UNWATCHED, workFactor = SCRYPT_WORK_FACTOR }: BackupParts,
): Promise<Checked> {
  const { paths, file } = order
  const begin = stepsOf({ work, steps: BACKUP_STEPS, words: WORDS, trace })
  const partial = `${file}.partial-${process.pid}`
  const copy = `${partial}.db`
  removeRemains(file)
  try {
    begin("COPY", { size: databaseBytes(paths), grows: copy })
    const createdAt = formatInstant(machine.now())
    copyDatabase(paths.database, copy)
    begin("CHECK_COPY", { size: sizeOf(copy) })
    requireSound(copy)
    const { publicKeys, ...facts } = await databaseFacts(copy)
    begin("SEAL_KEYS", { size: 0 })
    const sources: readonly Source[] = [
      { name: DATABASE_NAME, path: copy },
      ...(existsSync(paths.configuration)
        ? [{ name: CONFIGURATION_NAME, bytes: readFileSync(paths.configuration) }]
        : []),
      { name: PUBLIC_KEYS_NAME, bytes: publicKeys },
      ...(order.includesLists ? listFiles(paths.snapshots) : []),
      ...(order.passphrase === null
        ? []
        : [{ name: KEYS_NAME, bytes: await sealKeys(paths.keys, order.passphrase, workFactor) }]),
    ]
    if (sources.length > BACKUP_MEMBERS_MAX) {
      throw new BackupRefusal("DAMAGED", `${paths.snapshots} holds more than ${BACKUP_MEMBERS_MAX} files`)
    }
    const total = sources.reduce(
      (sum, source) => sum + ("path" in source ? sizeOf(source.path) : source.bytes.length),
      0,
    )
    begin("DIGEST", { unit: "bytes", total })
    const hashed = adding(work)
    const manifest: BackupManifest = {
      format: BACKUP_FORMAT,
      created_at: createdAt,
      binary: { version: VERSION, commit: COMMIT },
      ...facts,
      members: sources.map((source) => memberOf(source, hashed)),
    }
    begin("WRITE", { unit: "bytes", total })
    const pieces = writeTar(tarSources(manifest, sources, adding(work)))
    await writeStreamed(partial, withEnd(Readable.from(pieces).pipe(compressor())))
    begin("CHECK_FILE", { unit: "bytes", total })
    const checked = await checkBackup(partial, { passphrase: order.passphrase, work })
    begin("RENAME", { size: 0 })
    renameDurably(partial, file)
    return checked
  } finally {
    removeRemains(file)
  }
}

function compressor() {
  return createZstdCompress({
    params: { [constants.ZSTD_c_compressionLevel]: LEVEL, [constants.ZSTD_c_checksumFlag]: 1 },
  })
}

async function* withEnd(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const piece of pieces) {
    bytes += piece.length
    yield piece
  }
  yield endOf(bytes)
}

type Source = { readonly name: string } & ({ readonly path: string } | { readonly bytes: Uint8Array })

/**
 * Every file of every snapshot, but the details of its entries: a service builds them from the others. What an import has not finished is not in them.
 */
function listFiles(folder: string): readonly Source[] {
  if (!existsSync(folder)) return []
  return (readdirSync(folder, { recursive: true, withFileTypes: true }) as import("node:fs").Dirent[])
    .filter((entry) => entry.isFile() && entry.name !== DETAILS_FILE)
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ name: `${SNAPSHOTS_FOLDER}/${path.slice(folder.length + 1)}`, path }))
    .filter(({ name }) => isMemberName(name))
    .sort((left, right) => (left.name < right.name ? -1 : 1))
}

function memberOf(source: Source, onRead: (bytes: number) => void): BackupMember {
  const hash = createHash("sha256")
  let bytes = 0
  for (const piece of piecesOf(source, onRead)) {
    hash.update(piece)
    bytes += piece.length
  }
  return { name: source.name, bytes, sha256: hash.digest("hex") }
}

function* tarSources(
  manifest: BackupManifest,
  sources: readonly Source[],
  onRead: (bytes: number) => void,
): Generator<TarSource> {
  const text = canonicalBytes(manifest)
  yield { name: MANIFEST_NAME, size: text.length, modifiedAt: 0, pieces: [text] }
  for (const [index, source] of sources.entries()) {
    const size = manifest.members[index]?.bytes ?? 0
    yield { name: tarNameOf(source.name, index), size, modifiedAt: 0, pieces: piecesOf(source, onRead) }
  }
}

/** Calls `onRead` when the reader has taken a piece. */
function* piecesOf(source: Source, onRead: (bytes: number) => void): Generator<Uint8Array> {
  if ("bytes" in source) {
    yield source.bytes
    onRead(source.bytes.length)
    return
  }
  const file = openSync(source.path, "r")
  try {
    for (;;) {
      const piece = new Uint8Array(PIECE_BYTES)
      const read = readSync(file, piece, 0, PIECE_BYTES, null)
      if (read === 0) return
      yield piece.subarray(0, read)
      onRead(read)
    }
  } finally {
    closeSync(file)
  }
}

/** Removes what this process and dead ones left of a backup of this name. */
function removeRemains(file: string): void {
  const folder = dirname(file)
  for (const name of readdirSync(folder)) {
    const pid = remainsOf(name, basename(file))
    if (pid !== null && (pid === process.pid || !isProcessAlive(pid))) rmSync(join(folder, name), { force: true })
  }
}

/** The process that wrote a temporary file of a backup; null for another file. */
function remainsOf(name: string, file: string): number | null {
  if (!name.startsWith(`${file}.partial-`)) return null
  const pid = /^(\d+)(\.db(-wal|-shm|-journal)?)?$/.exec(name.slice(file.length + ".partial-".length))?.[1]
  return pid === undefined ? null : Number(pid)
}

/** Bytes that a backup needs beside `file` while it is made: the copy of the database, and the file itself in the worst case. */
export function bytesNeeded({ paths, includesLists }: Pick<BackupOrder, "paths" | "includesLists">): number {
  const database = databaseBytes(paths)
  const lists = includesLists
    ? listFiles(paths.snapshots).reduce((sum, source) => sum + ("path" in source ? sizeOf(source.path) : 0), 0)
    : 0
  return 2 * database + lists
}

function databaseBytes({ database }: DataPaths): number {
  return [database, `${database}-wal`].reduce((sum, path) => sum + sizeOf(path), 0)
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
