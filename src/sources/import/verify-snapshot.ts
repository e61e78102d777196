/** Checks a snapshot as an import does, without a data directory, and so without a comparison with the active snapshot. */
import { existsSync, statSync } from "node:fs"
import { join } from "node:path"
import { type Digest, digestBytes, digestFiles } from "../../core/digest.ts"
import { adapterOf } from "../list-registry.ts"
import type { Finding, Parsed } from "../records/adapter.ts"
import { InputError } from "../records/input-error.ts"
import type { SourceId } from "../records/party.ts"
import { judge } from "./judge.ts"
import { LIST_RULES, listCandidate } from "./list-rules.ts"
import { type SignatureState, signatureState } from "./manifest-signature.ts"
import { INPUT_LIMITS, readInput } from "./read-input.ts"
import { readManifest, type StatedFiles } from "./read-manifest.ts"
import { isTar, readTarSnapshot } from "./read-tar-input.ts"
import { MANIFEST_FILE } from "./snapshot-files.ts"

export interface VerifiedSnapshot extends Pick<Parsed, "version" | "timestamp" | "counts"> {
  readonly sourceId: SourceId
  /** Milliseconds. */
  readonly retrievedAt: number
  readonly rawSha256: Digest
  readonly parserVersion: string
  /** Checked with the given keys. Without keys the signer is unknown. */
  readonly signature: SignatureState
  readonly findings: readonly Finding[]
}

/**
 * `keys` are public keys; if there is one, one of them must have signed. Throws {@link InputError} if the input is not a snapshot of a
 * known source.
 */
export function verifySnapshot(path: string, keys: readonly string[], now: number): VerifiedSnapshot {
  const manifest = manifestOf(path)
  const adapter = adapterOf(manifest.sourceId)
  if (!adapter) throw new InputError(`${path} is a snapshot of ${manifest.sourceId}, which this program does not read`)
  const input = readInput([path], adapter.id, INPUT_LIMITS, keys)
  const parsed = adapter.parse(input.files)
  const { retrievedAt } = manifest
  const uncompared = { published: null, retrievedAt, now, accepted: false, actives: [] }
  const findings = judge(LIST_RULES, { ...listCandidate(adapter, parsed, input.findings), ...uncompared }, null)
  const files = input.files.map(({ name, bytes }) => ({ name, sha256: digestBytes(bytes).slice("sha256:".length) }))
  return {
    sourceId: adapter.id,
    version: parsed.version,
    timestamp: parsed.timestamp,
    counts: parsed.counts,
    retrievedAt,
    rawSha256: digestFiles(files),
    parserVersion: adapter.parserVersion,
    signature: signatureState(manifest.value, keys),
    findings,
  }
}

/** Returns the source that the snapshot states. Throws {@link InputError} if the input is not a snapshot. */
export function statedSource(path: string): string {
  return manifestOf(path).sourceId
}

function manifestOf(path: string): StatedFiles {
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
