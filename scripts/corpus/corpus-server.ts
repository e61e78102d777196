/**
 * The seller of the corpus: one test server with its chain, and sources that a case may replace while it buys. The server keeps one
 * statement key, published for a year, so that its exports contain the key that verifies them.
 */

import { CAPSULE_HEADER } from "../../schemas/answer-capsule.ts"
import type { DecisionRequest } from "../../schemas/us/payment-decision.ts"
import { DAY, formatInstant } from "../../src/core/time.ts"
import { publishedKeys } from "../../src/keys/published-keys.ts"
import { answerBundles } from "../../src/products/common/answer-bundles.ts"
import type { AnyBusinessAnswerRules } from "../../src/products/common/answer-rules.ts"
import { exportBundle } from "../../src/products/common/export-bundle.ts"
import type { GbSources } from "../../src/products/gb/supplier-sources.ts"
import { ANSWER_RULES } from "../../src/products/products.ts"
import { decisionBundles } from "../../src/products/us/payment-decision/decision-bundles.ts"
import { paymentDecisionRules } from "../../src/products/us/payment-decision/replay-rules.ts"
import type { Registers } from "../../src/products/us/registration.ts"
import type { SourceBoard } from "../../src/sources/boards/source-board.ts"
import { NO_SUPPRESSIONS, type SuppressionBook } from "../../src/sources/screening/suppress.ts"
import { activateKey, listServiceKeys } from "../../src/store/identity/service-keys.ts"
import { findAttachment } from "../../src/store/sales/deliveries.ts"
import { frontRun } from "../../test/delivery/selling-bench.ts"
import { type Bought as BoughtAnswer, buyAnswer, signedFor } from "../../test/fixtures/answers.ts"
import { type Chain, DEV_ACCOUNTS, startChain } from "../../test/fixtures/chain.ts"
import type { RequestOptions } from "../../test/fixtures/decision.ts"
import { signedUnderEarlierQuote } from "../../test/fixtures/earlier-quote.ts"
import { gbSources } from "../../test/fixtures/gb.ts"
import { newDatabaseOn } from "../../test/fixtures/test-database.ts"
import {
  enterBuyer,
  freshRequest,
  issuer,
  NO_REGISTERS,
  openTestServer,
  PATH,
  signedHeader,
  type TestServer,
} from "../../test/fixtures/test-server.ts"
import { enterChangeKey } from "../../test/fixtures/vendor-change.ts"
import { type CorpusLists, openLists, type UkLists, type UsLists } from "./lists.ts"

/** The state of the sources while a case buys. */
export interface SourceStates {
  readonly us: UsLists
  readonly uk: UkLists
  readonly registers: Registers
  /** What the operator judged about the US lists. */
  readonly suppressions: (board: SourceBoard) => SuppressionBook
  /** Its list is the one that `uk` names. */
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

/** A product, as a payment for it names it. */
type Sold = Pick<AnyBusinessAnswerRules, "id" | "path" | "price">

export type CorpusServer = Awaited<ReturnType<typeof openCorpusServer>>

export async function openCorpusServer() {
  const database = await newDatabaseOn("sqlite")
  const chain = await startChain()
  for (const { address } of [DEV_ACCOUNTS.payer, DEV_ACCOUNTS.secondPayer]) await chain.mint(address, 1_000_000_000n)
  const usual: SourceStates = {
    us: "USUAL",
    uk: "USUAL",
    registers: NO_REGISTERS,
    suppressions: () => NO_SUPPRESSIONS,
    gb: gbSources(),
  }
  let sources = usual
  const lists = await openLists()
  const served = sourcesNow(lists, () => sources)
  const testServer = await openTestServer(database, chain, served)
  await enterParties(testServer)

  return {
    store: testServer.store,
    snapshotFiles: lists.snapshotFiles,
    ...purchases(testServer, chain),
    ...documents(testServer),
    /** Runs with other sources and then restores the usual ones. */
    async within<T>(changes: Partial<SourceStates>, run: () => Promise<T>): Promise<T> {
      sources = { ...usual, ...changes }
      try {
        return await run()
      } finally {
        sources = usual
      }
    },
    async close() {
      await testServer.close()
      await lists.close()
      await chain.stop()
      await database.close()
    },
  }
}

/** Sources that read the present state at each use. */
function sourcesNow({ us, uk, entries }: CorpusLists, now: () => SourceStates) {
  const board = () => us(now().us)
  return {
    entries,
    board: { index: () => board().index(), states: (at) => board().states(at) },
    registers: {
      states: (at) => now().registers.states(at),
      find: (...requests) => now().registers.find(...requests),
    },
    suppressions: () => now().suppressions(board()),
    gb: {
      get machine() {
        return now().gb.machine
      },
      get list() {
        return uk(now().uk)
      },
      get live() {
        return now().gb.live
      },
      get registers() {
        return now().gb.registers
      },
      suppressions: () => now().gb.suppressions(),
      fetching: false,
    },
  } satisfies Parameters<typeof openTestServer>[2]
}

/** Enters the key of the seller, and the buyer with its key for vendor changes. */
async function enterParties(testServer: TestServer): Promise<void> {
  const at = Date.now()
  await testServer.store.run(() =>
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
  await enterBuyer(testServer)
  await enterChangeKey(testServer)
  // The organization's own record has the same tolerance as the requests that ask for HIGH.
  await testServer.database.write("UPDATE organization SET tolerance = 'HIGH'")
}

function purchases(testServer: TestServer, chain: Chain) {
  return {
    /** Buys a business answer. Throws unless it is delivered. */
    async buy(path: string, body: object, by = DEV_ACCOUNTS.payer, headers?: Record<string, string>): Promise<Bought> {
      const purchase = { path, body, ...(headers && { headers }) }
      return delivered(await buyAnswer(testServer, purchase, await signedFor(testServer, purchase, by)))
    },
    /**
     * As `buy`, with a payment whose money moved before it was presented. The service then delivers also an answer that it would not sell.
     */
    async buyMoved(product: Sold, body: object, headers?: Record<string, string>): Promise<Bought> {
      const purchase = { path: product.path, body: JSON.stringify(body), ...(headers && { headers }) }
      const payment = await signedUnderEarlierQuote(testServer, product, purchase)
      await frontRun(chain, payment)
      return delivered(await buyAnswer(testServer, purchase, payment))
    },
    /** Buys a Payment Decision. Throws unless it is delivered. */
    async decide(options: RequestOptions = {}): Promise<Bought & { readonly request: DecisionRequest }> {
      const request = freshRequest(options)
      const response = await testServer.post(request, await signedHeader(testServer, request), PATH)
      const text = await response.text()
      if (response.status !== 200) throw new Error(`not delivered: ${response.status} ${text}`)
      const answer = JSON.parse(text)
      return { id: answer.decision_id, text, capsule: null, answer, request }
    },
  }
}

function documents({ store }: TestServer) {
  return {
    /** Returns what `bizauth export ID` writes. */
    async exported(id: string): Promise<Uint8Array> {
      const kinds = [decisionBundles(paymentDecisionRules), answerBundles(ANSWER_RULES)]
      const bundle = await exportBundle(store, id, kinds)
      if (!bundle) throw new Error(`nothing is exported for ${id}`)
      return bundle
    },
    /** Returns a company check's passport from its route; null if the answer names none. */
    async passport({ answer }: Bought): Promise<string | null> {
      const named = answer.result?.["passport"]
      if (typeof named !== "object" || named === null) return null
      const json = await store.read(() => findAttachment((named as { passport_id: string }).passport_id))
      if (json === null) throw new Error("the answer names a passport that is not kept")
      return json
    },
    /** The JWK set that buyers verify with. */
    jwks: () =>
      store.read(function* () {
        return publishedKeys(yield* listServiceKeys("statement"))
      }),
  }
}

function delivered({ status, text, headers, answer }: BoughtAnswer): Bought {
  if (status !== 200) throw new Error(`not delivered: ${status} ${text}`)
  const capsule = Buffer.from(headers.get(CAPSULE_HEADER) ?? "", "base64url").toString()
  return { id: answer.execution_id, text, capsule, answer }
}
