/** A client that is generated from the document: its types compile, and a program that uses nothing else enrols and gets a quote. */
import { afterAll, beforeAll, expect, setDefaultTimeout } from "bun:test"
import { cpSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { type Bench, openBench } from "../delivery/selling-bench.ts"
import { freshDirectory } from "../fixtures/directories.ts"
import { GB_NUMBER } from "../fixtures/gb.ts"
import { ROOT } from "../fixtures/imports.ts"
import { printedOpenapi } from "../fixtures/openapi.ts"
import { type ServedService, servedService } from "../fixtures/served.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import type { TestServer } from "../fixtures/test-server.ts"

const test = slowTests(import.meta.path)

setDefaultTimeout(120_000)

const MODULES = join(ROOT, "node_modules")
const directory = freshDirectory()
let bench: Bench
let seller: TestServer
let identities: ServedService
let front: ReturnType<typeof Bun.serve>
beforeAll(async () => {
  await writeClient()
  bench = await openBench()
  seller = await bench.server()
  identities = await servedService()
  // One origin for both: identities of a whole service, paid routes of a server with a chain.
  front = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url)
      const body = await request.text()
      if (pathname.startsWith("/v1/gb/")) return seller.post(body, Object.fromEntries(request.headers), pathname)
      return fetch(identities.origin + pathname, { method: request.method, headers: request.headers, body })
    },
  })
})
afterAll(async () => {
  await front.stop(true)
  await identities[Symbol.asyncDispose]()
  await bench.close()
  directory[Symbol.dispose]()
})

async function ran(...command: string[]) {
  const child = Bun.spawn(command, { cwd: directory.path, stderr: "pipe" })
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  return { exit: await child.exited, out, err }
}

const CLIENT = "client.ts"

const at = (name: string) => join(directory.path, name)

/** The types, made from the document, and the client that uses them. */
async function writeClient(): Promise<void> {
  await Bun.write(at("openapi.json"), printedOpenapi())
  const preload = join(ROOT, "test/fixtures/typescript-5.ts")
  const generator = join(MODULES, "openapi-typescript/bin/cli.js")
  const made = await ran("bun", "--preload", preload, generator, "openapi.json", "-o", "api.ts")
  expect([made.exit, made.err]).toEqual([0, ""])
  cpSync(join(import.meta.dir, "typed-client/client.ts.txt"), at(CLIENT))
  symlinkSync(MODULES, at("node_modules"))
}

test("the generated types compile with a client, and another member or another status does not", async () => {
  const compilerOptions = {
    ...{ target: "ESNext", module: "Preserve", moduleResolution: "bundler", lib: ["ESNext", "DOM"] },
    ...{ types: ["bun-types"], strict: true, noEmit: true, skipLibCheck: true, allowImportingTsExtensions: true },
    noUncheckedIndexedAccess: true,
  }
  await Bun.write(at("tsconfig.json"), JSON.stringify({ compilerOptions, files: [CLIENT, "api.ts", "wrong.ts"] }))
  await Bun.write(
    at("wrong.ts"),
    `import type { components, paths } from "./api.ts"
type Body = components["schemas"]["TokenStatusRequest"]
type Responses = paths["/v1/gb/payments/authorize"]["post"]["responses"]
export const right: Body = { schema_version: "1.0.0", token: "t" }
// @ts-expect-error the request schema does not name this member
export const wrong: Body = { schema_version: "1.0.0", token: "t", other: 1 }
export type Right = Responses[200]
// @ts-expect-error the operation has no response with this status
export type Wrong = Responses[201]
`,
  )
  const compiled = await ran(join(MODULES, ".bin/tsc"), "--project", "tsconfig.json")
  expect(compiled).toEqual({ exit: 0, out: "", err: "" })
})

test("the typed client enrols an identity and gets the quote of a UK payment", async () => {
  const { exit, out, err } = await ran("bun", CLIENT, front.url.origin, GB_NUMBER)
  expect([exit, err]).toEqual([0, ""])
  expect(JSON.parse(out)).toEqual({
    agent_id: expect.stringMatching(/^svc:agent:/),
    result: "ENROLLED",
    amount: "150000",
    isCharge: false,
  })
})
