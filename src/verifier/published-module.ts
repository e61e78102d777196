/**
 * Runs while the program is built (a Bun macro): the verifier and everything it imports as the text of one module without imports.
 * Not minified, because those who rely on it should be able to read it. A command of its own: a macro may not start the
 * bundler it runs in.
 */
import { join } from "node:path"

export function publishedModule(): string {
  const entry = join(import.meta.dir, "module.ts")
  const command = [process.execPath, "build", "--target=browser", "--format=esm", "--external=node:*", entry]
  const built = Bun.spawnSync(command, { stdout: "pipe", stderr: "pipe" })
  if (built.exitCode !== 0) throw new Error(`the verifier was not bundled: ${built.stderr.toString()}`)
  return built.stdout.toString()
}
