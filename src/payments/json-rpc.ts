/**
 * JSON-RPC 2.0 over HTTP. The questions of one turn of the event loop travel as one batch, and equal ones are asked once.
 *
 * INVARIANT: nothing is kept from one turn to the next. An answer reaches only who asked before its post left, and only by its id: no other
 * post has the same id.
 */
import { VERIFIED_TLS } from "../base/verified-tls.ts"
import { boundedText } from "./bounded-text.ts"

export interface RpcQuestion {
  readonly method: string
  /** JSON values. */
  readonly params?: readonly unknown[] | undefined
}

/** Rejects with {@link ErrorAnswer} for an answer that is an error, and with any other error when there is no valid answer. */
export type RpcHandler = (question: RpcQuestion) => Promise<unknown>

/** The error that a node answered with. Its message may quote the request. */
export class ErrorAnswer extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message)
  }
}

/** Sends one body and reads the whole response. Rejects without one. */
export type Post = (body: string) => Promise<{ readonly status: number; readonly text: string }>

/** Of the text of one response. */
const RESPONSE_BYTES_MAX = 16 * 1024 * 1024
/** Questions in one post. */
const BATCH_MAX = 50
/**
 * CHOICE: a node that refuses a batch gets single questions, and a batch is tried again after 1,000 of them. So one odd response of a provider
 * does not slow the service until its restart.
 */
const SINGLES_AFTER_REFUSAL = 1_000
/**
 * CHOICE: a search of logs may take seconds, and the other questions of its turn do not wait for it. A broadcast does not depend on whether
 * the node answers other questions, or takes batches.
 */
const ALONE: ReadonlySet<string> = new Set(["eth_getLogs", "eth_sendRawTransaction"])

interface Waiting extends PromiseWithResolvers<unknown> {
  readonly isAlone: boolean
  /** The members `method` and `params` as JSON. */
  readonly members: string
}

/** `soon`: calls back after the current turn. */
export function inBatches(post: Post, soon: (callback: () => void) => void): RpcHandler {
  let turn = new Map<string, Waiting>()
  let lastId = 0
  let singlesLeft = 0

  function flush(): void {
    const all = [...turn.values()]
    turn = new Map()
    const size = singlesLeft > 0 ? 1 : BATCH_MAX
    if (size === 1) singlesLeft -= all.length
    const together = all.filter(({ isAlone }) => !isAlone)
    for (const one of all) if (one.isAlone) void send([one])
    for (let at = 0; at < together.length; at += size) void send(together.slice(at, at + size))
  }

  async function send(waiting: readonly Waiting[]): Promise<void> {
    const byId = new Map(waiting.map((one) => [++lastId, one]))
    const texts = [...byId].map(([id, { members }]) => `{"jsonrpc":"2.0","id":${id},${members}}`)
    try {
      const { status, text } = await post(texts.length === 1 ? `${texts[0]}` : `[${texts.join(",")}]`)
      const response = parsed(text)
      if (waiting.length > 1 && ((status >= 400 && status < 500) || hasError(response))) {
        singlesLeft = SINGLES_AFTER_REFUSAL
        for (const one of waiting) void send([one])
        return
      }
      const isRead = (status >= 200 && status < 300) || hasError(response)
      share(isRead ? [response].flat() : [], byId)
    } catch (error) {
      for (const one of waiting) one.reject(error)
    }
  }

  return ({ method, params = [] }) => {
    const members = `"method":${JSON.stringify(method)},"params":${JSON.stringify(params)}`
    const equal = turn.get(members)
    if (equal) return equal.promise
    if (turn.size === 0) soon(flush)
    const waiting = { members, isAlone: ALONE.has(method), ...Promise.withResolvers<unknown>() }
    turn.set(members, waiting)
    return waiting.promise
  }
}

/** Gives each question the only answer with its id. None is believed where there are several. */
function share(answers: readonly unknown[], byId: ReadonlyMap<number, Waiting>): void {
  const found = new Map<unknown, object | null>()
  for (const answer of answers) {
    if (typeof answer !== "object" || answer === null || !("id" in answer)) continue
    found.set(answer.id, found.has(answer.id) ? null : answer)
  }
  for (const [id, { resolve, reject }] of byId) {
    const answer = found.get(id)
    if (hasError(answer)) {
      const { code, message } = answer.error
      reject(new ErrorAnswer(typeof code === "number" ? code : 0, String(message)))
    } else if (answer && "result" in answer) resolve(answer.result)
    else reject(new TypeError("no valid answer"))
  }
}

function hasError(answer: unknown): answer is { error: { code?: unknown; message?: unknown } } {
  if (typeof answer !== "object" || answer === null || !("error" in answer)) return false
  return typeof answer.error === "object" && answer.error !== null
}

/** Undefined for text that is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** `timeoutMs`: for the whole exchange. */
export function postTo(url: string, timeoutMs: number): Post {
  const fixed = { method: "POST", headers: { "content-type": "application/json" }, redirect: "error" } as const
  return async (body) => {
    const signal = AbortSignal.timeout(timeoutMs)
    const response = await fetch(url, { ...fixed, body, signal, tls: VERIFIED_TLS })
    const text = await boundedText(response, RESPONSE_BYTES_MAX)
    if (text === null) throw new TypeError("a response that is too long")
    return { status: response.status, text }
  }
}
