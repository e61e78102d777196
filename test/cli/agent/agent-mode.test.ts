/** The commands of agent sales and the Intent Beacon against a whole service on a socket. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test"
import { join } from "node:path"
import { EXIT } from "../../../src/base/exit.ts"
import { commands } from "../../../src/cli/commands.ts"
import { databaseOf } from "../../fixtures/database-of.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { type ServedService, servedService } from "../../fixtures/served.ts"
import { runCommand } from "../../fixtures/terminal.ts"

setDefaultTimeout(30_000)

const folder = freshDirectory()
let served: ServedService
let keys: string
let signer: string[]
let data: string[]

async function run(name: string, ...argv: string[]) {
  const load = commands[name]
  if (!load) throw new Error(`no command ${name}`)
  return runCommand((await load()).command, argv)
}

beforeAll(async () => {
  served = await servedService({ intent_beacon: "on" })
  keys = join(folder.path, "agent.json")
  signer = ["--keys", keys, "--server", served.origin]
  data = ["--data", served.directory]
  expect((await run("agent keygen", "--out", keys)).exit).toBe(EXIT.DONE)
  expect((await run("agent enroll", "--keys", keys, "--server", served.origin)).exit).toBe(EXIT.DONE)
})
afterAll(async () => {
  await served[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

/** Rows of every table of payments and deliveries. */
function effects(): number {
  const { dataDirectory } = served.service
  const tables = ["decision_request", "payment_attempt", "payment_event", "delivery", "entitlement", "relayer_nonce"]
  return tables.reduce((sum, table) => {
    const row = databaseOf(dataDirectory).query(`SELECT count(*) AS n FROM ${table}`).get() as { n: number }
    return sum + row.n
  }, 0)
}

test("a consent, an event, its report, and a revocation", async () => {
  const consent = ["--consent", "my-consent-1"]
  const granted = await run("agent beacon consent", ...signer, ...consent, "--channels", "http-api,mcp")
  expect(granted).toMatchObject({ exit: EXIT.DONE, out: expect.stringContaining("GRANTED  my-consent-1") })
  const event = () =>
    run("agent beacon event", ...signer, ...consent, "--kind", "QUOTE_VIEWED", "--channel", "http-api")
  expect((await event()).out).toBe("ACCEPTED  QUOTE_VIEWED\n")
  expect((await run("beacon report", ...data)).out).toMatch(/^\d{4}-\d\d-\d\d {2}QUOTE_VIEWED {2}- {2}http-api {2}1\n$/)
  expect((await run("agent beacon revoke", ...signer, ...consent)).exit).toBe(EXIT.DONE)
  expect(await event()).toMatchObject({ exit: EXIT.INVALID, err: expect.stringContaining("CONSENT_NOT_ACTIVE") })
  expect(effects()).toBe(0)
})

test("a dialogue continues from the last answer; a stop and a window hold with the next message", async () => {
  const [first, second] = [join(folder.path, "first.json"), join(folder.path, "second.json")]
  const answered = await run(
    "agent dialogue",
    ...signer,
    "--topic",
    "PRICE",
    "--product",
    "us.company.check.v1",
    "--out",
    first,
  )
  expect(answered.exit).toBe(EXIT.DONE)
  expect(answered.out).toContain("LIST_PRICE  us.company.check.v1  FIXED_PRICE  AMOUNT=0.04")
  const next = ["--topic", "OFFER_REQUEST", "--previous", first]
  const offered = await run("agent dialogue", ...signer, ...next, "--out", second)
  expect(offered.out).toContain("turn 1\n")
  expect(offered.out).toContain("OFFER  svc.agent-id.v1  NO_OFFER  REASON=FREE_PRODUCT")
  // Payments are off in this service.
  expect(offered.out).toContain("OFFER  us.company.check.v1  NO_OFFER  REASON=NOT_SOLD_NOW")
  expect(effects()).toBe(0)

  const dialogue = () => run("agent dialogue", ...signer, "--topic", "EVIDENCE")
  const switched = ["--reason", "incident 7", ...data]
  expect((await run("sales stop", "http-api", ...switched)).out).toBe("STOPPED  http-api\n")
  expect((await dialogue()).err).toContain("KILL_SWITCH_ACTIVE")
  expect((await run("sales start", "http-api", ...switched)).exit).toBe(EXIT.DONE)
  expect((await dialogue()).exit).toBe(EXIT.DONE)
  const now = new Date()
  const hour = (ahead: number) => `${String((now.getUTCHours() + ahead) % 24).padStart(2, "0")}:00`
  expect((await run("sales window", "http-api", hour(2), hour(3), ...switched)).exit).toBe(EXIT.DONE)
  expect((await dialogue()).err).toContain("CHANNEL_NOT_ALLOWED")
  expect((await run("sales window", "http-api", "00:00", "00:00", ...switched)).out).toBe("ALWAYS  http-api\n")
  expect((await run("sales status", ...data)).out).toContain("RUNNING  http-api  since ")
  expect(await run("sales stop", "htp-api", ...switched)).toMatchObject({
    exit: EXIT.USAGE,
    err: "no channel htp-api; did you mean http-api?",
  })
})

test("an opt-out ends dialogues until it is undone", async () => {
  const dialogue = () => run("agent dialogue", ...signer, "--topic", "EVIDENCE")
  expect((await run("agent opt-out", ...signer)).out).toBe("OPTED_OUT  ALL\n")
  expect(await dialogue()).toMatchObject({ exit: EXIT.INVALID, err: expect.stringContaining("OPTED_OUT") })
  expect((await run("agent opt-out", ...signer, "--undo")).out).toBe("OPTED_IN  ALL\n")
  expect((await dialogue()).exit).toBe(EXIT.DONE)
  expect(await run("agent opt-out", ...signer, "--product", "a", "--channel", "mcp")).toMatchObject({
    exit: EXIT.USAGE,
  })
})

test("the documents of a whole service name what it serves", async () => {
  const status = await (await fetch(`${served.origin}/v1/agent-mode/sales/multichannel/status`)).json()
  const states = Object.fromEntries(
    (status as { channels: { channel_id: string; state: string }[] }).channels.map(({ channel_id, state }) => [
      channel_id,
      state,
    ]),
  )
  expect(states).toMatchObject({
    "http-api": "ACTIVE",
    "sales-dialogue": "ACTIVE",
    postman: "ACTIVE",
    "acp-job": "INACTIVE",
  })
  const adoption = await (await fetch(`${served.origin}/v1/agent-mode/identity-adoption`)).json()
  expect(adoption).toMatchObject({ beacon: { enabled: true }, adoption_required: false })
})
