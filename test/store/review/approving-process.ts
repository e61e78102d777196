/** Stores signed acts in its own process: dies at a statement, or waits for a sign and races another. Arguments: ADDRESS FILE STEP. */
import { readFileSync } from "node:fs"
import type { Unit } from "../../../src/store/engine/unit.ts"
import { type GivenRecord, takeRecord } from "../../../src/store/review/take-record.ts"
import { databaseAt } from "../../fixtures/test-database.ts"

export const AFTER_COMMIT = "COMMIT"
/** No kill: prints what the unit returned. */
export const WHOLE = "WHOLE"

/** Dies instead of the step with this number, from 1. */
function* dyingAt(given: GivenRecord, step: string): Unit<unknown> {
  const unit = takeRecord(given)
  let next = unit.next()
  for (let number = 1; !next.done; number++) {
    if (String(number) === step) process.kill(process.pid, "SIGKILL")
    next = unit.next((yield next.value) as never)
  }
  return next.value
}

if (import.meta.main) {
  const [address = "", file = "", step = ""] = process.argv.slice(2)
  const given = { ...JSON.parse(readFileSync(file, "utf8")), isListed: () => true } as GivenRecord
  const { store } = await databaseAt(address).open()
  if (step === WHOLE) {
    process.stdout.write("ready\n")
    for await (const _ of Bun.stdin.stream()) break
  }
  const taken = await store.run(() => dyingAt(given, step), "log")
  if (step === AFTER_COMMIT) process.kill(process.pid, "SIGKILL")
  process.stdout.write(`${JSON.stringify(taken)}\n`)
  await store.close()
}
