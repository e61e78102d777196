/**
 * Another process with the whole service on a data directory, that takes one proof and is killed (SIGKILL, by itself) while it is
 * accepted: after `killAt` statements of a writing unit, or with "COMMITTED" when the commit is done and nothing is answered yet.
 */

import { createLog } from "../../../src/base/log.ts"
import { realMachine } from "../../../src/base/machine.ts"
import { openDataDirectory } from "../../../src/data/data-directory.ts"
import { routes } from "../../../src/server/app.ts"
import { openService } from "../../../src/server/open-service.ts"
import type { Unit } from "../../../src/store/engine/unit.ts"
import { defaults } from "../../fixtures/service.ts"

export interface ProvingProcess {
  readonly directory: string
  readonly baseUrl: string
  readonly path: string
  readonly body: unknown
  /** Null: never. */
  readonly killAt: number | "COMMITTED" | null
}

function die(): void {
  process.kill(process.pid, "SIGKILL")
}

function* dyingAfter<T>(statements: number, unit: Unit<T>): Unit<T> {
  let step = unit.next()
  for (let done = 0; !step.done; done++) {
    if (done === statements) die()
    step = unit.next(yield step.value)
  }
  return step.value
}

if (import.meta.main) {
  const { directory, baseUrl, path, body, killAt } = JSON.parse(await Bun.stdin.text()) as ProvingProcess
  const onFatal = (error: unknown): never => {
    throw error
  }
  const dataDirectory = await openDataDirectory(directory, { machine: realMachine, migrate: false, onFatal })
  const log = createLog("error", (line) => void process.stderr.write(line), realMachine.now)
  const service = await openService({ dataDirectory, config: defaults(), baseUrl, machine: realMachine, log })
  const { store } = service
  const run = store.run.bind(store)
  store.run = async <T>(unit: () => Unit<T>) => {
    if (typeof killAt === "number") return run(() => dyingAfter(killAt, unit()))
    const result = await run(unit)
    if (killAt === "COMMITTED") die()
    return result
  }
  const headers = { "content-type": "application/json" }
  const request = new Request(baseUrl + path, { method: "POST", headers, body: JSON.stringify(body) })
  const answer = await routes(service).handle(request)
  process.stdout.write(JSON.stringify({ status: answer.status, body: await answer.json() }))
  await service.close()
}
