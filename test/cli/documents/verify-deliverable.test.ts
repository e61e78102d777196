/** `bizauth verify` and `bizauth replay` on the deliverable of an ACP job. */
import { afterAll, beforeAll, describe, expect } from "bun:test"
import { copyFile, mkdir } from "node:fs/promises"
import { join } from "node:path"
import { command as replayCommand } from "../../../src/cli/documents/replay.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { runCommand } from "../../fixtures/terminal.ts"
import { type VerifyFolder, verifyFolder } from "../../fixtures/verify-folder.ts"
import { FILES, holding, IN_TIME, permitting } from "./deliverable-files.ts"

const test = slowTests(import.meta.path)

let folder: VerifyFolder
beforeAll(async () => {
  folder = await verifyFolder(FILES)
})
afterAll(() => folder[Symbol.asyncDispose]())

const KEYS = "--issuer jwks.json"
const BUYER = "--requirement final.json --job job.json"
const HASH = `--submitted ${permitting.keccak256}`
const OTHER_HASH = `--submitted ${holding.keccak256}`
const verify = (line: string, at = IN_TIME) => folder.verify(`${line} --at ${at}`)

describe("verify", () => {
  test.each([
    [`good.json ${KEYS}`, 0],
    [`good.json ${KEYS} ${BUYER} ${HASH}`, 0],
    [`good.json ${KEYS} ${BUYER} ${HASH.toUpperCase().replace("--SUBMITTED 0X", "--submitted 0x")}`, 0],
    [`good.json ${KEYS} --request request.json --require RELEASE_PAYMENT --environment test`, 0],
    [`hold.json ${KEYS} --requirement hold-final.json --job hold-job.json ${OTHER_HASH}`, 0],
    [`hold.json ${KEYS} --require RELEASE_PAYMENT --environment test`, 9],
    [`line-feed.json ${KEYS} ${BUYER} ${HASH}`, 0],
    [`pretty.json ${KEYS} ${BUYER} ${HASH}`, 0],
    [`forged.json ${KEYS}`, 3],
    [`other-key.json ${KEYS}`, 3],
    [`other-job.json ${KEYS}`, 3],
    [`unknown-member.json ${KEYS}`, 3],
    [`large.json ${KEYS}`, 3],
    [`good.json ${KEYS} ${OTHER_HASH}`, 3],
    [`good.json ${KEYS} --requirement hold-final.json`, 3],
    [`good.json ${KEYS} --job hold-job.json`, 3],
    [`hold.json ${KEYS} --request request.json`, 3],
    ["good.json --issuer revoked-jwks.json", 3],
    ["good.json --issuer empty-jwks.json", 4],
    [`version-4.json ${KEYS}`, 4],
    [`cut.json ${KEYS}`, 4],
    [`good.json ${KEYS} --requirement draft.json`, 4],
    [`good.json ${KEYS} --requirement request.json`, 4],
    [`good.json ${KEYS} --requirement missing.json`, 4],
    [`good.json ${KEYS} --job final.json`, 4],
    [`good.json ${KEYS} --job misspelt-job.json`, 4],
    [`good.json ${KEYS} --job zero-job.json`, 4],
    [`good.json ${KEYS} --submitted 0x12`, 2],
    [`good.json ${KEYS} --capsule jwks.json`, 2],
    [`good.json ${KEYS} --check jwks.json`, 2],
    [`delivery.json ${KEYS} --requirement final.json`, 2],
    [`delivery.json ${KEYS} --job job.json`, 2],
    [`delivery.json ${KEYS} ${HASH}`, 2],
    [`final.json ${KEYS}`, 4],
    [`job.json ${KEYS}`, 4],
  ])("verify %s exits %i", async (line, exit) => {
    expect([line, (await verify(line)).exit]).toEqual([line, exit as 0])
  })

  test("after the end of the validity the exit is 9, and for another job still 3", async () => {
    const late = "2026-11-20T12:00:00Z"
    expect((await verify(`good.json ${KEYS} ${BUYER} ${HASH}`, late)).exit).toBe(9)
    expect((await verify(`good.json ${KEYS} --job hold-job.json`, late)).exit).toBe(3)
  })

  test("--json says genuine, current and permitted apart", async () => {
    const words = async (line: string) => {
      const said = JSON.parse((await verify(`${line} --json`)).out)
      return [said.genuine, said.current, said.permitted?.machine_action ?? null, said.result]
    }
    expect(await words(`good.json ${KEYS}`)).toEqual(["GENUINE", "CURRENT", "RELEASE_PAYMENT", "VALID"])
    expect(await words(`hold.json ${KEYS}`)).toEqual(["GENUINE", "CURRENT", "HOLD_PAYMENT", "VALID"])
    expect(await words(`pretty.json ${KEYS}`)).toEqual(["REFORMATTED", "CURRENT", "RELEASE_PAYMENT", "INVALID"])
    expect(await words(`pretty.json ${KEYS} --reformatted`)).toEqual([
      "REFORMATTED",
      "CURRENT",
      "RELEASE_PAYMENT",
      "VALID",
    ])
    expect(await words(`forged.json ${KEYS}`)).toEqual(["NOT_GENUINE", null, null, "INVALID"])
    expect(await words(`good.json ${KEYS} ${OTHER_HASH}`)).toEqual(["GENUINE", null, null, "INVALID"])
    expect(await words("good.json --issuer empty-jwks.json")).toEqual(["NOT_CHECKED", null, null, "NOT_CHECKED"])
  })

  test("the text names what was not compared, the hash to look for, and what the file does not prove", async () => {
    const alone = (await verify(`good.json ${KEYS}`)).out
    for (const flag of ["--requirement", "--job", "--submitted"]) expect(alone).toContain(`not compared (${flag})`)
    expect(alone).toContain(`the event JobSubmitted must have ${permitting.keccak256}`)
    expect(alone).toContain("funding, submission, completion, payout and refund are separate facts")
    expect(alone).toContain("proves none of them")
    const all = (await verify(`good.json ${KEYS} ${BUYER} ${HASH}`)).out
    expect(all).not.toContain("not compared")
    expect(all).toContain("GENUINE: the issuer signed all of this but billing, delivery, outer members")
  })

  test.each([
    [`forged.json ${KEYS}`, "core digest"],
    [`other-key.json ${KEYS}`, "ISSUER_DIFFERS: look at /issuer/key_id, /issuer/jwk"],
    [`other-job.json ${KEYS}`, "SETTLEMENT_REFERENCE: look at /response/billing/settlement_reference"],
    [`unknown-member.json ${KEYS}`, "look at /paid"],
    [`large.json ${KEYS}`, "TOO_LARGE: more than 32768 bytes"],
    [`good.json ${KEYS} ${OTHER_HASH}`, "SUBMITTED_HASH"],
    [`good.json ${KEYS} --job hold-job.json`, "JOB_DIFFERS: look at /job/on_chain_job_id, /job/client_address"],
    [`good.json ${KEYS} --requirement hold-final.json`, "REQUIREMENT_DIGEST: look at /requirement_digest"],
    [`good.json ${KEYS} --requirement draft.json`, "not a final requirement of envelope version 4"],
    [`good.json ${KEYS} --job final.json`, "this is the requirement of an ACP job; it belongs to --requirement"],
    [`good.json ${KEYS} --job misspelt-job.json`, "actualJob/clientAdress must not be there"],
    [`job.json ${KEYS}`, "this is a file of the facts of an ACP job; it belongs to --job"],
    [`delivery.json ${KEYS} ${HASH}`, "--submitted: only a deliverable belongs to an ACP job"],
  ])("verify %s says %s", async (line, says) => {
    const { out, err } = await verify(line)
    expect(out + err).toContain(says)
  })
})

test("no text of a forged file reaches the terminal as it is", async () => {
  const printed = [
    await verify(`terminal.json ${KEYS} ${BUYER} ${HASH}`),
    await runCommand(replayCommand, [join(folder.path, "terminal.json")]),
  ]
  expect(printed.map(({ exit }) => exit)).toEqual([3, 4])
  for (const { out } of printed) {
    expect(out).not.toContain("\u001b")
    expect(out).not.toContain("\ngenuine    GENUINE")
  }
})

describe("replay", () => {
  const replay = (name: string, ...flags: string[]) => runCommand(replayCommand, [join(folder.path, name), ...flags])
  const bundle = (name: string) => ["--bundle", join(folder.path, name)]

  test("the bundle beside the file, or of --bundle, gives the same decision", async () => {
    const beside = await replay("good.json")
    expect([beside.exit, beside.out]).toEqual([0, expect.stringContaining("same decision")])
    expect(beside.out).toContain("byte for byte that of the bundle")
    expect((await replay("hold.json", ...bundle("hold-bundle.json"))).exit).toBe(0)
    expect(
      (await replay("hold.json", ...bundle("hold-bundle.json"), "--issuer", join(folder.path, "jwks.json"))).exit,
    ).toBe(0)
  })

  test("without a bundle it says which one is missing", async () => {
    const { exit, out } = await replay("hold.json")
    expect([exit, out]).toEqual([4, expect.stringContaining("bizauth export dec_AAAAAAAAAAAAAAAAAAAAAA --out")])
    expect((await replay("hold.json", ...bundle("missing.json"))).exit).toBe(4)
    expect((await replay("hold.json", ...bundle("hold.json"))).exit).toBe(4)
    expect((await replay("hold.json", ...bundle("delivery.json"))).exit).toBe(3)
  })

  test("another bundle, a forged deliverable and a bundle for what needs none", async () => {
    const other = await replay("hold.json", ...bundle("good.json.bundle"))
    expect([other.exit, other.out]).toEqual([3, expect.stringContaining("the bundle is of another response")])
    expect((await replay("forged.json", ...bundle("hold-bundle.json"))).exit).toBe(3)
    const edited = await replay("other-job.json", ...bundle("good.json.bundle"))
    expect([edited.exit, edited.out]).toEqual([3, expect.stringContaining("SETTLEMENT_REFERENCE")])
    expect((await replay("hold-bundle.json", ...bundle("good.json.bundle"))).exit).toBe(2)
  })

  test("in a folder each deliverable finds the bundle beside it", async () => {
    const inner = join(folder.path, "jobs")
    await mkdir(inner)
    for (const name of ["good.json", "good.json.bundle"]) await copyFile(join(folder.path, name), join(inner, name))
    const { exit, out } = await replay("jobs", "--json")
    expect([exit, JSON.parse(out).files.map(({ result }: { result: string }) => result)]).toEqual([0, ["VALID"]])
  })
})
