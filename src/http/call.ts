import type { Digest } from "../core/digest.ts"
import type { FreeWriter } from "../store/free-writes/admit.ts"

/** The parts of a request that a signature over the HTTP message covers. */
export interface Received {
  readonly method: string
  /** Not decoded. */
  readonly path: string
  /** With its question mark, or empty. */
  readonly query: string
  readonly bytes: Uint8Array
}

/** The input of a handler: all parts of one request, read and checked. */
export interface Call<Body> {
  readonly body: Body
  /** Digest of the exact body bytes received. For a GET: digest of zero bytes. Null if the body is the arguments of a tool. */
  readonly bodyDigest: Digest | null
  readonly params: Readonly<Record<string, string>>
  readonly headers: Headers
  readonly path: string
  /** The request as it arrived. Absent if the call did not arrive as its own HTTP request, but as the arguments of a tool. */
  readonly received?: Received
  readonly requestId: string
  readonly traceId: string
  /** Rate-limit key of the client: its IPv4 address or IPv6 /64. Never logged. */
  readonly client: string
  /** Returns who writes, for the gate before every free write. */
  writer(): FreeWriter
  /** Milliseconds since the epoch at arrival. */
  readonly at: number
  /**
   * Number of the socket poll that returned the request, or the last part of its body. Null without a socket. All requests of one poll were
   * sent before the first of them is handled. So a state that is read once for a poll is fresh enough for all its requests.
   */
  readonly poll: number | null
}

/** The result of a handler: bytes that are sent unchanged, or a value that is sent as canonical JSON. */
export interface Reply {
  readonly status: number
  readonly body: Uint8Array | string | object | null
  readonly headers?: Readonly<Record<string, string>>
  /** Facts for the request log: product, decision, state. Never a value of the request. */
  readonly note?: Readonly<Record<string, string | number | boolean>>
}

export type Handler<Body> = (call: Call<Body>) => Promise<Reply> | Reply
