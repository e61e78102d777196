/** The publication and confirmation times of a manifest count only if a pinned key signed it. */
import { describe, expect, test } from "bun:test"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { keyFromSeed } from "../../src/core/ed25519.ts"
import { keyIdOf } from "../../src/core/jwk.ts"
import { DAY, formatInstant, HOUR } from "../../src/core/time.ts"
import { exportSnapshot } from "../../src/sources/import/export-snapshot.ts"
import { LIST_ROWS } from "../../src/sources/records/list-rows.ts"
import { sampleLists } from "../fixtures/sample-lists.ts"
import { hardCodes, importBench, START } from "./import-bench.ts"

const CSL = "US_TRADE_CSL"
const KEY = keyFromSeed(new Uint8Array(32).fill(1))

/** A list that its publisher dated and confirmed, exported with or without a signature. */
async function exported(isSigned: boolean) {
  const outside = importBench()
  const files = sampleLists({ publishedAt: START })[CSL]
  outside.machine.set(START + 3 * DAY)
  const given = { modifiedAt: START, fromPublisher: { lastModified: START - HOUR } }
  await outside.bring(CSL, files, given)
  const row = await outside.active(CSL)
  if (!row) throw new Error("nothing was imported")
  const out = join(outside.directory, "stick")
  const signer = { keyId: keyIdOf(KEY.x), privateKey: KEY.privateKey }
  exportSnapshot({ root: outside.root, row, licence: LIST_ROWS[CSL].licence }, out, isSigned ? signer : null)
  const inside = importBench()
  inside.machine.set(START + 4 * DAY)
  return {
    out,
    inside,
    bring: (pinned: readonly string[]) => inside.importFrom(CSL, out, { pinned }),
    [Symbol.asyncDispose]: async () => {
      await outside[Symbol.asyncDispose]()
      await inside[Symbol.asyncDispose]()
    },
  }
}

const manifestOf = (folder: string) => JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8"))

test("an exported manifest states the three times", async () => {
  await using stick = await exported(true)
  expect(manifestOf(stick.out)).toMatchObject({
    published_at: formatInstant(START - HOUR),
    published_from: "LAST_MODIFIED",
    confirmed_at: formatInstant(START + 3 * DAY),
  })
})

describe("an imported manifest", () => {
  test("signed by a pinned key is accepted: the list is as fresh as its publisher confirmed it", async () => {
    await using stick = await exported(true)
    const taken = await stick.bring([KEY.x])
    expect(taken).toMatchObject({
      imported: true,
      publishedAt: formatInstant(START - HOUR),
      publishedFrom: "LAST_MODIFIED",
      confirmedAt: formatInstant(START + 3 * DAY),
    })
  })

  test.each([
    ["signed while no key is pinned", true],
    ["unsigned", false],
  ] as const)("%s gets none of its times accepted", async (_what, isSigned) => {
    await using stick = await exported(isSigned)
    const taken = await stick.bring([])
    expect(taken).toMatchObject({ imported: true, publishedAt: null, publishedFrom: null, confirmedAt: null })
  })

  test("that was changed after its signature is refused", async () => {
    await using stick = await exported(true)
    const changed = { ...manifestOf(stick.out), confirmed_at: formatInstant(START + 4 * DAY) }
    writeFileSync(join(stick.out, "manifest.json"), JSON.stringify(changed))
    expect(hardCodes(await stick.bring([KEY.x]))).toEqual(["SIGNATURE_INVALID"])
  })
})
