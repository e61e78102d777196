/** The page judges every file of the corpus as the command does, in the same words. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { judge } from "../../src/verify-page/judge.ts"
import type { Given } from "../../src/verify-page/page-verdict.ts"
import { type VerifyFolder, verifyFolder } from "../fixtures/verify-folder.ts"
import { givenByLine, runLine } from "./command-line.ts"
import { type Corpus, corpus, withoutNow } from "./corpus.ts"

let given: Corpus
let folder: VerifyFolder
beforeAll(async () => {
  given = await corpus()
  folder = await verifyFolder(given.files)
}, 60_000)
afterAll(() => folder[Symbol.asyncDispose]())

test("every line gets the words and the exit code of the command", async () => {
  const exits = new Map<number, number>()
  for (const line of given.lines) {
    const { exit, text } = await runLine(line, folder.path)
    const shown = await judge(givenByLine(line, given.files), Date.now())
    const inWords = (words: string) => withoutNow(line, words)
    expect({ line, exit: Number(shown.exit), text: inWords(shown.text) }).toEqual({ line, exit, text: inWords(text) })
    exits.set(exit, (exits.get(exit) ?? 0) + 1)
  }
  // The corpus shows each result more than once.
  expect([...exits.keys()].toSorted()).toEqual([0, 2, 3, 4, 9])
  expect(Math.min(...exits.values())).toBeGreaterThan(5)
  expect(Object.keys(given.files).length).toBeGreaterThan(60)
  expect(given.lines.length).toBeGreaterThan(150)
}, 60_000)

test("the three results and the checks are those of the text", async () => {
  for (const line of given.lines.filter((_, at) => at % 7 === 0)) {
    const { lines, checks, text } = await judge(givenByLine(line, given.files), Date.now())
    for (const { check, detail } of checks) {
      expect(text).toContain(check)
      expect(text).toContain(detail)
    }
    for (const { texts } of lines) for (const one of texts) expect(text).toContain(one)
  }
}, 60_000)

describe("what a kind of document does not use is refused, and not ignored", () => {
  const at = (line: string) => judge(givenByLine(line, given.files), Date.now())
  const file = (name: string) => [{ name, bytes: new Uint8Array() }]

  test("by every document that is no bundle of an agent identity", async () => {
    for (const [name, change] of [
      ["since", { files: { since: file("a") } }],
      ["receipt", { files: { receipt: file("a") } }],
      ["log-key", { texts: { "log-key": "x" } }],
    ] as const) {
      for (const line of ["delivery.json --issuer jwks.json", "sandbox.json --sandbox --issuer sandbox-key.json"]) {
        const { files, texts, isSandbox } = givenByLine(line, given.files)
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

  test.each(["--issuer jwks.json", "--request request.json", "--document postman.json", "--require CONTINUE"])(
    "by a bundle of an agent identity: %s",
    async (flag) => {
      const { exit, text } = await at(`agent-0.json ${flag}`)
      expect([exit, text]).toEqual([2, expect.stringContaining(`${flag.split(" ")[0]}: a bundle of an agent identity`)])
    },
  )

  test("an option that cannot be read is named by its flag", async () => {
    expect(await at("agent-0.json --log-key nonsense")).toMatchObject({
      exit: 2,
      text: expect.stringMatching(/^bizauth: --log-key takes a C2SP/),
    })
    expect(await at("agent-0.json --at yesterday")).toMatchObject({
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
  const { files } = givenByLine("delivery.json", given.files)
  expect(await judge({ ...nothing, files }, 0)).toMatchObject({
    verdict: "OPEN",
    exit: 2,
    text: "bizauth: the issuer's keys are missing: --issuer JWKS\n",
  })
})

test("titles: a genuine document is never called permission, and a past time is named", async () => {
  const title = async (line: string) => (await judge(givenByLine(line, given.files), Date.now())).title
  const past = "--at 2026-11-20T10:00:01Z"
  expect(await title(`conditional.json --issuer jwks.json ${past}`)).toBe("Genuine and current at the given time")
  expect(await title(`conditional.json --issuer jwks.json --require RELEASE_PAYMENT ${past}`)).toBe(
    "Genuine, but do not act on it",
  )
  expect(await title(`edited-passport.json --issuer jwks.json ${past}`)).toBe("Do not rely on it")
  expect(await title(`delivery.json --issuer empty-jwks.json ${past}`)).toBe("Not checked")
  expect(await title("sandbox.json --sandbox --issuer sandbox-key.json")).toBe("Synthetic: it decides nothing")
})
