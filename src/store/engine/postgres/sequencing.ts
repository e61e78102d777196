/** The loop that gives leaves of the log to capsules that wait for one: those of this process and of other processes. */
import { periodic, type Worker } from "../../../base/worker.ts"
import { sequencePending } from "../../log/sequenced-log.ts"
import type { Engine } from "../engine.ts"
import type { Store } from "../unit.ts"

/** Soon, because more capsules come while a unit commits. */
const AFTER_WORK_MS = 5
const IDLE_MS = 20
/** While the database does not take it. */
const AWAY_MS = 1_000

export function sequencing(store: Store, parts: Parameters<Engine["workers"]>[0]): Worker {
  let wait = IDLE_MS
  const round = async () => {
    wait = AWAY_MS
    wait = (await sequencePending(store)) > 0 ? AFTER_WORK_MS : IDLE_MS
  }
  return periodic("sequenced log", () => wait, round, parts)
}
