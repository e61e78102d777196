import type { Machine } from "../base/machine.ts"
import { encodeBase64url } from "../core/base64url.ts"

const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/

/** Characters of an id after its prefix (rulings 5). Each carries six random bits. */
const ID_CHARACTERS = 22
const IDS_A_DRAW = 256

/**
 * Request ids with 132 random bits each. The bits of many ids are drawn and encoded together, because one draw per request costs a tenth of
 * a cached reply.
 */
export class RequestIds {
  private drawn = ""
  private used = 0

  constructor(private readonly machine: Machine) {}

  next(): string {
    if (this.used === this.drawn.length) {
      this.drawn = encodeBase64url(this.machine.random((IDS_A_DRAW * ID_CHARACTERS * 6) / 8))
      this.used = 0
    }
    const from = this.used
    this.used += ID_CHARACTERS
    return `req_${this.drawn.slice(from, this.used)}`
  }
}

/** Returns the caller's W3C trace id if its traceparent is valid, else a new one. */
export function traceIdOf(machine: Machine, traceparent: string | null): string {
  const sent = traceparent ? TRACEPARENT.exec(traceparent)?.[1] : undefined
  return sent !== undefined && !/^0+$/.test(sent) ? sent : Buffer.from(machine.random(16)).toString("hex")
}
