/**
 * The transport of the payment code between a process and a simulated node: the questions of one turn travel as one batch, and the node
 * breaks some of its responses, as the seed decides.
 */
import { inBatches, type Post, type RpcHandler } from "../../src/payments/json-rpc.ts"
import { NodeError } from "../../src/sandbox/chain/node-error.ts"
import { NoAnswer } from "../sandbox/chain/parts/faulty-node.ts"
import { type LinkParts, RETRY_MS, TIMEOUT_MS } from "./link.ts"
import type { Random } from "./random.ts"

interface Received {
  readonly id: number
  readonly method: string
  readonly params: readonly unknown[]
}
type Answer = Readonly<Record<string, unknown>>
type Response = Awaited<ReturnType<Post>>

interface PostParts extends Pick<LinkParts, "scheduler" | "owner" | "random" | "rates" | "onFault"> {
  readonly count: (what: string) => void
}

export function overPosts(handler: RpcHandler, parts: PostParts): RpcHandler {
  const { scheduler, owner, random, rates, onFault, count } = parts
  const post: Post = async (body) => {
    const received = JSON.parse(body) as Received | Received[]
    const isBatch = Array.isArray(received)
    const { brokenBatch, brokenAnswer } = rates().rpc
    const isBroken = random.chance(isBatch ? brokenBatch : brokenAnswer)
    const kind = isBroken ? random.pick(isBatch ? BATCH_FAULTS : SINGLE_FAULTS) : null
    if (kind !== null) {
      count(`${isBatch ? "batch" : "single answer"} ${kind}`)
      onFault(scheduler.time + (kind === "too late" ? TIMEOUT_MS : 0) + RETRY_MS)
    }
    if (kind === "refused") return random.pick(REFUSALS)
    const inOrder = await Promise.all([received].flat().map((one) => answered(handler, one)))
    // A node may answer a batch in any order.
    const answers = isBatch ? shuffled(inOrder, random) : inOrder
    if (kind === "too late") {
      await scheduler.sleep(TIMEOUT_MS, "network", owner)
      throw new NoAnswer("timed_out")
    }
    if (kind === null) return whole(isBatch ? answers : answers[0])
    const response = FAULTS[kind](answers, random)
    return "status" in response ? response : whole(isBatch || response.length !== 1 ? response : response[0])
  }
  return inBatches(post, owner.machine.soon)
}

async function answered(handler: RpcHandler, { id, method, params }: Received): Promise<Answer> {
  try {
    return { jsonrpc: "2.0", id, result: await handler({ method, params }) }
  } catch (error) {
    if (!(error instanceof NodeError)) throw error
    const { code, message, data } = error
    return { jsonrpc: "2.0", id, error: { code, message, data } }
  }
}

const shuffled = <T>(items: readonly T[], random: Random): T[] =>
  items
    .map((item) => ({ item, at: random.bits() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item)

const whole = (response: unknown): Response => ({ status: 200, text: JSON.stringify(response) })

const FAILED_CALL = { code: 3, message: "execution reverted" }
const REFUSALS: readonly Response[] = [
  { status: 400, text: "<html>bad request</html>" },
  { status: 429, text: "slow down" },
  whole({ jsonrpc: "2.0", id: null, error: { code: -32_600, message: "batches are off" } }),
  whole({ jsonrpc: "2.0", id: null, error: FAILED_CALL }),
]

type Break = (answers: readonly Answer[], random: Random) => readonly unknown[] | Response

/** What a node makes of its answers. None of it may reach another question, or look like a failed call. */
const FAULTS = {
  "without one": (answers, random) => answers.toSpliced(random.between(0, answers.length - 1), 1),
  "one twice": (answers, random) => [...answers, random.pick(answers)],
  "another answer to one": (answers, random) => [
    { ...random.pick(answers), id: random.pick(answers)["id"] },
    ...answers,
  ],
  "one id as text": changed((answer) => ({ ...answer, id: String(answer["id"]) })),
  "one wrong id": changed((answer) => ({ ...answer, id: Number(answer["id"]) + 1_000_000 })),
  "null for one": changed(() => null),
  "an error for one": changed(({ id }) => ({ id, error: { code: -32_005, message: "limit exceeded" } })),
  "too many": (answers) => [...answers, null, { id: 0, error: FAILED_CALL }, { id: -1, result: "0x1" }],
  null: () => whole(null),
  HTML: () => ({ status: 200, text: "<html>execution reverted</html>" }),
  cut: (answers) => ({ status: 200, text: JSON.stringify(answers).slice(0, -9) }),
  "an HTTP fault": (answers) => ({ ...whole(answers), status: 503 }),
} as const satisfies Readonly<Record<string, Break>>

function changed(change: (answer: Answer) => unknown): Break {
  return (answers, random) => {
    const at = random.between(0, answers.length - 1)
    return answers.map((answer, index) => (index === at ? change(answer) : answer))
  }
}

const BATCH_FAULTS = [...(Object.keys(FAULTS) as (keyof typeof FAULTS)[]), "refused", "too late"] as const
const SINGLE_FAULTS = ["one id as text", "one wrong id", "null", "HTML", "cut", "an HTTP fault", "too late"] as const
