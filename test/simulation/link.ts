/**
 * The connection from one life of a process to one node: late and lost responses, errors and wrong responses, as the seed and the time
 * decide.
 */

import type { RpcHandler } from "../../src/payments/json-rpc.ts"
import type { ModelNode } from "../../src/sandbox/chain/model-node.ts"
import { type Behaviour, FaultyNode, type Lie, NoAnswer } from "../sandbox/chain/parts/faulty-node.ts"
import type { FaultRates } from "./faults.ts"
import type { Incarnation } from "./incarnation.ts"
import type { Random } from "./random.ts"
import type { Scheduler } from "./scheduler.ts"

/** The payment code uses it as its HTTP transport. */
export const TIMEOUT_MS = 4_000

/** The longest delay of a node without a fault. */
const PROMPT_MS = 20
/** Until a process queries again what a fault left open. */
export const RETRY_MS = 1_500

/** The present faults of a node. The world changes the members; times are virtual ms. */
export class NodeHealth {
  outageUntil = 0
  lagUntil = 0
  lagBlocks = 0
  lieUntil = 0
  lie: Lie = {}
  /** The last time when it did not tell the present truth: a lag or a wrong response. */
  lastUntrueAt = Number.NEGATIVE_INFINITY

  constructor(readonly name: string) {}
}

export interface LinkParts {
  readonly scheduler: Scheduler
  readonly node: ModelNode
  readonly health: NodeHealth
  readonly owner: Incarnation
  readonly random: Random
  readonly rates: () => FaultRates
  /** A fault of the connection may delay the process until this time, virtual ms. */
  readonly onFault: (until: number) => void
  /** Called when a query leaves the process. */
  readonly onAsk: (method: string, params: readonly unknown[]) => void
  /** Called when a response arrives. */
  readonly onAnswer: (method: string, outcome: string) => void
  /** Called when the world ends: viem keeps a query, and all that waits for it, until it has a response. */
  readonly onEnd: Set<() => void>
}

export function openLink(parts: LinkParts): RpcHandler {
  const { scheduler, owner, random } = parts
  const faulty = new FaultyNode(parts.node, {
    decide: ({ method }) => {
      const behaviour = decide(parts, method)
      const { delayMs = 0, connection, error, lie } = behaviour
      const isFault = delayMs > PROMPT_MS || connection !== undefined || error !== undefined || lie !== undefined
      const lost = connection === "silent" ? TIMEOUT_MS : 0
      if (isFault) parts.onFault(scheduler.time + Math.max(lost, Math.min(delayMs, TIMEOUT_MS)) + RETRY_MS)
      return behaviour
    },
    pause: (ms) => scheduler.sleep(ms, "network"),
    timeoutMs: TIMEOUT_MS,
  })
  return (question) =>
    new Promise((resolve, reject) => {
      const { method, params = [] } = question
      const end = () => reject(new NoAnswer("refused"))
      parts.onEnd.add(end)
      parts.onAsk(method, params)
      // A response reaches a process as a step of that process: never after its death, and late while it is frozen.
      const arrive = (outcome: string, settle: () => void) =>
        scheduler.after(1 + random.fraction() * 15, `answer to ${method}`, owner, () => {
          parts.onAnswer(method, outcome)
          parts.onEnd.delete(end)
          settle()
        })
      faulty.request(question).then(
        (result) => arrive(shown(result), () => resolve(result)),
        (error) => arrive(`refused: ${error instanceof Error ? error.message : "?"}`, () => reject(error)),
      )
    })
}

function decide({ scheduler, health, random, rates }: LinkParts, method: string): Behaviour {
  const { rpc } = rates()
  const { time } = scheduler
  // Usually the node reads at once, which saves a step; the response still takes its time.
  const isPrompt = random.chance(0.75)
  const delayMs = (isPrompt ? 0 : random.fraction() * 20) + (random.chance(rpc.slow) ? random.fraction() * 6_000 : 0)
  const lagBlocks = time < health.lagUntil ? health.lagBlocks : 0
  const lie = time < health.lieUntil ? health.lie : undefined
  if (lagBlocks > 0 || lie) health.lastUntrueAt = time
  const truth: Behaviour = { delayMs, lagBlocks, ...(lie && { lie }) }
  const chance = random.fraction()
  const kind = random.fraction()
  if (time < health.outageUntil) return kind < 0.5 ? { connection: "refused" } : { connection: "silent" }
  if (method === "eth_sendRawTransaction") {
    if (chance < rpc.refusedBroadcast) {
      if (kind < 0.3) return { delayMs, lie: { sending: "refuses_but_takes" } }
      const error =
        kind < 0.6
          ? { code: -32_005, message: "rate limit exceeded" }
          : { code: -32_000, message: "transaction underpriced" }
      return { delayMs, error }
    }
    if (chance < rpc.refusedBroadcast + rpc.forgottenBroadcast)
      return { delayMs, lie: { sending: "accepts_but_drops" } }
    return truth
  }
  let edge = rpc.lost
  if (chance < edge) return { connection: kind < 0.5 ? "refused" : "silent" }
  edge += rpc.unanswered
  if (chance < edge) return { ...truth, connection: "answer_lost" }
  edge += rpc.error
  if (chance < edge) return { delayMs, error: { code: -32_005, message: "rate limit exceeded" } }
  return truth
}

/** Short, and the same in a replay. */
function shown(result: unknown): string {
  if (typeof result === "string") return result.length > 70 ? `${result.slice(0, 70)}… ${result.length}` : result
  if (result === null || typeof result !== "object") return String(result)
  if (Array.isArray(result)) return `${result.length} items`
  const { number, hash, transactionHash, status } = result as Record<string, unknown>
  return hash === undefined ? `${transactionHash} status ${status}` : `block ${number} ${hash}`
}
