/**
 * Runs at build time (a Bun macro). Returns the script of a page and all its imports as one text without imports, so that the page is one
 * file. It runs a separate command, because a macro must not start the bundler that runs it.
 */
import { join } from "node:path"
import { packedText } from "../base/packed-text.ts"

const ROOT = join(import.meta.dir, "..", "..")

/** The script packed, as the program holds it. */
export function packedScript(entry: string): string {
  return packedText(bundledScript(entry))
}

/** `entry`: path in this tree. The text may go between `<script>` and `</script>`. Names are not shortened, so that its readers can follow it. */
export function bundledScript(entry: string): string {
  const options = ["--target=browser", "--format=iife", "--minify-whitespace", "--minify-syntax"]
  const command = [process.execPath, "build", ...options, "--define=BUILD_WITHOUT_WEBCRYPTO=true", entry]
  // The bundler writes file names relative to this directory: the text must not depend on the directory in which the build starts.
  const built = Bun.spawnSync(command, { cwd: ROOT, stdout: "pipe", stderr: "pipe" })
  if (built.exitCode !== 0) throw new Error(`the script of the page was not bundled: ${built.stderr.toString()}`)
  return inScriptElement(built.stdout.toString())
}

/**
 * Escapes the two texts that change how HTML reads a script element. In a string, a template or a pattern the escaped text has the same
 * meaning, and nowhere else does a script contain them.
 */
export function inScriptElement(text: string): string {
  return text.replace(/<(?=\/script|!--)/gi, "\\x3C").trim()
}
