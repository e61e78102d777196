/**
 * A newcomer's first run, typed at a terminal: README's three commands from an empty folder to a screened name, then the commands that the
 * program itself prints as the next ones, up to a server that tells where to look and how to stop it. Only two things differ from a
 * newcomer's machine, both by variables: the publishers are a mirror with small lists, and the port is free.
 */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { PRODUCT_OPERATIONS } from "../../../schemas/product-operations.ts"
import { SOURCE_IDS } from "../../../src/sources/records/party.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { readme } from "../../fixtures/doc-pages.ts"
import { type Mirror, mirrorOf } from "../../fixtures/mirror.ts"
import { programOnPath } from "../../fixtures/program-on-path.ts"
import { openTerminal, shellBlocks, type Typed, typeLine } from "../../fixtures/typed-lines.ts"

const HOUR = 3_600_000
const directory = freshDirectory()
const folder = directory.path
let mirror: Mirror
let environment: Readonly<Record<string, string>>
const typed = new Map<string, Typed>()

/** The commands of README's section, in order. */
function threeCommands(): readonly string[] {
  const from = readme.indexOf("\n## Screen a first name in three commands\n")
  const to = readme.indexOf("\n## ", from + 1)
  const lines = shellBlocks(readme.slice(from, to)).flat()
  if (from < 0 || lines.length !== 3) throw new Error("README does not screen a first name in three commands")
  return lines
}

const [init = "", fetchLists = "", screenName = ""] = threeCommands()

beforeAll(async () => {
  mirror = mirrorOf(Date.now() - HOUR)
  environment = {
    ...programOnPath(folder),
    BIZAUTH_SOURCE_MIRROR: mirror.origin,
    BIZAUTH_LISTEN: "127.0.0.1:0",
  }
  for (const line of [init, fetchLists, screenName]) {
    const ran = await typeLine(line, { folder, environment }, { prompt: /Type yes/, reply: "no" })
    expect([line, ran.exit, ran.exit === 0 ? "" : ran.shown]).toEqual([line, 0, ""])
    typed.set(line, ran)
  }
}, 60_000)
afterAll(() => {
  mirror?.[Symbol.dispose]()
  directory[Symbol.dispose]()
})

const CLEARED = "\r\u001b[2K"

/** What the terminal shows at the end: of a line that was cleared, only what came after. */
function shownBy(line: string): string {
  const lines = (typed.get(line)?.shown ?? "").split("\n")
  return lines.map((one) => one.split(CLEARED).at(-1)).join("\n")
}

/** The command of the row with this word. */
function commandAfter(word: string, text: string): string {
  return new RegExp(`^${word} +(bizauth .+)$`, "m").exec(text)?.[1] ?? `no row "${word}" in ${text}`
}

test("init shows what it made and where, the fingerprint, what to back up, and README's next command", () => {
  const shown = shownBy(init)
  const data = join(folder, "data")
  expect(shown).toStartWith(`created      ${data}, for test; only this user can read it\n`)
  for (const name of ["bizauth.db", "bizauth.toml", "keys/", "keys/recovery/", "snapshots/"]) {
    expect(shown).toMatch(new RegExp(`^ {13}${name} +\\S`, "m"))
    expect([name, existsSync(join(data, name))]).toEqual([name, true])
  }
  expect(shown).toMatch(/^signing key {2}kid ed25519-[\w-]{43}\n {13}SHA-256 ([0-9a-f]{2}:){31}[0-9a-f]{2}\n/m)
  expect(shown).toContain(`\nback up      ${join(data, "keys")}\n`)
  expect(shown).toContain(`\ntake offline ${join(data, "keys", "recovery")}\n`)
  expect(commandAfter("next", shown)).toBe(fetchLists)
})

test("the fetch shows every list, its age and when it goes stale, which answers lack what, and the next command", () => {
  const shown = shownBy(fetchLists)
  for (const id of SOURCE_IDS) {
    expect(shown).toMatch(
      new RegExp(
        `^(in use)? +${id} +[\\d,]+ entries, (published|published unknown, retrieved) \\d+ \\w+ ago, stale in \\d+ \\w+ \\(`,
        "m",
      ),
    )
  }
  expect(shown).toMatch(/^ +UK_COMPANIES_HOUSE +missing$/m)
  expect(shown).toContain("\nUS answers   every list that they need is in use and current\n")
  expect(shown).toContain("\nUK answers   need UK_COMPANIES_HOUSE: missing\n")
  expect(commandAfter("next", shown)).toBe('bizauth screen "A NAME" --data ./data')
  expect(commandAfter("for the UK", shown)).toBe("bizauth sources fetch UK_COMPANIES_HOUSE --data ./data")
})

test("the name on the sample list is found", () => {
  const shown = shownBy(screenName)
  expect(shown).toMatch(/^POSSIBLE_MATCH {2}best score 0\.\d{4} {2}threshold 0\.8 {2}\d+ names screened\n/)
  expect(shown).toMatch(/^HOLD {7}0\.\d{4} {2}US_OFAC_SDN SDN 90001 {2}VOSTOK MERIDIAN TRADING LLC /m)
})

test("serve, as the fetch printed it, shows pages that open, what is not sold and why, and stops at Ctrl-C", async () => {
  const line = commandAfter("then", shownBy(fetchLists))
  expect(line).toBe("bizauth serve --data ./data")
  const terminal = openTerminal(line, { folder, environment })
  const shown = await terminal.until(/^stop {9}.*$/m)
  const origin = /^listening (http:\/\/127\.0\.0\.1:\d+)$/m.exec(shown)?.[1] ?? "no address"
  const story = shown.slice(shown.search(/^open /m))
  const addresses = [...story.matchAll(/^(?:open)? +(http:\S+) {2,}\S/gm)].map(([, url = ""]) => url)
  expect(addresses).toEqual(expect.arrayContaining([`${origin}/`, `${origin}/status`, `${origin}/docs`]))
  for (const url of addresses) {
    const { status } = await fetch(url, { headers: { accept: "text/html" } })
    expect([url, status]).toEqual([url, 200])
  }
  expect(story).toContain(`\ndata         ${join(folder, "data")}, for test\n`)
  const sold = (country: string) =>
    PRODUCT_OPERATIONS.filter(({ paid }) => paid.product?.jurisdiction === country).length
  expect(story).toContain(`\nnot sold     ${sold("US")} US products, PAYMENTS_OFF\n`)
  expect(story).toContain(
    `\n             ${sold("GB")} UK products, PAYMENTS_OFF\n               need UK_COMPANIES_HOUSE: missing\n`,
  )
  expect(story).toContain(`\n             bizauth check --data ${join(folder, "data")} says how to mend it\n`)
  expect(shown).not.toMatch(/^\{/m)
  terminal.type("\u0003")
  expect(await terminal.exited).toBe(0)
}, 60_000)

test("a node that does not answer delays what serve tells, but not the stop at Ctrl-C", async () => {
  using node = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => {} } })
  const silent = `http://127.0.0.1:${node.port}`
  writeFileSync(join(folder, "relayer.key"), `0x${"1".padStart(64, "0")}\n`, { mode: 0o600 })
  const flags = `--payments test --rpc-url ${silent} --pay-to 0x${"1".repeat(40)} --relayer-key-file ./relayer.key`
  const terminal = openTerminal(`bizauth serve --data ./data ${flags}`, { folder, environment })
  await terminal.until(/^listening /m)
  terminal.type("\u0003")
  expect(await terminal.exited).toBe(0)
  expect(terminal.shown()).not.toMatch(/^open /m)
}, 60_000)
