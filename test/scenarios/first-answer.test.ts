/**
 * The way to a first bought answer, typed as it is printed: a live server as docs/operate.md sets it up, then README's purchase. The code
 * blocks are read from both pages, and only what {@link substitutions} lists is typed otherwise. Black box: a live data directory, lists as
 * large as the real ones, a private chain.
 */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { companyCheckDraft } from "../../scripts/demo/drafts.ts"
import { untilOpened } from "../../scripts/demo/until-opened.ts"
import { DAY } from "../../src/core/time.ts"
import { type Chain, DEV_ACCOUNTS, DEV_KEYS, startChain } from "../fixtures/chain.ts"
import { freshDirectory } from "../fixtures/directories.ts"
import { freePort } from "../fixtures/free-port.ts"
import { ROOT } from "../fixtures/imports.ts"
import { programOnPath } from "../fixtures/program-on-path.ts"
import { readmeSubstitutions, type Substitution } from "../fixtures/readme-substitutions.ts"
import { cslFile } from "../fixtures/sample-lists.ts"
import { shellBlocks, type Typed, typeLine } from "../fixtures/typed-lines.ts"
import { writeWholeLists } from "../fixtures/whole-lists.ts"

const readme = readFileSync(join(ROOT, "README.md"), "utf8")
const operate = readFileSync(join(ROOT, "docs/operate.md"), "utf8")
const PAY_TO = "0x1111111111111111111111111111111111111111"
const FEE_ATOMIC = 790_000n

/** All differences from the printed text. Each must occur in it, so that none outlives its text. */
function substitutions(server: string, node: string, now: number): readonly Substitution[] {
  return [
    {
      printed: "bizauth serve --data ./data",
      typed: `bizauth serve --data ./data --listen ${new URL(server).host}`,
      because: "port 8402 may be taken",
    },
    { printed: "https://decisions.example", typed: server, because: "the server is on this machine" },
    { printed: "https://rpc-one.example", typed: node, because: "the node is on this machine" },
    {
      printed: "rpc_url_second https://rpc-two.example",
      typed: "single_node_accepted_by test",
      because: "two nodes on this machine are one host",
    },
    ...readmeSubstitutions(now),
  ]
}

/** The page's text from one line up to another. */
function textBetween(page: string, begin: string, end: string): string {
  const from = page.indexOf(`\n${begin}`)
  const to = page.indexOf(`\n${end}`, from)
  if (from < 0 || to < 0)
    throw new Error(`no text from "${begin}" to "${end}": the way to a first answer is not where this test reads it`)
  return page.slice(from, to)
}

/** The set-up of the operator, then README's purchase up to the first text about other products. */
function firstAnswerText(): string {
  return (
    textBetween(operate, "### A live server in five commands", "### Configuration") +
    textBetween(readme, "## Buy a first answer", "The other products")
  )
}

const directory = freshDirectory()
const folder = directory.path
const answers: Record<string, Typed> = {}
const BLOCK_EVERY_MS = 5_000
let chain: Chain
let blocks: ReturnType<typeof setInterval>
let origin: string
let serveAgain: (flags: string) => Promise<void>
let typeHere: (line: string) => Promise<Typed>
let serving: { stop(): Promise<void> } | null = null

function prepareFolder(substituted: (text: string) => string): void {
  writeFileSync(join(folder, "relayer.key"), DEV_KEYS[1], { mode: 0o600 })
  writeFileSync(join(folder, "wallet.key"), DEV_KEYS[3], { mode: 0o600 })
  const draft = /<!-- draft -->\n```json\n([\s\S]*?)```/.exec(readme)?.[1]
  if (draft === undefined) throw new Error("README prints no draft")
  writeFileSync(join(folder, "draft.json"), substituted(draft))
}

/** Starts the one command that does not end, and returns once the server sells. */
async function serveLine(line: string, environment: Record<string, string>, origin: string) {
  const child = Bun.spawn(["bash", "-c", `exec ${line}`], {
    cwd: folder,
    env: environment,
    stdout: "pipe",
    stderr: "pipe",
  })
  const stop = async () => {
    child.kill("SIGTERM")
    await child.exited
  }
  const first = await child.stdout.getReader().read()
  const said = new TextDecoder().decode(first.value)
  if (said !== `listening ${origin}\n`) {
    throw new Error(`serve printed ${JSON.stringify(said)}: ${await new Response(child.stderr).text()}`)
  }
  await untilOpened(origin)
  return { stop }
}

beforeAll(async () => {
  const now = Date.now()
  const server = `http://127.0.0.1:${freePort()}`
  chain = await startChain()
  // A live server sells only beside a chain whose newest block is less than 30 seconds old.
  blocks = setInterval(() => void chain.mine(1), BLOCK_EVERY_MS)
  await chain.mint(DEV_ACCOUNTS.payer.address, 10_000_000n)
  const table = substitutions(server, chain.url, now)
  const text = firstAnswerText()
  for (const { printed } of table) expect(text).toContain(printed)
  const substituted = (line: string) => table.reduce((typed, one) => typed.replaceAll(one.printed, one.typed), line)

  prepareFolder(substituted)
  writeWholeLists(join(folder, "lists"), now - DAY)
  origin = server
  const environment = programOnPath(folder)
  typeHere = (line) => typeLine(line, { folder, environment }, { prompt: /Type yes/, reply: "yes" })
  for (const printed of shellBlocks(text).flat()) {
    const line = substituted(printed)
    if (printed.startsWith("bizauth serve")) {
      serving = await serveLine(line, environment, server)
      serveAgain = async (flags) => {
        await serving?.stop()
        serving = await serveLine(`${line} ${flags}`, environment, server)
      }
      continue
    }
    const typed = await typeHere(line)
    answers[words(printed)] = typed
    if (typed.exit !== 0) throw new Error(`${line}\nended with ${typed.exit}:\n${typed.shown}`)
  }
}, 180_000)

afterAll(async () => {
  clearInterval(blocks)
  await serving?.stop()
  await chain?.stop()
  directory[Symbol.dispose]()
})

/** The words of a command before its first flag or file. */
function words(line: string): string {
  return line.split(/ (?=-|\.)/)[0] ?? line
}

const readJson = (name: string) => JSON.parse(readFileSync(join(folder, name), "utf8"))

test("the printed commands for a first bought answer, typed as they are, give an answer that permits the payment", () => {
  const { decision, machine_action, reason_codes } = readJson("delivery.json")
  expect({ decision, machine_action }).toEqual({ decision: "ALLOW", machine_action: "RELEASE_PAYMENT" })
  expect(reason_codes).toEqual(["CURRENT_EVIDENCE_WITHIN_DECLARED_COVERAGE", "LIMITED_COVERAGE"])
})

test("README's verify says that the bought answer is genuine, current and permits what it requires", () => {
  const { shown } = answers["bizauth verify"] as Typed
  expect(shown).toMatch(/^genuine {4}GENUINE: /m)
  expect(shown).toMatch(/^current {4}CURRENT: /m)
  expect(shown).toMatch(/^permitted {2}RELEASE_PAYMENT, decision ALLOW: /m)
})

test("the wallet paid the price of one decision, once, to the address in the printed setting", async () => {
  const transfers = await chain.transfersTo(PAY_TO)
  expect(transfers.map(({ from, value }) => ({ from, value }))).toEqual([
    { from: DEV_ACCOUNTS.payer.address, value: FEE_ATOMIC },
  ])
})

test("README's recover returns the same bytes", () => {
  const [bought, again] = ["delivery.json", "again.json"].map((name) => readFileSync(join(folder, name), "utf8"))
  expect(again).toBe(bought as string)
})

test("an accepted but too small list is shown as accepted, and prevents the sale before a quote", async () => {
  mkdirSync(join(folder, "small"))
  const { bytes } = cslFile()
  writeFileSync(join(folder, "small", "consolidated.csv"), bytes)
  const published = new Date(Date.now() - DAY).toISOString()
  const line = `bizauth sources import US_TRADE_CSL ./small/consolidated.csv --data ./data --published-at ${published}`
  const refused = await typeHere(line)
  expect([refused.exit, refused.shown]).toEqual([3, expect.stringMatching(/hard {2}BELOW_EXPECTED .*--accept-small/)])
  const digest = /raw (sha256:[0-9a-f]{64})/.exec(refused.shown)?.[1] ?? ""
  const accepted = await typeHere(`${line} --accept-small "drill of the desk" --accept-shrink ${digest}`)
  expect([accepted.exit, accepted.shown]).toEqual([0, expect.stringContaining("drill of the desk")])

  const draft = readJson("draft.json")
  draft.invoice = { obligation_id: "INV-2026-0043", document_digest: `sha256:${"4".repeat(64)}` }
  writeFileSync(join(folder, "second.json"), JSON.stringify(draft))
  await untilStale()
  const signed = await typeHere(
    "bizauth agent sign-request --keys ./agent.json --request ./second.json --mandate-key ./org.key --out ./second-request.json",
  )
  expect([signed.exit, signed.shown]).toEqual([0, expect.any(String)])
  const quote = await typeHere(
    `bizauth agent quote --server ${origin} --request ./second-request.json --out ./second-quote.json`,
  )
  expect(quote.exit).not.toBe(0)
  expect(quote.shown).toContain("SOURCE_STALE")
  expect(await chain.transfersTo(PAY_TO)).toHaveLength(1)
}, 60_000)

test("a company check bought on that list is conditional and names the acceptance, and verify says so", async () => {
  writeFileSync(join(folder, "check.json"), JSON.stringify(companyCheckDraft(Date.now())))
  // The test chain suggests the largest priority fee that the service accepts; at this ether price a cheap answer can be settled too.
  await serveAgain("--eth-usd 1000")
  for (const line of secondPurchase()) {
    const { exit, shown } = await typeHere(line)
    expect([line, exit, shown]).toEqual([line, 0, expect.any(String)])
  }
  const { decision, conditions, limitations, reason_codes } = readJson("answer.json")
  expect({ decision, conditions }).toEqual({
    decision: "CONDITIONAL",
    conditions: ["CONFIRM_WITH_A_CURRENT_SOURCE"],
  })
  expect(reason_codes).toContain("SOURCE_ACCEPTED_BY_OPERATOR")
  expect(limitations).toContain("SOURCE_ACCEPTED_BY_OPERATOR")
  const { shown } = await typeHere("bizauth verify ./answer.json --issuer ./issuer.jwks.json --request ./check.json")
  expect(shown).toMatch(/^permitted {2}\w+, decision CONDITIONAL/m)
  expect(shown).toContain("The operator accepted a list or register that is too old or too small")
}, 60_000)

/** README's two commands for the other products. */
function secondPurchase(): readonly string[] {
  const text = readme.slice(readme.indexOf("\nThe other products"), readme.indexOf("\n## The map"))
  const lines = shellBlocks(text).flat().slice(0, 2)
  expect(lines.map((line) => words(line))).toEqual(["bizauth agent quote", "bizauth agent pay"])
  return lines.map((line) => line.replaceAll("https://decisions.example", origin))
}

/** A running server activates a new snapshot within seconds. Then its source health shows the state that a Payment Decision reads. */
async function untilStale(): Promise<void> {
  for (let requests = 0; requests < 80; requests++) {
    const answer = (await (await fetch(`${origin}/v1/us/federal/source-health`)).json()) as {
      readonly sources: readonly { readonly source_id: string; readonly reason_codes: readonly string[] }[]
    }
    const codes = answer.sources.find(({ source_id }) => source_id === "US_TRADE_CSL")?.reason_codes ?? []
    if (codes.includes("SOURCE_ACCEPTED_BY_OPERATOR")) {
      expect(codes).toEqual(["SOURCE_STALE", "SOURCE_ACCEPTED_BY_OPERATOR"])
      return
    }
    await Bun.sleep(250)
  }
  throw new Error("the server did not take the accepted list in twenty seconds")
}
