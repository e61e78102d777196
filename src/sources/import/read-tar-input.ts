/** Reads an `svc-snapshot-1` archive: its manifest and exactly the files that the manifest names. */

import { readFileSync, statSync } from "node:fs"
import { readTar, TarBroken, type TarEntry } from "../../core/tar/tar.ts"
import type { SourceFile } from "../records/adapter.ts"
import { InputError } from "../records/input-error.ts"
import type { InputLimits } from "./input-limits.ts"
import { parseManifest, type StatedFiles, statedFacts } from "./read-manifest.ts"
import { isKeepable, MANIFEST_FILE } from "./snapshot-files.ts"

/** Headers, padding and the end of the archive. GNU tar pads to 10,240 bytes. */
const OVERHEAD_BYTES = 64 * 1024

/** The name identifies an archive: a list may by chance begin with the same bytes. */
export function isTar(path: string): boolean {
  return path.toLowerCase().endsWith(".tar")
}

interface TarSnapshot {
  readonly manifest: StatedFiles
  readonly files: readonly TarEntry[]
}

/** Throws {@link InputError} for an archive that cannot be read. `sourceId` null accepts any source. */
export function readTarSnapshot(path: string, sourceId: string | null, limits: InputLimits): TarSnapshot {
  if (!statSync(path).isFile()) throw new InputError(`${path} is not a file`)
  const { size } = statSync(path)
  if (size > limits.bytes + OVERHEAD_BYTES) throw new InputError(`${path} has ${size} bytes, more than ${limits.bytes}`)
  const entries = readEntries(path, limits.files + 1)
  const seen = new Set<string>()
  for (const { name } of entries) {
    if (name !== MANIFEST_FILE && !isKeepable(name))
      throw new InputError(`${path} holds ${JSON.stringify(name)}, a name that no snapshot may hold`)
    if (seen.has(name.toLowerCase())) throw new InputError(`${path} holds two files named ${JSON.stringify(name)}`)
    seen.add(name.toLowerCase())
  }
  const stated = entries.find(({ name }) => name === MANIFEST_FILE)
  if (!stated)
    throw new InputError(
      `${path} holds no ${MANIFEST_FILE}: only a snapshot that sources export made is read from an archive`,
    )
  const manifest = parseManifest(stated.bytes, `${path}: ${MANIFEST_FILE}`, sourceId)
  const files = entries.filter((entry) => entry !== stated)
  if (files.length === 0) throw new InputError(`${path} holds a ${MANIFEST_FILE} and no file of a list`)
  const stray = files.find(({ name }) => !manifest.files.has(name))
  if (stray) throw new InputError(`${path} holds ${JSON.stringify(stray.name)}, which its manifest does not name`)
  return { manifest, files }
}

function readEntries(path: string, filesMax: number): readonly TarEntry[] {
  try {
    return readTar(new Uint8Array(readFileSync(path)), filesMax)
  } catch (error) {
    throw error instanceof TarBroken ? new InputError(`${path} is not a snapshot archive: ${error.message}`) : error
  }
}

export function filesOfTar({ manifest, files }: TarSnapshot): readonly SourceFile[] {
  return files.map(({ name, bytes }) => ({ name, bytes, ...statedFacts(manifest, name) }))
}
