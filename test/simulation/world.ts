/** A whole simulated world: one chain, one or two nodes, one database file, one to three processes, and whoever buys and steals. */
import { rmSync } from "node:fs"
import type { Hex } from "viem"
import { migrate } from "../../db/migrate.ts"
import { ModelChain } from "../../src/chain-model/model-chain.ts"
import { ModelNode } from "../../src/chain-model/model-node.ts"
import { openModelChain } from "../../src/chain-model/open-model-chain.ts"
import { formatInstant } from "../../src/core/time.ts"
import type { Machine } from "../../src/machine.ts"
import type { Payments } from "../../src/payments/payments.ts"
import { openRelayer } from "../../src/payments/relayer.ts"
import { RelayerCount } from "../../src/payments/relayer-count.ts"
import { transferCall } from "../../src/payments/transfer-call.ts"
import { USDC_BASE } from "../../src/payments/usdc.ts"
import type { SourceBoard } from "../../src/sources/source-board.ts"
import { SqliteStore } from "../../src/store/sqlite-store.ts"
import { testKey } from "../fixtures/buyers.ts"
import { gbSources } from "../fixtures/gb.ts"
import { listedParty, ORIGIN, staticBoard } from "../fixtures/selling-house.ts"
import { PAY_TO, PAYERS, POOR, RELAYER, RELAYER_KEY, THIEF } from "./accounts.ts"
import { AuthorizationPool } from "./authorization-pool.ts"
import { Books } from "./books.ts"
import { buy, type Ended, type Market, type Reply, type Signed } from "./buyer.ts"
import { ChangeReader, watchChanges } from "./changes.ts"
import { FAULTS, type FaultLevel, type FaultRates } from "./faults.ts"
import { FaultyDatabase, type StatementFault } from "./faulty-database.ts"
import { openHouse } from "./house.ts"
import { Incarnation } from "./incarnation.ts"
import { NodeHealth, openLink } from "./link.ts"
import { MoneyInspector } from "./money-inspector.ts"
import { enter, LAST_ORGANIZATION, organization, PURCHASES_EACH } from "./organizations.ts"
import { type Body, type Purchase, purchases, subjectOf } from "./purchase.ts"
import { Random } from "./random.ts"
import { RowInspector } from "./row-inspector.ts"
import { type Owner, Scheduler } from "./scheduler.ts"
import { type SealedGlobals, sealGlobals } from "./sealed-globals.ts"
import { beRobbed } from "./thief.ts"
import { EVERYBODY, Trace } from "./trace.ts"
import { type Violation, ViolationFound, type ViolationKind } from "./violation.ts"

export interface WorldOptions {
  readonly seed: string
  readonly purchases: number
  readonly processes: number
  readonly faults: FaultLevel
  /** Rates that differ from the level's. */
  readonly rates: Partial<FaultRates>
  /** Violations of these kinds are counted and overlooked. */
  readonly muted: ReadonlySet<ViolationKind>
  /** Keeps the trace's lines. */
  readonly isTold: boolean
  /** Database file, which does not exist. */
  readonly path: string
  /** Above 0: what a run must at least have of each. Null: drawn by the seed. */
  readonly nodes: 1 | 2 | null
}

const START = Date.UTC(2026, 10, 20, 10, 0, 0)
const BLOCK_MS = 1_000
const LEASE_SECONDS = 30
const BLOCKS_BEFORE = 200

export interface KeptSums {
  readonly totals: readonly { readonly delegationId: string; readonly millionths: string }[]
  readonly days: readonly { readonly delegationId: string; readonly requests: number }[]
  readonly unsettled: readonly { readonly payer: string; readonly value: string }[]
}

/** One call of a buyer or a thief. */
export interface Posted {
  readonly purchase: Purchase
  readonly path: string
  readonly body: Body
  readonly signed: Signed | null
  /** The body is a thief's. */
  readonly isForeign?: boolean
}

/** One of the simulated server processes, through all its lives. */
export interface ServerProcess {
  readonly name: string
  life: Incarnation | null
  lives: number
  /** When it was last thawed; virtual ms. */
  thawedAt: number
}

export class World implements Market {
  readonly trace: Trace
  readonly scheduler: Scheduler
  readonly random: Random
  readonly books = new Books()
  readonly pool = new AuthorizationPool()
  readonly rows: RowInspector
  readonly money: MoneyInspector
  readonly chain: ModelChain
  readonly node: ModelNode
  readonly healths: readonly NodeHealth[]
  readonly processes: readonly ServerProcess[]
  private found: Violation | null = null
  readonly overlooked = new Map<ViolationKind, number>()
  readonly ended: (Ended & { readonly purchase: Purchase })[] = []
  rates: FaultRates
  clockOffset = 0
  /** Transactions that no block takes. */
  readonly held = new Set<Hex>()
  diskFullUntil = 0
  lockedUntil = 0
  isStale = false
  keyNumber = 0
  private readonly signers = [9, 10, 11, 12, 13, 14].map((byte) => testKey("svc", byte))
  private readonly globals: SealedGlobals
  private readonly own: FaultyDatabase
  private readonly changes: ChangeReader
  private isDirty = false
  private readonly settleWaitMs: number
  private readonly relayer = openRelayer(RELAYER_KEY, USDC_BASE.chainId)
  private running = 0
  /** Purchases that began. */
  begun = 0

  constructor(readonly options: WorldOptions) {
    const { seed, processes } = options
    this.random = new Random(seed)
    this.trace = new Trace(options.isTold)
    this.rates = { ...FAULTS[options.faults], ...options.rates }
    this.scheduler = new Scheduler(this.random.stream("order"), (name, owner, time) => this.stepped(name, owner, time))
    const report = (kind: ViolationKind, text: string, about: readonly string[]) => this.violate(kind, text, about)
    this.rows = new RowInspector(this.books, report)
    this.healths = (this.random.stream("nodes").chance(0.5) ? ["primary"] : ["primary", "second"]).map(
      (name) => new NodeHealth(name),
    )
    if (options.nodes !== null) {
      this.healths = ["primary", "second"].slice(0, options.nodes).map((name) => new NodeHealth(name))
    }
    this.money = new MoneyInspector({
      books: this.books,
      report,
      time: () => this.scheduler.time,
      seconds: () => this.now() / 1000,
      lastUntrueAt: () => Math.max(...this.healths.map(({ lastUntrueAt }) => lastUntrueAt)),
    })
    this.settleWaitMs = this.random.stream("settings").pick([500, 1_500, 4_000])
    this.chain = new ModelChain({
      asset: USDC_BASE,
      genesisTime: START / 1000 - 2 * BLOCKS_BEFORE,
      safeLag: 12,
      finalizedLag: 20,
      senderOf: () => RELAYER,
    })
    this.node = new ModelNode(this.chain)
    for (let left = BLOCKS_BEFORE - 1; left > 0; left--) this.chain.mine(this.chain.head.timestamp + 2)
    this.chain.setEther(RELAYER, 10n ** 20n)
    this.chain.setEther(THIEF, 10n ** 20n)
    for (const { address } of PAYERS) this.chain.setEther(address, 10n ** 20n)
    for (const { address } of PAYERS) this.chain.setUsdc(address, 10n ** 12n)
    this.chain.setUsdc(POOR.address, 3_000_000n)
    this.chain.mine(this.chain.head.timestamp + 2)

    this.globals = sealGlobals()
    this.globals.setDate(this.now())
    this.own = new FaultyDatabase(options.path, { next: () => null, kill: () => {}, committed: () => {} })
    migrate(this.own, formatInstant(START))
    this.enterOrganizations()
    watchChanges(this.own)
    this.changes = new ChangeReader(this.own)
    this.processes = Array.from({ length: processes }, (_, at) => ({
      name: `p${at + 1}`,
      life: null,
      lives: 0,
      thawedAt: Number.NEGATIVE_INFINITY,
    }))
  }

  /** True time in ms. */
  now(): number {
    return START + Math.floor(this.scheduler.time)
  }

  /** What the machine's clock shows. */
  wallClock(): number {
    return Math.floor(this.now() + this.clockOffset)
  }

  note(text: string, about: Purchase | readonly string[]): void {
    this.trace.note(this.scheduler.time, text, "index" in about ? [about.name] : about)
  }

  sleep(ms: number): Promise<void> {
    return this.scheduler.sleep(ms, "buyer")
  }

  violate(kind: ViolationKind, text: string, about: readonly string[]): void {
    this.trace.note(this.scheduler.time, `VIOLATION ${kind}: ${text}`, about)
    if (this.options.muted.has(kind)) {
      this.overlooked.set(kind, (this.overlooked.get(kind) ?? 0) + 1)
      return
    }
    // Not thrown here: the code under test may stand between this and the run, and would catch it.
    this.found ??= { kind, text, about, at: this.scheduler.time }
  }

  /** Frees what the run holds. */
  close(): void {
    for (const { life } of this.processes) life?.die()
    this.own.die()
    this.globals.unseal()
    for (const end of ["", "-wal", "-shm"]) rmSync(`${this.options.path}${end}`, { force: true })
  }

  // Time

  private stepped(name: string, owner: Owner | null, time: number): void {
    this.trace.note(time, owner === null ? name : `${owner.name}: ${name}`)
    this.globals.setDate(this.wallClock())
  }

  /** Steps until `isDone`, at most to `until` (virtual ms). Returns whether it is done. */
  runUntil(isDone: () => boolean, until: number): boolean {
    while (!isDone()) {
      if (!this.scheduler.step(until)) return isDone()
      this.inspect()
      this.requireSound()
    }
    return true
  }

  /** Throws the first violation. */
  requireSound(): void {
    if (this.found) throw new ViolationFound(this.found)
  }

  /** Reads what was committed. */
  private inspect(): void {
    const [leak] = this.globals.refused
    if (leak !== undefined) this.violate("leak", leak, [])
    if (!this.isDirty) return
    this.isDirty = false
    const changes = this.changes.next()
    for (const change of changes) {
      this.books.apply(change)
      if (change.table !== "payment_attempt" || change.after === null) continue
      const { id, payer, nonce, state, reason, requestId } = change.after
      this.trace.same(id, `${payer}:${nonce}`.toLowerCase())
      const from = change.before?.state ?? "nothing"
      if (from !== state) this.note(`attempt ${id} ${from} to ${state} ${reason ?? ""} (${requestId})`, [id])
      this.money.moved(change.before, change.after)
    }
    this.rows.inspect(changes)
  }

  // Chain

  startChain(): void {
    const mine = () => {
      const seconds = Math.floor(this.now() / 1000)
      if (seconds > this.chain.head.timestamp) this.mine(seconds, ({ hash }) => !this.held.has(hash))
      this.scheduler.after(BLOCK_MS, "block", null, mine)
    }
    this.scheduler.after(BLOCK_MS, "block", null, mine)
  }

  private mine(seconds: number, isWanted: (transaction: { readonly hash: Hex }) => boolean): void {
    this.chain.nextBaseFee = this.now() < this.spikeUntil ? BASE_FEE * this.spike : BASE_FEE
    const block = this.chain.mine(seconds, isWanted)
    const shown = block.receipts.map(
      ({ transaction, isSuccess }) => `${transaction.hash}${isSuccess ? "" : " reverted"}`,
    )
    const about = block.receipts.map(({ transaction }) => transaction.hash)
    this.note(`block ${block.number} mined: ${shown.join(", ")}`, about)
    this.inspect()
    this.money.mined(block)
  }

  private spike = 1n
  private spikeUntil = 0

  spikeGas(times: number, ms: number): void {
    this.spike = BigInt(times)
    this.spikeUntil = this.now() + ms
    this.note(`gas costs ${times} times as much for ${Math.round(ms)} ms`, [EVERYBODY])
  }

  /** Replaces the last blocks by others of the same times, which leave out some of the transactions, or lose them. */
  reorganize(depth: number, random: Random, lossRate: number): void {
    const { chain } = this
    const deep = Math.min(depth, chain.head.number - chain.safe.number)
    if (deep <= 0) return
    const dropped = Array.from({ length: deep }, (_, back) => chain.block(chain.head.number - back))
    for (const block of dropped) if (block) this.money.dropped(block)
    chain.reorganize(deep, () => !random.chance(lossRate))
    this.note(`reorganization: ${deep} blocks leave the chain`, [EVERYBODY])
    for (const block of dropped.reverse()) {
      if (block) this.mine(block.timestamp, ({ hash }) => !this.held.has(hash) && random.chance(0.6))
    }
  }

  // Processes

  start(process: ServerProcess): void {
    if (process.life?.isAlive) return
    process.lives++
    const name = process.name
    const life = new Incarnation(name, this.random.stream(`${name} life ${process.lives}`), this.scheduler, () =>
      this.wallClock(),
    )
    process.life = life
    this.note(`${name} starts`, [EVERYBODY])
    const rates = life.random.stream("database")
    life.database = new FaultyDatabase(this.options.path, {
      next: (sql) => this.databaseFault(rates, sql),
      kill: () => this.kill(process, "inside a transaction"),
      committed: () => {
        this.isDirty = true
      },
    })
    const links = this.healths.map((health) =>
      openLink({
        scheduler: this.scheduler,
        node: this.node,
        health,
        owner: life,
        random: life.random.stream(`link ${health.name}`),
        rates: () => this.rates,
        onAsk: (method, params) => this.asked(process, life, health.name, method, params),
        onAnswer: (method, outcome) =>
          this.trace.note(this.scheduler.time, `${name}: ${health.name} answers ${method}: ${outcome}`),
      }),
    )
    const payments = this.payments(links, life.machine)
    const gb = { ...UK, machine: life.machine, list: this.perishable(UK.list) }
    openHouse({
      machine: life.machine,
      database: life.database,
      payments,
      board: this.perishable(US_LISTS),
      gb,
      signer: () => this.signers[this.keyNumber % this.signers.length] as (typeof this.signers)[number],
      leaseSeconds: LEASE_SECONDS,
      allowing: (run) => this.globals.allowing(run),
      onLog: (line) => this.logged(life, line),
      onFatal: () => this.kill(process, "a COMMIT of unknown outcome"),
    }).then(
      (house) => {
        if (!life.isAlive) return
        life.house = house
        for (const worker of house.workers) worker.start()
        this.note(`${name} is open`, [EVERYBODY])
      },
      (error) => {
        if (!life.isAlive) return
        this.note(`${name} could not start: ${error}`, [EVERYBODY])
        this.kill(process, "a failed start")
      },
    )
  }

  /** The same lists, which may be stale for a while. */
  private perishable({ index, states }: SourceBoard): SourceBoard {
    return {
      index,
      states: (at) => states(at).map((state) => (this.isStale ? { ...state, health: "STALE" } : state)),
    }
  }

  private payments(links: readonly ReturnType<typeof openLink>[], machine: Machine): Payments {
    const [primary, second = null] = links
    if (!primary) throw new TypeError("no node")
    // viem names each client by chance; nothing depends on the name.
    const chain = this.globals.allowing(() => openModelChain(USDC_BASE, primary, second))
    return {
      environment: "live",
      chain,
      payTo: PAY_TO,
      quoteKey: new Uint8Array(32).fill(7),
      settler: {
        kind: "self",
        relayer: this.relayer,
        count: new RelayerCount(chain, this.relayer.address, machine.monotonic),
      },
      gasPolicy: { ethUsdMicros: 4_000_000_000n, priorityFeeMax: 50_000_000n },
      burnedGasDailyWei: 20_000_000_000_000_000n,
      settleWaitMs: this.settleWaitMs,
    }
  }

  /** A dead process is started again after a while, unless the run is over. */
  kill(process: ServerProcess, why: string): void {
    const { life } = process
    if (!life?.isAlive) return
    this.note(`${process.name} is killed: ${why}`, [EVERYBODY])
    life.die()
    const afterMs = 200 + life.random.stream("restart").fraction() * 8_000
    this.scheduler.after(afterMs, `${process.name} is started again`, null, () => this.start(process))
  }

  freeze(process: ServerProcess, ms: number): void {
    const { life } = process
    if (!life?.isAlive) return
    life.frozenUntil = this.scheduler.time + ms
    process.thawedAt = life.frozenUntil
    this.note(`${process.name} is frozen for ${Math.round(ms)} ms`, [EVERYBODY])
  }

  private databaseFault(random: Random, sql: string): StatementFault | null {
    const { time } = this.scheduler
    const { database } = this.rates
    if (sql === "BEGIN IMMEDIATE") {
      if (time < this.lockedUntil) return "busy"
      return random.chance(database.busy) ? "busy" : null
    }
    if (time < this.diskFullUntil && (sql === "COMMIT" || random.chance(0.3))) return "full"
    const chance = random.fraction()
    let edge = database.kill
    if (chance < edge) return random.chance(0.5) ? "killed_before" : "killed_after"
    edge += database.full
    if (chance < edge) return "full"
    if (sql !== "COMMIT") return null
    edge += database.busy
    if (chance < edge) return "busy"
    edge += database.io * 10
    if (chance < edge) return random.chance(0.5) ? "io_before" : "io_after"
    return null
  }

  private asked(
    process: ServerProcess,
    life: Incarnation,
    node: string,
    method: string,
    params: readonly unknown[],
  ): void {
    if (method !== "eth_sendRawTransaction" || !life.isAlive) return
    this.inspect()
    const raw = params[0] as Hex
    const { hash, to, data } = this.chain.readRaw(raw)
    const isFill = to === RELAYER.toLowerCase()
    const nonce = this.books.nonceOfTransaction.get(hash)
    const attempt = nonce === undefined ? null : (this.books.nonces.get(nonce)?.attemptId ?? null)
    if (attempt !== null) this.trace.same(hash, attempt)
    this.note(`${process.name} sends ${hash} (nonce ${nonce}, ${isFill ? "fill" : attempt}) to ${node}`, [hash])
    this.money.sent({ raw, data, isFill, process: process.name, thawedAt: process.thawedAt })
  }

  private logged(life: Incarnation, line: Record<string, unknown>): void {
    if (!life.isAlive) return
    const { event, level, message } = line
    this.trace.note(
      this.scheduler.time,
      `${life.name} logs ${event} ${message ?? ""}`,
      event === "request" ? [] : [EVERYBODY],
    )
    if (level !== "error" || ALARMS.has(String(event))) return
    const isExpected =
      /^(database unavailable|a commit failed|the store is closed|the process is dead|not answered within)/.test(
        String(message),
      )
    if (!isExpected)
      this.violate("internal_error", `${life.name} logged ${JSON.stringify(line)}`, [String(line["attempt_id"] ?? "")])
  }

  // Market

  post(purchase: Purchase, path: string, body: Body, signed: Signed | null): Promise<Reply> {
    const process = purchase.random.pick(this.processes)
    return this.postTo(process, { purchase, path, body, signed })
  }

  postTo(process: ServerProcess, { purchase, path, body, signed, isForeign = false }: Posted): Promise<Reply> {
    const startedAt = this.scheduler.time
    const { random } = purchase
    const how = path.endsWith("recover") ? "recovers" : signed ? `pays with ${signed.key}` : "asks"
    const what = isForeign ? `has its header stolen: a thief ${how} for another body` : how
    this.note(`${purchase.name} ${what} at ${process.name}`, purchase)
    return new Promise((resolve) => {
      const reply = (given: Reply) => {
        this.note(`${purchase.name} hears ${given.status} ${shortened(given)}${process_env_debug(given)}`, purchase)
        resolve(given)
      }
      const broken = () =>
        void this.scheduler.after(5 + random.fraction() * 20, "connection breaks", null, () => reply(NO_ANSWER))
      this.scheduler.after(random.fraction() * 30, "call arrives", null, () => {
        const { life } = process
        if (!life?.isAlive || !life.house) return broken()
        const { house } = life
        life.onDeath.add(broken)
        // As a step of the process: a frozen one reads its sockets when it thaws.
        this.scheduler.after(0, "call is read", life, () => {
          const headers = { ...body.headers, ...(signed && { "payment-signature": signed.header }) }
          void house.post(path, body.text, headers).then(async (response) => {
            const given: Reply = { status: response.status, text: await response.text(), headers: response.headers }
            if (!life.isAlive) return
            life.onDeath.delete(broken)
            this.inspect()
            this.money.told({ purchase, path, signed, isForeign, startedAt, reply: given })
            this.scheduler.after(random.fraction() * 20, "answer arrives", null, () => reply(given))
          })
        })
      })
    })
  }

  signed(signed: Signed, isSeen = true): void {
    this.books.sign(signed)
    this.trace.same(signed.key, signed.purchase.name)
    this.note(
      `${signed.purchase.name} signs ${signed.key}, valid before ${signed.validBefore - START / 1000} s`,
      signed.purchase,
    )
    this.chain.registerAuthorization({
      from: signed.payer as Hex,
      to: PAY_TO,
      value: signed.value,
      validAfter: 0,
      validBefore: signed.validBefore,
      nonce: signed.nonce,
      signature: signed.signature,
    })
    if (isSeen && this.options.faults !== "none") beRobbed(this, signed)
  }

  cancel(signed: Signed, data: Hex): void {
    this.submit("cancels", signed, signed.payer as Hex, data)
  }

  /** A stranger brings the authorization to the chain. */
  steal(signed: Signed): void {
    const { payer, value, validBefore, nonce, signature } = signed
    const data = transferCall({ from: payer as Hex, to: PAY_TO, value, validAfter: 0, validBefore, nonce, signature })
    this.submit("is submitted by a stranger", signed, THIEF, data)
  }

  private submit(what: string, signed: Signed, from: Hex, data: Hex): void {
    try {
      const maxPriorityFeePerGas = 10_000_000n
      const hash = this.chain.submit({
        from,
        to: USDC_BASE.address,
        data,
        maxPriorityFeePerGas,
        maxFeePerGas: 10n ** 10n,
      })
      this.trace.same(hash, signed.key)
      this.note(`${signed.key} ${what}: ${hash}`, signed.purchase)
    } catch (error) {
      this.note(`${signed.key} ${what}: refused, ${error}`, signed.purchase)
    }
  }

  movePoorBalance(isGone: boolean): void {
    this.chain.setUsdc(POOR.address, isGone ? 100n : 3_000_000n)
    this.note(isGone ? "the poor wallet is empty" : "the poor wallet has money", [EVERYBODY])
  }

  /**
   * Every purchase of the run begins at its time. Each begin schedules the next one, also after the last, so that a run of fewer
   * purchases does exactly the same up to the first one that it leaves out.
   */
  openShop(): void {
    this.running = this.options.purchases
    const coming = purchases(this.random.stream("purchases"), this.options.purchases + 1)
    const next = () => {
      const { value: purchase } = coming.next()
      if (!purchase) return
      this.scheduler.after(purchase.arrivesAt - this.scheduler.time, `${purchase.name} begins`, null, () => {
        if (purchase.index >= this.options.purchases) return
        next()
        this.begin(purchase)
      })
    }
    next()
  }

  private begin(purchase: Purchase): void {
    this.begun++
    this.note(`${purchase.name}: ${purchase.habit}, ${purchase.product}`, purchase)
    void buy(this, purchase).then((ended) => {
      this.running--
      this.ended.push({ ...ended, purchase })
      this.note(`${purchase.name} ends: ${ended.told}`, purchase)
    })
  }

  /** The sums that the database keeps beside its rows. */
  keptSums(): KeptSums {
    const all = <Row>(sql: string) => this.own.query<Row, []>(sql).all()
    return {
      totals: all("SELECT delegation_id AS delegationId, millionths FROM delegation_total"),
      days: all(
        "SELECT delegation_id AS delegationId, SUM(requests) AS requests FROM delegation_day GROUP BY delegation_id",
      ),
      unsettled: all("SELECT payer, value FROM unsettled_value"),
    }
  }

  /** The challenge that a purchase names, by its idempotency key; null for a decision. */
  challengeOf(idempotencyKey: string): string | null {
    const ended = this.ended.find(({ purchase }) => purchase.idempotencyKey === idempotencyKey)
    return ended?.purchase.product === "uk" ? `challenge ${subjectOf(ended.purchase)}` : null
  }

  get isShopEmpty(): boolean {
    return this.running === 0
  }

  private enterOrganizations(): void {
    // On a scheduler of its own: how many organizations there are must not change what happens afterwards.
    const random = this.random.stream("setup")
    const scheduler = new Scheduler(random, () => {})
    const machine = new Incarnation("setup", random, scheduler, () => START).machine
    const store = new SqliteStore(
      this.own,
      (error) => {
        throw error
      },
      machine,
    )
    let isDone = false
    const all = async () => {
      const many = Math.ceil(this.options.purchases / PURCHASES_EACH)
      for (const index of [...Array(many).keys(), LAST_ORGANIZATION]) {
        await enter(organization(index), index, store, this.own, START)
      }
      isDone = true
    }
    void all()
    while (!isDone) if (!scheduler.step()) throw new Error("the organizations were not entered")
  }
}

/** What a server reports as an error of the chain, not of its own. */
const ALARMS: ReadonlySet<string> = new Set([
  "unpaid_after_reorg",
  "authorization_used_without_log",
  "relayer_count_implausible",
])
/** Made once: building an index takes longer than a purchase. */
const US_LISTS = staticBoard([listedParty()])
const UK = gbSources()
const BASE_FEE = 10_000_000n
const NO_ANSWER: Reply = { status: 0, text: "", headers: null }

function shortened({ status, text }: Reply): string {
  if (status === 402) return /"error":"([^"]*)"/.exec(text)?.[1] ?? ""
  return /"code":"([A-Z_0-9]+)"/.exec(text)?.[1] ?? /"decision":"([A-Z_]+)"/.exec(text)?.[1] ?? ""
}

export { ORIGIN }

const process_env_debug = (r: Reply) => (process.env["DEBUG_TEXT"] ? r.text : "")
