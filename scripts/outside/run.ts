import { join } from "node:path"
import { PLAIN_ENVIRONMENT } from "../plain-environment.ts"

const COMMAND_MS = 60_000

/** Runs the built program of a checkout. Returns its exit code and both streams as one text, without the checkout's path and the build. */
export async function run(tree: string, words: readonly string[], cwd = tree): Promise<string> {
  const child = Bun.spawn([programOf(tree), ...words], {
    cwd,
    env: PLAIN_ENVIRONMENT,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    timeout: COMMAND_MS,
  })
  const [out, err, exit] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return `exit ${exit}\n${out}--\n${err}`.replaceAll(tree, "TREE")
}

export const programOf = (tree: string): string => join(tree, "dist", "bizauth")

/** Does the work of each entry, two at a time, and keeps the order. */
export async function inPairs<T, R>(entries: readonly T[], work: (entry: T) => Promise<R>): Promise<R[]> {
  const done: R[] = new Array(entries.length)
  let next = 0
  const worker = async () => {
    for (let at = next++; at < entries.length; at = next++) done[at] = await work(entries[at] as T)
  }
  await Promise.all([worker(), worker()])
  return done
}
