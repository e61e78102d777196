/** Registers one statement and kills itself: at the unit's statement number `killAt`, or after the commit if the unit has fewer. */
import { digestOf } from "../../../src/core/digest.ts"
import type { Unit } from "../../../src/store/engine/unit.ts"
import { registerArtifact } from "../../../src/store/identity/artifacts.ts"
import { freeWriter } from "../../fixtures/free-writes.ts"
import { databaseAt } from "../../fixtures/test-database.ts"

const [address = "", agentId = "", typed = ""] = process.argv.slice(2)
const killAt = Number(typed)
const die = () => process.kill(process.pid, "SIGKILL")

const { store } = await databaseAt(address).open()

function* killed<T>(unit: Unit<T>): Unit<T> {
  let step = unit.next()
  for (let statement = 1; !step.done; statement++) {
    const found = yield step.value
    if (statement === killAt) die()
    step = unit.next(found)
  }
  console.log("finished")
  return step.value
}

const row = {
  registrationId: `reg_${"A".repeat(22)}`,
  statementDigest: digestOf("statement"),
  payloadDigest: digestOf("payload"),
  agentId,
  keyId: "ed25519-key",
  registeredAt: "2026-03-01T12:00:00.000Z",
  leafDigest: digestOf("leaf"),
  byRevokedKey: false,
  writer: freeWriter(Date.parse("2026-03-01T12:00:00.000Z")),
}
await store.run(() => killed(registerArtifact(row)))
die()
