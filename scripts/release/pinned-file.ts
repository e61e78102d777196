/** Fetches what a release takes from others, compares it with a pinned digest, and keeps it for the next release. */
import { hash } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const FETCH_MS = 120_000

export interface PinnedFile {
  readonly name: string
  /** The next one is for a file that the one before does not have. */
  readonly urls: readonly [string, ...string[]]
  readonly algorithm: "sha256" | "sha512"
  /** In hexadecimal digits. */
  readonly digest: string
}

/** A file cannot be had now, such as without a network. Another digest than the pinned one is no such fault: it ends the release. */
export class FileMissing extends Error {}

/** `folder`: where files are kept. Rejects with {@link FileMissing}, and with another error if the file is not the pinned one. */
export async function fetchPinned({ name, urls, algorithm, digest }: PinnedFile, folder: string): Promise<Uint8Array> {
  const path = join(folder, name)
  mkdirSync(folder, { recursive: true })
  if (!existsSync(path)) {
    writeFileSync(`${path}.partial`, await downloaded(urls))
    renameSync(`${path}.partial`, path)
  }
  const bytes = readFileSync(path)
  const found = hash(algorithm, bytes, "hex")
  if (found !== digest)
    throw new Error(
      `${path} has the ${algorithm} ${found}, and the pinned one is ${digest}: remove it, and run the script again`,
    )
  return bytes
}

async function downloaded(urls: readonly string[]): Promise<Uint8Array> {
  const faults: string[] = []
  for (const url of urls) {
    try {
      const response = await fetch(url, { signal: AbortSignal.timeout(FETCH_MS) })
      if (response.ok) return await response.bytes()
      faults.push(`${url} answers ${response.status}`)
    } catch (error) {
      faults.push(`${url}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  throw new FileMissing(faults.join("; "))
}
