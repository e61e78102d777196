/** The transport under a node: what travels together, and what each question of a batch gets when the node answers it wrongly. */
import { afterAll, afterEach, describe, expect, test } from "bun:test"
import { numberToHex } from "viem"
import { inBatches, type Post } from "../../src/payments/json-rpc.ts"
import { BASE } from "../../src/payments/networks/base.ts"
import { broadcast } from "../../src/payments/relayer.ts"
import { openChain, readNumber } from "../../src/payments/rpc.ts"
import {
  type Answer,
  accountOf,
  answerTo,
  balances,
  inBatch,
  outcome,
  type Received,
  startNode,
} from "./answering-node.ts"

const [first, second] = [startNode(), startNode()]
const open = (url = first.url, timeoutMs = 20_000) => openChain({ rpcUrl: url, network: BASE, timeoutMs }).primary
afterEach(() => {
  first.reset()
  second.reset()
})
afterAll(() => Promise.all([first.stop(), second.stop()]))

const NONE = ["unavailable", "unavailable", "unavailable"]

describe("the questions of one turn", () => {
  test("travel as one batch, whatever asks them", async () => {
    const node = open()
    await Promise.all([
      balances(node, 1, 2),
      node.query(readNumber, "eth_getTransactionCount", accountOf(3), "latest"),
      (async () => {
        await null
        await null
        return node.etherBalance(accountOf(4))
      })(),
    ])
    expect(first.bodies).toHaveLength(1)
    expect(first.batches[0]?.map(({ jsonrpc, method }) => [jsonrpc, method])).toEqual([
      ["2.0", "eth_getBalance"],
      ["2.0", "eth_getBalance"],
      ["2.0", "eth_getTransactionCount"],
      ["2.0", "eth_getBalance"],
    ])
  })

  test("are asked once where they are equal, and each who asked gets the answer", async () => {
    expect(await balances(open(), 5, 5, 6, 5)).toEqual([5n, 5n, 6n, 5n])
    expect(first.batches.map((batch) => batch.length)).toEqual([2])
    expect(await balances(open(), 5, 5)).toEqual([5n, 5n])
    // One question is a plain object.
    expect(first.bodies[1]).toMatchObject({ jsonrpc: "2.0", method: "eth_getBalance" })
  })

  test("never get an answer of an earlier turn, not even while its post is under way", async () => {
    const node = open()
    const gate = Promise.withResolvers<void>()
    let posts = 0
    first.respond = async (body) => {
      const result = numberToHex(++posts)
      if (posts === 1) await gate.promise
      const answers = [body].flat().map((one) => ({ ...answerTo(one), result }))
      return Response.json(Array.isArray(body) ? answers : answers[0])
    }
    const earlier = balances(node, 7, 8)
    while (first.bodies.length === 0) await Bun.sleep(1)
    expect(await balances(node, 7, 8)).toEqual([2n, 2n])
    gate.resolve()
    expect(await earlier).toEqual([1n, 1n])
    expect(await balances(node, 7)).toEqual([3n])
    const ids = first.bodies.flat().map(({ id }) => id)
    expect(new Set(ids).size).toBe(5)
  })

  test("are at most 50 in a batch", async () => {
    const accounts = Array.from({ length: 103 }, (_, number) => number)
    expect(await balances(open(), ...accounts)).toEqual(accounts.map(BigInt))
    expect(first.batches.map((batch) => batch.length)).toEqual([50, 50, 3])
  })

  test("do not wait for a search of logs, and a broadcast does not depend on them", async () => {
    const node = open()
    first.respond = async (body) => {
      if (Array.isArray(body)) return new Response("busy", { status: 503 })
      if (body.method === "eth_getLogs") await Bun.sleep(200)
      return Response.json({ id: body.id, result: body.method === "eth_getLogs" ? [] : "0x1234" })
    }
    const order: string[] = []
    const noted = (name: string, question: Promise<unknown>) => outcome(question).finally(() => order.push(name))
    const answers = await Promise.all([
      noted(
        "logs",
        node.query((logs) => logs, "eth_getLogs", {}),
      ),
      noted("balances", balances(node, 1, 2)),
      broadcast(node, "0x02"),
    ])
    expect(answers).toMatchObject([[], ["unavailable", "unavailable"], { kind: "accepted" }])
    expect(order).toEqual(["balances", "logs"])
  })
})

const REVERTED = { code: 3, message: "execution reverted" }
/** Answers of a node to a batch of three questions, and what each question gets. */
const DRILLS: readonly (readonly [name: string, respond: (answers: Answer[]) => unknown, expected: unknown[]])[] = [
  ["out of order", ([a, b, c]) => [c, a, b], [1n, 2n, 3n]],
  ["without one", ([a, , c]) => [a, c], [1n, "unavailable", 3n]],
  ["without any", () => [], NONE],
  [
    "with an error for one",
    ([a, b, c]) => [a, { id: b?.["id"], error: { code: -32_005, message: "limit" } }, c],
    [1n, "unavailable", 3n],
  ],
  ["with a failed call", ([a, b, c]) => [a, { id: b?.["id"], error: REVERTED }, c], [1n, "failed", 3n]],
  ["with an error that is no object", ([a, b, c]) => [a, b, { ...c, error: "execution reverted" }], [1n, 2n, 3n]],
  ["with neither result nor error", ([a, b, c]) => [a, b, { id: c?.["id"] }], [1n, 2n, "unavailable"]],
  ["with one answered twice", ([a, b, c]) => [a, b, b, c], [1n, "unavailable", 3n]],
  ["with two answers to one", ([a, b, c]) => [{ ...c, id: a?.["id"] }, a, b, c], ["unavailable", 2n, 3n]],
  ["with three answers to one", ([a, b, c]) => [a, a, a, b, c], ["unavailable", 2n, 3n]],
  ["with an id as text", ([a, b, c]) => [a, { ...b, id: String(b?.["id"]) }, c], [1n, "unavailable", 3n]],
  ["with a wrong id", ([a, b, c]) => [a, b, { ...c, id: 10_000 }], [1n, 2n, "unavailable"]],
  ["without an id", ([a, b, c]) => [a, b, { result: c?.["result"] }], [1n, 2n, "unavailable"]],
  ["with null for one", ([a, , c]) => [a, null, c], [1n, "unavailable", 3n]],
  ["with too many answers", (answers) => [...answers, null, 7, { id: 99, result: "0x9" }, [answers[0]]], [1n, 2n, 3n]],
  ["inside another array", (answers) => [answers], NONE],
  ["with one answer in place of an array", ([a]) => a, [1n, "unavailable", "unavailable"]],
  ["with null in place of an array", () => null, NONE],
  ["with text in place of an array", () => "execution reverted", NONE],
  [
    "as HTML",
    () => new Response("<html>execution reverted</html>", { headers: { "content-type": "text/html" } }),
    NONE,
  ],
  ["empty", () => new Response(""), NONE],
  ["cut in the middle", (answers) => new Response(JSON.stringify(answers).slice(0, -20)), NONE],
  ["with an HTTP fault of the server", (answers) => Response.json(answers, { status: 503 }), NONE],
  ["with a redirection", () => Response.redirect(second.url, 307), NONE],
]

describe("a batch that a node answers", () => {
  test.each(DRILLS)("%s", async (_, respond, expected) => {
    first.respond = inBatch(respond)
    const node = open()
    expect(await balances(node, 1, 2, 3)).toEqual(expected as never)
    // There is no retry, and this is no refusal.
    expect(first.bodies).toHaveLength(1)
    expect(second.bodies).toHaveLength(0)
    await balances(node, 4, 5)
    expect(first.batches).toHaveLength(2)
  })

  test("too late", async () => {
    first.respond = inBatch((answers) => Bun.sleep(600).then(() => Response.json(answers)))
    const node = open(first.url, 300)
    expect(await balances(node, 1, 2, 3)).toEqual(NONE)
    expect(first.bodies).toHaveLength(1)
  })

  test("with the answers to an earlier batch", async () => {
    const node = open()
    await balances(node, 1, 2, 3)
    const [earlier = []] = first.batches
    first.respond = () => Response.json(earlier.map(answerTo))
    expect(await balances(node, 4, 5, 6)).toEqual(NONE)
    first.respond = () => Response.json(answerTo(earlier[0] as Received))
    expect(await balances(node, 4)).toEqual(["unavailable"])
  })
})

/** How nodes and proxies say that they take no batches. */
const REFUSALS: readonly (readonly [name: string, respond: () => Response])[] = [
  ["400", () => new Response("<html>bad request</html>", { status: 400 })],
  ["405", () => new Response(null, { status: 405 })],
  ["413", () => new Response("too large", { status: 413 })],
  ["429", () => new Response("slow down", { status: 429 })],
  ["an error without id", () => Response.json({ id: null, error: { code: -32_600, message: "no batches" } })],
  ["a method that is not found", () => Response.json({ error: { code: -32_601, message: "method not found" } })],
  ["an error and 500", () => Response.json({ error: { code: -32_603, message: "internal" } }, { status: 500 })],
  ["an error that looks like a failed call", () => Response.json({ id: 1, error: REVERTED })],
]

describe("a node that refuses batches", () => {
  test.each(REFUSALS)("by %s gets single questions", async (_, refuse) => {
    first.respond = inBatch(refuse)
    const node = open()
    expect(await balances(node, 1, 2, 3)).toEqual([1n, 2n, 3n])
    expect(first.bodies.map((body) => Array.isArray(body))).toEqual([true, false, false, false])
    expect(await balances(node, 4, 5, 4)).toEqual([4n, 5n, 4n])
    expect(first.bodies).toHaveLength(6)
    expect(first.batches).toHaveLength(1)
    // Another node is asked in batches.
    await balances(open(second.url), 1, 2)
    expect(second.batches).toHaveLength(1)
  })

  test("gets no batch before 1,000 single questions, and then one that it may refuse again", async () => {
    const batches: string[] = []
    const post: Post = async (body) => {
      if (!body.startsWith("[")) return { status: 200, text: JSON.stringify(answerTo(JSON.parse(body))) }
      batches.push(body)
      return { status: 400, text: "" }
    }
    const ask = inBatches(post, setImmediate)
    const turn = (length: number) =>
      Promise.all(Array.from({ length }, (_, number) => ask({ method: "eth_getBalance", params: [accountOf(number)] })))
    await turn(2)
    for (let sent = 0; sent < 1_000; sent += 100) {
      await turn(100)
      expect(batches).toHaveLength(1)
    }
    expect(await turn(2)).toEqual(["0x0", "0x1"])
    expect(batches).toHaveLength(2)
    await turn(2)
    expect(batches).toHaveLength(2)
  })

  test("and single questions too is unavailable", async () => {
    first.respond = () => Response.json({ error: { code: -32_600, message: "execution reverted" } })
    expect(await balances(open(), 1, 2)).toEqual(["unavailable", "unavailable"])
    first.respond = () => new Response("forbidden", { status: 403 })
    expect(await balances(open(), 1, 2)).toEqual(["unavailable", "unavailable"])
  })
})

describe("a single question", () => {
  test.each([
    [
      "its error and an HTTP status",
      ({ id }: Received) => Response.json({ id, error: REVERTED }, { status: 500 }),
      "failed",
    ],
    [
      "an error of another question",
      ({ id }: Received) => Response.json({ id: id + 1, error: REVERTED }),
      "unavailable",
    ],
    [
      "an error without a code",
      ({ id }: Received) => Response.json({ id, error: { message: "out of gas" } }),
      "failed",
    ],
    ["the id as text", (one: Received) => Response.json({ ...answerTo(one), id: `${one.id}` }), "unavailable"],
    ["a result and an HTTP status", (one: Received) => Response.json(answerTo(one), { status: 500 }), "unavailable"],
    ["null for the error", (one: Received) => Response.json({ ...answerTo(one), error: null }), 1n],
    ["null for a number", (one: Received) => Response.json({ ...answerTo(one), result: null }), "unavailable"],
    ["a decimal number", (one: Received) => Response.json({ ...answerTo(one), result: 12 }), "unavailable"],
    ["no digits", (one: Received) => Response.json({ ...answerTo(one), result: "0x" }), "unavailable"],
    ["a redirection", () => Response.redirect(second.url, 308), "unavailable"],
  ])("that gets %s", async (_, respond, expected) => {
    first.respond = (body) => respond([body].flat()[0] as Received)
    expect(await balances(open(), 1)).toEqual([expected as never])
    expect(second.bodies).toHaveLength(0)
  })
})

test("a turn begins with its first question and ends where it is told to", async () => {
  const bodies: string[] = []
  const post: Post = async (body) => {
    bodies.push(body)
    const { id, params } = JSON.parse(body)
    return { status: 200, text: JSON.stringify({ id, result: params }) }
  }
  const turns: (() => void)[] = []
  const ask = inBatches(post, (callback) => turns.push(callback))
  const earlier = ask({ method: "m", params: [1] })
  expect([turns.length, bodies.length]).toEqual([1, 0])
  turns.shift()?.()
  const later = ask({ method: "m", params: [1] })
  expect([turns.length, bodies.length]).toEqual([1, 1])
  turns.shift()?.()
  expect(await Promise.all([earlier, later])).toEqual([[1], [1]])
  expect(bodies).toEqual([1, 2].map((id) => `{"jsonrpc":"2.0","id":${id},"method":"m","params":[1]}`))
})
