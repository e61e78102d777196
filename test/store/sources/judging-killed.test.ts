/** kill -9 while several hits of one answer are judged: all judgements are there, or none. */
import { afterEach, beforeEach, expect, setDefaultTimeout } from "bun:test"
import { join } from "node:path"
import { addSuppressions } from "../../../src/store/sources/suppressions.ts"
import { newDatabase } from "../../fixtures/new-store.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import type { TestDatabase } from "../../fixtures/test-database.ts"
import { AFTER_COMMIT, THREE } from "./judging-process.ts"

const test = slowTests(import.meta.path)

setDefaultTimeout(60_000)

let database: TestDatabase
beforeEach(async () => {
  database = await newDatabase()
})
afterEach(() => database.close())

const rowCounts = async () => [await database.count("suppression"), await database.count("suppression_event")]

async function killedAt(step: string): Promise<void> {
  const killed = Bun.spawn([process.execPath, join(import.meta.dir, "judging-process.ts"), database.address, step])
  await killed.exited
  expect(killed.signalCode).toBe("SIGKILL")
}

// Three look-ups, a count, three rows with their events, and the count of changes.
test.each(Array.from({ length: 11 }, (_, at) => String(at + 1)))(
  "killed at statement %s, none is added",
  async (step) => {
    await killedAt(step)
    expect(await rowCounts()).toEqual([0, 0])
    const { store } = await database.open()
    expect(await store.run(() => addSuppressions(THREE))).toEqual(THREE.map(() => ({ outcome: "ADDED" })))
    await store.close()
  },
)

test("killed after the commit, all are added, and the same command adds none again", async () => {
  await killedAt(AFTER_COMMIT)
  expect(await rowCounts()).toEqual([3, 3])
  const { store } = await database.open()
  const again = await store.run(() => addSuppressions(THREE))
  await store.close()
  expect(again).toEqual(THREE.map(({ suppressionId }) => ({ outcome: "STANDS_ALREADY", suppressionId })))
})
