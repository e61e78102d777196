/**
 * The seller of the corpus: one test server with its chain, and sources that a case may replace while it buys. The server keeps one
 * statement key, published for a year, so that its exports contain the key that verifies them.
 */
import { join } from "node:path"
import type { DecisionRequest } from "../../schemas/us/payment-decision.ts"
import { exportAnswer } from "../../src/business-answers/export-answer.ts"
import { CAPSULE_HEADER } from "../../src/business-answers/present-answer.ts"
import { ANSWER_RULES } from "../../src/catalogue/answer-rules.ts"
import { DAY, formatInstant } from "../../src/core/time.ts"
import { publishedKeys } from "../../src/keys/published-keys.ts"
import type { GbSources } from "../../src/products/gb/supplier-sources.ts"
import { exportDelivery } from "../../src/products/us/payment-decision/export-delivery.ts"
import { paymentDecisionRules } from "../../src/products/us/payment-decision/replay-rules.ts"
import type { Registers } from "../../src/products/us/registration.ts"
import type { SourceBoard } from "../../src/sources/lists/source-board.ts"
import { NO_SUPPRESSIONS, type SuppressionBook } from "../../src/sources/screening/suppress.ts"
import { activateKey, listServiceKeys } from "../../src/store/identity/service-keys.ts"
import { findCompanion } from "../../src/store/sales/deliveries.ts"
import { buyAnswer, signedFor } from "../../test/fixtures/answers.ts"
import { DEV_ACCOUNTS, startChain } from "../../test/fixtures/chain.ts"
import type { RequestOptions } from "../../test/fixtures/decision.ts"
import { freshDirectory } from "../../test/fixtures/directories.ts"
import { gbSources } from "../../test/fixtures/gb.ts"
import {
  enterBuyer,
  freshRequest,
  issuer,
  NO_REGISTERS,
  openHouse,
  PATH,
  signedHeader,
} from "../../test/fixtures/selling-house.ts"
import { enterChangeKey } from "../../test/fixtures/vendor-change.ts"
import { usBoard } from "./parties.ts"

/** The state of the sources while a case buys. */
export interface World {
  readonly board: SourceBoard
  readonly registers: Registers
  readonly suppressions: SuppressionBook
  readonly gb: GbSources
}

/** The buyer's result, and the id that exports it. */
export interface Bought {
  readonly id: string
  readonly text: string
  /** Canonical JSON; null if the answer contains its own capsule. */
  readonly capsule: string | null
  readonly answer: {
    readonly decision: string
    readonly reason_codes: readonly string[]
    readonly result?: Readonly<Record<string, unknown>>
  }
}

export type Desk = Awaited<ReturnType<typeof openDesk>>

export async function openDesk() {
  const directory = freshDirectory()
  const chain = await startChain()
  for (const { address } of [DEV_ACCOUNTS.payer, DEV_ACCOUNTS.secondPayer]) await chain.mint(address, 1_000_000_000n)
  const usual: World = {
    board: usBoard(),
    registers: NO_REGISTERS,
    suppressions: NO_SUPPRESSIONS,
    gb: gbSources(),
  }
  let world = usual
  const house = await openHouse(join(directory.path, "corpus.db"), chain, {
    board: { index: () => world.board.index(), states: (at) => world.board.states(at) },
    registers: { states: (at) => world.registers.states(at), find: (...asked) => world.registers.find(...asked) },
    suppressions: () => world.suppressions,
    gb: {
      get machine() {
        return world.gb.machine
      },
      get list() {
        return world.gb.list
      },
      get live() {
        return world.gb.live
      },
      get registers() {
        return world.gb.registers
      },
      suppressions: () => world.gb.suppressions(),
      fetching: false,
    },
  })
  const at = Date.now()
  await house.store.run(() =>
    activateKey({
      keyId: issuer.keyId,
      use: "statement",
      x: issuer.x,
      status: "ACTIVE",
      revokedSince: null,
      createdAt: formatInstant(at - DAY),
      notBefore: formatInstant(at - DAY),
      expiresAt: formatInstant(at + 365 * DAY),
    }),
  )
  await enterBuyer(house)
  await enterChangeKey(house)
  // The organization's own record has the same tolerance as the requests that ask for HIGH.
  house.database.run("UPDATE organization SET tolerance = 'HIGH'")

  return {
    store: house.store,
    /** Runs with other sources and then restores the usual ones. */
    async within<T>(changes: Partial<World>, run: () => Promise<T>): Promise<T> {
      world = { ...usual, ...changes }
      try {
        return await run()
      } finally {
        world = usual
      }
    },
    /** Buys one of the eight answers. Throws unless it is delivered. */
    async buy(path: string, body: object, by = DEV_ACCOUNTS.payer, headers?: Record<string, string>): Promise<Bought> {
      const purchase = { path, body, ...(headers && { headers }) }
      const bought = await buyAnswer(house, purchase, await signedFor(house, purchase, by))
      if (bought.status !== 200) throw new Error(`not delivered: ${bought.status} ${bought.text}`)
      const capsule = Buffer.from(bought.headers.get(CAPSULE_HEADER) ?? "", "base64url").toString()
      return { id: bought.answer.execution_id, text: bought.text, capsule, answer: bought.answer }
    },
    /** Buys a Payment Decision. Throws unless it is delivered. */
    async decide(options: RequestOptions = {}): Promise<Bought & { readonly request: DecisionRequest }> {
      const request = freshRequest(options)
      const response = await house.post(request, await signedHeader(house, request), PATH)
      const text = await response.text()
      if (response.status !== 200) throw new Error(`not delivered: ${response.status} ${text}`)
      const answer = JSON.parse(text)
      return { id: answer.decision_id, text, capsule: null, answer, request }
    },
    /** Returns what `bizauth export ID` writes. */
    async exported(id: string): Promise<Uint8Array> {
      const bundle =
        (await exportDelivery(house.store, id, paymentDecisionRules)) ??
        (await exportAnswer(house.store, id, ANSWER_RULES))
      if (!bundle) throw new Error(`nothing is exported for ${id}`)
      return bundle
    },
    /** Returns a company check's passport from its route; null if the answer names none. */
    async passport({ answer }: Bought): Promise<string | null> {
      const named = answer.result?.["passport"]
      if (typeof named !== "object" || named === null) return null
      const json = await house.store.read(() => findCompanion((named as { passport_id: string }).passport_id))
      if (json === null) throw new Error("the answer names a passport that is not kept")
      return json
    },
    /** The JWK set that buyers verify with. */
    jwks: () =>
      house.store.read(function* () {
        return publishedKeys(yield* listServiceKeys("statement"))
      }),
    async close() {
      await house.close()
      await chain.stop()
      directory[Symbol.dispose]()
    },
  }
}
