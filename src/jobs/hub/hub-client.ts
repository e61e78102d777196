/** The hub over HTTP: JSON routes and one event stream. Every question has a time limit, every answer a size limit. */
import type { Machine } from "../../base/machine.ts"
import { networkCode } from "../../base/network-fault.ts"
import { VERIFIED_TLS } from "../../base/verified-tls.ts"
import { EventStreamReader } from "./event-stream.ts"
import { type AcpHub, HubUnavailable } from "./hub.ts"
import { readEntries } from "./read-entry.ts"
import { type HubAccount, HubToken, type SignInScheme, signInBody } from "./sign-in.ts"

export interface HubConfig {
  /** Origin, https or loopback. */
  readonly url: string
  readonly chainId: number
  readonly signIn: SignInScheme
  readonly account: HubAccount
  readonly machine: Pick<Machine, "now" | "after">
  /** Ends every question in progress, so that a hub which hangs does not delay a stop. */
  readonly stopped?: AbortSignal
}

export const ANSWER_BYTES_MAX = 4 * 1024 * 1024
const ANSWER_MS_MAX = 10_000
/** A stream without a byte for this long is ended; the caller opens another. */
export const IDLE_MS_MAX = 90_000
const TOKEN_MAX = 8 * 1024
const JOBS_MAX = 1_000
/** The contract numbers jobs by a uint256. */
const JOB_IDS = 2n ** 256n

interface Question {
  /** Names the question in errors. */
  readonly name: string
  readonly path: string
  /** Sent as JSON by POST. Without one: GET. */
  readonly body?: unknown
}

export function openHub(config: HubConfig): AcpHub {
  const { chainId } = config
  const session = openSession(config)
  const question = (one: Question) => session.signedIn((bearer) => session.ask(one, bearer))

  return {
    activeJobs: async () => {
      const answer = (await question({ name: "jobs", path: "/jobs" })) as { readonly jobs?: unknown } | null
      if (!Array.isArray(answer?.jobs)) throw new HubUnavailable("jobs", null)
      const ids = answer.jobs.slice(0, JOBS_MAX).map((job) => jobIdOf(job, chainId))
      return [...new Set(ids)].filter((id) => id !== null)
    },
    history: async (jobId) => {
      const path = `/chats/${chainId}/${jobId}/history`
      const answer = (await question({ name: "history", path })) as { readonly entries?: unknown } | null
      if (!Array.isArray(answer?.entries)) throw new HubUnavailable("history", null)
      return readEntries(answer.entries, chainId, jobId)
    },
    postMessage: async (jobId, content) => {
      const path = `/chats/${chainId}/${jobId}/message`
      await question({ name: "message", path, body: { content, contentType: "text" } })
    },
    postDeliverable: async (jobId, text) => {
      await question({
        name: "deliverable",
        path: `/jobs/${chainId}/${jobId}/deliverable`,
        body: { deliverable: text },
      })
    },
    listen: (onJob, signal) => listenUntilEnd(config, session, onJob, signal),
  }
}

type Session = ReturnType<typeof openSession>

/** Questions to the hub. Each throws HubUnavailable. */
function openSession({ url, chainId, signIn, account, machine, stopped }: HubConfig) {
  const token = new HubToken(machine, async (at) => {
    const body = await signInBody(signIn, account, chainId, at)
    const answer = await ask({ name: "sign-in", path: "/auth/agent", body }, null)
    const given = (answer as { readonly data?: { readonly token?: unknown } } | null)?.data?.token
    if (typeof given !== "string" || !/^[!-~]+$/.test(given) || given.length > TOKEN_MAX) {
      throw new HubUnavailable("sign-in", null)
    }
    return given
  })

  async function ask({ name, path, body }: Question, bearer: string | null): Promise<unknown> {
    const response = await send(name, path, {
      ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
      headers: {
        accept: "application/json",
        ...(body !== undefined && { "content-type": "application/json" }),
        ...(bearer !== null && { authorization: `Bearer ${bearer}` }),
      },
      signal: AbortSignal.any([AbortSignal.timeout(ANSWER_MS_MAX), ...(stopped ? [stopped] : [])]),
    })
    try {
      if (!response.ok) {
        await response.body?.cancel()
        throw new HubUnavailable(name, response.status)
      }
      const text = await boundedText(name, response)
      return text === "" ? null : JSON.parse(text)
    } catch (error) {
      // The causes may quote the answer, so none of them leaves this file.
      throw error instanceof HubUnavailable ? error : new HubUnavailable(name, response.status)
    }
  }

  async function send(name: string, path: string, init: RequestInit): Promise<Response> {
    try {
      return await fetch(url + path, { ...init, redirect: "error", tls: VERIFIED_TLS })
    } catch (error) {
      throw new HubUnavailable(name, null, networkCode(error))
    }
  }

  /** Asks with the token. A token that the hub refuses is renewed once. */
  async function signedIn<T>(use: (bearer: string) => Promise<T>): Promise<T> {
    const first = await token.get()
    try {
      return await use(first)
    } catch (error) {
      if (!(error instanceof HubUnavailable) || error.status !== 401) throw error
      token.drop(first)
      return use(await token.get())
    }
  }

  return { ask, send, signedIn }
}

/** Reads one stream until it ends, is idle for too long, or `signal` is aborted. Never throws. */
async function listenUntilEnd(
  { chainId, machine }: HubConfig,
  session: Session,
  onJob: (jobId: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const ended = new AbortController()
  const stop = () => ended.abort()
  signal.addEventListener("abort", stop, { once: true })
  let cancel = machine.after(IDLE_MS_MAX, stop)
  const alive = () => {
    cancel()
    cancel = machine.after(IDLE_MS_MAX, stop)
  }
  const reader = () =>
    new EventStreamReader((data) => {
      const jobId = jobOfEvent(data, chainId)
      if (jobId !== null) onJob(jobId)
    })
  try {
    if (signal.aborted) return
    await session.signedIn(async (bearer) => {
      const stream = await openStream(session, bearer, chainId, ended.signal)
      await readStream(stream, reader(), alive)
    })
  } catch {
    // A stream only wakes the worker, which also polls.
  } finally {
    cancel()
    signal.removeEventListener("abort", stop)
    stop()
  }
}

async function openStream({ send }: Session, bearer: string, chainId: number, signal: AbortSignal) {
  const headers = {
    accept: "text/event-stream",
    authorization: `Bearer ${bearer}`,
    "x-supported-chains": String(chainId),
  }
  const response = await send("stream", "/chats/stream", { headers, signal })
  if (!response.ok || response.body === null) {
    await response.body?.cancel()
    throw new HubUnavailable("stream", response.status)
  }
  return response.body
}

/** `alive`: called for each chunk. */
async function readStream(stream: ReadableStream<Uint8Array>, reader: EventStreamReader, alive: () => void) {
  for await (const chunk of stream) {
    alive()
    if (!reader.take(chunk)) return
  }
}

async function boundedText(name: string, response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength
    if (bytes > ANSWER_BYTES_MAX) throw new HubUnavailable(name, response.status)
    chunks.push(chunk)
  }
  return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks))
}

function jobOfEvent(data: string, chainId: number): string | null {
  try {
    return jobIdOf(JSON.parse(data), chainId)
  } catch {
    return null
  }
}

/** The job that an object of the hub names, if it is on this chain. */
function jobIdOf(value: unknown, chainId: number): string | null {
  const { onChainJobId, chainId: onChain } = (value ?? {}) as {
    readonly onChainJobId?: unknown
    readonly chainId?: unknown
  }
  const id = String(onChainJobId)
  return Number(onChain) === chainId && /^[1-9][0-9]{0,77}$/.test(id) && BigInt(id) < JOB_IDS ? id : null
}
