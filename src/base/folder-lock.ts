/** A lock on a folder between processes, by flock(2): no file is made, and the kernel releases it when its process ends. */
import { closeSync, openSync } from "node:fs"

const EXCLUSIVE_WITHOUT_WAITING = 2 | 4
const RETRY_MS = 10

/** Waits at most `waitMs`. Null if another process, or another caller of this one, keeps the lock. Throws if the folder cannot be read. */
export async function withFolderLock<T>(
  folder: string,
  waitMs: number,
  work: () => Promise<T>,
): Promise<{ readonly value: T } | null> {
  // Few servers need it, and it costs each start.
  const { functionsOfLibc } = await import("./libc.ts")
  const { flock } = functionsOfLibc({ flock: { args: ["i32", "i32"], returns: "i32" } })
  const descriptor = openSync(folder, "r")
  try {
    for (let waited = 0; flock(descriptor, EXCLUSIVE_WITHOUT_WAITING) !== 0; waited += RETRY_MS) {
      if (waited >= waitMs) return null
      await Bun.sleep(RETRY_MS)
    }
    return { value: await work() }
  } finally {
    closeSync(descriptor)
  }
}
