/** Reads a backup: checks every byte against the manifest while it streams, and writes only names that a backup has. */
import { createHash } from "node:crypto"
import { createReadStream, mkdirSync } from "node:fs"
import { dirname, join } from "node:path"
import { createZstdDecompress } from "node:zlib"
import { Value } from "@sinclair/typebox/value"
import { BACKUP_FORMAT, BackupManifest, type BackupMember } from "../../../schemas/backup-manifest.ts"
import { syncFolder, writeStreamed } from "../../base/durable-file.ts"
import { adding, type LongWork, UNWATCHED } from "../../base/long-work.ts"
import { readFault } from "../../base/system-fault.ts"
import { sameBytes } from "../../core/bytes.ts"
import { canonicalBytes } from "../../core/canonical-json.ts"
import { type Digest, digestBytes } from "../../core/digest.ts"
import { jsonOrUndefined } from "../../core/strict-json.ts"
import { readTarStream, type StreamedEntry } from "../../core/tar/read-tar-stream.ts"
import { TarBroken } from "../../core/tar/tar.ts"
import { isMemberName, KEYS_NAME, MANIFEST_NAME, tarNameOf } from "./backup-members.ts"
import { BackupRefusal } from "./backup-refusal.ts"
import { END_BYTES, type JudgedEnd, judgeEnd } from "./file-end.ts"
import { openKeys, SEALED_BYTES_MAX } from "./sealed-keys.ts"

export interface Checked {
  readonly manifest: BackupManifest
  /** SHA-256 of the manifest's bytes. Whoever knows it notices an edited backup. */
  readonly manifestDigest: Digest
}

export interface ReadOptions {
  /** The digest that was printed when the backup was made. */
  readonly expect?: string | undefined
  /** Null: the keys are not opened. */
  readonly passphrase: string | null
  /** Counts the bytes of the members in the caller's step. */
  readonly work?: LongWork
}

export interface Unpacked extends Checked {
  /** The key files; null without keys or without a passphrase. */
  readonly keys: readonly { readonly name: string; readonly bytes: Uint8Array }[] | null
}

/** Bytes of a manifest with the largest number of members. */
const MANIFEST_BYTES_MAX = 8 * 1024 * 1024

/** Reads the manifest only. Throws {@link BackupRefusal}, and errors of the operating system. */
export async function openBackup(file: string): Promise<Checked> {
  return withEntries(file, (entries) => readManifest(file, entries))
}

/** Reads the whole file and writes nothing. */
export async function checkBackup(file: string, options: ReadOptions): Promise<Unpacked> {
  return readWhole(file, options, null)
}

/** Writes the members into the empty folder `into` and syncs them. The keys are not written: see `writeKeys`. */
export async function unpackBackup(file: string, into: string, options: ReadOptions): Promise<Unpacked> {
  return readWhole(file, options, into)
}

async function readWhole(
  file: string,
  { expect, passphrase, work = UNWATCHED }: ReadOptions,
  into: string | null,
): Promise<Unpacked> {
  return withEntries(file, async (entries) => {
    const checked = await readManifest(file, entries)
    if (expect !== undefined && expect !== checked.manifestDigest) {
      throw new BackupRefusal(
        "EDITED",
        `the manifest of ${file} is ${checked.manifestDigest}, and --expect names ${expect}: this is another backup, or somebody edited it`,
      )
    }
    work.done(0, { total: checked.manifest.members.reduce((sum, { bytes }) => sum + bytes, 0) })
    const onRead = adding(work)
    let sealed: Uint8Array | null = null
    for (const [index, member] of checked.manifest.members.entries()) {
      const { value: entry, done } = await entries.next()
      if (done || entry.name !== tarNameOf(member.name, index) || entry.size !== member.bytes) {
        throw damaged(file, `the member ${member.name} is not where the manifest says`)
      }
      const content = checkedPieces(file, member, entry.pieces, onRead)
      if (member.name === KEYS_NAME) sealed = await collect(content)
      else if (into === null) for await (const _ of content);
      else await writeMember(join(into, member.name), content)
    }
    if (!(await entries.next()).done) throw damaged(file, "it holds more than its manifest says")
    if (into !== null) syncFolder(into)
    return { ...checked, keys: sealed === null || passphrase === null ? null : await openKeys(sealed, passphrase) }
  })
}

type Entries = AsyncGenerator<StreamedEntry>

/** Converts the faults of zstd and tar. */
async function withEntries<T>(file: string, work: (entries: Entries) => Promise<T>): Promise<T> {
  const judged = judgedEnd(file)
  if (judged.state === "FOREIGN") throw foreign(file)
  if (judged.state === "CUT") throw truncated(file)
  const source = createReadStream(file, { end: judged.bytes - END_BYTES - 1 })
  const plain = createZstdDecompress()
  source.on("error", (error) => plain.destroy(error))
  const entries = readTarStream(source.pipe(plain) as AsyncIterable<Uint8Array>)
  try {
    return await work(entries)
  } catch (error) {
    throw asRefusal(file, error)
  } finally {
    source.destroy()
    plain.destroy()
  }
}

function judgedEnd(file: string): JudgedEnd {
  try {
    return judgeEnd(file)
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error
    throw new BackupRefusal("UNREADABLE", `${file}: ${readFault(error)}`)
  }
}

function asRefusal(file: string, error: unknown): unknown {
  if (error instanceof TarBroken) {
    return error.message.startsWith("cut off") || error.message.startsWith("half of")
      ? truncated(file)
      : damaged(file, error.message)
  }
  const code = error instanceof Error && "code" in error ? String(error.code) : ""
  if (code === "Z_BUF_ERROR" || code === "ZSTD_error_srcSize_wrong") return truncated(file)
  if (code === "ZSTD_error_prefix_unknown") return foreign(file)
  if (code.startsWith("ZSTD_") || code.startsWith("Z_")) return damaged(file, code)
  return error
}

async function readManifest(file: string, entries: Entries): Promise<Checked> {
  const { value: entry, done } = await entries.next().catch((error: unknown) => {
    // The first header of a file that is no tar.
    throw error instanceof TarBroken && !error.message.startsWith("cut off") ? foreign(file) : error
  })
  if (done || entry.name !== MANIFEST_NAME || entry.size > MANIFEST_BYTES_MAX) throw foreign(file)
  const bytes = await collect(entry.pieces)
  const value = jsonOrUndefined(bytes)
  const format = typeof value === "object" && value !== null && "format" in value ? value.format : null
  if (typeof format !== "string" || !format.startsWith("svc.backup.")) throw foreign(file)
  if (format !== BACKUP_FORMAT) {
    throw new BackupRefusal(
      "NEWER",
      `${file} has the format ${format}, which this release does not read; use a newer bizauth`,
    )
  }
  if (!Value.Check(BackupManifest, value) || !sameBytes(canonicalBytes(value), bytes)) {
    throw damaged(file, "its manifest is not in the form of the format")
  }
  const names = value.members.map(({ name }) => name)
  const strange = names.find((name) => !isMemberName(name))
  if (strange !== undefined || new Set(names).size !== names.length) {
    throw damaged(file, `its manifest names ${JSON.stringify(strange ?? "a member twice")}`)
  }
  const keys = value.members.find(({ name }) => name === KEYS_NAME)
  if (keys && keys.bytes > SEALED_BYTES_MAX) throw damaged(file, `${KEYS_NAME} is larger than any set of keys`)
  return { manifest: value, manifestDigest: digestBytes(bytes) }
}

/** Passes the content on, and throws at its end when it is not what the manifest says. */
async function* checkedPieces(
  file: string,
  { name, sha256 }: BackupMember,
  pieces: AsyncIterable<Uint8Array>,
  onRead: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  const hash = createHash("sha256")
  for await (const piece of pieces) {
    hash.update(piece)
    onRead(piece.length)
    yield piece
  }
  if (hash.digest("hex") !== sha256) throw damaged(file, `${name} is not the member that the manifest describes`)
}

async function collect(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  for await (const piece of pieces) parts.push(piece)
  return new Uint8Array(Buffer.concat(parts))
}

async function writeMember(path: string, content: AsyncIterable<Uint8Array>): Promise<void> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  await writeStreamed(path, content)
  syncFolder(dirname(path))
}

function truncated(file: string): BackupRefusal {
  return new BackupRefusal(
    "TRUNCATED",
    `${file} is cut off: copy it again from where it was made, or take an earlier backup`,
  )
}

function damaged(file: string, why: string): BackupRefusal {
  return new BackupRefusal(
    "DAMAGED",
    `${file} is damaged (${why}): copy it again from where it was made, or take an earlier backup`,
  )
}

function foreign(file: string): BackupRefusal {
  return new BackupRefusal("FOREIGN", `${file} is not a backup of bizauth`)
}
