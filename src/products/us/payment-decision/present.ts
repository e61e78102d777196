import type { PresentedAnswer } from "../../../delivery/sale.ts"

/** A decision always has the same bytes, however often it is returned. It contains its own capsule. */
export function asStored(body: string): PresentedAnswer {
  return { body, headers: {} }
}
