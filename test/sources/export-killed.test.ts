/** A killed export leaves complete snapshots under their names. Any other file it leaves is one that no import reads. */
import { expect } from "bun:test"
import { mkdirSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { UNWATCHED } from "../../src/base/long-work.ts"
import { readInput } from "../../src/sources/import/read-input.ts"
import { verifySnapshot } from "../../src/sources/import/verify-snapshot.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { importBench, START } from "./import-bench.ts"

const test = slowTests(import.meta.path)

test.each([1, 4, 9])("a process killed after %i exports leaves only complete snapshots", async (exports) => {
  await using bench = importBench()
  await bench.bring("US_OFAC_SDN", bench.sdn())
  const out = join(bench.directory, "stick")
  mkdirSync(out)
  const script = join(import.meta.dir, "exporting-process.ts")
  const child = Bun.spawn([process.execPath, script, join(bench.directory, "bizauth.db"), bench.root, out], {
    stdout: "pipe",
    stderr: "inherit",
  })
  let said = ""
  for await (const chunk of child.stdout) {
    said += new TextDecoder().decode(chunk)
    if (said.split("\n").length > exports) break
  }
  child.kill("SIGKILL")
  await child.exited

  const names = readdirSync(out)
  const whole = names.filter((name) => !name.startsWith("."))
  expect(whole).toEqual(expect.arrayContaining(said.trim().split("\n")))
  expect(names.length - whole.length).toBeLessThanOrEqual(1)
  for (const name of whole) {
    const verified = await verifySnapshot(join(out, name), [], { now: START, work: UNWATCHED })
    expect(verified.findings.filter(({ severity }) => severity === "hard")).toEqual([])
  }
  // A half-written export has a hidden name: as loose files it would look like a list of today.
  const loose = readInput([out], "US_OFAC_SDN").files.map(({ name }) => name)
  expect(loose).toEqual(whole.filter((name) => name.endsWith(".tar")).sort())
})
