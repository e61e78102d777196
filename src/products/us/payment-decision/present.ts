import type { PresentedAnswer } from "../../../delivery/sale.ts"

/** A decision is the same bytes whenever and however often it is returned. It contains its own capsule. */
export function asStored(body: string): PresentedAnswer {
  return { body, headers: {} }
}
