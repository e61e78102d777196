/** Records what the actors of a journey do and what the service of the sandbox answers. One step takes one second. */
import type { JourneyStep } from "../../schemas/agent-mode/journeys.ts"
import { isJsonObject, type JsonValue } from "../core/strict-json.ts"
import type { Sandbox } from "./open-sandbox.ts"
import { SANDBOX_BASE_URL } from "./open-sandbox.ts"

type Actor = JourneyStep["actor"]

interface SandboxCall {
  readonly actor: Actor
  readonly method: "GET" | "POST"
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: object
  /** Another status is a fault of the journey. */
  readonly status: number
}

export interface SandboxAnswer {
  readonly headers: Headers
  /** Null if the answer is no JSON object. */
  readonly body: Readonly<Record<string, JsonValue>> | null
}

/** Headers that carry content. All others are the same on every response. */
const KEPT_HEADERS = [
  "accept-signature",
  "content-type",
  "idempotency-key",
  "payment-required",
  "payment-response",
  "payment-signature",
  "retry-after",
  "svc-proof-capsule",
  "www-authenticate",
  "x-cdo-request-body-digest",
]

export class Transcript {
  readonly steps: JourneyStep[] = []

  constructor(private readonly sandbox: Sandbox) {}

  async call({ actor, method, path, headers = {}, body, status }: SandboxCall): Promise<SandboxAnswer> {
    const text = body === undefined ? null : JSON.stringify(body)
    const sent = { ...(text === null ? {} : { "content-type": "application/json" }), ...headers }
    const request = new Request(`${SANDBOX_BASE_URL}${path}`, { method, headers: sent, body: text })
    const response = await this.answer(actor, request, text)
    if (response.status === status) return { headers: response.headers, body: jsonObject(await response.text()) }
    throw new Error(`${method} ${path} answered ${response.status}, not ${status}: ${await response.text()}`)
  }

  /** The network of an agent that runs in the sandbox. */
  readonly send = async (request: Request): Promise<Response> => {
    const text = request.method === "POST" ? await request.clone().text() : null
    return this.answer("AGENT", request, text)
  }

  /** An act outside HTTP. */
  async act(
    actor: Actor,
    action: Exclude<JourneyStep["action"], "CALL">,
    does: () => void | Promise<void>,
  ): Promise<void> {
    await does()
    this.add({ actor, action, operation_id: null, request: null, response: null })
  }

  private async answer(actor: Actor, request: Request, text: string | null): Promise<Response> {
    const { method, headers } = request
    const { pathname, search } = new URL(request.url)
    const response = await this.sandbox.send(request)
    this.add({
      actor,
      action: "CALL",
      operation_id: this.operationOf(method, pathname),
      request: {
        method: method as "GET" | "POST",
        path: `${pathname}${search}`,
        headers: keptOf(headers),
        body: text === null ? null : jsonObject(text),
      },
      response: {
        status: response.status,
        headers: keptOf(response.headers),
        body: jsonObject(await response.clone().text()),
      },
    })
    return response
  }

  private add(step: Omit<JourneyStep, "step">): void {
    this.steps.push({ step: this.steps.length + 1, ...step })
    this.sandbox.machine.step()
  }

  private operationOf(method: string, pathname: string): string | null {
    const rows = this.sandbox.service.shell.served.rows()
    const found = rows.filter((row) => row.method === method && fits(row.path, pathname))
    // A path without parameters comes before a path that has one in the same place.
    return found.sort((a, b) => a.path.split("{").length - b.path.split("{").length)[0]?.id ?? null
  }
}

function fits(template: string, pathname: string): boolean {
  const parts = template.split("/")
  const given = pathname.split("/")
  return parts.length === given.length && parts.every((part, at) => part.startsWith("{") || part === given[at])
}

function keptOf(headers: Headers): Record<string, string> {
  return Object.fromEntries(
    KEPT_HEADERS.flatMap((name) => {
      const value = headers.get(name)
      return value === null ? [] : [[name, value]]
    }),
  )
}

function jsonObject(text: string): Record<string, JsonValue> | null {
  try {
    const value = JSON.parse(text) as JsonValue
    return isJsonObject(value) ? value : null
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}
