/** Checks a received snapshot without a data directory, and so without a comparison with the active snapshot. */
import { existsSync, statSync } from "node:fs"
import { join } from "node:path"
import { adding, type LongWork } from "../../base/long-work.ts"
import { atFirstUse } from "../../core/at-first-use.ts"
import { type Digest, digestBytes, digestFiles } from "../../core/digest.ts"
import { readTables } from "../boards/list-tables.ts"
import type { Counts, Finding, Parsed, SourceAdapter, SourceFile } from "../records/adapter.ts"
import { InputError } from "../records/input-error.ts"
import { sourceOf } from "../registry.ts"
import { wholeDigest } from "./copy-file.ts"
import { judge } from "./judge.ts"
import { type KeptFile, UNCOMPARED } from "./kept.ts"
import { LIST_RULES, listCandidate } from "./list-rules.ts"
import { type SignatureState, signatureState } from "./manifest-signature.ts"
import { findInput, INPUT_LIMITS, type Input, type InputFile, readInput } from "./read-input.ts"
import { manifestFindings, readManifest, type StatedFiles } from "./read-manifest.ts"
import { isTar, readTarSnapshot } from "./read-tar-input.ts"
import { MANIFEST_FILE } from "./snapshot-files.ts"

export interface VerifiedSnapshot {
  readonly sourceId: string
  /** Milliseconds. */
  readonly retrievedAt: number
  readonly rawSha256: Digest
  readonly bytes: number
  /** Null for a register: only an import reads its rows, because that takes minutes. */
  readonly read:
    | (Pick<Parsed, "version" | "timestamp"> & { readonly counts: Counts; readonly parserVersion: string })
    | null
  /** Checked with the given keys. Without keys the signer is unknown. */
  readonly signature: SignatureState
  readonly findings: readonly Finding[]
}

interface VerifyOptions {
  /** Milliseconds. */
  readonly now: number
  readonly work: LongWork
}

/**
 * `keys` are public keys; if there is one, one of them must have signed. Throws {@link InputError} if the input is not a snapshot of a
 * known source.
 */
export async function verifySnapshot(
  path: string,
  keys: readonly string[],
  { now, work }: VerifyOptions,
): Promise<VerifiedSnapshot> {
  const { sourceId } = statedBy(path)
  const source = sourceOf(sourceId)
  if (!source) throw new InputError(`${path} is a snapshot of ${sourceId}, which this program does not read`)
  if (source.kind === "REGISTER") {
    const input = findInput([path], sourceId, undefined, keys)
    const total = input.files.reduce((sum, file) => sum + statSync(file.path).size, 0)
    work.step({ what: "comparing the bytes with the manifest", unit: "bytes", total })
    const files = await digested(input.files, adding(work))
    const findings = [...input.findings, ...manifestFindings(input.manifest, files)]
    return { ...statedOf(path, input, files, keys), read: null, findings }
  }
  work.step({ what: "reading the snapshot" })
  const input = readInput([path], sourceId, INPUT_LIMITS, keys)
  const files = await digested(input.files, () => {})
  const found = [...manifestFindings(input.manifest, files), ...input.findings]
  const { read, findings } = readList(source.adapter, input.files, found, now)
  return { ...statedOf(path, input, files, keys), read, findings }
}

function readList(adapter: SourceAdapter, files: readonly SourceFile[], found: readonly Finding[], now: number) {
  const parsed = adapter.parse(files)
  const { version, timestamp, counts } = parsed
  const tables = atFirstUse(() => readTables({ parties: parsed.parties, removed: [] }, now))
  const stated = listCandidate(adapter, parsed, found)
  const candidate = { ...stated, ...UNCOMPARED, tables, now, actives: [], wordsBefore: null }
  return {
    read: { version, timestamp, counts, parserVersion: adapter.parserVersion },
    findings: judge(LIST_RULES, candidate, null),
  }
}

function statedOf(path: string, { manifest }: Input, files: readonly KeptFile[], keys: readonly string[]) {
  if (!manifest)
    throw new InputError(`${path} has no ${MANIFEST_FILE}; loose files state nothing that could be verified`)
  return {
    sourceId: manifest.sourceId,
    retrievedAt: manifest.retrievedAt,
    rawSha256: digestFiles(files),
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    signature: signatureState(manifest.value, keys),
  }
}

/** `onRead` receives the bytes of each chunk that is read from a path. */
async function digested(files: readonly InputFile[], onRead: (bytes: number) => void): Promise<readonly KeptFile[]> {
  const found: KeptFile[] = []
  for (const file of files) {
    if ("path" in file) {
      const { path, ...facts } = file
      found.push({ ...facts, sha256: await wholeDigest(path, onRead), bytes: statSync(path).size })
    } else {
      const { bytes, ...facts } = file
      found.push({ ...facts, sha256: digestBytes(bytes).slice("sha256:".length), bytes: bytes.length })
    }
  }
  return found
}

/** Throws {@link InputError} if the input is not a snapshot. */
function statedBy(path: string): StatedFiles {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found) throw new InputError(`${path} does not exist`)
  if (!found.isDirectory()) {
    if (isTar(path)) return readTarSnapshot(path, null, INPUT_LIMITS).manifest
    throw new InputError(`${path} is neither a folder nor a .tar; loose files state nothing that could be verified`)
  }
  const manifest = join(path, MANIFEST_FILE)
  if (existsSync(manifest)) return readManifest(manifest, null)
  throw new InputError(`${path} has no ${MANIFEST_FILE}; loose files state nothing that could be verified`)
}
