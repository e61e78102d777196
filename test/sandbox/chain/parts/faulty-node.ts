/**
 * A node with the faults of real nodes. For each query the caller's `decide` says what goes wrong. Nothing here is random, and time
 * passes only through the caller's `pause`.
 *
 *     const faulty = new FaultyNode(node, {
 *       decide: ({ method }) => (method === "eth_call" ? { lagBlocks: 3 } : HONEST),
 *       pause: (ms) => scheduler.sleep(ms),     // virtual time
 *       timeoutMs: 5_000,                       // the caller gives up
 *     })
 *     const chain = openModelChain(BASE, faulty.request)
 *
 * A node can be late, silent, behind, or wrong about state, counts, older blocks and what it did with a transaction. It never
 * forges a receipt or a log. A wrong response to one kind of query does not affect the others.
 */
import { type Hex, toFunctionSelector } from "viem"
import type { RpcHandler, RpcQuestion } from "../../../../src/payments/json-rpc.ts"
import type { ModelNode } from "../../../../src/sandbox/chain/model-node.ts"
import { NodeError } from "../../../../src/sandbox/chain/node-error.ts"
import { quantity } from "../../../../src/sandbox/chain/rpc-form.ts"
import { callParam } from "../../../../src/sandbox/chain/rpc-params.ts"
import { FALSE_WORD, TRUE_WORD } from "../../../../src/sandbox/chain/usdc-contract.ts"
import { numberWord } from "../../../../src/sandbox/chain/words.ts"
import { encodedJob, type ModelJobStatus } from "./escrow-state.ts"

/** Wrong responses. Each member affects one kind of query; other queries get the truth. */
export interface Lie {
  /** What `authorizationState` returns. "inverted" is the opposite of the truth. */
  readonly authorizationState?: "used" | "unused" | "inverted"
  /** Added to the result of `eth_getTransactionCount`; the sum is at least 0. */
  readonly transactionCount?: number
  /** What USDC's `balanceOf` returns, in millionths of a dollar. */
  readonly usdcBalance?: bigint
  /** The status that the escrow's `getJob` shows of a job, or that there is no such job. */
  readonly job?: ModelJobStatus | "unknown"
  /** What `eth_getBalance` returns, in wei. */
  readonly etherBalance?: bigint
  /** A block query for `latest`, `safe` or `finalized` gets a block that is this many blocks older. State and receipts are unaffected. */
  readonly olderBlocks?: number
  /** Added to the time of the block that a query for `latest` gets, in seconds. */
  readonly headSeconds?: number
  /** Rejects a transaction that it keeps, or accepts one that it drops. */
  readonly sending?: "refuses_but_takes" | "accepts_but_drops"
}

/** The fault of one query. A member left out means no fault. */
export interface Behaviour {
  /** Milliseconds until the node processes the query, even if the caller has timed out by then. */
  readonly delayMs?: number
  /** Milliseconds until the response arrives. */
  readonly answerDelayMs?: number
  /**
   * `refused`: no connection; fails immediately and the node sees nothing. `silent`: the node sees nothing and the caller times out.
   * `answer_lost`: the node executes the query, but the connection ends without a response.
   */
  readonly connection?: "refused" | "silent" | "answer_lost"
  /** The node returns this error and does nothing. */
  readonly error?: { readonly code: number; readonly message: string }
  /** The node is this many blocks behind and consistent with itself. */
  readonly lagBlocks?: number
  readonly lie?: Lie
}

export const HONEST: Behaviour = {}

export interface FaultyNodeOptions {
  decide(question: { readonly method: string; readonly params: readonly unknown[] }): Behaviour
  /** Resolves after this many milliseconds of the caller's time. Called only with positive numbers. */
  pause(milliseconds: number): Promise<void>
  /** When the caller gives up on a query, in milliseconds. */
  readonly timeoutMs: number
}

/** No response arrived, so the caller cannot know what the node did. */
export class NoAnswer extends Error {
  constructor(readonly reason: "refused" | "timed_out" | "answer_lost") {
    super(`the node gave no answer: ${reason}`)
  }
}

const AUTHORIZATION_STATE = toFunctionSelector("function authorizationState(address authorizer, bytes32 nonce)")
const GET_JOB = toFunctionSelector("function getJob(uint256 jobId)")
const BALANCE = toFunctionSelector("function balanceOf(address account)")
const HEAD_TAGS: readonly unknown[] = ["latest", "safe", "finalized"]

export class FaultyNode {
  constructor(
    private readonly node: ModelNode,
    private readonly options: FaultyNodeOptions,
  ) {}

  readonly request: RpcHandler = async ({ method, params = [] }: RpcQuestion) => {
    const { decide, pause, timeoutMs } = this.options
    const behaviour = decide({ method, params })
    const { delayMs = 0, answerDelayMs = 0, connection } = behaviour
    if (connection === "refused") throw new NoAnswer("refused")
    if (connection === "silent") {
      await pause(timeoutMs)
      throw new NoAnswer("timed_out")
    }
    if (delayMs >= timeoutMs) {
      void this.lateAnswer(method, params, behaviour, delayMs)
      await pause(timeoutMs)
      throw new NoAnswer("timed_out")
    }
    if (delayMs > 0) await pause(delayMs)
    const answer = this.tried(method, params, behaviour)
    if (delayMs + answerDelayMs >= timeoutMs) {
      await pause(timeoutMs - delayMs)
      throw new NoAnswer("timed_out")
    }
    if (answerDelayMs > 0) await pause(answerDelayMs)
    if (connection === "answer_lost") throw new NoAnswer("answer_lost")
    if ("refusal" in answer) throw answer.refusal
    return answer.result
  }

  private async lateAnswer(method: string, params: readonly unknown[], behaviour: Behaviour, delayMs: number) {
    await this.options.pause(delayMs)
    this.tried(method, params, behaviour)
  }

  private tried(
    method: string,
    params: readonly unknown[],
    behaviour: Behaviour,
  ): { result: unknown } | { refusal: NodeError } {
    try {
      return { result: this.answer(method, params, behaviour) }
    } catch (error) {
      if (error instanceof NodeError) return { refusal: error }
      throw error
    }
  }

  private answer(method: string, params: readonly unknown[], { error, lagBlocks = 0, lie }: Behaviour): unknown {
    if (error) throw new NodeError(error.code, error.message)
    return lie ? this.lying(method, params, lagBlocks, lie) : this.node.answer(method, params, lagBlocks)
  }

  private lying(method: string, params: readonly unknown[], lagBlocks: number, lie: Lie): unknown {
    const truth = () => this.node.answer(method, params, lagBlocks)
    switch (method) {
      case "eth_call":
        return this.lyingCall(params, truth, lie)
      case "eth_getTransactionCount": {
        const count = Number(truth()) + (lie.transactionCount ?? 0)
        return quantity(Math.max(0, count))
      }
      case "eth_getBalance":
        return lie.etherBalance === undefined ? truth() : quantity(lie.etherBalance)
      case "eth_getBlockByNumber":
        if (lie.headSeconds && params[0] === "latest") return later(truth(), lie.headSeconds)
        if (!lie.olderBlocks || !HEAD_TAGS.includes(params[0])) return truth()
        return this.node.answer(method, params, lagBlocks + lie.olderBlocks)
      case "eth_sendRawTransaction":
        if (lie.sending === "accepts_but_drops") return this.node.chain.readRaw(params[0] as Hex).hash
        truth()
        if (lie.sending === "refuses_but_takes") throw new NodeError(-32_000, "transaction rejected")
        return this.node.chain.readRaw(params[0] as Hex).hash
      default:
        return truth()
    }
  }

  private lyingCall(params: readonly unknown[], truth: () => unknown, lie: Lie): unknown {
    const { data } = callParam(params)
    if (lie.authorizationState && data?.startsWith(AUTHORIZATION_STATE)) {
      if (lie.authorizationState === "used") return TRUE_WORD
      if (lie.authorizationState === "unused") return FALSE_WORD
      return truth() === TRUE_WORD ? FALSE_WORD : TRUE_WORD
    }
    if (lie.usdcBalance !== undefined && data?.startsWith(BALANCE)) {
      return `0x${lie.usdcBalance.toString(16).padStart(64, "0")}`
    }
    if (lie.job !== undefined && data?.startsWith(GET_JOB)) return falseJob(truth() as Hex, lie.job)
    return truth()
  }
}

function later(block: unknown, seconds: number): unknown {
  const { timestamp, ...rest } = block as { timestamp: Hex }
  return { ...rest, timestamp: quantity(Number(timestamp) + seconds) }
}

/** `answer`: an offset, the client and the status come first. An unknown job has no status. */
function falseJob(answer: Hex, job: ModelJobStatus | "unknown"): Hex {
  if (job === "unknown") return encodedJob(null)
  const isKnown = BigInt(`0x${answer.slice(66, 130)}`) !== 0n
  return isKnown ? `0x${answer.slice(2, 130)}${numberWord(job).slice(2)}${answer.slice(194)}` : answer
}
