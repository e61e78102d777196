/** The simulated server processes: how each is started, killed and frozen, and the faults of its database and its nodes. */
import { drainMicrotasks } from "bun:jsc"
import type { Hex } from "viem"
import type { Machine } from "../../src/base/machine.ts"
import type { RpcHandler } from "../../src/payments/json-rpc.ts"
import { BASE } from "../../src/payments/networks/base.ts"
import type { Payments } from "../../src/payments/payments.ts"
import { openRelayer } from "../../src/payments/relayer.ts"
import { RelayerCount } from "../../src/payments/relayer-count.ts"
import { openModelChain } from "../../src/sandbox/chain/open-model-chain.ts"
import type { SourceBoard } from "../../src/sources/boards/source-board.ts"
import { testKey } from "../fixtures/buyers.ts"
import { gbSources } from "../fixtures/gb.ts"
import { listedParty, staticBoard } from "../fixtures/test-server.ts"
import { PAY_TO, PROVIDER_KEY, RELAYERS } from "./accounts.ts"
import { Incarnation } from "./incarnation.ts"
import { openHubLink } from "./jobs/hub-link.ts"
import { CHANNEL, ESCROW, IMPLEMENTATION, OFFERING_ID, PROVIDER_LOWER } from "./jobs/job-terms.ts"
import { openLink } from "./link.ts"
import { overPosts } from "./posts.ts"
import { RelayerKeys } from "./relayer-keys.ts"
import { LEASE_SECONDS } from "./served-since.ts"
import { isExpected, newProcess, type ServerProcess } from "./server-process.ts"
import { openSimulatedServer, type SimulatedServerParts } from "./simulated-server.ts"
import type { Simulation } from "./simulation.ts"
import { submitPublic } from "./thief.ts"
import { EVERYBODY } from "./trace.ts"

const RESTART_MS_MAX = 8_000
/** Lower case. */
const OWN_ADDRESSES: ReadonlySet<string> = new Set(RELAYERS.map((address) => address.toLowerCase()))

/** Made once, because building an index takes longer than a purchase. */
const US_LISTS = staticBoard([listedParty()])
const UK = gbSources()
const SIGNERS = [9, 10, 11, 12, 13, 14].map((byte) => testKey("svc", byte))

export class Servers {
  readonly all: readonly ServerProcess[]
  /** Virtual ms until which every write finds the disk full, or the database away: see {@link Conditions}. */
  diskFullUntil = 0
  awayUntil = 0
  isStale = false
  /** Of the key that signs. */
  keyNumber = 0
  /** Ends each query that waits for a node. */
  private readonly unanswered = new Set<() => void>()
  readonly relayerKeys: RelayerKeys
  private readonly wallet = openRelayer(PROVIDER_KEY, BASE.asset.chainId)
  private readonly settleWaitMs: number

  constructor(
    private readonly simulation: Simulation,
    count: number,
  ) {
    this.relayerKeys = new RelayerKeys(simulation)
    this.settleWaitMs = simulation.random.stream("settings").pick([300, 1_000, 2_500])
    this.all = Array.from({ length: count }, (_, at) => newProcess(`p${at + 1}`))
  }

  get areOpen(): boolean {
    return this.all.every(({ life }) => life?.isAlive === true && life.server !== null)
  }

  start(process: ServerProcess): void {
    if (process.life?.isAlive) return
    const { simulation } = this
    const { name } = process
    process.lives++
    const random = simulation.random.stream(`${name} life ${process.lives}`)
    const life = new Incarnation(name, random, simulation.scheduler, () => simulation.wallClock())
    process.life = life
    simulation.note(`${name} starts`, [EVERYBODY])
    openSimulatedServer({
      machine: life.machine,
      openDatabase: () =>
        simulation.database.open({
          life,
          random: random.stream("database"),
          kill: (why) => this.kill(process, why),
          delayed: (ms) => {
            process.faultUntil = Math.max(process.faultUntil, simulation.scheduler.time + ms)
          },
        }),
      payments: this.payments(process, life),
      board: this.perishable(US_LISTS),
      gb: { ...UK, machine: life.machine, list: this.perishable(UK.list) },
      signer: () => SIGNERS[this.keyNumber % SIGNERS.length] as (typeof SIGNERS)[number],
      leaseSeconds: LEASE_SECONDS,
      jobs: this.jobs(life),
      onLog: (line) => this.logged(life, line),
    }).then(
      (server) => {
        if (!life.isAlive) return
        life.server = server
        process.openAt = simulation.scheduler.time
        for (const worker of server.workers) worker.start()
        simulation.note(`${name} is open`, [EVERYBODY])
      },
      (error) => {
        if (!life.isAlive) return
        simulation.note(`${name} could not start: ${error}`, [EVERYBODY])
        this.kill(process, "a failed start")
      },
    )
  }

  /** Ends all processes and frees what they hold. */
  close(): void {
    for (const { life } of this.all) life?.die()
    for (const end of this.unanswered) end()
    drainMicrotasks()
  }

  /** It starts again after a while. */
  kill(process: ServerProcess, why: string): void {
    const { life } = process
    if (!life?.isAlive) return
    this.simulation.note(`${process.name} is killed: ${why}`, [EVERYBODY])
    this.simulation.count("kills")
    life.die()
    const afterMs = 200 + life.random.stream("restart").fraction() * RESTART_MS_MAX
    this.simulation.scheduler.after(afterMs, `${process.name} is started again`, null, () => this.start(process))
  }

  freeze(process: ServerProcess, ms: number): void {
    const { life } = process
    if (!life?.isAlive) return
    // A second freeze does not end the first one earlier.
    life.frozenUntil = Math.max(life.frozenUntil, this.simulation.scheduler.time + ms)
    process.thawedAt = life.frozenUntil
    this.simulation.note(`${process.name} is frozen for ${Math.round(ms)} ms`, [EVERYBODY])
  }

  /** The same lists, which may be stale for a while. */
  private perishable({ index, states }: SourceBoard): SourceBoard {
    return {
      index,
      states: (at) => states(at).map((state) => (this.isStale ? { ...state, health: "STALE" } : state)),
    }
  }

  private payments(process: ServerProcess, life: Incarnation): Payments {
    const [primary, second = null] = this.links(process, life)
    if (!primary) throw new TypeError("no node")
    // viem gives each client a random name, on which nothing depends.
    const chain = this.simulation.globals.allowing(() => openModelChain(BASE, primary, second))
    const relayer = this.relayerKeys.present
    process.relayer = relayer.address
    const monotonic: Machine["monotonic"] = life.machine.monotonic
    return {
      // `test` has no stop for a clock that differs from the chain's (rulings 40).
      environment: this.simulation.options.hasClockStop ? "live" : "test",
      chain,
      payTo: PAY_TO,
      settler: { kind: "self", relayer, count: new RelayerCount(chain, relayer.address, monotonic) },
      gasPolicy: { ethUsdMicros: 4_000_000_000n, priorityFeeMax: 50_000_000n },
      burnedGasDailyWei: 20_000_000_000_000_000n,
      settleWaitMs: this.settleWaitMs,
    }
  }

  private jobs(life: Incarnation): SimulatedServerParts["jobs"] {
    const { jobSide, scheduler } = this.simulation
    if (jobSide === null) return null
    return {
      hub: openHubLink({
        scheduler,
        hub: jobSide.hub,
        owner: life,
        random: life.random.stream("hub"),
        rates: () => this.simulation.rates,
        onPost: (jobId, text) => {
          this.simulation.readCommitted()
          jobSide.inspector.posted(jobId, text)
        },
        onSay: (jobId, content) => jobSide.said(jobId, content),
        note: (text, jobId) => this.simulation.note(text, [jobSide.books.ofNumber(jobId)?.id ?? ""]),
        author: PROVIDER_LOWER,
      }),
      wallet: this.wallet,
      terms: { contract: ESCROW, offeringId: OFFERING_ID, channel: CHANNEL, implementations: [IMPLEMENTATION] },
      publicKeyOf: (keyId) => SIGNERS.find((one) => one.keyId === keyId)?.x ?? null,
    }
  }

  private links(process: ServerProcess, life: Incarnation): RpcHandler[] {
    const { simulation } = this
    const { name } = process
    return simulation.healths.map((health) => {
      const shared = {
        scheduler: simulation.scheduler,
        owner: life,
        rates: () => simulation.rates,
        onFault: (until: number) => {
          process.faultUntil = Math.max(process.faultUntil, until)
        },
      }
      const link = openLink({
        ...shared,
        node: simulation.chain.node,
        health,
        random: life.random.stream(`link ${health.name}`),
        onAsk: (method, params) => {
          if (method === "eth_sendRawTransaction" && life.isAlive) this.sent(process, health.name, params[0] as Hex)
        },
        onEnd: this.unanswered,
        onAnswer: (method, outcome) => simulation.note(`${name}: ${health.name} answers ${method}: ${outcome}`, []),
      })
      const random = life.random.stream(`posts ${health.name}`)
      return overPosts(link, { ...shared, random, count: (what) => simulation.count(what) })
    })
  }

  /** Bytes leave a process. */
  private sent(process: ServerProcess, node: string, raw: Hex): void {
    const { simulation } = this
    simulation.readCommitted()
    const { books, money, trace, chain, jobSide } = simulation
    const transaction = chain.model.readRaw(raw)
    const { hash, to, data, from } = transaction
    if (jobSide && from === PROVIDER_LOWER) {
      const job = jobSide.books.transactions.get(hash)
      simulation.note(`${process.name} sends ${hash} (${job?.action} of ${job?.job}) to ${node}`, [job?.job ?? hash])
      jobSide.inspector.sent(transaction, process.name)
      return
    }
    const isFill = OWN_ADDRESSES.has(to)
    const nonce = books.nonceOf(hash)
    const attempt = nonce?.attemptId ?? null
    if (attempt !== null) trace.same(hash, attempt)
    simulation.note(`${process.name} sends ${hash} (nonce ${nonce?.nonce}, ${isFill ? "fill" : attempt}) to ${node}`, [
      hash,
    ])
    const isFormer = from !== process.relayer?.toLowerCase()
    money.sent({ raw, data, isFill, isFormer, process: process.name, thawedAt: process.thawedAt })
    if (isFormer) simulation.former.sent(process, hash)
    const sent = attempt === null ? undefined : books.attempts.get(attempt)
    const account = sent && books.accounts.get(`${sent.payer}:${sent.nonce}`.toLowerCase())
    if (account && !isFill && !account.isPublic) {
      account.isPublic = true
      submitPublic(simulation, account.signed)
    }
  }

  private logged({ isAlive, name }: Incarnation, line: Record<string, unknown>): void {
    if (!isAlive) return
    const event = String(line["event"])
    const message = String(line["message"] ?? "")
    this.simulation.note(`${name} logs ${event} ${message}`, event === "request" ? [] : [EVERYBODY])
    if (line["level"] !== "error" || isExpected(event, message)) return
    const about = [String(line["attempt_id"] ?? "")]
    this.simulation.violate("internal_error", `${name} logged ${JSON.stringify(line)}`, about)
  }
}
