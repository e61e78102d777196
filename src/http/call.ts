import type { Digest } from "../core/digest.ts"

/** What a handler is given: everything about one request, already read and checked once. */
export interface Call<Body> {
  readonly body: Body
  /** Digest of the exact body bytes received; of no bytes for a GET. */
  readonly bodyDigest: Digest
  readonly params: Readonly<Record<string, string>>
  readonly headers: Headers
  readonly path: string
  readonly requestId: string
  readonly traceId: string
  /** Rate-limit key of the client: its IPv4 address or IPv6 /64. Never logged. */
  readonly client: string
  /** Milliseconds since the epoch at arrival. */
  readonly at: number
  /**
   * Which poll of the sockets the request came with; null without a socket. All requests of one poll had been sent before the first
   * of them is handled, so what is learned for one of them is news to none of the others.
   */
  readonly poll: number | null
}

/** What a handler returns: bytes that leave exactly as they are, or a value that is written as canonical JSON. */
export interface Answer {
  readonly status: number
  readonly body: Uint8Array | string | object | null
  readonly headers?: Readonly<Record<string, string>>
  /** Facts for the request log: product, decision, state. No value of the request. */
  readonly note?: Readonly<Record<string, string | number | boolean>>
}

export type Handler<Body> = (call: Call<Body>) => Promise<Answer> | Answer
