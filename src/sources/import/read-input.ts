/**
 * Reads the input that an operator names on the command line, within limits: files, a folder of files, or an `svc-snapshot-1` folder or
 * archive.
 */

import { existsSync, lstatSync, readdirSync, readFileSync, statSync } from "node:fs"
import { basename, join } from "node:path"
import { readFault } from "../../base/system-fault.ts"
import type { Finding, SourceFile } from "../records/adapter.ts"
import { InputError } from "../records/input-error.ts"
import type { InputLimits } from "./input-limits.ts"
import { signatureFindings, signatureState } from "./manifest-signature.ts"
import { readManifest, type StatedFiles, statedFacts, type VouchedTimes } from "./read-manifest.ts"
import { filesOfTar, isTar, readTarSnapshot } from "./read-tar-input.ts"
import { isKeepable, MANIFEST_FILE, OWN_FILES } from "./snapshot-files.ts"

const INPUT_FILES_MAX = 32
const INPUT_BYTES_MAX = 1024 * 1024 * 1024
export const INPUT_LIMITS: InputLimits = { files: INPUT_FILES_MAX, bytes: INPUT_BYTES_MAX }

export const REGISTER_INPUT_LIMITS: InputLimits = { files: 32, bytes: 16 * 1024 * 1024 * 1024 }

export interface FoundFile extends Omit<SourceFile, "bytes"> {
  readonly path: string
}

/** In memory, or named but not read, because a register is too large for memory. */
export type InputFile = SourceFile | FoundFile

/** Throws for a file in memory: a register is read from its path. */
export function pathOf(file: InputFile): string {
  if ("path" in file) return file.path
  throw new TypeError(`${file.name} is in memory, not at a path`)
}

export interface Input<File extends InputFile = InputFile> {
  readonly files: readonly File[]
  /** Null for loose files. */
  readonly manifest: StatedFiles | null
  /** Publication and confirmation times of a manifest that a pinned key signed; null for every other input. */
  readonly vouched: VouchedTimes | null
  /** Findings about the manifest's signature. */
  readonly findings: readonly Finding[]
}

/**
 * Reads the files into memory. Throws {@link InputError}. Only tests change `limits`. `pinned` are public keys: if there is one, loose files
 * and a manifest without a signature by a pinned key give a hard finding.
 */
export function readInput(
  paths: readonly string[],
  sourceId: string,
  limits = INPUT_LIMITS,
  pinned: readonly string[] = [],
): Input<SourceFile> {
  return withInputErrors(() => {
    const tar = tarAmong(paths)
    return asInput(tar === null ? readPlain(paths, sourceId, limits) : readTar(tar, sourceId, limits), pinned)
  })
}

/** Same as {@link readInput}, without reading the files. Does not unpack a snapshot archive. */
export function findInput(
  paths: readonly string[],
  sourceId: string,
  limits = REGISTER_INPUT_LIMITS,
  pinned: readonly string[] = [],
): Input<FoundFile> {
  return withInputErrors(() => {
    const tar = tarAmong(paths)
    if (tar !== null) throw new InputError(`${tar} is an archive: unpack it and name the folder`)
    return asInput(findPlain(paths, sourceId, limits), pinned)
  })
}

/** Returns milliseconds: the manifest's time, never the import's time; for loose files the oldest file time (rulings 53). */
export function statedRetrieval({ manifest, files }: Pick<Input, "manifest" | "files">): number {
  return manifest?.retrievedAt ?? Math.floor(Math.min(...files.map(({ modifiedAt }) => modifiedAt)))
}

function withInputErrors<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof Error && "path" in error)) throw error
    // The operator must fix a file that vanished or is not readable.
    throw new InputError(`cannot read ${error.path}: ${readFault(error)}`, { cause: error })
  }
}

type StatedInput<File extends InputFile> = Pick<Input<File>, "files" | "manifest">

function asInput<File extends InputFile>(stated: StatedInput<File>, pinned: readonly string[]): Input<File> {
  const { manifest } = stated
  return {
    ...stated,
    vouched: vouchedBy(manifest, pinned),
    findings: signatureFindings(manifest?.value ?? null, pinned),
  }
}

/** Without a pinned key the author of the manifest is unknown, and anybody could change its times to make a list look younger. */
function vouchedBy(manifest: StatedFiles | null, pinned: readonly string[]): VouchedTimes | null {
  if (manifest === null || pinned.length === 0) return null
  return signatureState(manifest.value, pinned).state === "VALID" ? manifest.vouched : null
}

function readTar(path: string, sourceId: string, limits: InputLimits): StatedInput<SourceFile> {
  const snapshot = readTarSnapshot(path, sourceId, limits)
  return { manifest: snapshot.manifest, files: filesOfTar(snapshot) }
}

function readPlain(paths: readonly string[], sourceId: string, limits: InputLimits): StatedInput<SourceFile> {
  const { manifest, files } = findPlain(paths, sourceId, limits)
  return {
    manifest,
    files: files.map(({ path, ...facts }) => ({ ...facts, bytes: new Uint8Array(readFileSync(path)) })),
  }
}

function findPlain(paths: readonly string[], sourceId: string, limits: InputLimits): StatedInput<FoundFile> {
  const manifest = manifestOf(paths, sourceId)
  const found = paths.flatMap(expand)
  const wanted = manifest ? found.filter((path) => manifest.files.has(basename(path))) : found
  requireDistinct(wanted)
  if (wanted.length === 0) throw new InputError(`no file found in ${paths.join(", ") || "no path"}`)
  requireWithin(limits, wanted)
  const files = wanted.map((path) => ({
    name: basename(path),
    path,
    ...(manifest ? statedFacts(manifest, basename(path)) : { modifiedAt: Math.floor(statSync(path).mtimeMs) }),
  }))
  return { manifest, files }
}

/** Returns null if no archive is named. Rejects an archive among further paths, as for a manifest. */
function tarAmong(paths: readonly string[]): string | null {
  const path = paths.find((one) => isTar(one) && existsSync(one) && !statSync(one).isDirectory())
  if (path === undefined) return null
  if (paths.length > 1) throw new InputError(`${path} is a whole snapshot; name it alone`)
  return path
}

/** Returns null for loose files. Rejects a manifest among further paths: read as loose files, its old publication would look fresh. */
function manifestOf(paths: readonly string[], sourceId: string): StatedFiles | null {
  const stated = paths.map((path) => join(path, MANIFEST_FILE)).filter((path) => existsSync(path))
  const [path] = stated
  if (path === undefined) return null
  if (paths.length > 1) throw new InputError(`${path} belongs to a whole folder; name that folder alone`)
  return readManifest(path, sourceId)
}

function expand(path: string): string[] {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found) throw new InputError(`${path} does not exist`)
  if (!found.isDirectory()) return [plainFile(path)]
  return readdirSync(path)
    .filter((name) => !name.startsWith(".") && !OWN_FILES.includes(name))
    .map((name) => join(path, name))
    .filter((file) => !lstatSync(file).isDirectory())
    .map(notLinked)
    .map(plainFile)
    .sort()
}

/**
 * The folder may come from elsewhere, and a link in it could include any file of this machine. A link that the operator names is followed.
 */
function notLinked(path: string): string {
  if (lstatSync(path).isSymbolicLink()) throw new InputError(`${path} is a symbolic link; copy the file itself`)
  return path
}

function plainFile(path: string): string {
  if (!statSync(path).isFile()) throw new InputError(`${path} is neither a file nor a folder`)
  if (!isKeepable(basename(path))) {
    throw new InputError(`${JSON.stringify(path)} has a name that no snapshot may hold: rename it, or name its folder`)
  }
  return path
}

/** Adapters and some file systems ignore case in names, so the choice between two such files would be random. */
function requireDistinct(paths: readonly string[]): void {
  const seen = new Map<string, string>()
  for (const path of paths) {
    const key = basename(path).toLowerCase()
    const other = seen.get(key)
    if (other !== undefined) throw new InputError(`two files of one name: ${other} and ${path}`)
    seen.set(key, path)
  }
}

function requireWithin(limits: InputLimits, paths: readonly string[]): void {
  if (paths.length > limits.files) throw new InputError(`${paths.length} files given, more than ${limits.files}`)
  const total = paths.reduce((sum, path) => sum + statSync(path).size, 0)
  if (total > limits.bytes) throw new InputError(`the files have ${total} bytes, more than ${limits.bytes}`)
}
