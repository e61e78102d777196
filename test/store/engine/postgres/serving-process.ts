/** The store of a process that serves, with the workers of its engine. */
import { createLog } from "../../../../src/base/log.ts"
import { realMachine } from "../../../../src/base/machine.ts"
import type { Engine } from "../../../../src/store/engine/engine.ts"
import { openEngine } from "../../../../src/store/engine/open-engine.ts"

/** `first`: what it does before its workers start. */
export async function servingProcess(url: string, first = async (_: Engine) => {}) {
  const engine = await openEngine({ kind: "SERVER", url: () => url }, { onFatal: () => {} })
  const lines: Record<string, unknown>[] = []
  const log = createLog("info", (line) => void lines.push(JSON.parse(line)), realMachine.now)
  await first(engine)
  const workers = engine.workers({ machine: realMachine, log })
  for (const worker of workers) worker.start()
  const stop = async () => void (await Promise.all(workers.map((worker) => worker.stop())))
  return {
    store: engine.store,
    engine,
    lines,
    /** The lines that say that the log of the database lacks leaves. */
    found: () => lines.filter(({ event }) => event === "log_shorter"),
    /** Resolves when no worker runs any more. */
    stop,
    close: async () => {
      await stop()
      await engine.store.close()
    },
  }
}
