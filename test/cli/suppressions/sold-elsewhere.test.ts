/** A person judges the hits of a bundle only where it was sold: by the key and in the environment of that data directory. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { readFileSync, writeFileSync } from "node:fs"
import type { AnswerBundle } from "../../../schemas/answer-bundle.ts"
import type { CompanyCheckFacts } from "../../../schemas/us/company-check.ts"
import type { ExitCode } from "../../../src/base/exit.ts"
import { realMachine } from "../../../src/base/machine.ts"
import { command as add } from "../../../src/cli/suppressions/add.ts"
import { command as list } from "../../../src/cli/suppressions/list.ts"
import { canonicalize } from "../../../src/core/canonical-json.ts"
import { type Environment, openDataDirectory } from "../../../src/data/data-directory.ts"
import { keysIn } from "../../../src/keys/key-places.ts"
import { KeyRing } from "../../../src/keys/key-ring.ts"
import { companyCheckRules } from "../../../src/products/us/company-check/rules.ts"
import { buyAnswer, usBody } from "../../fixtures/answers.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { JUDGED, type JudgingOperator, openJudgingOperator } from "../../fixtures/judging-operator.ts"
import { newDataDirectory } from "../../fixtures/new-data-directory.ts"
import { runCommand } from "../../fixtures/terminal.ts"

setDefaultTimeout(120_000)

let at: JudgingOperator
beforeAll(async () => {
  at = await openJudgingOperator()
})
afterAll(() => at.close())

interface Bundle extends AnswerBundle {
  readonly facts: CompanyCheckFacts
}
const bundleAt = (path: string) => JSON.parse(readFileSync(path, "utf8")) as Bundle

let serial = 0
/** Of a company that no other test judges. Returns the path. */
async function soldBundle(): Promise<string> {
  const company = { legal_name: "Vostok Meridian LLC", identifiers: { uei: `SUPPLYERAA${++serial}B` } }
  const { status, text, answer } = await buyAnswer(at.server, {
    path: companyCheckRules.path,
    body: usBody({ company }),
  })
  if (status !== 200) throw new Error(`${status} ${text}`)
  return at.exported(answer.execution_id)
}
const judge = (path: string) => at.run(add, "--answer", path, "--hit", "1", ...JUDGED)
const refusalOf = async (path: string) => {
  const { exit, err } = await judge(path)
  expect((await at.run(list)).out).toBe("none\n")
  return [exit, err] as const
}

const unknownKey = (id: string) =>
  `cannot be checked with the keys of this data directory (signature: issuer key ${id} is not among the issuer keys given); judge it where it was sold`

test("a bundle that is not genuine, or no bundle, is refused, each with its own sentence", async () => {
  const path = await soldBundle()
  const edited = at.at("edited.json")
  const judgeEdited = (edit: (bundle: Bundle) => unknown) => {
    const bundle = bundleAt(path)
    edit(bundle)
    writeFileSync(edited, canonicalize(bundle))
    return refusalOf(edited)
  }
  expect(
    await judgeEdited(({ facts }) => Object.assign(facts.screening.hits[0] ?? {}, { matched_name: "OTHER" })),
  ).toEqual([3, `${edited} is not genuine (bundled facts: not the facts the capsule names); nobody may act on it`])
  const key_id = `sha256:${"0".repeat(64)}`
  const foreign = await judgeEdited(({ capsule }) => Object.assign(capsule.signature, { key_id }))
  expect(foreign).toEqual([4, `${edited} ${unknownKey(key_id)}`])
  writeFileSync(at.at("answer.json"), canonicalize(bundleAt(path).answer))
  expect(await refusalOf(at.at("answer.json"))).toEqual([
    4,
    `${at.at("answer.json")} is an answer without its request and its facts: give its id, or the bundle that bizauth export writes`,
  ])
  writeFileSync(at.at("none.json"), "{}")
  expect(await refusalOf(at.at("none.json"))).toEqual([
    4,
    `${at.at("none.json")}: document: unknown product, format or version`,
  ])
  const missing = await refusalOf(at.at("missing.json"))
  expect(missing).toEqual([4, `cannot read ${at.at("missing.json")}: there is no such file`])
})

describe("a genuine bundle", () => {
  /** A data directory that sells with its own key. */
  async function service(environment: Environment) {
    const folder = freshDirectory()
    const made = await newDataDirectory(folder.path, realMachine, environment)
    const options = { machine: realMachine, databaseFile: made.databaseFile, migrate: false, onFatal: () => {} }
    const { store, paths } = await openDataDirectory(made.path, options)
    await KeyRing.open({
      ...{ store, heldKey: keysIn(paths.keys), issuer: "svc" },
      ...{ machine: realMachine, othersVersion: () => 0 },
    })
    await store.close()
    return {
      run: (command: typeof add, ...args: string[]) => runCommand(command, [...args, "--data", made.path]),
      async [Symbol.asyncDispose]() {
        await made.close()
        folder[Symbol.dispose]()
      },
    }
  }

  const environments =
    "is of the environment test, and this data directory is of live: what a person judges in one does not count in the other"
  test.each<readonly [what: string, environment: Environment, exit: ExitCode, why: (keyId: string) => string]>([
    ["another service", "test", 4, unknownKey],
    ["another environment", "live", 3, () => environments],
  ])("is not judged in the directory of %s, and is judged where it was sold", async (_what, environment, exit, why) => {
    const path = await soldBundle()
    await using other = await service(environment)
    const there = await other.run(add, "--answer", path, "--hit", "1", ...JUDGED)
    expect([there.exit, there.out, there.err]).toEqual([
      exit,
      "",
      `${path} ${why(bundleAt(path).capsule.signature.key_id)}`,
    ])
    expect((await other.run(list)).out).toBe("none\n")
    expect((await judge(path)).exit).toBe(0)
  })
})
