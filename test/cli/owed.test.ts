/** `bizauth payments owed`: which payments wait for their answer, and which the operator refunds. */
import { expect } from "bun:test"
import { EXIT } from "../../src/base/exit.ts"
import { command } from "../../src/cli/payments/owed.ts"
import type { Unit } from "../../src/store/engine/unit.ts"
import { endAttempt } from "../../src/store/payments/attempt-moves.ts"
import { owePaidAttempt } from "../../src/store/payments/attempt-watch.ts"
import { moveRequest } from "../../src/store/sales/requests.ts"
import { directoryForEach } from "../fixtures/new-data-directory.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { runCommand } from "../fixtures/terminal.ts"
import { LATER, LEASE, RELEASE, reserved } from "../store/money-rows.ts"

const test = slowTests(import.meta.path)

const directory = directoryForEach()

/** A payment that reached the chain after it was given up. */
function* owed(name: string): Unit<void> {
  const id = yield* reserved(name)
  yield* endAttempt(id, LEASE.owner, RELEASE)
  const transfer = { tx: `0x${name}`, logIndex: 1, block: "7", blockHash: "0xbb" }
  yield* owePaidAttempt({ id, state: "RELEASED" }, transfer, LATER)
}

test("a payment whose request has another answer is to be refunded, and any other waits", async () => {
  const { store } = await directory().database.open()
  await store.run(function* () {
    yield* owed("1")
    yield* owed("2")
    yield* moveRequest("drq_2", "DELIVERED", LATER)
  })
  await store.close()
  const { exit, out, err } = await runCommand(command, ["--data", directory().path])
  expect([exit, err, out.trimEnd().split("\n")]).toEqual([
    EXIT.DONE,
    "",
    [
      `${LATER}  790000  payer  0x1  waits for its answer`,
      `${LATER}  790000  payer  0x2  its request has an answer that this payment did not buy: refund it`,
    ],
  ])
  const asJson = await runCommand(command, ["--data", directory().path, "--json"])
  expect(JSON.parse(asJson.out).owed).toMatchObject([
    { attempt_id: "att_1", request_answered: false },
    { attempt_id: "att_2", request_answered: true },
  ])
})
