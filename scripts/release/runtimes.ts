/** The runtime of a target, from npm. */
import { chmodSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { gunzipSync } from "node:zlib"
import { fetchPinned } from "./pinned-file.ts"
import { BUN_VERSION, type Target } from "./targets.ts"

const REGISTRY = "https://registry.npmjs.org"

export interface Runtime {
  /** Its file `bin/bun`. */
  readonly path: string
  /** Its package, for the provenance. */
  readonly input: { readonly name: string; readonly integrity: string }
}

/** `folder`: where packages are kept. Rejects as {@link fetchPinned}. */
export async function fetchRuntime({ runtime, integrity }: Target, folder: string): Promise<Runtime> {
  const name = `${basename(runtime)}-${BUN_VERSION}`
  const url = `${process.env["npm_config_registry"] ?? REGISTRY}/${runtime}/-/${name}.tgz`.replace(/([^:])\/\//, "$1/")
  const digest = Buffer.from(integrity.slice("sha512-".length), "base64").toString("hex")
  const packed = await fetchPinned({ name: `${name}.tgz`, urls: [url], algorithm: "sha512", digest }, folder)
  const runtimeFile = await new Bun.Archive(gunzipSync(packed)).files("package/bin/bun")
  const [file] = runtimeFile.values()
  if (file === undefined) throw new Error(`${name}.tgz has no file package/bin/bun`)
  const path = join(folder, name)
  writeFileSync(path, await file.bytes())
  chmodSync(path, 0o755)
  return { path, input: { name: `${runtime}@${BUN_VERSION}`, integrity } }
}
