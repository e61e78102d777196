import { formatId, ID_RANDOM_BYTES } from "../core/ids.ts"
import type { Machine } from "../machine.ts"

const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/

/** A new request id, and the caller's W3C trace id when its traceparent is valid, else a new one. */
export function requestIds(machine: Machine, traceparent: string | null): { requestId: string; traceId: string } {
  const sent = traceparent ? TRACEPARENT.exec(traceparent)?.[1] : undefined
  const valid = sent !== undefined && !/^0+$/.test(sent)
  return {
    requestId: formatId("req", machine.random(ID_RANDOM_BYTES)),
    traceId: valid ? sent : Buffer.from(machine.random(16)).toString("hex"),
  }
}
