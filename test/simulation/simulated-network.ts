/** The connection of buyers and thieves to the servers: calls over an unreliable network, authorizations, and the public chain. */
import type { Hex } from "viem"
import { transferCall } from "../../src/payments/transfer-call.ts"
import { PAY_TO, THIEF } from "./accounts.ts"
import { AuthorizationPool } from "./authorization-pool.ts"
import { type BuyerNetwork, buy, type Ended, PATIENCE_MS, type Reply, type Signed } from "./buyer.ts"
import { OpenCalls } from "./inspectors/open-calls.ts"
import { type Body, type Purchase, purchases, subjectOf } from "./purchase.ts"
import type { ServerProcess } from "./server-process.ts"
import type { Simulation } from "./simulation.ts"
import { beRobbed, bringGivenUp } from "./thief.ts"

/** One call of a buyer or a thief. */
export interface Posted {
  readonly purchase: Purchase
  readonly path: string
  readonly body: Body
  readonly signed: Signed | null
  /** A thief sent the body. */
  readonly isForeign?: boolean
}

/** Far more than all failing queries to a node, a frozen process and a busy database need together. */
const ANSWER_MS_MAX = 300_000
const NO_ANSWER: Reply = { status: 0, text: "", headers: null }

export class SimulatedNetwork implements BuyerNetwork {
  readonly pool = new AuthorizationPool()
  readonly patienceMs: number
  readonly leaveRate = 0.08
  /** The number of responses to payments that refused them, by status and reason. */
  readonly refusals = new Map<string, number>()
  readonly ended: (Ended & { readonly purchase: Purchase })[] = []
  private readonly openCalls = new OpenCalls()
  /** Purchases that began. */
  begun = 0

  constructor(private readonly simulation: Simulation) {
    this.patienceMs = simulation.options.patienceMs ?? PATIENCE_MS
  }

  /**
   * Every purchase of the run begins at its time. Each begin schedules the next one, even after the last, so that a run of fewer purchases
   * does exactly the same up to the first omitted one.
   */
  open(): void {
    const { scheduler, random, options } = this.simulation
    const coming = purchases(random.stream("purchases"), options.purchases + 1, options.arrivalMeanMs, options.habits)
    const next = () => {
      const { value: purchase } = coming.next()
      if (!purchase) return
      scheduler.after(purchase.arrivesAt - scheduler.time, `${purchase.name} begins`, null, () => {
        if (purchase.index >= options.purchases) return
        next()
        this.begin(purchase)
      })
    }
    next()
  }

  get isEmpty(): boolean {
    return this.ended.length === this.simulation.options.purchases
  }

  /** The challenge of a purchase, by its idempotency key; null for a decision. */
  challengeOf(idempotencyKey: string): string | null {
    const ended = this.ended.find(({ purchase }) => purchase.idempotencyKey === idempotencyKey)
    return ended?.purchase.product === "uk" ? `challenge ${subjectOf(ended.purchase)}` : null
  }

  private begin(purchase: Purchase): void {
    this.begun++
    this.note(`${purchase.name}: ${purchase.habit}, ${purchase.product}`, purchase)
    void buy(this, purchase).then((ended) => {
      this.ended.push({ ...ended, purchase })
      this.note(`${purchase.name} ends: ${ended.told}`, purchase)
    })
  }

  get oddWindowRate(): number {
    return this.simulation.rates.oddWindow
  }

  now(): number {
    return this.simulation.now()
  }

  sleep(ms: number): Promise<void> {
    return this.simulation.scheduler.sleep(ms, "buyer")
  }

  note(text: string, { name }: Purchase): void {
    this.simulation.note(text, [name])
  }

  post(purchase: Purchase, path: string, body: Body, signed: Signed | null): Promise<Reply> {
    const process = purchase.random.pick(this.simulation.servers.all)
    return this.postTo(process, { purchase, path, body, signed })
  }

  postTo(process: ServerProcess, posted: Posted): Promise<Reply> {
    const { scheduler } = this.simulation
    const { purchase } = posted
    const { random } = purchase
    const startedAt = scheduler.time
    const headAtStart = this.simulation.chain.model.head.timestamp
    const key = posted.signed?.key ?? `no authorization of ${purchase.name}`
    const call = this.openCalls.begin(key)
    this.note(`${purchase.name} ${shownCall(posted)} at ${process.name}`, purchase)
    return new Promise((resolve) => {
      const reply = (given: Reply) => {
        this.note(`${purchase.name} hears ${given.status} ${shownReply(given)}`, purchase)
        resolve(given)
      }
      const broken = () =>
        void scheduler.after(5 + random.fraction() * 20, "connection breaks", null, () => reply(NO_ANSWER))
      const answered = (given: Reply) => {
        this.simulation.readCommitted()
        this.openCalls.end(key, call)
        const isForeign = posted.isForeign === true
        const { hasCompany } = call
        this.simulation.answers.told({ ...posted, isForeign, startedAt, headAtStart, hasCompany, reply: given })
        if (posted.signed && !isForeign) this.countRefusal(given)
        const { jobSide, books } = this.simulation
        const request = books.requestOf(purchase.scope, purchase.idempotencyKey)
        if (jobSide && request && given.status === 402 && posted.isForeign !== true) {
          jobSide.inspector.quoted(request.id, startedAt)
        }
        scheduler.after(random.fraction() * 20, "answer arrives", null, () => reply(given))
      }
      scheduler.after(random.fraction() * 30, "call arrives", null, () => {
        this.arrive(process, posted, answered, broken)
      })
    })
  }

  private arrive(
    { life }: ServerProcess,
    { purchase, path, body, signed }: Posted,
    answered: (reply: Reply) => void,
    broken: () => void,
  ): void {
    const server = life?.isAlive ? life.server : null
    if (!life || !server) {
      broken()
      return
    }
    life.onDeath.add(broken)
    const answeredInTime = this.simulation.scheduler.after(ANSWER_MS_MAX, "answer is due", life, () => {
      this.simulation.violate("does_not_sell", `${life.name} does not answer ${purchase.name}`, [purchase.name])
    })
    // A step of the process: a frozen one reads its sockets when it resumes.
    this.simulation.scheduler.after(0, "call is read", life, () => {
      const headers = { ...body.headers, ...(signed && { "payment-signature": signed.header }) }
      void server.post(path, body.text, headers).then(async (response) => {
        const text = await response.text()
        if (!life.isAlive) return
        life.onDeath.delete(broken)
        answeredInTime()
        answered({ status: response.status, text, headers: response.headers })
      })
    })
  }

  signed(signed: Signed, isSeen = true): void {
    const { simulation } = this
    const { key, purchase, payer, value, validAfter, validBefore, nonce, signature } = signed
    simulation.books.sign(signed)
    simulation.trace.same(key, purchase.name)
    const begins = validAfter === 0 ? "" : ` after ${simulation.secondsOf(validAfter)} s and`
    this.note(`${purchase.name} signs ${key}, valid${begins} before ${simulation.secondsOf(validBefore)} s`, purchase)
    const from = payer as Hex
    simulation.chain.model.registerAuthorization({
      from,
      to: PAY_TO,
      value,
      validAfter,
      validBefore,
      nonce,
      signature,
    })
    if (isSeen) beRobbed(simulation, signed)
  }

  /** A server released an attempt. */
  givenUp(payer: string, nonce: string): void {
    const account = this.simulation.books.accounts.get(`${payer}:${nonce}`.toLowerCase())
    if (account) bringGivenUp(this.simulation, account.signed)
  }

  cancel(signed: Signed, data: Hex): void {
    this.submit("is cancelled", signed, signed.payer as Hex, data)
  }

  /** A stranger brings the authorization to the chain. */
  steal(signed: Signed): void {
    const { payer, value, validAfter, validBefore, nonce, signature } = signed
    const data = transferCall({ from: payer as Hex, to: PAY_TO, value, validAfter, validBefore, nonce, signature })
    this.submit("is submitted by a stranger", signed, THIEF, data)
  }

  movePoorBalance(isGone: boolean): void {
    this.simulation.chain.movePoorBalance(isGone)
  }

  private countRefusal(reply: Reply): void {
    const { status } = reply
    if (status === 200 || status === 202) return
    // A reason that states times is one reason.
    const reason = `${status} ${shownReply(reply)}`.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME")
    this.refusals.set(reason, (this.refusals.get(reason) ?? 0) + 1)
  }

  private submit(what: string, { key, purchase }: Signed, from: Hex, data: Hex): void {
    const hash = this.simulation.chain.submit(from, data)
    if (hash !== null) this.simulation.trace.same(hash, key)
    this.note(`${key} ${what}: ${hash ?? "the pool refuses it"}`, purchase)
  }
}

function shownCall({ path, signed, isForeign }: Posted): string {
  const how = path.endsWith("recover") ? "recovers" : signed ? `pays with ${signed.key}` : "asks"
  return isForeign ? `is robbed: a thief ${how} for another body` : how
}

function shownReply({ status, text }: Reply): string {
  if (status === 402) return /"error":"([^"]*)"/.exec(text)?.[1] ?? ""
  return /"code":"([A-Z_0-9]+)"/.exec(text)?.[1] ?? /"decision":"([A-Z_]+)"/.exec(text)?.[1] ?? ""
}
