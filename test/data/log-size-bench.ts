/** A data directory whose log grows, for the tests of the recorded size. */
import { copyFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { createDataDirectory, type DataDirectory, openDataDirectory } from "../../src/data/data-directory.ts"
import { appendKeyEvent } from "../../src/store/log/transparency-log.ts"
import { freshDirectory } from "../fixtures/directories.ts"
import { sha } from "../fixtures/reference-log.ts"
import { clockAt } from "../fixtures/service.ts"

/** Leaves of a new data directory: the enrolments of the service's own identities. */
export const OWN = 3
export const clock = clockAt(Date.UTC(2026, 0, 1))
const onFatal = (error: unknown): never => {
  throw error
}
export const open = (directory: string) => openDataDirectory(directory, { machine: clock, migrate: false, onFatal })
export const append = ({ store }: DataDirectory, name: string) =>
  store.run(() => appendKeyEvent(`svc:agent:${name}`, `sha256:${Buffer.from(sha(Buffer.from(name))).toString("hex")}`))

export async function directory() {
  const fresh = freshDirectory()
  const path = join(fresh.path, "data")
  await createDataDirectory(path, "test", clock)
  return { path, [Symbol.dispose]: fresh[Symbol.dispose] }
}

/** Replaces the database by an earlier copy, like a restored backup. */
export function putBack(path: string, copy: string): void {
  for (const suffix of ["-wal", "-shm"]) rmSync(join(path, `bizauth.db${suffix}`), { force: true })
  copyFileSync(copy, join(path, "bizauth.db"))
}
