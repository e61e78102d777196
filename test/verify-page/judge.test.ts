/** What the page says besides the words of the command: titles, and what is missing or does not belong together. */
import { describe, expect, test } from "bun:test"
import { judge } from "../../src/verify-page/judge.ts"
import type { Given } from "../../src/verify-page/page-verdict.ts"
import { FILES as DELIVERED_FILES } from "../cli/documents/verified-files.ts"
import { givenByLine } from "./command-line.ts"
import { sandboxFiles } from "./corpus-files.ts"

const FILES = {
  ...DELIVERED_FILES,
  ...sandboxFiles(),
  "agent.json": JSON.stringify({ bundle_type: "svc.agent-identity.export.v1", agent_id: "agent_x" }),
}
const said = (line: string) => judge(givenByLine(line, FILES), Date.now())

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

  test.each(["--issuer jwks.json", "--request request.json", "--document broken.json", "--require CONTINUE"])(
    "by a bundle of an agent identity: %s",
    async (flag) => {
      const { exit, text } = await said(`agent.json ${flag}`)
      expect([exit, text]).toEqual([2, expect.stringContaining(`${flag.split(" ")[0]}: a bundle of an agent identity`)])
    },
  )

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

test("titles: a genuine document is never called permission, and a past time is named", async () => {
  const title = async (line: string) => (await said(line)).title
  const past = "--at 2026-11-20T10:00:01Z"
  expect(await title(`conditional.json --issuer jwks.json ${past}`)).toBe("Genuine and current at the given time")
  expect(await title(`conditional.json --issuer jwks.json --require RELEASE_PAYMENT ${past}`)).toBe(
    "Genuine, but do not act on it",
  )
  expect(await title(`edited-passport.json --issuer jwks.json ${past}`)).toBe("Do not rely on it")
  expect(await title(`delivery.json --issuer empty-jwks.json ${past}`)).toBe("Not checked")
  expect(await title("sandbox.json --sandbox --issuer sandbox-key.json")).toBe("Synthetic: it decides nothing")
})
