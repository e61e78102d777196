/**
 * Demonstrates one Payment Decision from key to recovery, all its outcomes, and the other products that agents buy, with the compiled
 * program and a local chain. Loopback only, only anvil's published keys, leaves nothing behind. Exits with 1 if a step has another outcome
 * than expected.
 *
 *   bun scripts/demo.ts [--data-dir DIR] [--out DIR] [--keep]
 *
 * --data-dir uses real lists (layout: scripts/demo/lists.ts); --out keeps delivery, bundle, request, issuer keys and the story; --keep leaves
 * server and chain up until Ctrl-C and prints what to open and what to buy.
 */
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { BASE_CHAIN_ID } from "../schemas/network.ts"
import { type Chain, DEV_ACCOUNTS, startChain } from "../test/fixtures/chain.ts"
import { ANSWER_PRICES } from "./demo/answers.ts"
import { KEPT_CHECK_FILES } from "./demo/company-check.ts"
import { type JobSide, openJobSide } from "./demo/job.ts"
import { keptUpText } from "./demo/kept-up.ts"
import { FEE_ATOMIC, formatUsdc } from "./demo/money.ts"
import { KEPT_FILES, tellStory } from "./demo/steps.ts"
import { expectSame, Story } from "./demo/story.ts"

const ROOT = join(import.meta.dir, "..")
const STOP_SIGNALS = ["SIGINT", "SIGTERM"] as const
const PAYER_STARTS_WITH = 5_000_000n
const PAID = [FEE_ATOMIC, FEE_ATOMIC, FEE_ATOMIC, ...ANSWER_PRICES]
const TOTAL = PAID.reduce((sum, price) => sum + price)

const { values: options } = parseArgs({
  options: { "data-dir": { type: "string" }, out: { type: "string" }, keep: { type: "boolean" } },
})
const print = (text: string) => void process.stdout.write(text)
// Everything is stopped. Only timers of the fixtures remain, which would keep the process alive for seconds.
process.exit(await demo())

async function demo(): Promise<number> {
  const binary = compiledProgram()
  // The fixture reads at import time which program it runs.
  process.env["BIZAUTH_BINARY"] = binary
  const { run, serve } = await import("../test/fixtures/binary.ts")
  const folder = mkdtempSync(join(tmpdir(), "bizauth-demo-"))
  const servers: { stop(): Promise<unknown>; signal(name: NodeJS.Signals): void }[] = []
  // An interrupted demo leaves nothing behind either. The chain's fixture does the same for its node.
  process.on("exit", () => {
    for (const server of servers) server.signal("SIGKILL")
    rmSync(folder, { recursive: true, force: true })
  })
  const interrupted = () => process.exit(130)
  for (const name of STOP_SIGNALS) process.once(name, interrupted)
  let chain: Chain | null = null
  let jobSide: JobSide | null = null
  let story: Story | null = null
  const started = performance.now()
  try {
    const node = await startChain()
    chain = node
    const { payer, payTo } = DEV_ACCOUNTS
    await node.mint(payer.address, PAYER_STARTS_WITH)
    const balances = async () => ({
      payer: await node.balanceOf(payer.address),
      service: await node.balanceOf(payTo.address),
    })
    const before = await balances()
    print(`local chain ${BASE_CHAIN_ID} with a token at USDC's address; payer ${formatUsdc(before.payer)}\n\n`)
    story = new Story(async () => (await balances()).service, print)
    jobSide = await openJobSide(node)
    const buyer = await tellStory({
      jobSide,
      story,
      chain: node,
      run,
      serve: async (data, flags) => {
        const server = await serve(data, flags)
        servers.push(server)
        return server.origin
      },
      binary,
      folder,
      operatorLists: options["data-dir"] === undefined ? null : resolve(options["data-dir"]),
    })
    const after = await balances()
    expectSame("what the payer paid", before.payer - after.payer, TOTAL + FEE_ATOMIC)
    expectSame("what the service received", after.service - before.service, TOTAL)
    expectSame("the number of transfers", (await node.transfersTo(payTo.address)).length, PAID.length)
    print(
      `\npayer    ${formatUsdc(before.payer)} -> ${formatUsdc(after.payer)}\nservice  ${formatUsdc(before.service)} -> ${formatUsdc(after.service)}: ${PAID.length} answers, ${PAID.length} transfers; the escrow contract received ${formatUsdc(FEE_ATOMIC)} for the job\n`,
    )
    print(`every step came out as expected, in ${Math.round(performance.now() - started)} ms\n`)
    if (options.keep) {
      const stopped = stopSignal(interrupted)
      print(await keptUpText({ binary, buyer, answer: KEPT_CHECK_FILES[0] }))
      await stopped
      print("stopping server and chain\n")
    }
    return 0
  } catch (error) {
    print(`\nthe demo failed: ${error instanceof Error ? error.message : String(error)}\n`)
    return 1
  } finally {
    if (options.out !== undefined) keep(folder, resolve(options.out), story)
    for (const server of servers) await server.stop()
    jobSide?.hub.stop()
    await chain?.stop()
  }
}

/** Resolves with the first signal. It ends the story no longer, because there is none. */
function stopSignal(interrupted: () => void): Promise<void> {
  return new Promise((resolve) => {
    for (const name of STOP_SIGNALS) {
      process.removeListener(name, interrupted)
      process.once(name, () => resolve())
    }
  })
}

/** Returns BIZAUTH_BINARY, or dist/bizauth, which is built if it is missing. */
function compiledProgram(): string {
  const named = process.env["BIZAUTH_BINARY"]
  const binary = named === undefined ? join(ROOT, "dist", "bizauth") : resolve(ROOT, named)
  if (!existsSync(binary)) {
    if (named !== undefined) throw new Error(`${binary} does not exist`)
    const built = Bun.spawnSync([process.execPath, join(ROOT, "scripts", "build.ts")], {
      stdout: "inherit",
      stderr: "inherit",
    })
    if (built.exitCode !== 0) throw new Error("the program cannot be built")
  }
  return binary
}

/** Also runs after a failure; the story then shows where it ended. */
function keep(folder: string, out: string, story: Story | null): void {
  mkdirSync(out, { recursive: true })
  for (const name of KEPT_FILES) if (existsSync(join(folder, name))) copyFileSync(join(folder, name), join(out, name))
  writeFileSync(join(out, "story.json"), `${JSON.stringify({ version: 1, steps: story?.steps ?? [] }, null, 2)}\n`)
  print(`kept in ${out}\n`)
}
