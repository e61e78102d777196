/** Stock MCP clients against the program: SDKs of both eras, the inspector, the conformance scenarios, and the stdio bridge. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { join } from "node:path"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { Client as LegacyClient } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport as LegacyStdio } from "@modelcontextprotocol/sdk/client/stdio.js"
import { StreamableHTTPClientTransport as LegacyHttp } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { Client as Client110 } from "mcp-sdk-1-10/client/index.js"
import { StreamableHTTPClientTransport as Http110 } from "mcp-sdk-1-10/client/streamableHttp.js"
import { Client as Client112 } from "mcp-sdk-1-12/client/index.js"
import { StreamableHTTPClientTransport as Http112 } from "mcp-sdk-1-12/client/streamableHttp.js"
import { Client as Client117 } from "mcp-sdk-1-17/client/index.js"
import { StreamableHTTPClientTransport as Http117 } from "mcp-sdk-1-17/client/streamableHttp.js"
import { agentMcp } from "../../schemas/discovery/mcp.ts"
import { initialised, programUnderTest, type Running, serve } from "../fixtures/binary.ts"
import { freshDirectory } from "../fixtures/directories.ts"
import { ROOT } from "../fixtures/imports.ts"

setDefaultTimeout(30_000)

const READ = "get_us_federal_source_health"
const directory = freshDirectory()
let server: Running
let url: URL

beforeAll(async () => {
  const data = await initialised(directory.path)
  server = await serve(data, ["--rate-limits", "off"])
  url = new URL(agentMcp.path, server.origin)
})
afterAll(async () => {
  await server.stop()
  directory[Symbol.dispose]()
})

interface AnyClient {
  listTools(): Promise<{ tools: readonly { name: string }[] }>
  callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<unknown>
  listResources(): Promise<{ resources: readonly { uri: string }[] }>
  readResource(params: { uri: string }): Promise<{ contents: readonly unknown[] }>
  getServerVersion(): { name: string; version: string } | undefined
  close(): Promise<void>
}

/** The clients check each answer against the schemas of the protocol, and each structured result against its tool. */
async function useTools(client: AnyClient): Promise<void> {
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toContain(READ)
  const result = await client.callTool({ name: READ, arguments: {} })
  expect(result).toMatchObject({ structuredContent: { coverage: "FEDERAL_ONLY" } })
  const unknown = await client.callTool({ name: "GetAgentIdentity", arguments: { agentId: "none" } })
  expect(unknown).toMatchObject({ isError: true })
  const { resources } = await client.listResources()
  const [first] = resources
  expect((await client.readResource({ uri: first?.uri ?? "" })).contents.length).toBe(1)
  expect(client.getServerVersion()?.name).toBe("127.0.0.1/business-authorization")
  await client.close()
}

const info = { name: "test", version: "1" }
const bridge = (...flags: readonly string[]) => {
  const [command = "", ...args] = [...programUnderTest, "mcp", "--server", server.origin, ...flags]
  return { command, args, cwd: ROOT, stderr: "pipe" } as const
}

describe("the official clients list tools, call a free read and read a resource", () => {
  test("client 2.4.0 finds revision 2026-07-28", async () => {
    const client = new Client(info, { versionNegotiation: { mode: "auto" } })
    await client.connect(new StreamableHTTPClientTransport(url))
    expect(client.getNegotiatedProtocolVersion()).toBe("2026-07-28")
    await useTools(client)
  })

  test("client 2.4.0 in its legacy mode", async () => {
    const client = new Client(info)
    await client.connect(new StreamableHTTPClientTransport(url))
    await useTools(client)
  })

  test("sdk 1.32.2", async () => {
    const client = new LegacyClient(info)
    await client.connect(new LegacyHttp(url) as never)
    await useTools(client as unknown as AnyClient)
  })

  test.each([
    ["1.10.2", Client110, Http110],
    ["1.12.3", Client112, Http112],
    ["1.17.5", Client117, Http117],
  ])("sdk %s", async (_version, Version, Http) => {
    const client = new Version(info)
    await client.connect(new Http(url) as never)
    await useTools(client as unknown as AnyClient)
  })

  test("client 2.4.0 through the bridge, revision 2026-07-28", async () => {
    const client = new Client(info, { versionNegotiation: { mode: "auto" } })
    await client.connect(new StdioClientTransport(bridge()))
    expect(client.getNegotiatedProtocolVersion()).toBe("2026-07-28")
    await useTools(client)
  })

  test("the bridge lists the sets that its flag names", async () => {
    const client = new LegacyClient(info)
    await client.connect(new LegacyStdio(bridge("--sets", "sandbox,identity")))
    const names = (await client.listTools()).tools.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining([READ, "run_synthetic_journey", "RotateAgentKey"]))
    await client.close()
  })

  test("sdk 1.32.2 through the bridge", async () => {
    const client = new LegacyClient(info)
    await client.connect(new LegacyStdio(bridge()))
    await useTools(client as unknown as AnyClient)
  })
})

async function output(command: readonly string[]): Promise<{ exit: number; out: string }> {
  const child = Bun.spawn([...command], {
    cwd: ROOT,
    env: { PATH: process.env["PATH"] ?? "", HOME: directory.path, NO_COLOR: "1" },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  })
  const [out, err, exit] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { exit, out: out + err }
}

test("the inspector's command line calls a free read", async () => {
  const inspector = [process.execPath, join(ROOT, "node_modules", ".bin", "mcp-inspector"), "--cli", url.href]
  const { exit, out } = await output([
    ...inspector,
    "--transport",
    "http",
    "--method",
    "tools/call",
    "--tool-name",
    READ,
  ])
  expect(exit).toBe(0)
  expect(JSON.parse(out)).toMatchObject({ structuredContent: { coverage: "FEDERAL_ONLY" } })
})

const EARLIER = "@modelcontextprotocol/conformance"
const NEXT = "conformance-next"
/** Checks passed of checks that count. The four that fail need the diagnostic tools of a reference server. */
const scenarios: readonly [suite: string, scenario: string, passed: string, version: string | null][] = [
  [EARLIER, "server-initialize", "1/1", null],
  [EARLIER, "ping", "1/1", null],
  [EARLIER, "server-initialize", "1/1", "2025-06-18"],
  [EARLIER, "tools-list", "1/1", null],
  [EARLIER, "resources-list", "1/1", null],
  [EARLIER, "prompts-list", "1/1", null],
  [EARLIER, "dns-rebinding-protection", "2/2", null],
  [NEXT, "server-stateless", "21/25", null],
  [NEXT, "http-header-validation", "14/14", null],
  [NEXT, "server-initialize", "2/2", "2025-11-25"],
  [NEXT, "tools-list", "2/2", "2025-06-18"],
  [NEXT, "tools-list", "3/3", null],
  [NEXT, "dns-rebinding-protection", "2/2", null],
  [NEXT, "server-sse-multiple-streams", "1/1", "2026-07-28"],
  [NEXT, "caching", "8/8", null],
  [NEXT, "sep-2164-resource-not-found", "4/4", null],
  [NEXT, "resources-list", "2/2", null],
  [NEXT, "prompts-list", "2/2", null],
]
test.each(scenarios)("%s: scenario %s passes %s", async (suite, scenario, passed, version) => {
  const program = join(ROOT, "node_modules", suite, "dist", "index.js")
  const revision = version === null ? [] : ["--spec-version", version]
  const { out } = await output([
    process.execPath,
    program,
    "server",
    "--url",
    url.href,
    "--scenario",
    scenario,
    ...revision,
  ])
  expect(/Passed: (\d+\/\d+)/.exec(out)?.[1]).toBe(passed)
  const untestable = [...out.matchAll(/Not testable: server does not list the diagnostic tool/g)].length
  expect(untestable).toBe(scenario === "server-stateless" ? 4 : 0)
})
