/** The hub client against a hub that verifies sign-ins, and against servers that answer wrongly. */
import { afterAll, describe, expect, test } from "bun:test"
import { realMachine } from "../../../src/base/machine.ts"
import { type AcpHub, HubUnavailable } from "../../../src/jobs/hub/hub.ts"
import { ANSWER_BYTES_MAX, IDLE_MS_MAX, openHub } from "../../../src/jobs/hub/hub-client.ts"
import type { SignInScheme } from "../../../src/jobs/hub/sign-in.ts"
import { clockMachine } from "../../delivery/selling-bench.ts"
import { HUB_CHAIN_ID, startHub } from "../../fixtures/acp-hub.ts"
import { DEV_ACCOUNTS } from "../../fixtures/chain.ts"
import { PROVIDER } from "../../fixtures/job-worker.ts"
import { until } from "../../fixtures/until.ts"

const stops: (() => void)[] = []
afterAll(() => {
  for (const stop of stops) stop()
})

function hubAt(
  url: string,
  signIn: SignInScheme = "eip712",
  account = PROVIDER,
  machine: Machine = realMachine,
): AcpHub {
  return openHub({ url, chainId: HUB_CHAIN_ID, signIn, account, machine })
}
type Machine = Parameters<typeof openHub>[0]["machine"]

function mockHub() {
  const hub = startHub()
  stops.push(hub.stop)
  return hub
}

/** A server that signs everyone in and answers the rest as given. */
function answering(answer: (path: string) => Response | Promise<Response>, token: unknown = "t") {
  const paths: string[] = []
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: (request) => {
      const { pathname } = new URL(request.url)
      paths.push(pathname)
      return pathname === "/auth/agent" ? Response.json({ data: { token } }) : answer(pathname)
    },
  })
  stops.push(() => void server.stop(true))
  return { url: `http://127.0.0.1:${server.port}`, paths }
}

async function fault(question: Promise<unknown>): Promise<string> {
  try {
    await question
  } catch (error) {
    if (!(error instanceof HubUnavailable)) throw error
    expect(error.cause).toBeUndefined()
    return `${error.question} ${error.status}`
  }
  throw new Error("the hub answered")
}

describe.each(["eip712", "personal_sign"] as const)("sign-in by %s", (scheme) => {
  test("is verified by the hub, and is shared by questions at one time", async () => {
    const hub = mockHub()
    const client = hubAt(hub.url, scheme)
    hub.openChat("7", [PROVIDER.address])
    expect(await Promise.all([client.activeJobs(), client.history("7"), client.activeJobs()])).toEqual([
      ["7"],
      [],
      ["7"],
    ])
    expect(hub.calls.get("POST auth")).toBe(1)
    await client.postMessage("7", "text")
    await client.postDeliverable("7", "deliverable")
    expect(hub.said("7", PROVIDER.address)).toEqual(["text"])
    expect(hub.deliverables("7")).toEqual(["deliverable"])
    const [entry] = await client.history("7")
    expect(entry).toMatchObject({ kind: "message", contentType: "text", author: PROVIDER.address.toLowerCase() })
  })

  test("of another wallet opens no chat", async () => {
    const hub = mockHub()
    hub.openChat("7", [PROVIDER.address])
    expect(await fault(hubAt(hub.url, scheme, DEV_ACCOUNTS.stranger).history("7"))).toBe("history 404")
  })
})

describe("a token", () => {
  test("that the hub forgot is renewed once for all questions", async () => {
    const hub = mockHub()
    const client = hubAt(hub.url)
    await client.activeJobs()
    hub.faults.forgetsTokens = true
    await client.activeJobs()
    expect(hub.calls.get("POST auth")).toBe(2)
  })

  test("that is refused again is a fault, and no third is fetched", async () => {
    const { url, paths } = answering(() => new Response(null, { status: 401 }))
    expect(await fault(hubAt(url).activeJobs())).toBe("jobs 401")
    expect(paths).toEqual(["/auth/agent", "/jobs", "/auth/agent", "/jobs"])
  })

  test("is used until a minute before it says that it ends, and at most ten minutes", async () => {
    const machine = clockMachine()
    const jwt = (exp: number) => `h.${Buffer.from(JSON.stringify({ exp })).toString("base64url")}.s`
    for (const [token, minutes] of [
      [jwt(Math.floor(machine.now() / 1000) + 300), 4],
      [jwt(Math.floor(machine.now() / 1000) + 86_400), 10],
      ["opaque", 10],
    ] as const) {
      const { url, paths } = answering(() => Response.json({ jobs: [] }), token)
      const client = hubAt(url, "eip712", PROVIDER, machine)
      const signIns = () => paths.filter((path) => path === "/auth/agent").length
      await client.activeJobs()
      machine.advance(minutes * 60_000 - 5_000)
      await client.activeJobs()
      expect(signIns()).toBe(1)
      machine.advance(6_000)
      await client.activeJobs()
      expect(signIns()).toBe(2)
      machine.advance(-minutes * 60_000)
    }
  })

  test.each<[string, unknown]>([
    ["none", null],
    ["a number", 7],
    ["an empty one", ""],
    ["one with a line feed", "a\nb"],
    ["one of 8193 characters", "x".repeat(8193)],
  ])("of no valid form is a fault: %s", async (_, token) => {
    expect(await fault(hubAt(answering(() => Response.json({ jobs: [] }), token).url).activeJobs())).toBe(
      "sign-in null",
    )
  })
})

describe("an answer of no valid form is a fault", () => {
  test.each<[string, string, () => Response]>([
    ["no JSON", "jobs 200", () => new Response("<html>")],
    ["no UTF-8", "jobs 200", () => new Response(new Uint8Array([0x7b, 0xff, 0x7d]))],
    ["empty", "jobs null", () => new Response("")],
    ["no list", "jobs null", () => Response.json({ jobs: {} })],
    ["an error", "jobs 500", () => Response.json({ jobs: [] }, { status: 500 })],
    ["a redirect", "jobs null", () => new Response(null, { status: 302, headers: { location: "/auth/agent" } })],
    ["over the limit", "jobs 200", () => new Response("x".repeat(ANSWER_BYTES_MAX + 1))],
  ])("%s", async (_, code, answer) => {
    expect(await fault(hubAt(answering(answer).url).activeJobs())).toBe(code)
  })

  test("of the limit is read", async () => {
    const text = '{"jobs":[]}'.padEnd(ANSWER_BYTES_MAX)
    expect(await hubAt(answering(() => new Response(text)).url).activeJobs()).toEqual([])
  })

  test("a hub that does not listen", async () => {
    expect(await fault(hubAt("http://127.0.0.1:1").activeJobs())).toBe("sign-in null")
  })
})

test("jobs of other chains, with other ids, or named twice are left out", async () => {
  const job = (onChainJobId: unknown, chainId: unknown = HUB_CHAIN_ID) => ({ onChainJobId, chainId })
  const jobs = [
    job("7"),
    job(8),
    job("7"),
    job("07"),
    job("-1"),
    job("1e3"),
    job("9", 1),
    job("9".repeat(78)),
    job("9".repeat(79)),
    null,
    7,
    "7",
  ]
  expect(await hubAt(answering(() => Response.json({ jobs })).url).activeJobs()).toEqual(["7", "8"])
})

describe("history", () => {
  const entry = (changes: object = {}) => ({
    ...{ kind: "message", onChainJobId: "7", chainId: HUB_CHAIN_ID, from: DEV_ACCOUNTS.payer.address },
    ...{ contentType: "requirement", content: "{}", timestamp: 5, ...changes },
  })
  const read = (entries: unknown[]) => hubAt(answering(() => Response.json({ entries })).url).history("7")

  test("is in the order of time, without repetitions", async () => {
    const [first, second] = [entry({ timestamp: 1 }), entry({ timestamp: 2 })]
    const found = await read([second, first, second, { ...first, unknown: 1 }])
    expect(found.map(({ timestamp }) => timestamp)).toEqual([1, 2])
    expect(new Set(found.map(({ key }) => key)).size).toBe(2)
  })

  test("leaves out what is malformed or of another chat", async () => {
    const bad = [
      { kind: "other" },
      { timestamp: "5" },
      { timestamp: 1.5 },
      { onChainJobId: "8" },
      { chainId: 1 },
      { content: "\ud800" },
    ]
    expect(await read([null, 7, "x", [], ...bad.map(entry)])).toEqual([])
  })

  test("has no author, type or content where they are malformed", async () => {
    const [found] = await read([entry({ from: "0x12", contentType: "x".repeat(65), content: 7 })])
    expect(found).toMatchObject({ author: null, contentType: null, content: "", tooLarge: false })
  })

  test("has a content of 64 KiB, and only a mark of a larger one", async () => {
    const [whole, larger] = await read([
      entry({ content: "é".repeat(32 * 1024), timestamp: 1 }),
      entry({ content: `${"é".repeat(32 * 1024)}x`, timestamp: 2 }),
    ])
    expect([whole?.content.length, whole?.tooLarge]).toEqual([32 * 1024, false])
    expect([larger?.content, larger?.tooLarge]).toEqual(["", true])
  })
})

describe("the stream", () => {
  test("names the job of each event, until it is stopped", async () => {
    const hub = mockHub()
    hub.openChat("7", [PROVIDER.address])
    const heard: string[] = []
    const stop = new AbortController()
    const listening = hubAt(hub.url).listen((jobId) => void heard.push(jobId), stop.signal)
    await until("the stream is open", () => (hub.calls.get("GET chats") ?? 0) > 0)
    hub.post("7", PROVIDER.address, "x")
    hub.system("7", "job.funded")
    await until("both events", () => heard.length === 2)
    expect(heard).toEqual(["7", "7"])
    stop.abort()
    await listening
  })

  test.each<[string, () => Response]>([
    ["is refused", () => new Response(null, { status: 503 })],
    ["ends at once", () => new Response("")],
    ["is no stream of events", () => new Response("data: {\n\ndata: null\n\ndata: 7\n\n")],
    ["has an endless line", () => new Response("x".repeat(2 * 1024 * 1024))],
  ])("resolves when it %s", async (_, answer) => {
    const heard: string[] = []
    await hubAt(answering(answer).url).listen((jobId) => void heard.push(jobId), new AbortController().signal)
    expect(heard).toEqual([])
  })

  test("resolves when nothing comes for too long", async () => {
    const timers: { readonly ms: number; readonly callback: () => void }[] = []
    const machine: Machine = {
      now: Date.now,
      after: (ms, callback) => {
        timers.push({ ms, callback })
        return () => undefined
      },
    }
    const { url } = answering(() => new Response(new ReadableStream({ start: (on) => on.enqueue(new Uint8Array(1)) })))
    const listening = hubAt(url, "eip712", PROVIDER, machine).listen(() => undefined, new AbortController().signal)
    await until("a byte was heard", () => timers.length === 2)
    expect(timers.map(({ ms }) => ms)).toEqual([IDLE_MS_MAX, IDLE_MS_MAX])
    timers[1]?.callback()
    await listening
  })

  test("of a signal that is aborted is not opened", async () => {
    const { url, paths } = answering(() => new Response(""))
    await hubAt(url).listen(() => undefined, AbortSignal.abort())
    expect(paths).toEqual([])
  })
})
