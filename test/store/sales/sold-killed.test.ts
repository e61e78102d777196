/** Kills processes at any moment while they list sold answers: the list loses no answer, and has none twice. */
import { expect } from "bun:test"
import { join } from "node:path"
import { chance } from "../../fixtures/chance.ts"
import { SEED } from "../../fixtures/long.ts"
import { newStore } from "../../fixtures/new-store.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { BEGIN_FILL, deliverBefore, sold } from "./sold-rows.ts"

const test = slowTests(import.meta.path)

const BEFORE = 420
const WAITING = 300
const KILLS = 6
const PROCESS = join(import.meta.dir, "sold-filling-process.ts")

test(`${KILLS} processes are killed while they list ${BEFORE + WAITING} answers`, async () => {
  await using opened = await newStore()
  const { store } = opened
  await deliverBefore(store, BEFORE)
  await opened.write(BEGIN_FILL)
  for (let from = 0; from < WAITING; from += 100) {
    await store.run(function* () {
      for (let n = from; n < from + 100; n++) yield* sold(10_000 + n)
    })
  }
  const random = chance(SEED)
  const run = async (steps: number) => {
    const child = Bun.spawn([process.execPath, PROCESS, opened.address], { stdout: "pipe", stderr: "pipe" })
    let seen = ""
    for await (const chunk of child.stdout) {
      seen += new TextDecoder().decode(chunk)
      if (seen.split("step").length - 1 < steps || steps === 0) continue
      await Bun.sleep(random() * 4)
      child.kill("SIGKILL")
    }
    await child.exited
    return { seen, errors: await new Response(child.stderr).text() }
  }
  const counts: number[] = []
  for (let kill = 0; kill < KILLS; kill++) {
    await run(1 + Math.floor(random() * 2))
    counts.push(await opened.count("sold_answer"))
  }
  expect(counts).toEqual(counts.toSorted((a, b) => a - b))
  const { seen, errors } = await run(0)
  expect([seen.endsWith("done\n"), errors]).toEqual([true, ""])
  expect(await opened.count("sold_answer")).toBe(BEFORE + WAITING)
  expect(await opened.count("sold_party")).toBe(2 * (BEFORE + WAITING))
  expect([await opened.count("sold_waiting"), await opened.count("sold_fill")]).toEqual([0, 0])
  const missing = await opened.count("sold_answer", "seq NOT IN (SELECT seq FROM sold_party)")
  expect(missing).toBe(0)
}, 60_000)
