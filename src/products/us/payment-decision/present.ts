import type { PresentedReply } from "../../../delivery/sale.ts"

/** A decision always has the same bytes, however often it is returned. It contains its own capsule. */
export function asStored(body: string): PresentedReply {
  return { body, headers: {} }
}
