/**
 * Everything that a drill kills, as processes on loopback: a primary with a synchronous standby, two instances on it, each with a data
 * directory of its own, and a balancer before them. The chain is a private one.
 */
import { cpSync, existsSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { type Running, serve } from "../../test/fixtures/binary.ts"
import { DEV_ACCOUNTS } from "../../test/fixtures/chain.ts"
import { DebianServer } from "../../test/fixtures/debian-postgres.ts"
import { freePort } from "../../test/fixtures/free-port.ts"
import { overriding } from "../../test/fixtures/overriding.ts"
import { openTestOperator, type TestOperator, untilReady } from "../../test/fixtures/test-operator.ts"
import { until } from "../../test/fixtures/until.ts"

/** Of its database on the servers. */
export const DATABASE = "shop"

/** One address sends the requests of all buyers, and a killed instance's work is taken over soon. */
const FLAGS = ["--rate-limits", "off", "--base-url", "http://bizauth.example", "--lease-seconds", "3"]

/** All that a further instance needs of the first one. */
const COPIED = ["keys", "bizauth.toml"]

/** `bizauth serve` on one data directory and one port. */
class Instance {
  readonly origin: string
  private running: Running | null = null

  constructor(
    readonly data: string,
    private readonly operator: Pick<TestOperator, "selling">,
    private readonly port = freePort(),
  ) {
    this.origin = `http://127.0.0.1:${port}`
  }

  async start(): Promise<void> {
    const flags = overriding(this.operator.selling, [
      ...FLAGS,
      "--log-level",
      "info",
      "--listen",
      `127.0.0.1:${this.port}`,
    ])
    this.running = await serve(this.data, flags)
  }

  async kill(): Promise<void> {
    await this.running?.kill()
    this.running = null
  }

  killNow(): void {
    this.running?.signal("SIGKILL")
  }
}

/** The process of `balancer.ts` on one port. */
class Balancer {
  readonly port = freePort()
  readonly origin = `http://127.0.0.1:${this.port}`
  private child: Bun.Subprocess<"ignore", "pipe", "inherit"> | null = null

  constructor(private readonly origins: readonly string[]) {}

  async start(): Promise<void> {
    const words = [process.execPath, join(import.meta.dir, "balancer.ts"), String(this.port), ...this.origins]
    this.child = Bun.spawn(words, { stdin: "ignore", stdout: "pipe", stderr: "inherit" })
    await this.child.stdout.getReader().read()
  }

  killNow(): void {
    this.child?.kill("SIGKILL")
  }

  async kill(): Promise<void> {
    this.killNow()
    await this.child?.exited
    this.child = null
  }
}

export interface Pair {
  /** They change places at a fail-over. */
  primary: DebianServer
  standby: DebianServer
  readonly operator: TestOperator
  readonly instances: readonly [Instance, Instance]
  readonly balancer: Balancer
  close(): Promise<void>
}

/** The standby is synchronous from now on. */
export async function untilSynchronous({ primary, standby }: Pick<Pair, "primary" | "standby">): Promise<void> {
  await primary.waitFor(standby.name)
  const found = "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync' AND state = 'streaming'"
  await until("the standby is synchronous", async () => (await primary.query(found)).length === 1)
}

/** A data directory for a further instance, as an operator makes it. */
function furtherDirectory({ data, path }: TestOperator): string {
  const further = path("further")
  mkdirSync(further, { mode: 0o700 })
  for (const name of COPIED) {
    if (existsSync(join(data, name))) cpSync(join(data, name), join(further, name), { recursive: true })
  }
  return further
}

/** Accounts that pay; each may have 1,000 USDC. */
export const PAYERS = [DEV_ACCOUNTS.payer, DEV_ACCOUNTS.secondPayer, DEV_ACCOUNTS.stranger]
const PAYER_STARTS_WITH = 1_000_000_000n

/** `instances`: how many of the two start and are balanced. */
export async function openPair({ instances: count = 2 } = {}): Promise<Pair> {
  const servers = [new DebianServer("one"), new DebianServer("two")] as const
  const [primary, standby] = servers
  let operator: TestOperator | null = null
  const open: { kill(): Promise<void>; killNow(): void }[] = []
  // Of a drill that is interrupted. The servers and the chain end with this process by themselves.
  const killNow = () => {
    for (const one of open) one.killNow()
  }
  const close = async () => {
    process.removeListener("exit", killNow)
    for (const one of open) await one.kill()
    await operator?.[Symbol.asyncDispose]()
    for (const server of servers) await server.remove()
  }
  try {
    await primary.found()
    await primary.query(`CREATE DATABASE ${DATABASE} TEMPLATE template0 ENCODING 'UTF8'`)
    await standby.follow(primary)
    await untilSynchronous({ primary, standby })
    const hosts = servers.map(({ port }) => `127.0.0.1:${port}`).join(",")
    operator = await openTestOperator({ databaseUrl: `postgres://postgres@${hosts}/${DATABASE}` })
    for (const { address } of PAYERS) await operator.chain.mint(address, PAYER_STARTS_WITH)
    const instances = [
      new Instance(operator.data, operator),
      new Instance(furtherDirectory(operator), operator),
    ] as const
    const serving = instances.slice(0, count)
    const balancer = new Balancer(serving.map(({ origin }) => origin))
    open.push(balancer, ...instances)
    process.once("exit", killNow)
    await Promise.all(serving.map((instance) => instance.start()))
    for (const { origin } of serving) await untilReady(origin)
    await balancer.start()
    return { primary, standby, operator, instances, balancer, close }
  } catch (error) {
    await close()
    throw error
  }
}
