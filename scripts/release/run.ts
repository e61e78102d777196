import { PLAIN_ENVIRONMENT } from "../plain-environment.ts"

interface RunOptions {
  /** Default: a plain one, without the caller's settings. */
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly input?: Uint8Array
}

/** Runs a program and returns what it printed. Throws with its errors if it fails. */
export function runForBytes(
  words: readonly string[],
  cwd: string,
  { env = PLAIN_ENVIRONMENT, input }: RunOptions = {},
): Uint8Array {
  const ran = Bun.spawnSync([...words], { cwd, env, stdin: input ?? "ignore", stdout: "pipe", stderr: "pipe" })
  if (ran.exitCode === 0) return ran.stdout
  throw new Error(`${words.join(" ")} failed: ${ran.stderr.toString() || ran.stdout.toString()}`)
}

/** The same as text. */
export function run(words: readonly string[], cwd: string, options: RunOptions = {}): string {
  return new TextDecoder().decode(runForBytes(words, cwd, options))
}
