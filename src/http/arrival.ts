import type { Operation, RateLimit } from "../../schemas/operation.ts"
import { type Digest, digestBytes } from "../core/digest.ts"
import type { FreeWriter } from "../store/free-writes/admit.ts"
import type { Call, Received } from "./call.ts"
import { clientOf } from "./client-address.ts"
import { ALWAYS_SPACE } from "./free-writes.ts"
import { PRESENTED_PAYMENTS, type Quota } from "./rate-limit.ts"
import { traceIdOf } from "./request-ids.ts"
import type { Shell } from "./shell.ts"

const NO_BYTES = new Uint8Array(0)
export const NO_PARAMS: Readonly<Record<string, string>> = Object.freeze({})

/** One request as its handler sees it. Values that only some routes need are computed on first access. */
export class Arrival<Body> implements Call<Body> {
  at: number
  /** Monotonic milliseconds at arrival, for measuring the duration of the request. */
  readonly startedAt: number
  poll: number | null
  body = null as Body
  params = NO_PARAMS
  /** The body as received. Empty if no body is read. */
  bytes: Uint8Array = NO_BYTES
  /** The remaining budget of the caller. Null if limits are off. */
  quota: Quota | null = null
  /** The budget that `quota` belongs to. */
  budget: RateLimit
  private knownClient: string | undefined
  private knownTrace: string | undefined
  private knownDigest: Digest | undefined

  constructor(
    private readonly shell: Shell,
    private readonly request: Request,
    readonly path: string,
    readonly requestId: string,
    { authentication, rateLimit }: Operation,
  ) {
    const presents = authentication === "X402" && request.headers.has("payment-signature")
    this.budget = presents ? PRESENTED_PAYMENTS : rateLimit
    this.at = shell.machine.now()
    this.startedAt = shell.machine.monotonic()
    this.poll = shell.socket?.polls.number() ?? null
  }

  /** A request is judged when its whole body is here: a slow body must not carry a signature past the memory of its nonce. */
  receive(bytes: Uint8Array): void {
    this.bytes = bytes
    this.at = this.shell.machine.now()
    this.poll = this.shell.socket?.polls.number() ?? null
  }

  get baseUrl(): string {
    return this.shell.baseUrl()
  }

  get method(): string {
    return this.request.method
  }

  get headers(): Headers {
    return this.request.headers
  }

  get bodyDigest(): Digest {
    this.knownDigest ??= digestBytes(this.bytes)
    return this.knownDigest
  }

  get received(): Received {
    const { method, url } = this.request
    const { pathname, search } = new URL(url)
    return { method, path: pathname, query: search, bytes: this.bytes }
  }

  get client(): string {
    this.knownClient ??= clientOf(this.request, this.shell.socket?.peerOf(this.request), this.shell)
    return this.knownClient
  }

  /** Finds out the address while the connection is there: it has none after its end. */
  meetClient(): void {
    this.knownClient = this.client
  }

  writer(): FreeWriter {
    return (this.shell.freeWrites ?? ALWAYS_SPACE).writer(this.client, this.at)
  }

  get traceId(): string {
    this.knownTrace ??= traceIdOf(this.shell.machine, this.headers.get("traceparent"))
    return this.knownTrace
  }
}
