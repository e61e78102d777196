/** Stored deliveries are read by the commands that a buyer types. The program that makes a corpus refuses to make one again. */
import { describe, expect } from "bun:test"
import { join } from "node:path"
import { command as replay } from "../../src/cli/documents/replay.ts"
import { command as verify } from "../../src/cli/documents/verify.ts"
import { formatInstant, instant, SECOND } from "../../src/core/time.ts"
import { ROOT } from "../fixtures/imports.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { runCommand } from "../fixtures/terminal.ts"
import { fileOf, ISSUER, type Kind } from "./build-list.ts"
import { BUILDS, folderOf, isDecision, type StoredBundle, storedIn } from "./stored-bundle.ts"

const test = slowTests(import.meta.path)

describe.each(BUILDS)("%s", (build) => {
  const { stored } = storedIn(build)
  const issuer = ["--issuer", join(folderOf(build), ISSUER)]
  const pathOf = (one: StoredBundle, kind: Kind) => join(one.folder, fileOf(one, kind))
  const inside = ({ bundle }: StoredBundle) => {
    const { valid_as_of: from } = isDecision(bundle) ? bundle.delivery : bundle.answer
    return ["--at", formatInstant(instant(from) + SECOND)]
  }
  /** The first case of each product and format. */
  const firsts = new Map(stored.toReversed().map((one) => [`${one.product} as ${one.bundle.format}`, one] as const))

  test.each([...firsts])("replay and verify accept a bundle of %s", async (_, one) => {
    const bundle = pathOf(one, "bundle.json")
    const again = await runCommand(replay, [bundle, ...issuer])
    expect([again.exit, again.err]).toEqual([0, ""])
    const judged = await runCommand(verify, [bundle, ...issuer, ...inside(one)])
    expect([judged.exit, judged.out, judged.err]).toEqual([0, expect.stringContaining("\nGENUINE: "), ""])
  })

  test("verify accepts every paid answer with a token, and its capsule file", async () => {
    const tokens = stored.filter(({ files }) => files.includes("answer.json"))
    expect(tokens.length).toBeGreaterThan(0)
    for (const one of tokens) {
      const judged = await runCommand(verify, [pathOf(one, "answer.json"), ...issuer, ...inside(one)])
      expect([one.product, one.case, judged.exit, judged.err]).toEqual([one.product, one.case, 0, ""])
    }
  })

  test("verify accepts every passport", async () => {
    const passports = stored.filter(({ files }) => files.includes("passport.json"))
    for (const one of passports) {
      const judged = await runCommand(verify, [pathOf(one, "passport.json"), ...issuer, ...inside(one)])
      expect([one.case, judged.exit, judged.err]).toEqual([one.case, 0, ""])
    }
  })
})

describe("scripts/make-corpus.ts", () => {
  const make = (...words: string[]) => {
    const { exitCode, stderr } = Bun.spawnSync(["bun", join(ROOT, "scripts/make-corpus.ts"), ...words], { cwd: ROOT })
    return { exit: exitCode, err: stderr.toString() }
  }

  test.each(BUILDS)("refuses to make %s again", (build) => {
    const { exit, err } = make(build)
    expect(exit).toBe(2)
    expect(err).toContain(`test/corpus/${build} exists. A corpus is never made again`)
  })

  test.each([[[]], [["../elsewhere-build"]], [["third"]], [["third-build", "more"]]])(
    "refuses the arguments %j",
    (words) => {
      const { exit, err } = make(...words)
      expect(exit).toBe(2)
      expect(err).toContain("usage: bun scripts/make-corpus.ts BUILD")
    },
  )
})
