/** Clients that generators from npm make of the served document compile under `strict` and reach a server. One of them buys and recovers. */
import { afterAll, beforeAll, expect, setDefaultTimeout } from "bun:test"
import { cpSync, mkdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import type { CompanyCheckRequest } from "../../../schemas/us/company-check.ts"
import type { DecisionRequest } from "../../../schemas/us/payment-decision.ts"
import { type Bench, openBench } from "../../delivery/selling-bench.ts"
import { usBody } from "../../fixtures/answers.ts"
import { signPayment } from "../../fixtures/authorizations.ts"
import { DEV_ACCOUNTS } from "../../fixtures/chain.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { ROOT } from "../../fixtures/imports.ts"
import { recoveryOf } from "../../fixtures/recovery.ts"
import { type ServedService, servedService } from "../../fixtures/served.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { freshRequest, paymentHeader } from "../../fixtures/test-server.ts"
import { GENERATORS, type Generator, HEY_API } from "./generators.ts"

const test = slowTests(import.meta.path)

setDefaultTimeout(120_000)

const MODULES = join(ROOT, "node_modules")
const directory = freshDirectory()
let served: ServedService
let document: string
beforeAll(async () => {
  served = await servedService()
  document = await (await fetch(`${served.origin}/v1/openapi.json`)).text()
  symlinkSync(MODULES, join(directory.path, "node_modules"))
})
afterAll(async () => {
  await served[Symbol.asyncDispose]()
  directory[Symbol.dispose]()
})

async function ran(folder: string, command: readonly string[]) {
  const child = Bun.spawn([...command], { cwd: folder, stderr: "pipe" })
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  return { exit: await child.exited, out, err }
}

/** Makes the client in a new folder beside a program that uses it, and compiles both. Returns the path of the program. */
async function compiledProgram({ command }: Generator, program: string): Promise<string> {
  const folder = join(directory.path, program)
  mkdirSync(folder)
  await Bun.write(join(folder, "openapi.json"), document)
  const made = await ran(folder, command)
  expect([made.exit, made.err]).toEqual([0, ""])
  const file = join(folder, `${program}.ts`)
  cpSync(join(import.meta.dir, "clients", `${program}.ts.txt`), file)
  const compilerOptions = {
    ...{ target: "ESNext", module: "Preserve", moduleResolution: "bundler", lib: ["ESNext", "DOM", "DOM.Iterable"] },
    ...{ types: [], strict: true, noEmit: true, skipLibCheck: true, allowImportingTsExtensions: true },
  }
  await Bun.write(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["**/*.ts"] }))
  expect(await ran(folder, [join(MODULES, ".bin/tsc"), "--project", "."])).toEqual({ exit: 0, out: "", err: "" })
  return file
}

test.each(GENERATORS.map((generator) => [generator.name, generator] as const))(
  "%s makes a client that compiles and reads an answer",
  async (_, generator) => {
    const program: { readonly sourceIds: (baseUrl: string) => Promise<string[]> } = await import(
      await compiledProgram(generator, generator.client)
    )
    const ids = await program.sourceIds(served.origin)
    expect(ids).toHaveLength(4)
    expect(ids).toEqual(ids.toSorted())
  },
)

interface Sold {
  readonly execution_id: string
  readonly decision: string
}

interface Buyer {
  buy(
    baseUrl: string,
    check: CompanyCheckRequest,
    decision: DecisionRequest,
    outside: {
      pay(quote: { readonly accepts: readonly [Parameters<typeof signPayment>[1]] }): Promise<string>
      signRecovery(request: DecisionRequest): object
    },
  ): Promise<Readonly<Record<"checked" | "decided" | "recovered", Sold>>>
}

test("the client of @hey-api/openapi-ts buys a company check and a decision, and recovers the decision", async () => {
  const buyer: Buyer = await import(await compiledProgram(HEY_API, "buyer"))
  await using bench: Bench = await openBench()
  const seller = await bench.server()
  await using front = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: async (request) =>
      seller.post(await request.text(), Object.fromEntries(request.headers), new URL(request.url).pathname),
  })
  const { checked, decided, recovered } = await buyer.buy(front.url.origin, usBody(), freshRequest(), {
    async pay({ accepts: [terms] }) {
      const payment = await signPayment(DEV_ACCOUNTS.payer, terms, Math.floor(Date.now() / 1000))
      return paymentHeader(payment)["payment-signature"] ?? ""
    },
    signRecovery: (request) => recoveryOf(request),
  })
  expect(checked.decision).toBeString()
  expect(decided.decision).toBeString()
  expect(recovered).toEqual(decided)
  expect(await bench.paid()).toBe(2)
})
