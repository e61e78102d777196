/** What the page says besides the words of the command: titles, and what is missing or does not belong together. */
import { beforeAll, describe, expect, test } from "bun:test"
import { SECOND } from "../../../src/core/time.ts"
import { judge } from "../../../src/pages/verify/judge.ts"
import type { Given } from "../../../src/pages/verify/page-verdict.ts"
import { FILES as DELIVERED_FILES } from "../../cli/documents/verified-files.ts"
import { type BundleCase, bundleCases } from "../../fixtures/bundle-cases.ts"
import { DECIDED_AT } from "../../fixtures/decision.ts"
import { givenByLine } from "./command-line.ts"
import { sandboxFiles } from "./corpus-files.ts"

const FILES = {
  ...DELIVERED_FILES,
  ...sandboxFiles(),
  "agent.json": JSON.stringify({ bundle_type: "svc.agent-identity.export.v1", agent_id: "agent_x" }),
}
const said = (line: string, now = Date.now()) => judge(givenByLine(line, FILES), now)

describe("what a kind of document does not use is refused, and not ignored", () => {
  const file = (name: string) => [{ name, bytes: new Uint8Array() }]

  test("by every document that is no bundle of an agent identity", async () => {
    for (const [name, change] of [
      ["since", { files: { since: file("a") } }],
      ["receipt", { files: { receipt: file("a") } }],
      ["log-key", { texts: { "log-key": "x" } }],
    ] as const) {
      for (const line of ["delivery.json --issuer jwks.json", "sandbox.json --sandbox --issuer sandbox-key.json"]) {
        const { files, texts, isSandbox } = givenByLine(line, FILES)
        const more: Given = {
          isSandbox,
          files: { ...files, ...("files" in change ? change.files : {}) },
          texts: { ...texts, ...("texts" in change ? change.texts : {}) },
        }
        expect(await judge(more, Date.now())).toMatchObject({
          exit: 2,
          verdict: "OPEN",
          text: `bizauth: --${name}: only a bundle of an agent identity uses it\n`,
        })
      }
    }
  })

  test.each([
    "--issuer jwks.json",
    "--request request.json",
    "--document broken.json",
    "--require CONTINUE --environment test",
  ])("by a bundle of an agent identity: %s", async (flag) => {
    const { exit, text, command } = await said(`agent.json ${flag}`)
    expect(command).toBe("agent verify-bundle")
    expect([exit, text]).toEqual([2, expect.stringContaining(`${flag.split(" ")[0]}: a bundle of an agent identity`)])
  })

  test.each(["--job asked.json", "--requirement asked.json", "--submitted 0x12", "--at 2026-11-20T10:00:00Z"])(
    "by a document of the sandbox: %s",
    async (flag) => {
      const { exit, text } = await said(`sandbox.json --sandbox --issuer sandbox-key.json ${flag}`)
      expect([exit, text]).toEqual([2, expect.stringContaining(`${flag.split(" ")[0]}: a document of the sandbox`)])
    },
  )

  test("an option that cannot be read is named by its flag", async () => {
    expect(await said("agent.json --log-key nonsense")).toMatchObject({
      exit: 2,
      text: expect.stringMatching(/^bizauth: --log-key takes a C2SP/),
    })
    expect(await said("agent.json --at yesterday")).toMatchObject({
      exit: 2,
      text: expect.stringMatching(/^bizauth: --at takes an RFC 3339/),
    })
  })
})

test("without a document, or without keys, nothing is checked", async () => {
  const nothing = { files: {}, texts: {}, isSandbox: false }
  expect(await judge(nothing, 0)).toMatchObject({
    verdict: "OPEN",
    exit: 2,
    text: "bizauth: there is no document to verify\n",
  })
  const { files } = givenByLine("delivery.json", FILES)
  expect(await judge({ ...nothing, files }, 0)).toMatchObject({
    verdict: "OPEN",
    exit: 2,
    text: "bizauth: the issuer's keys are missing: --issuer JWKS\n",
  })
})

test("titles: a genuine document is never called permission, and a given time is named", async () => {
  const title = async (line: string, now?: number) => (await said(line, now)).title
  const at = "--at 2026-11-20T10:00:01Z"
  expect(await title(`conditional.json --issuer jwks.json ${at}`)).toBe("Genuine and current at the given time")
  // For the clock of this device the given time is in the future.
  const before = Date.UTC(2026, 0, 1)
  expect(await title(`conditional.json --issuer jwks.json ${at}`, before)).toBe("Genuine and current at the given time")
  expect(await title("conditional.json --issuer jwks.json", DECIDED_AT + SECOND)).toBe("Genuine and current")
  expect(await title(`conditional.json --issuer jwks.json --require RELEASE_PAYMENT --environment test ${at}`)).toBe(
    "Genuine, but do not act on it",
  )
  expect(await title(`edited-passport.json --issuer jwks.json ${at}`)).toBe("Not genuine")
  expect(await title(`delivery.json --issuer empty-jwks.json ${at}`)).toBe("Not checked")
  expect(await title("sandbox.json --sandbox --issuer sandbox-key.json")).toBe("Synthetic: it decides nothing")
})

test("advice: a genuine document that permits nothing says so", async () => {
  const advice = async (line: string) => (await said(`${line} --issuer jwks.json`, DECIDED_AT + SECOND)).advice
  expect(await advice("delivery.json")).toStartWith("A genuine document is not permission.")
  expect(await advice("conditional.json")).toBe("It does not permit you to pay or to go on. Read below what it says.")
  expect(await advice("passport.json")).toBe("It does not permit you to pay or to go on. Read below what it says.")
  expect(await advice("delivery.json --check answer.json")).toBe(
    "A file or a value is missing, or does not belong to this document.",
  )
})

test("every verdict that depends on a time names it, and whose clock it was", async () => {
  expect(await said("delivery.json --issuer jwks.json", DECIDED_AT)).toMatchObject({
    judgedAt: "2026-11-20T10:00:00.000Z",
    isDeviceTime: true,
  })
  expect(await said("delivery.json --issuer jwks.json --at 2026-11-21T00:00:00Z", DECIDED_AT)).toMatchObject({
    judgedAt: "2026-11-21T00:00:00.000Z",
    isDeviceTime: false,
  })
  expect(await said("delivery.json --issuer broken.json", DECIDED_AT)).toMatchObject({ judgedAt: null })
})

describe("the bundle of an agent identity", () => {
  let cases: readonly BundleCase[]
  beforeAll(async () => {
    cases = await bundleCases()
  })
  const judgedBundle = async (name: string) => {
    const { text, options } = cases.find((one) => one.name === name)!
    const { logKey, at = "" } = options
    const files = { document: [{ name, bytes: new TextEncoder().encode(text) }] }
    return judge({ files, texts: { at, ...(logKey !== undefined && { "log-key": logKey }) }, isSandbox: false }, 0)
  }

  test("of an active identity shows the agent and its keys first", async () => {
    const { title, verdict, exit, lines, isDeviceTime } = await judgedBundle("as made")
    expect([title, verdict, exit, isDeviceTime]).toEqual(["Valid at the given time", "GOOD", 0, false])
    expect(lines.map(({ label }) => label)).toEqual(["Agent", "Keys", "Not proven"])
    expect(lines[0]?.texts[0]).toMatch(/ ACTIVE, sequence 2$/)
  })

  test("of a revoked identity is valid, and nobody can take the agent for active", async () => {
    const { title, verdict, exit, lines } = await judgedBundle("revoked")
    expect([title, verdict, exit]).toEqual(["Valid, but the agent has no active key", "NOT_NOW", 0])
    expect(lines[0]?.texts[0]).toMatch(/ REVOKED, sequence \d+$/)
  })

  test("shows no agent unless it is valid", async () => {
    const { verdict, lines } = await judgedBundle("nothing pinned")
    expect([verdict, lines]).toEqual(["OPEN", []])
  })
})
