/**
 * Measures the MCP endpoint of the compiled program against a raw Bun server that returns the same bytes, in turns on the same machine.
 *
 *   bun scripts/bench-mcp.ts [--rounds N] [--milliseconds N] [--connections N]
 *
 * dist/bizauth is measured as it is; build it first.
 */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { getServiceJwks } from "../schemas/discovery/jwks.ts"
import { agentMcp } from "../schemas/discovery/mcp.ts"
import { askModern, modern } from "../test/fixtures/mcp.ts"
import { drive, get, post } from "./bench/load.ts"
import { pinSelf, runToEnd, startServer } from "./bench/processes.ts"
import { median } from "./bench/statistics.ts"

const { values: given } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    milliseconds: { type: "string", default: "1000" },
    connections: { type: "string", default: "32" },
  },
})
const binary = join(import.meta.dir, "..", "dist", "bizauth")
if (!existsSync(binary)) {
  console.error("dist/bizauth is missing; run: bun scripts/build.ts")
  process.exit(2)
}
const rounds = Number(given.rounds)
const load = {
  repeat: true,
  status: 200,
  connections: Number(given.connections),
  milliseconds: Number(given.milliseconds),
}

interface Row {
  readonly name: string
  readonly goal: number
  readonly request: (path: string) => Uint8Array
  /** Path at the program. */
  readonly path: string
  readonly bytes: string
}

const folder = mkdtempSync(join(tmpdir(), "bizauth-bench-mcp-"))
const closing: (() => Promise<void>)[] = []
try {
  const data = join(folder, "data")
  runToEnd([binary, "init", "--data", data, "--environment", "test"])
  const flags = ["--listen", "127.0.0.1:0", "--rate-limits", "off", "--log-level", "error"]
  const server = await startServer([binary, "serve", "--data", data, ...flags], join(folder, "serve.log"))
  closing.push(() => server.stop())
  const rows = await rowsOf(server.origin)
  const file = join(folder, "answers.json")
  writeFileSync(file, JSON.stringify(Object.fromEntries(rows.map(({ bytes }, i) => [`/${i}`, bytes]))))
  const program = join(import.meta.dir, "bench", "raw-bytes-server.ts")
  const raw = await startServer([process.execPath, program, file], join(folder, "raw.log"))
  closing.push(() => raw.stop())
  pinSelf("client")
  console.log("| row | bytes | raw/s | served/s | ratio | goal |\n| --- | --- | --- | --- | --- | --- |")
  for (const [i, row] of rows.entries()) {
    const pairs: (readonly [number, number])[] = []
    for (let n = 0; n < rounds; n++) {
      const base = await drive(raw.origin, { ...load, requests: [row.request(`/${i}`)] })
      const served = await drive(server.origin, { ...load, requests: [row.request(row.path)] })
      pairs.push([base.perSecond, served.perSecond])
    }
    const ratio = median(pairs.map(([base, served]) => served / base))
    const [base, served] = [0, 1].map((side) => Math.round(median(pairs.map((pair) => pair[side] ?? 0))))
    console.log(`| ${row.name} | ${row.bytes.length} | ${base} | ${served} | ${ratio.toFixed(2)} | ${row.goal} |`)
  }
} finally {
  for (const close of closing.reverse()) await close()
  rmSync(folder, { recursive: true, force: true })
}

async function rowsOf(origin: string): Promise<Row[]> {
  const url = new URL(agentMcp.path, origin)
  const uri = origin + getServiceJwks.path
  const calls: readonly [name: string, goal: number, method: string, params: Record<string, unknown>][] = [
    ["tools/list", 0.5, "tools/list", {}],
    ["resources/read of the keys", 0.5, "resources/read", { uri }],
    ["tools/call of source health", 0.25, "tools/call", { name: "get_us_federal_source_health", arguments: {} }],
    ["tools/call of the descriptor", 0.25, "tools/call", { name: "GetAgentIdProduct", arguments: {} }],
  ]
  const document = await (await fetch(uri)).text()
  const rows: Row[] = [{ name: "GET the keys", goal: 0.5, request: get, path: getServiceJwks.path, bytes: document }]
  for (const [name, goal, method, params] of calls) {
    const { body, headers } = modern(method, params)
    const { text } = await askModern(url, method, params)
    const request = (path: string) => post(path, JSON.stringify(body), headers)
    rows.push({ name, goal, request, path: agentMcp.path, bytes: text })
  }
  return rows
}
