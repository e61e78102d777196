import type { PresentedAnswer } from "../../../delivery/sale.ts"

/** A decision is the same bytes whenever and however often it is given: its capsule stands in it. */
export function asStored(body: string): PresentedAnswer {
  return { body, headers: {} }
}
