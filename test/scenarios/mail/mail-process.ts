/**
 * One process with the socket and both loops, until it is killed. With `killAt` it kills itself right after that step. `asks`: it asks for so
 * many challenges first, and prints a line for each that is recorded.
 */

import { writeSync } from "node:fs"
import { realMachine } from "../../../src/base/machine.ts"
import type { MailStep } from "../../../src/contact/mail/deps.ts"
import { openMail } from "../../../src/contact/mail/open-mail.ts"
import { digestOf } from "../../../src/core/digest.ts"
import type { ClockRequest } from "../../../src/store/engine/clock.ts"
import type { OrderRequest } from "../../../src/store/engine/order.ts"
import type { Statement, Store, Unit } from "../../../src/store/engine/unit.ts"
import { mailBench } from "../../contact/mail/mail-bench.ts"
import { freeWriter } from "../../fixtures/free-writes.ts"
import { databaseAt } from "../../fixtures/test-database.ts"

/**
 * Before the statement of number `at`, counted from the first one of a unit that binds all these names. One past the last: before the commit.
 * Null: the process goes on, and prints how many statements it counted.
 */
export interface KillInUnit {
  readonly binds: readonly string[]
  readonly at: number | null
}

export interface MailProcess {
  /** See `TestDatabase`. */
  readonly database: string
  readonly socketPath: string
  readonly smtpPort: number
  readonly killAt: MailStep | null
  readonly killInUnit: KillInUnit | null
  /** Milliseconds by which its clock is ahead. */
  readonly aheadMs: number
  readonly asks: number
}

/** Counts the statements of the unit from the one that binds all these names. */
function killing<T>(unit: () => Unit<T>, { binds, at }: KillInUnit): () => Unit<T> {
  return function* () {
    const inner = unit()
    const isNamed = (request: Statement | OrderRequest | ClockRequest) =>
      request.order === undefined && binds.every((name) => name in request.values)
    let statements: number | null = null
    for (let step = inner.next(); ; ) {
      if (step.done) {
        if (statements !== null && statements + 1 === at) process.kill(process.pid, "SIGKILL")
        if (statements !== null && at === null) writeSync(1, `${statements + 1}\n`)
        return step.value
      }
      if (statements !== null || isNamed(step.value)) statements = (statements ?? -1) + 1
      if (statements !== null && statements === at) process.kill(process.pid, "SIGKILL")
      step = inner.next(yield step.value)
    }
  }
}

if (import.meta.main) {
  const given = JSON.parse(await Bun.stdin.text()) as MailProcess
  const { killAt, killInUnit, asks } = given
  const storeOf = (store: Store): Store =>
    killInUnit === null
      ? store
      : Object.assign(Object.create(store) as Store, {
          run: <T>(unit: () => Unit<T>) => store.run(killing(unit, killInUnit)),
          read: store.read.bind(store),
        })
  const { deps } = await mailBench(databaseAt(given.database), {
    ...given,
    machine: { ...realMachine, now: () => realMachine.now() + given.aheadMs },
    storeOf,
    trace: (step) => {
      if (step === killAt) process.kill(process.pid, "SIGKILL")
    },
  })
  const { path, workers } = openMail(deps)
  for (let at = 0; at < asks; at++) {
    await path.askForProof(
      `agent@host-${at}.example`,
      digestOf({ at }),
      freeWriter(deps.machine.now(), { client: `192.0.2.${at}` }),
    )
    writeSync(1, "asked\n")
  }
  for (const worker of workers) worker.start()
}
