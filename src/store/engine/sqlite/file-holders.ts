import { readFileSync, statSync } from "node:fs"

/**
 * Process ids that hold a lock on one of these files, as Linux lists them; SQLite locks its files while they are open. Empty where the system
 * does not say it.
 */
export function holdersOf(paths: readonly string[]): readonly number[] {
  const inodes = new Set(paths.map((path) => statSync(path, { throwIfNoEntry: false })?.ino))
  const pids = lockList().flatMap((line) => {
    const [, pid, inode] = /^\d+: \w+\s+\w+\s+\w+ (\d+) [0-9a-f]+:[0-9a-f]+:(\d+) /.exec(line) ?? []
    return inodes.has(Number(inode)) && Number(pid) !== process.pid ? [Number(pid)] : []
  })
  return [...new Set(pids)].toSorted((one, other) => one - other)
}

function lockList(): readonly string[] {
  try {
    return readFileSync("/proc/locks", "utf8").split("\n")
  } catch {
    return []
  }
}
