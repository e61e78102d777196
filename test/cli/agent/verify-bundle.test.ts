import { beforeAll, describe, expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { command } from "../../../src/cli/agent/verify-bundle.ts"
import { type BundleCase, bundleCases } from "../../fixtures/bundle-cases.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { runCommand } from "../../fixtures/terminal.ts"

let cases: BundleCase[]
beforeAll(async () => {
  cases = await bundleCases()
})

function named(name: string): BundleCase {
  const found = cases.find((one) => one.name === name)
  if (!found) throw new Error(`no row ${name}`)
  return found
}

async function judged(name: string, ...flags: string[]) {
  using fresh = freshDirectory()
  const { text, options } = named(name)
  const file = join(fresh.path, "bundle.json")
  writeFileSync(file, text)
  const pinned = options.logKey === undefined ? [] : ["--log-key", options.logKey]
  return await runCommand(command, [file, ...pinned, "--at", options.at ?? "", ...flags])
}

describe("exit code and last line", () => {
  test("a valid bundle exits with 0 and prints the time of its status, the tree size and the age", async () => {
    const { exit, out } = await judged("as made")
    expect(Number(exit)).toBe(0)
    expect(out).toMatch(/\nHISTORICAL: .*\nvalid: CURRENT AS OF 2026-05-01T11:00:00\.000Z, tree size 6; 4 s old\n$/)
    expect(out).toContain("NOT proven  That the log's map is honest")
  })

  test("an invalid bundle exits with 3, prints the failed step and its reason, and prints no key", async () => {
    const { exit, out } = await judged("newest event dropped and signed again")
    expect(Number(exit)).toBe(3)
    expect(out).toMatch(/^FAIL {2}INCLUSION +PROOFS_INCOMPLETE: /m)
    expect(out).not.toMatch(/^key /m)
    expect(out).toMatch(/\nINVALID, as of .*\n$/)
  })

  test("a consistent bundle without a pinned key exits with 4", async () => {
    const { exit, out } = await judged("nothing pinned")
    expect(Number(exit)).toBe(4)
    expect(out).toMatch(/\nCOULD NOT CHECK: CONSISTENT ONLY, origin not proven, as of .*\n$/)
  })

  test("a missing file exits with 4", async () => {
    expect(Number((await runCommand(command, ["no-such-file.json"])).exit)).toBe(4)
  })
})

test("every flag reaches the verifier, and an unreadable option exits with 2 and names the flag", async () => {
  using fresh = freshDirectory()
  const remembered = join(fresh.path, "remembered")
  writeFileSync(remembered, named("as made").text)
  expect((await judged("older than remembered", "--since", remembered)).out).toContain("OLDER_THAN_REMEMBERED")
  expect((await judged("as made", "--max-age", "3")).out).toContain("STALE")
  expect((await judged("as made", "--min-sequence", "9")).out).toContain("SEQUENCE_TOO_LOW")
  expect((await judged("as made", "--head", `sha256:${"0".repeat(64)}`)).out).toContain("HEAD_NOT_IN_HISTORY")
  expect((await judged("revoked", "--require-active")).out).toContain("IDENTITY_NOT_ACTIVE")
  expect((await judged("pretty and allowed", "--reformatted")).out).toContain("REFORMATTED")
  const receipt = join(fresh.path, "receipt")
  const { key_event_log } = JSON.parse(named("revoked").text) as { key_event_log: { receipt: unknown }[] }
  writeFileSync(receipt, JSON.stringify(key_event_log[0]?.receipt))
  expect((await judged("as made", "--receipt", receipt)).out).toContain("RECEIPT_OF_ANOTHER_AGENT")

  const unreadable: [string, string][] = [
    ["--max-age", "soon"],
    ["--min-sequence", "-1"],
    ["--head", "sha256:short"],
    ["--log-key", "svc.example+00000000+AQ=="],
    ["--at", "yesterday"],
    ["--since", receipt],
    ["--receipt", remembered],
  ]
  for (const [flag, value] of unreadable) {
    const { exit, err } = await runCommand(command, [remembered, `${flag}=${value}`])
    expect([Number(exit), err.split(" ")[0]]).toEqual([2, flag])
  }
})

test("the JSON verdict is one object of version 1 with every step", async () => {
  const { out } = await judged("as made", "--json")
  const said = JSON.parse(out)
  expect(said).toMatchObject({
    version: 1,
    procedure: "SVC-AGENT-BUNDLE-VERIFY-1",
    result: "VALID",
    trust: "PINNED_LOG",
  })
  expect(said.steps.length).toBe(13)
})
