/**
 * The envelopes of MCP and A2A: what an absent, a null, an empty and a wrong member mean, one row each. An answer has the id of its request
 * whenever the id could be read.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { AGENT_A2A_PATH } from "../../../schemas/discovery/a2a.ts"
import { Draw } from "../../fixtures/draw.ts"
import { type McpService, mcpService, modern, postMcp } from "../../fixtures/mcp.ts"
import { secretsAnywhere } from "../../fixtures/secrets.ts"

setDefaultTimeout(30_000)

let service: McpService
beforeAll(async () => {
  service = await mcpService({ rate_limits: "off" })
})
afterAll(() => service[Symbol.asyncDispose]())

type Members = Record<string, unknown>
/** HTTP status; code of the error, or the mark of a result or of no body; the id of the answer. */
type Outcome = readonly [status: number, answer: number | "RESULT" | "NOTHING", id: unknown]
type Row = readonly [name: string, changes: Members, outcome: Outcome]

const RESULT = [200, "RESULT", 7] as const
const NOTHING = [202, "NOTHING", undefined] as const
const refused = (status: number, code: number, id: unknown = 7) => [status, code, id] as const

function outcomeOf({ status, text }: { status: number; text: string }): Outcome {
  if (text === "") return [status, "NOTHING", undefined]
  const { id, error } = JSON.parse(text)
  return [status, error?.code ?? "RESULT", id]
}

/** The message with these members. Undefined leaves one out. */
const legacy = async (message: Members) => outcomeOf(await postMcp(service.url, JSON.stringify(message)))

const list = { jsonrpc: "2.0", id: 7, method: "tools/list" }
const call = (params: Members) => ({
  ...list,
  method: "tools/call",
  params: { name: "get_us_federal_source_health", ...params },
})

const ids: readonly Row[] = [
  ["absent: a notification", { id: undefined }, NOTHING],
  ["null: the same", { id: null }, NOTHING],
  ["an empty text, which is an id", { id: "" }, [200, "RESULT", ""]],
  ["zero", { id: 0 }, [200, "RESULT", 0]],
  ["a negative number", { id: -1 }, [200, "RESULT", -1]],
  ["a fraction", { id: 1.5 }, refused(400, -32600, null)],
  ["a list", { id: [] }, refused(400, -32600, null)],
  ["an object", { id: {} }, refused(400, -32600, null)],
  ["true", { id: true }, refused(400, -32600, null)],
  ["257 characters", { id: "x".repeat(257) }, refused(400, -32600, null)],
]
const methods: readonly Row[] = [
  ["absent", { method: undefined }, refused(400, -32600)],
  ["null", { method: null }, refused(400, -32600)],
  ["empty", { method: "" }, refused(400, -32600)],
  ["a number", { method: 1 }, refused(400, -32600)],
  ["unknown", { method: "nothing" }, refused(200, -32601)],
]
const params: readonly Row[] = [
  ["absent", { params: undefined }, RESULT],
  ["null", { params: null }, RESULT],
  ["an empty object", { params: {} }, RESULT],
  ["an empty list", { params: [] }, RESULT],
  ["an empty text", { params: "" }, RESULT],
  ["a list", { params: [1] }, refused(400, -32600)],
  ["a text", { params: "all" }, refused(400, -32600)],
  ["a number", { params: 0 }, refused(400, -32600)],
]
const cursors: readonly Row[] = [
  ["null", { params: { cursor: null } }, RESULT],
  ["empty", { params: { cursor: "" } }, RESULT],
  ["a text", { params: { cursor: "next" } }, refused(200, -32602)],
  ["a number", { params: { cursor: 0 } }, refused(200, -32602)],
]
const metas: readonly Row[] = [
  ["null", { params: { _meta: null } }, RESULT],
  ["an empty object", { params: { _meta: {} } }, RESULT],
  ["an empty list", { params: { _meta: [] } }, RESULT],
  ["a text", { params: { _meta: "x" } }, refused(400, -32602)],
  ["a list", { params: { _meta: [1] } }, refused(400, -32602)],
]
const argumentRows: readonly Row[] = [
  ["absent", call({}), RESULT],
  ["null", call({ arguments: null }), RESULT],
  ["an empty object", call({ arguments: {} }), RESULT],
  ["an empty list", call({ arguments: [] }), RESULT],
  ["an empty text", call({ arguments: "" }), RESULT],
  ["a text", call({ arguments: "{}" }), refused(200, -32602)],
  ["a list", call({ arguments: [1] }), refused(200, -32602)],
  ["a number", call({ arguments: 1 }), refused(200, -32602)],
]
const responses: readonly Row[] = [
  ["a result", { method: undefined, result: {} }, NOTHING],
  ["an error", { method: undefined, error: {} }, NOTHING],
  ["a null result", { method: undefined, result: null }, refused(400, -32600)],
  ["another version of JSON-RPC", { jsonrpc: "1.0" }, refused(400, -32600)],
]
describe.each([
  ["id", ids],
  ["method", methods],
  ["params", params],
  ["params.cursor", cursors],
  ["params._meta", metas],
  ["params.arguments", argumentRows],
  ["result, error and jsonrpc", responses],
])("MCP, %s", (_member, table) => {
  test.each(table)("%s", async (_name, changes, outcome) => {
    expect(await legacy({ ...list, ...changes })).toEqual(outcome)
  })
})

describe("MCP, revision 2026-07-28", () => {
  test.each([
    ["arguments", { arguments: null }],
    ["arguments", { arguments: [] }],
    ["cursor", { cursor: null }],
  ])("an empty %s means none: %j", async (_member, changes) => {
    const { body, headers } = modern("tools/call", { name: "get_us_federal_source_health", ...changes })
    const answer = await postMcp(service.url, JSON.stringify({ ...body, id: 7 }), headers)
    expect(outcomeOf(answer)).toEqual(RESULT)
  })

  test.each([[null], [{}], ["x"]])("a request needs its _meta: %j", async (_meta) => {
    const { headers } = modern("tools/list")
    const answer = await postMcp(service.url, JSON.stringify({ ...list, params: { _meta } }), headers)
    expect(outcomeOf(answer)).toEqual(refused(400, -32602))
  })
})

test("an id with a secret of any kind is not repeated, and a digest or a number is", async () => {
  const ask = async (id: string) => (await postMcp(service.url, JSON.stringify({ ...list, id, params: [1] }))).text
  for (const { name, text, core } of secretsAnywhere(new Draw("ids of messages"))) {
    expect([name, (await ask(text)).includes(core)]).toEqual([name, false])
  }
  for (const id of ["9f".repeat(32), "4111111111111111", crypto.randomUUID()]) {
    expect(JSON.parse(await ask(id))).toMatchObject({ id })
  }
})

describe("a batch", () => {
  const post = async (messages: readonly unknown[], headers: Record<string, string> = {}) => {
    const { status, text } = await postMcp(service.url, JSON.stringify(messages), headers)
    return [status, text === "" ? null : JSON.parse(text)]
  }
  const ping = (id: number) => ({ jsonrpc: "2.0", id, method: "ping" })
  const pong = (id: number) => ({ jsonrpc: "2.0", id, result: {} })
  const note = { jsonrpc: "2.0", method: "notifications/initialized" }

  test("of revision 2025-03-26, named or not, is answered by the responses in their order", async () => {
    for (const headers of [{}, { "mcp-protocol-version": "2025-03-26" }]) {
      expect(await post([ping(1), note, ping(2)], headers)).toEqual([200, [pong(1), pong(2)]])
    }
  })

  test("of notifications alone has no body, and one of a single request is a list of one", async () => {
    expect(await post([note, note])).toEqual([202, null])
    expect(await post([ping(1)])).toEqual([200, [pong(1)]])
  })

  test("has an error for each message that is none, with its id where it has one", async () => {
    const [status, answers] = await post([1, { id: 5 }, { ...ping(6), method: "nothing" }, ping(7)])
    const short = (answers as Members[]).map(({ id, error }) => [id, (error as Members | undefined)?.["code"]])
    expect([status, short]).toEqual([
      200,
      [
        [null, -32600],
        [5, -32600],
        [6, -32601],
        [7, undefined],
      ],
    ])
  })

  test("has at most 16 messages, and at least one", async () => {
    const sixteen = Array.from({ length: 16 }, (_, id) => ping(id))
    expect(await post(sixteen)).toEqual([200, sixteen.map(({ id }) => pong(id))])
    for (const messages of [[...sixteen, ping(16)], []]) {
      const [status, answer] = (await post(messages)) as [number, { error: { code: number; data: Members } }]
      expect([status, answer.error.code]).toEqual([400, -32600])
      expect(JSON.stringify(answer.error.data["errors"])).toContain("1 to 16 items")
    }
  })

  test("belongs to no other revision, and initialize comes alone", async () => {
    for (const version of ["2025-06-18", "2025-11-25", "2024-11-05", "2026-07-28"]) {
      const [status, answer] = (await post([ping(1)], { "mcp-protocol-version": version })) as [number, Members]
      expect([status, answer["id"], (answer["error"] as Members)["code"]]).toEqual([400, null, -32600])
      expect((answer["error"] as Members)["message"]).toContain("2025-03-26")
    }
    const [, answers] = await post([{ ...ping(1), method: "initialize" }])
    expect(answers).toMatchObject([{ id: 1, error: { code: -32600 } }])
  })

  test("counts each message against the limit of the endpoint, and is refused whole", async () => {
    await using limited = await mcpService({ rate_limits: "on" })
    const batch = JSON.stringify(Array.from({ length: 16 }, (_, id) => ping(id)))
    const statuses: number[] = []
    for (let n = 0; n < 38; n++) statuses.push((await postMcp(limited.url, batch)).status)
    // 37 batches of 16 are 592 of 600.
    expect(statuses).toEqual([...Array(37).fill(200), 429])
  })
})

const send = (input: Members = {}) => ({
  jsonrpc: "2.0",
  id: 7,
  method: "SendMessage",
  params: {
    message: {
      messageId: "m",
      role: "ROLE_USER",
      parts: [{ data: { operation: "get_us_federal_source_health", ...input } }],
    },
  },
})
const a2aRows: readonly Row[] = [
  ["id absent", { id: undefined }, refused(400, -32600, null)],
  ["id null: the same", { id: null }, refused(400, -32600, null)],
  ["id empty, which is an id", { id: "" }, [200, "RESULT", ""]],
  ["id wrong", { id: {} }, refused(400, -32600, null)],
  ["method absent", { method: undefined }, refused(400, -32600)],
  ["method null", { method: null }, refused(400, -32600)],
  ["method wrong", { method: 1 }, refused(400, -32600)],
  ["params absent", { params: undefined }, refused(200, -32602)],
  ["params null: the same", { params: null }, refused(200, -32602)],
  ["params empty: the same", { params: {} }, refused(200, -32602)],
  ["params an empty list: the same", { params: [] }, refused(200, -32602)],
  ["params wrong", { params: [1] }, refused(400, -32600)],
  ["input absent", send(), RESULT],
  ["input null", send({ input: null }), RESULT],
  ["input empty", send({ input: {} }), RESULT],
  ["input an empty list", send({ input: [] }), RESULT],
  ["input wrong", send({ input: [1] }), refused(200, -32602)],
  ["_meta null", { params: { ...send().params, _meta: null } }, RESULT],
  ["_meta wrong, which A2A does not have", { params: { ...send().params, _meta: 1 } }, RESULT],
  ["a context of null", { params: { message: { ...send().params.message, contextId: null } } }, RESULT],
]
test.each(a2aRows)("A2A, %s", async (_name, changes, outcome) => {
  const answer = await fetch(service.origin + AGENT_A2A_PATH, {
    method: "POST",
    headers: { "content-type": "application/json", "a2a-version": "1.0" },
    body: JSON.stringify({ ...send(), ...changes }),
  })
  expect(outcomeOf({ status: answer.status, text: await answer.text() })).toEqual(outcome)
})
