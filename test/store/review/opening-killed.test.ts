/** Kills processes at any moment while they open cases, also for answers of an earlier release: each answer has one case, none is left out. */
import { expect } from "bun:test"
import { join } from "node:path"
import { chance } from "../../fixtures/chance.ts"
import { SEED } from "../../fixtures/long.ts"
import { newStore } from "../../fixtures/new-store.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { BEGIN_FILL, deliverBefore } from "../sales/sold-rows.ts"
import { countsOfRows } from "./case-counts.ts"

const test = slowTests(import.meta.path)

const ANSWERS = 300
const KILLS = 6

test(`${KILLS} processes are killed while they open the cases of ${ANSWERS} answers`, async () => {
  await using opened = await newStore()
  await deliverBefore(opened.store, ANSWERS)
  await opened.write(BEGIN_FILL)
  const random = chance(SEED)
  const run = async (steps: number) => {
    const program = join(import.meta.dir, "opening-process.ts")
    const child = Bun.spawn([process.execPath, program, opened.address], { stdout: "pipe", stderr: "pipe" })
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
    counts.push(await opened.count("review_case"))
    await countsOfRows(opened)
  }
  expect(counts).toEqual(counts.toSorted((one, other) => one - other))
  const { seen, errors } = await run(0)
  expect([seen.endsWith("done\n"), errors]).toEqual([true, ""])
  expect([await opened.count("sold_answer"), await opened.count("review_case")]).toEqual([ANSWERS, ANSWERS])
  expect((await countsOfRows(opened)).reduce((sum, { cases }) => sum + cases, 0)).toBe(ANSWERS)
  const [last] = await opened.rows<{ number: number }>("SELECT max(case_number) AS number FROM review_case")
  expect(Number(last?.number)).toBe(ANSWERS)
}, 60_000)
