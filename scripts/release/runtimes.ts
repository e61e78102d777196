/** Fetches the runtime of a target from npm, and keeps it for the next release. */
import { createHash } from "node:crypto"
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { gunzipSync } from "node:zlib"
import { BUN_VERSION, type Target } from "./targets.ts"

const REGISTRY = "https://registry.npmjs.org"
const FETCH_MS = 120_000

export interface Runtime {
  /** Its file `bin/bun`. */
  readonly path: string
  /** Its package, for the provenance. */
  readonly input: { readonly name: string; readonly integrity: string }
}

/** A runtime cannot be had now, such as without a network. Another digest than the pinned one is no such fault: it ends the release. */
export class RuntimeMissing extends Error {}

/** `folder`: where packages are kept. Rejects with {@link RuntimeMissing}, and with another error if the package is not the pinned one. */
export async function fetchRuntime({ runtime, integrity }: Target, folder: string): Promise<Runtime> {
  const name = `${basename(runtime)}-${BUN_VERSION}`
  const [archive, path] = [join(folder, `${name}.tgz`), join(folder, name)]
  mkdirSync(folder, { recursive: true })
  if (!existsSync(archive)) {
    const url = `${process.env["npm_config_registry"] ?? REGISTRY}/${runtime}/-/${name}.tgz`.replace(
      /([^:])\/\//,
      "$1/",
    )
    writeFileSync(`${archive}.partial`, await downloaded(url))
    renameSync(`${archive}.partial`, archive)
  }
  const packed = readFileSync(archive)
  const found = `sha512-${createHash("sha512").update(packed).digest("base64")}`
  if (found !== integrity) throw new Error(`${archive} has the integrity ${found}, and the pinned one is ${integrity}`)
  const runtimeFile = await new Bun.Archive(gunzipSync(packed)).files("package/bin/bun")
  const [file] = runtimeFile.values()
  if (file === undefined) throw new Error(`${archive} has no file package/bin/bun`)
  writeFileSync(path, await file.bytes())
  chmodSync(path, 0o755)
  return { path, input: { name: `${runtime}@${BUN_VERSION}`, integrity } }
}

async function downloaded(url: string): Promise<Uint8Array> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(FETCH_MS) })
    if (response.ok) return await response.bytes()
    throw new Error(`${url} answers ${response.status}`)
  } catch (error) {
    throw new RuntimeMissing(error instanceof Error ? error.message : String(error))
  }
}
