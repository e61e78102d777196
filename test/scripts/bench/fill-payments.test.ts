import { expect, test } from "bun:test"
import { openDatabase } from "../../../db/open.ts"
import { fillPayments, namesOf, renewNonces } from "../../../scripts/bench/fill-payments.ts"
import { createLog } from "../../../src/base/log.ts"
import { realMachine } from "../../../src/base/machine.ts"
import { settlementCheck } from "../../../src/delivery/settlement-check.ts"
import { newDatabaseOn } from "../../fixtures/test-database.ts"
import { freshRequest } from "../../fixtures/test-server.ts"

const SALES = 80

test("a filled database sells after its nonces are renewed, and not before", async () => {
  const database = await newDatabaseOn("sqlite")
  fillPayments(database.address, 0, SALES, namesOf(freshRequest()))
  const { store } = await database.open()
  const log = createLog("error", () => {}, realMachine.now)
  const reasons = async () =>
    (await settlementCheck({ store, machine: realMachine, log }).reasons()).map(({ code }) => code)
  const before = await reasons()
  const connection = openDatabase(database.address)
  renewNonces(connection, Date.now())
  connection.close()
  const after = await reasons()
  await store.close()
  await database.close()
  expect([before, after]).toEqual([["SETTLEMENT_STUCK"], []])
})
