/**
 * Orders: work that units do one after the other, over all processes that share a database. On SQLite only one unit writes at a time, so each
 * holds every order. Where units run side by side, a unit takes an order before its first statement. A unit that needs one later throws
 * {@link OrderNeeded}, and the engine runs it again with the order.
 */

/**
 * `log`: to append to the transparency log, or to change an answer that waits to be listed. `sequencing`: to give leaves to statements that wait
 * for one, or to list answers that wait for that. The two exclude each other. A unit that holds `sequencing` needs no other protection against
 * units that run meanwhile.
 */
export type Order = "log" | "sequencing"

/** What a unit yields in place of a statement. The answer is `[true]` or `[false]`: whether the unit holds the order. */
export interface OrderRequest {
  readonly order: Order
  /** The unit cannot go on without it. */
  readonly isNeeded: boolean
}

/** The unit must run again, and hold this order from its first statement. */
export class OrderNeeded extends Error {
  constructor(readonly order: Order) {
    super(`the unit needs the order "${order}"`)
  }
}

/** The answer of an engine. `holds`: whether the unit holds an order. Throws {@link OrderNeeded} if it holds one too few. */
export function answerTo({ order, isNeeded }: OrderRequest, holds: (order: Order) => boolean): [boolean] {
  const isHeld = holds(order)
  if (isNeeded && !isHeld) throw new OrderNeeded(order)
  return [isHeld]
}
