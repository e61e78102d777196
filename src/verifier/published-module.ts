/**
 * Runs while the program is built (a Bun macro): the verifier and everything it imports as the text of one module without imports.
 * Not minified, because those who rely on it should be able to read it. A command of its own: a macro may not start the
 * bundler it runs in.
 */
import { join } from "node:path"

const ROOT = join(import.meta.dir, "..", "..")
const ENTRY = "src/verifier/module.ts"

export function publishedModule(): string {
  const command = [process.execPath, "build", "--target=browser", "--format=esm", "--external=node:*", ENTRY]
  // The bundler names each part's file as seen from here: the text must not depend on where the program is started.
  const built = Bun.spawnSync(command, { cwd: ROOT, stdout: "pipe", stderr: "pipe" })
  if (built.exitCode !== 0) throw new Error(`the verifier was not bundled: ${built.stderr.toString()}`)
  return built.stdout.toString()
}
