/** The actions of one buyer to get one answer, by its habit. It knows its own clock, its own wallet and the responses it got. */
import type { Hex } from "viem"
import type { PaymentRequired, PaymentRequirements } from "../../schemas/x402.ts"
import type { Window } from "../../src/payments/authorization.ts"
import { cancelCall } from "../fixtures/authorizations.ts"
import type { AuthorizationPool } from "./authorization-pool.ts"
import { type Body, bodyOf, type Purchase, recoveryBody } from "./purchase.ts"
import type { Random } from "./random.ts"

/** An authorization that a buyer signed, and the header it went out in. */
export interface Signed {
  /** Payer and nonce in lower case: the name of the authorization on the chain. */
  readonly key: string
  readonly purchase: Purchase
  readonly payer: string
  readonly nonce: Hex
  readonly value: bigint
  /** Seconds. */
  readonly validAfter: number
  readonly validBefore: number
  readonly quoteExpiresAt: number
  readonly signature: Hex
  readonly header: string
}

/** `status` 0: the connection broke before a response came. */
export interface Reply {
  readonly status: number
  readonly text: string
  readonly headers: Headers | null
}

/** The actions of a buyer in the world. */
export interface BuyerNetwork {
  /** How long a buyer tries, virtual ms. */
  readonly patienceMs: number
  /** Share of the responses "come later" after which a buyer never returns. */
  readonly leaveRate: number
  /** Share of the authorizations whose window differs from the quoted one. */
  readonly oddWindowRate: number
  readonly pool: AuthorizationPool
  /** True time in ms, which is the buyer's clock. */
  now(): number
  sleep(ms: number): Promise<void>
  /** Sends a call to a process, to any one if none is named. */
  post(purchase: Purchase, path: string, body: Body, signed: Signed | null): Promise<Reply>
  /** Gets every authorization before the buyer sends it. */
  signed(signed: Signed): void
  /** Sends a call from the payer to USDC. */
  cancel(signed: Signed, data: Hex): void
  /** Empties the poor wallet, or gives it one or two prices. */
  movePoorBalance(isGone: boolean): void
  note(text: string, purchase: Purchase): void
}

const TRIES_MAX = 24
const WAIT_MS_MAX = 30_000
/** The shortest life of an authorization: a minute at least also by a chain's clock that is a minute ahead. */
const SHORT_SECONDS = 131
/** How long a buyer tries, unless a run says otherwise. */
export const PATIENCE_MS = 420_000

export type Told = "delivered" | "refused" | "gave up"

export interface Ended {
  readonly body: Body
  readonly signed: readonly Signed[]
  readonly told: Told
}

/** `body`: a new one of this moment, unless one is given. */
export async function buy(
  network: BuyerNetwork,
  purchase: Purchase,
  body: Body = bodyOf(purchase, network.now()),
): Promise<Ended> {
  const buyer = new Buyer(network, purchase, body)
  const told = await buyer.run()
  return { body, signed: buyer.signed, told }
}

class Buyer {
  readonly signed: Signed[] = []
  private readonly until: number
  private readonly random
  private tries = 0

  constructor(
    private readonly network: BuyerNetwork,
    private readonly purchase: Purchase,
    private readonly body: Body,
  ) {
    this.until = network.now() + network.patienceMs
    this.random = purchase.random.stream("buyer")
  }

  async run(): Promise<Told> {
    let terms = await this.quote()
    while (terms !== null) {
      const signed = await this.sign(terms)
      if (this.purchase.habit === "canceller") void this.cancelLater(signed)
      if (this.purchase.habit === "poor") void this.goPoorLater()
      const outcome = await this.pay(signed)
      if (typeof outcome === "string") return outcome
      terms = outcome.terms
    }
    return "gave up"
  }

  private get isTired(): boolean {
    return this.tries >= TRIES_MAX || this.network.now() > this.until
  }

  private async quote(): Promise<PaymentRequirements | null> {
    while (!this.isTired) {
      const reply = await this.post(null)
      const terms = termsOf(reply)
      if (terms) {
        await this.network.sleep(this.random.fraction() * 800)
        return terms
      }
      if (!isTemporary(reply)) return null
      await this.wait(reply)
    }
    return null
  }

  private async pay(signed: Signed): Promise<Told | { terms: PaymentRequirements | null }> {
    const { habit } = this.purchase
    while (!this.isTired) {
      if (habit === "impatient") void this.repeatAtOnce(signed)
      const reply = await this.post(signed)
      if (isDelivered(reply)) {
        await this.askAgain(signed)
        return "delivered"
      }
      if (reply.status === 402) return this.afterQuote(reply)
      // Against the rules: the outcome is unknown, and the buyer signs again.
      if (reply.status === 202 && habit === "careless" && this.random.chance(0.25)) {
        await this.wait(reply)
        return { terms: await this.quote() }
      }
      if (!isTemporary(reply)) return "refused"
      // Some never return, and leave an authorization behind.
      if (reply.status !== 202 && this.random.chance(this.network.leaveRate)) return "gave up"
      await this.wait(reply)
      const isExpired = signed.validBefore * 1000 < this.network.now() + 40_000
      if (isExpired && reply.status !== 202 && this.random.chance(0.3)) return { terms: await this.quote() }
    }
    return "gave up"
  }

  private async afterQuote(reply: Reply): Promise<Told | { terms: PaymentRequirements | null }> {
    const { habit } = this.purchase
    const goesOn = habit === "careless" || this.random.chance(habit === "honest" ? 0.6 : 0.4)
    if (!goesOn || this.signed.length >= 6) return "refused"
    await this.network.sleep(habit === "careless" ? 50 : 500 + this.random.fraction() * 5_000)
    return { terms: termsOf(reply) ?? (await this.quote()) }
  }

  /** One to eight equal calls at once, to any process; their responses are ignored. */
  private async repeatAtOnce(signed: Signed): Promise<void> {
    for (
      let left = this.random.chance(0.15) ? this.random.between(3, 8) : this.random.between(1, 2);
      left > 0;
      left--
    ) {
      void this.post(signed, false)
      await this.network.sleep(this.random.fraction() * 60)
    }
  }

  private async askAgain(signed: Signed): Promise<void> {
    if (this.random.chance(0.3)) {
      await this.network.sleep(this.random.fraction() * 20_000)
      await this.post(signed)
    }
    if (this.random.chance(0.15)) await this.post(null)
    const { request } = this.body
    if (request === null || !this.random.chance(0.4)) return
    await this.network.sleep(this.random.fraction() * 5_000)
    const nonce = `recovery-${this.purchase.index}-${this.random.bits()}`
    const text = recoveryBody(this.purchase, request, this.network.now(), nonce)
    await this.network.post(this.purchase, `${this.purchase.path}/recover`, { ...this.body, text }, null)
  }

  private post(signed: Signed | null, counts = true): Promise<Reply> {
    if (counts) this.tries++
    return this.network.post(this.purchase, this.purchase.path, this.body, signed)
  }

  /** The requested delay, a little longer each time. */
  private async wait({ headers }: Reply): Promise<void> {
    const requests = Number(headers?.get("retry-after") ?? "1") * 1000
    const patience = Math.min(requests * 1.25 ** this.tries, WAIT_MS_MAX)
    await this.network.sleep(patience * (0.6 + this.random.fraction()) + 100)
  }

  private async sign(terms: PaymentRequirements): Promise<Signed> {
    const { network, purchase, random } = this
    const { payer } = purchase
    const nowSeconds = Math.floor(network.now() / 1000)
    const seconds = random.chance(0.25) ? random.between(SHORT_SECONDS, 330) : terms.maxTimeoutSeconds
    const odd = purchase.random.stream(`window ${this.signed.length}`)
    const window = odd.chance(network.oddWindowRate)
      ? oddWindow(odd, nowSeconds, seconds)
      : { validAfter: 0, validBefore: nowSeconds + seconds }
    const { validAfter } = window
    const { nonce, validBefore, payload } = await network.pool.take(payer, terms, window)
    const from = payer.address.toLowerCase()
    const signed: Signed = {
      key: `${from}:${nonce}`,
      purchase,
      payer: from,
      nonce,
      value: BigInt(terms.amount),
      validAfter,
      validBefore,
      quoteExpiresAt: Number(terms.extra?.["quoteExpiresAt"]),
      signature: payload.payload.signature as Hex,
      header: Buffer.from(JSON.stringify(payload)).toString("base64"),
    }
    this.signed.push(signed)
    network.signed(signed)
    return signed
  }

  private async cancelLater(signed: Signed): Promise<void> {
    await this.network.sleep(this.random.fraction() * (this.random.chance(0.7) ? 500 : 20_000))
    this.network.cancel(signed, await cancelCall(this.purchase.payer, signed.nonce))
  }

  private async goPoorLater(): Promise<void> {
    await this.network.sleep(this.random.fraction() * 2_000)
    this.network.movePoorBalance(true)
    await this.network.sleep(this.random.fraction() * 60_000)
    this.network.movePoorBalance(false)
  }
}

/** Of a signer whose clock is minutes off, who names a beginning, or both. `seconds`: from its own time to the end. */
function oddWindow(random: Random, trueSeconds: number, seconds: number): Window {
  const ahead = random.chance(0.5) ? random.between(-200, 300) : random.chance(0.1) ? random.between(300, 620) : 0
  const own = trueSeconds + ahead
  const validAfter = random.pick([0, own - 600, own, trueSeconds, trueSeconds + random.between(-130, 70)])
  return { validAfter, validBefore: own + seconds }
}

/** The terms of a 402, or null. */
export function termsOf({ status, headers }: Reply): PaymentRequirements | null {
  const header = status === 402 ? (headers?.get("payment-required") ?? null) : null
  if (header === null) return null
  const required = JSON.parse(Buffer.from(header, "base64").toString("utf8")) as PaymentRequired
  return required.accepts[0] ?? null
}

/** A 200 with the paid answer. The answer products also answer 200 without a charge. */
export function isDelivered({ status, text }: Reply): boolean {
  return status === 200 && !text.includes('"payment_status":"NOT_CHARGED"')
}

function isTemporary(reply: Reply): boolean {
  const { status, text } = reply
  if (status === 0 || status === 202 || status === 429 || status >= 500) return true
  if (status === 200) return !isDelivered(reply)
  return status === 409 && text.includes('"DECISION_IN_PROGRESS"')
}
