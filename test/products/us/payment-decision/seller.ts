/**
 * One server on a real chain for the tests of a file, with their helpers: switchable sources, changeable rows, and checks that nothing was
 * charged.
 */
import { expect } from "bun:test"
import type { DecisionRequest } from "../../../../schemas/us/payment-decision.ts"
import { realMachine } from "../../../../src/base/machine.ts"
import { HOUR } from "../../../../src/core/time.ts"
import type { Registers } from "../../../../src/products/us/registration.ts"
import type { SourceBoard } from "../../../../src/sources/boards/source-board.ts"
import { NO_SUPPRESSIONS, type SuppressionBook } from "../../../../src/sources/screening/suppress.ts"
import { insertDelegation } from "../../../../src/store/buyers/delegations.ts"
import { AGENT_ID, delegationContent, mandateKey, signedDelegation, type TestKey } from "../../../fixtures/buyers.ts"
import { DEV_ACCOUNTS, startChain } from "../../../fixtures/chain.ts"
import { leavesOf } from "../../../fixtures/log-leaves.ts"
import { newDatabase } from "../../../fixtures/new-store.ts"
import { startRpcProxy } from "../../../fixtures/rpc-proxy.ts"
import {
  enterBuyer,
  freshRequest,
  listedParty,
  NO_REGISTERS,
  ORIGIN,
  openTestServer,
  signedHeader,
  staticBoard,
} from "../../../fixtures/test-server.ts"

/** A wallet that a listed party holds. */
export const LISTED_WALLET = `0x${"Ee".repeat(20)}`

export const LISTED = [
  listedParty({ identifiers: [{ scheme: "wallet", value: LISTED_WALLET, currency: "ETH" }] }),
] as const

export const healthyBoard = staticBoard(LISTED)

/** SQL that makes the change, and SQL that takes it back. */
export type RowChange = readonly [set: string, unset: string]

export interface Problem {
  readonly code: string
  readonly charged: boolean
  readonly reason_codes: string[]
  readonly errors: { pointer: string; code: string }[]
}

export interface Refusal {
  readonly status: number
  readonly code: string
  readonly problem: Problem
  readonly headers: Headers
}

export type Seller = Awaited<ReturnType<typeof openSeller>>

/** `processors`: how many the process of the server may use. */
export async function openSeller(processors = realMachine.processors) {
  const chain = await startChain()
  const rpc = startRpcProxy(chain.url)
  await chain.mint(DEV_ACCOUNTS.payer.address, 100_000_000n)
  const database = await newDatabase()
  let board: SourceBoard = healthyBoard
  let suppressions = NO_SUPPRESSIONS
  let registers = NO_REGISTERS
  let ahead = 0
  const server = await openTestServer(database, chain, {
    rpcUrl: rpc.url,
    machine: { ...realMachine, processors, now: () => Date.now() + ahead },
    board: { index: () => board.index(), states: (at) => board.states(at) },
    suppressions: () => suppressions,
    registers: { states: (at) => registers.states(at), find: (...requests) => registers.find(...requests) },
  }).catch(async (error: unknown) => {
    // A shop that fails to open would never be closed, and its node would outlive the run.
    await rpc.stop()
    await chain.stop()
    await database.close()
    throw error
  })
  await enterBuyer(server)

  const { count } = database
  const state = async () => ({
    transfers: (await chain.transfersTo(DEV_ACCOUNTS.payTo.address)).length,
    requests: await count("decision_request"),
    attempts: await count("payment_attempt"),
    holds: await count("authority_hold"),
    deliveries: await count("delivery"),
    leaves: await leavesOf(database),
  })

  /** Sends the request, and fails the test when anything was charged or written, or when the response is not a problem document. */
  async function refused(body: unknown, headers: Record<string, string> = {}, path?: string): Promise<Refusal> {
    const before = await state()
    const answer = await server.post(body, headers, path)
    expect(await state()).toEqual(before)
    const problem = (await answer.json()) as Problem
    if (answer.status !== 402) expect(problem.charged).toBe(false)
    return { status: answer.status, code: problem.code ?? "", problem, headers: answer.headers }
  }

  return {
    chain,
    rpc,
    server,
    count,
    state,
    refused,
    /** Moves the service's clock against the chain's. It must stay under 30 s, or the service stops selling. */
    advance: (ms: number) => {
      ahead += ms
    },
    useBoard: (given: SourceBoard) => {
      board = given
    },
    useSuppressions: (given: SuppressionBook) => {
      suppressions = given
    },
    useRegisters: (given: Registers) => {
      registers = given
    },
    sql: database.write,
    /** Runs with rows changed and puts them back. */
    async during<T>(changes: readonly RowChange[], run: () => Promise<T>): Promise<T> {
      try {
        for (const [set] of changes) await database.write(set)
        return await run()
      } finally {
        for (const [, unset] of changes.toReversed()) await database.write(unset)
      }
    },
    /** Quotes, pays and delivers; the response's text and what it says. */
    async buy(request: DecisionRequest = freshRequest()) {
      const answer = await server.post(request, await signedHeader(server, request))
      const text = await answer.text()
      if (answer.status !== 200) throw new Error(`not delivered: ${answer.status} ${text}`)
      return { request, text, headers: answer.headers }
    },
    async close() {
      await server.close()
      await rpc.stop()
      await chain.stop()
      await database.close()
    },
  }
}

let serial = 0

/** Another delegation, with the rows of an enrolment. */
export async function enterDelegation(
  { server }: Pick<Seller, "server">,
  key: TestKey,
  changes: Partial<ReturnType<typeof delegationContent>> = {},
  signer: TestKey = mandateKey,
): Promise<string> {
  serial++
  const at = Date.now()
  const content = delegationContent(at - HOUR, ORIGIN, {
    agent_id: AGENT_ID,
    key_id: key.keyId,
    max_payment_amount: "1000000",
    nonce: `n${serial}`.padEnd(32, "n"),
    idempotency_key: `delegation-of-test-${serial}`,
    ...changes,
  })
  const delegationId = `dgn_test_${serial}`
  const entered = await server.store.run(() =>
    insertDelegation(signedDelegation(delegationId, content, signer, key, at - HOUR)),
  )
  if (!entered) throw new Error("the delegation was entered before")
  return delegationId
}
