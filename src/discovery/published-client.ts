/**
 * Runs at build time (a Bun macro). Returns the files of the client module as texts. It runs a separate command, because a macro must not
 * start the bundler that runs it, and because the module is made of a layer above this one.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { packedText } from "../base/packed-text.ts"

const ROOT = join(import.meta.dir, "..", "..")
const FOLDER = join(ROOT, "src", "agent", "module")

interface ClientFiles {
  /** `client.mjs` */
  readonly client: string
  /** `verifier.mjs`, which it imports. */
  readonly verifier: string
  /** `client.d.ts` */
  readonly types: string
}

export function publishedClient(): ClientFiles {
  // The bundler writes file names relative to this directory: the text must not depend on the directory in which the build starts.
  const built = Bun.spawnSync([process.execPath, join(FOLDER, "bundle.ts")], {
    cwd: ROOT,
    stdout: "pipe",
    stderr: "pipe",
  })
  if (built.exitCode !== 0) throw new Error(`the client module was not bundled: ${built.stderr.toString()}`)
  const modules = JSON.parse(built.stdout.toString()) as Omit<ClientFiles, "types">
  return { ...modules, types: readFileSync(join(FOLDER, "client.d.ts"), "utf8") }
}

/** The files packed, as the program holds them. */
export function packedClient(): ClientFiles {
  const { client, verifier, types } = publishedClient()
  return { client: packedText(client), verifier: packedText(verifier), types: packedText(types) }
}
