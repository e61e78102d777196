/**
 * The screening of a stored delivery is repeated from the lists that are stored with its build. Listed entries are compared only with those of the
 * same reader: with another one the report says that they were not compared.
 */
import { afterAll, describe, expect } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { ScreeningHit } from "../../schemas/screening-facts.ts"
import { command as replay } from "../../src/cli/documents/replay.ts"
import { canonicalize } from "../../src/core/canonical-json.ts"
import { storedEntries } from "../../src/products/common/stored-entries.ts"
import { detailsVersionOf } from "../../src/sources/details/provide-details.ts"
import { freshDirectory } from "../fixtures/directories.ts"
import { howMany, sample } from "../fixtures/long.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { runCommand } from "../fixtures/terminal.ts"
import { fileOf, ISSUER } from "./build-list.ts"
import { BUILDS, folderOf, type StoredBundle, storedIn } from "./stored-bundle.ts"

const test = slowTests(import.meta.path)

const workspace = freshDirectory()
afterAll(() => workspace[Symbol.dispose]())

const withLists = BUILDS.filter((build) => storedIn(build).list.snapshots !== undefined)

async function rescreened(build: string, path: string) {
  const folder = folderOf(build)
  const given = ["--rescreen", "--data", folder, "--issuer", join(folder, ISSUER), "--json"]
  const { exit, out } = await runCommand(replay, [path, ...given])
  const [{ checks }] = JSON.parse(out).files as [{ checks: { check: string; state: string; detail: string }[] }]
  const entries = checks.find(({ check }) => check === "listed entries")
  return { exit, bad: checks.filter(({ state }) => state !== "OK" && state !== "NOTE"), entries }
}

const hitsOf = ({ bundle }: StoredBundle) => storedEntries(bundle.facts)

/** Whether the program can read the entry from the stored list as the build did. */
function isComparable({ source_id: source, entry }: ScreeningHit): boolean {
  return entry?.details_version === detailsVersionOf(source) && entry.removed_at === undefined
}

describe.each(withLists)("%s", (build) => {
  const { stored } = storedIn(build)
  const entered = stored.filter((one) => hitsOf(one).length > 0)
  const others = stored.filter((one) => hitsOf(one).length === 0)

  const all = [...sample(entered, 12), ...sample(others, 4)]
  test(`a second screening gives the same bytes: ${howMany(stored.length, all.length)} deliveries`, async () => {
    for (const one of all) {
      const { exit, bad, entries } = await rescreened(build, join(one.folder, fileOf(one, "bundle.json")))
      expect([one.product, one.case, exit, bad]).toEqual([one.product, one.case, 0, []])
      const hits = hitsOf(one)
      const expected = hits.every(isComparable) ? "OK" : "NOTE"
      expect([one.case, entries?.state]).toEqual([one.case, hits.length === 0 ? undefined : expected])
    }
  })

  test("an entry of this reader that was changed is found, and one of another reader is said to be not compared", async () => {
    const one = entered.find((each) => hitsOf(each).every(({ entry }) => entry?.removed_at === undefined))
    if (!one) throw new Error("no stored entry is on a stored list")
    const changed = async (version: (source: string) => string) => {
      const bundle = structuredClone(one.bundle)
      for (const { source_id: source, entry } of storedEntries(bundle.facts))
        if (entry) Object.assign(entry, { details_version: version(source), programs: ["INVENTED"] })
      const path = join(workspace.path, "changed.json")
      writeFileSync(path, canonicalize(bundle))
      return (await rescreened(build, path)).entries
    }
    expect(await changed(detailsVersionOf)).toMatchObject({ state: "INVALID" })
    const other = await changed(() => "another-reader/1.0.0")
    expect(other).toMatchObject({
      state: "NOTE",
      detail: expect.stringContaining("not compared: read by another-reader"),
    })
  })
})
