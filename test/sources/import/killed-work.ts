/** The work of a process that is killed (SIGKILL, by itself) at one named point: a step of the work, `before-swap` or `after-swap`. */
import { openDatabase } from "../../../db/open.ts"
import type { WorkStep } from "../../../src/base/long-work.ts"
import { SqliteStore } from "../../../src/store/engine/sqlite/sqlite-store.ts"
import { deathAt, watchedStore } from "../../fixtures/watched-store.ts"

export function killedWork(point: string, database: string) {
  const dieAt = deathAt(point)
  const real = new SqliteStore(openDatabase(database), (error) => {
    throw error
  })
  let step = ""
  /** The first word of the step; the last one is the digest. */
  const pointOf = (what: string) => (what.includes("digest") ? "digest" : (what.split(" ")[0] ?? ""))
  return {
    store: watchedStore(real, { before: () => dieAt("before-swap"), after: () => dieAt("after-swap") }),
    work: {
      step({ what, unit }: WorkStep) {
        step = what
        if (unit === undefined) dieAt(pointOf(step))
      },
      done: () => dieAt(pointOf(step)),
    },
  }
}
