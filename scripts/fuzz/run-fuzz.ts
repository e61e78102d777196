/** Sends generated requests to a server and collects what is wrong with its answers. */

import { chance } from "../../test/fixtures/chance.ts"
import { OpenapiChecker, type OpenapiDocument } from "../../test/fixtures/openapi.ts"
import { changedValue, type Json } from "../../test/fixtures/schema-values.ts"
import { MCP_METHODS } from "./drawn-body.ts"
import { type Drawing, drawnRequest, drawnRow } from "./drawn-request.ts"
import type { Draw } from "./draws.ts"
import { fuzzOperations } from "./fuzz-operations.ts"
import { type FuzzRequest, wireBytes } from "./fuzz-request.ts"
import { judgeAnswer } from "./judge-answer.ts"
import { type RawAnswer, RawClient } from "./raw-client.ts"

export interface FuzzTarget {
  /** `http://HOST:PORT`. */
  readonly origin: string
  readonly document: OpenapiDocument
  /** False for a server that answers unknown paths and methods in its own way: then none is sent. */
  readonly hasFallback?: boolean
  /** Log lines since the last call, parsed. */
  takeLines(): readonly Record<string, unknown>[]
  /** Returns the value of `Payment-Signature` for a quote (value of `PAYMENT-REQUIRED`); null if it cannot be paid. */
  pay?(required: string): Promise<string | null>
  /** Ids that the server knows, by the name of their path parameter. */
  readonly ids?: Readonly<Record<string, readonly string[]>>
  /** Bodies by operation id, in addition to the examples of the document. */
  readonly bodies?: ReadonlyMap<string, () => Json>
}

interface FuzzOptions {
  readonly requests: number
  readonly seed: number
  /** The run stops after as many faults. */
  readonly faultsMax?: number
  /** Called after each request. */
  report?(done: number): void
}

interface FuzzFault {
  /** Number of the request in the run. */
  readonly index: number
  readonly request: string
  readonly answer: string
  readonly faults: readonly string[]
}

interface FuzzResult {
  readonly requests: number
  /** Milliseconds of the slowest answer. */
  readonly slowestMs: number
  readonly faults: readonly FuzzFault[]
  /** Requests by the status of their answer. */
  readonly statuses: Readonly<Record<string, number>>
  /** Operations that answered at least once with each status: `get_x 200`. */
  readonly reached: ReadonlySet<string>
}

const CLIENTS = 8
/** Ids of one kind that are remembered. */
const IDS_MAX = 100
/** Shorter texts occur in a log line by chance. */
const TEXT_CHARACTERS_MIN = 10

export async function runFuzz(target: FuzzTarget, options: FuzzOptions): Promise<FuzzResult> {
  const checker = new OpenapiChecker(target.document)
  const rows = fuzzOperations(checker)
  const { hostname, port, host } = new URL(target.origin)
  const judgement = { checker, rows, origin: target.origin }
  const known = new Map<string, readonly string[]>(Object.entries(target.ids ?? {}))
  const drawing: Drawing = { known, rows, ...(await drawnFrom(target, checker)) }
  const knownText = JSON.stringify([target.document, MCP_METHODS])
  const clients = Array.from({ length: CLIENTS }, () => new RawClient(hostname, Number(port)))
  const faults: FuzzFault[] = []
  const statuses: Record<string, number> = {}
  const reached = new Set<string>()
  const etags = new Map<string, string>()
  target.takeLines()

  /** Each request has a generator of its own, so that it can be sent alone. */
  async function send(client: RawClient, index: number): Promise<FuzzRequest> {
    const draw = chance(options.seed + index * 7_919)
    const request = conditional(drawnRequest(drawing, drawnRow(rows, draw), draw), etags, draw)
    const answer = await judged(client, index, request)
    options.report?.(index)
    const required = answer?.status === 402 ? answer.headers.get("payment-required") : null
    const payment = required === null ? null : await target.pay?.(required)
    if (payment) await judged(client, index, withPayment(request, payment, draw))
    return request
  }

  async function judged(client: RawClient, index: number, request: FuzzRequest): Promise<RawAnswer | null> {
    sentCount++
    const at = (answer: string, found: readonly string[]) =>
      faults.push({ index, request: shown(request), answer, faults: found })
    try {
      const startedAt = performance.now()
      const answer = await client.exchange(request.method, wireBytes(request, host))
      slowestMs = Math.max(slowestMs, performance.now() - startedAt)
      statuses[answer.status] = (statuses[answer.status] ?? 0) + 1
      if (request.row) reached.add(`${request.row.operation.operationId} ${answer.status}`)
      const etag = answer.headers.get("etag")
      if (etag !== null && request.method === "GET") etags.set(request.path, etag)
      const found = judgeAnswer(judgement, request, answer)
      if (client.stray !== "") found.push(`more than one answer: ${client.stray.slice(0, 200)}`)
      client.stray = ""
      if (found.length > 0) at(`${answer.status} ${answer.body.toString().slice(0, 600)}`, found)
      collectIds(answer, known)
      return answer
    } catch (error) {
      at("none", [error instanceof Error ? error.message : String(error)])
      return null
    }
  }

  let sentCount = 0
  let slowestMs = 0
  let done = 0
  while (done < options.requests && faults.length < (options.faultsMax ?? 20)) {
    const first = done
    const batch = clients.slice(0, options.requests - done)
    done += batch.length
    const sent = await Promise.all(batch.map((client, at) => send(client, first + at)))
    for (const fault of judgeLines(target.takeLines(), sent, knownText)) {
      faults.push({ index: first, request: sent.map(shown).join("\n"), answer: "", faults: [fault] })
    }
  }
  for (const client of clients) client.close()
  return { requests: sentCount, slowestMs, faults, statuses, reached }
}

async function drawnFrom(
  target: FuzzTarget,
  checker: OpenapiChecker,
): Promise<Pick<Drawing, "examples" | "hasFallback" | "isValid">> {
  return {
    examples: new Map([...(await examplesOf(target, checker)), ...(target.bodies ?? [])]),
    hasFallback: target.hasFallback ?? true,
    isValid: (row, value) => row.printedBody === null || checker.faults(row.printedBody, value).length === 0,
  }
}

/** A repeated GET asks with the ETag that it knows. */
function conditional(request: FuzzRequest, etags: ReadonlyMap<string, string>, draw: Draw): FuzzRequest {
  const etag = etags.get(request.path)
  if (request.method !== "GET" || request.kind !== "well formed" || etag === undefined || draw() < 0.5) return request
  return {
    ...request,
    kind: "with its ETag",
    headers: [["If-None-Match", etag]],
    expects: { ...request.expects, statuses: [200, 304] },
  }
}

/** The same request with a payment, mostly the right one. */
function withPayment(request: FuzzRequest, payment: string, draw: Draw): FuzzRequest {
  const chance = draw()
  const value = chance < 0.6 ? payment : chance < 0.8 ? changedPayment(payment, draw) : payment.slice(0, -4)
  const headers = [
    ...request.headers.filter(([name]) => name !== "Payment-Signature"),
    ["Payment-Signature", value] as const,
  ]
  return { ...request, kind: `${request.kind}, paid`, headers, texts: [...request.texts, value] }
}

function changedPayment(payment: string, draw: Draw): string {
  const whole = JSON.parse(Buffer.from(payment, "base64").toString()) as Json
  return Buffer.from(JSON.stringify(changedValue({}, whole, draw))).toString("base64")
}

/** Ids in a response body that fill a path parameter: `execution_id` fills `{executionId}`. */
function collectIds({ body, headers }: RawAnswer, known: Map<string, readonly string[]>): void {
  if (headers.get("content-type") !== "application/json" || body.length === 0) return
  for (const [member, value] of Object.entries(JSON.parse(body.toString()) as object)) {
    if (!/^[a-z]+_id$/.test(member) || typeof value !== "string") continue
    const name = member.replace("_id", "Id")
    known.set(name, [...(known.get(name) ?? []).slice(-IDS_MAX), value])
  }
}

/** Examples of bodies, where the document says. */
async function examplesOf({ origin, document }: FuzzTarget, checker: OpenapiChecker): Promise<Map<string, () => Json>> {
  const found = new Map<string, () => Json>()
  for (const operation of Object.values(document.paths).flatMap((item) => Object.values(item))) {
    const { requestBody, operationId } = operation
    if (requestBody === undefined) continue
    const pointed = checker.exampleAt(operation)
    const example = checker.example(operation) ?? (pointed && (await fetchedExample(origin, pointed)))
    if (example !== undefined) found.set(operationId, () => example as Json)
  }
  return found
}

/** `pointed` is a path with a JSON pointer as its fragment. */
async function fetchedExample(origin: string, pointed: string) {
  const [path, pointer = ""] = pointed.split("#")
  const answer = await fetch(origin + path)
  let value: unknown = await answer.json()
  for (const name of pointer.split("/").slice(1)) value = (value as Record<string, unknown>)[name]
  return value
}

/** A bug, or a text of a request in a log line. */
function judgeLines(
  lines: readonly Record<string, unknown>[],
  sent: readonly FuzzRequest[],
  knownText: string,
): string[] {
  const bugs = lines.filter(({ level }) => level === "error").map((line) => JSON.stringify(line).slice(0, 1_500))
  // The time of a line may equal one that was sent.
  const text = lines.map(({ time: _, ...line }) => JSON.stringify(line)).join("\n")
  const kept = sent
    .flatMap(({ texts }) => texts)
    .filter((given) => given.length >= TEXT_CHARACTERS_MIN && isIn(text, given) && !isIn(knownText, given))
  return [
    ...bugs,
    ...kept.map((given) => `the log has the text ${JSON.stringify(given.slice(0, 200))}: ${text.slice(0, 500)}`),
  ]
}

const isIn = (json: string, given: string) => json.includes(JSON.stringify(given).slice(1, -1))

function shown({ kind, method, path, headers, body }: FuzzRequest): string {
  const fields = headers.map(([name, value]) => `${name}: ${value.slice(0, 200)}`).join("; ")
  return `[${kind}] ${method} ${path.slice(0, 300)} ${fields}\n${body?.toString().slice(0, 3_000) ?? ""}`
}

/** The faults as lines, each with what repeats it. */
export function faultText({ faults }: FuzzResult, seed: number): string {
  return faults
    .map(
      ({ index, request, answer, faults: found }) =>
        `request ${index} of seed ${seed}\n${found.join("\n")}\n${request}\n-> ${answer}`,
    )
    .join("\n\n")
}
