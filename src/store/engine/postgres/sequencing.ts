/** The loop that gives leaves of the log to capsules that wait for one: those of this process and of other processes. */
import { periodic, type Worker } from "../../../base/worker.ts"
import { sequencePending } from "../../log/sequenced-log.ts"
import type { Engine } from "../engine.ts"
import type { Store } from "../unit.ts"

/** Soon, because more capsules come while a unit commits. */
const AFTER_WORK_MS = 5
const IDLE_MS = 20

export function sequencing(store: Store, parts: Parameters<Engine["workers"]>[0]): Worker {
  let isBusy = false
  const round = async () => {
    isBusy = false
    isBusy = (await sequencePending(store)) > 0
  }
  return periodic("sequenced log", () => (isBusy ? AFTER_WORK_MS : IDLE_MS), round, parts)
}
