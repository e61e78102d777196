/**
 * Runs at build time (a Bun macro). Returns the verifier and all its imports as the text of one module without imports. The text is not
 * minified, so that its users can read it. It runs a separate command, because a macro must not start the bundler that runs it.
 */
import { join } from "node:path"
import { packedText } from "../../base/packed-text.ts"

const ROOT = join(import.meta.dir, "..", "..", "..")
const ENTRY = "src/offline/module/module.ts"

export function publishedModule(): string {
  const command = [process.execPath, "build", "--target=browser", "--format=esm", "--external=node:*", ENTRY]
  // The bundler writes file names relative to this directory: the text must not depend on the directory in which the build starts.
  const built = Bun.spawnSync(command, { cwd: ROOT, stdout: "pipe", stderr: "pipe" })
  if (built.exitCode !== 0) throw new Error(`the verifier was not bundled: ${built.stderr.toString()}`)
  return built.stdout.toString()
}

/** The module packed, as the program holds it. */
export function packedModule(): string {
  return packedText(publishedModule())
}
