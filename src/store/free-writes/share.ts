// How a capacity that callers fill together is divided among them. Pure.

/**
 * CHOICE: a caller may use a fiftieth of what is left of a capacity, beside what it used. So two addresses take a twenty-fifth, and more than a
 * hundred must work together before one that is new needs the reserve.
 */
const SHARES = 50
/**
 * CHOICE: a tenth of a capacity is kept for addresses that are new, one use each. Only addresses count as new, because identities and domains
 * are free to make.
 */
const RESERVED_PART = 10

interface Capacity {
  readonly max: number
  /** The part of `max` that is kept for addresses that are new. */
  readonly reserved: number
  /** By all callers, the reserve included. */
  readonly used: number
  readonly fromReserve: number
  /** By the caller; null if nothing splits this use. */
  readonly mine: number | null
  /** True for an address that the reserve is kept for. */
  readonly isNew: boolean
  /** A share is never less. Default 1. */
  readonly shareMin?: number | undefined
  /** A share is never more. */
  readonly shareMax?: number | undefined
}

export type Place = "COMMON" | "RESERVE" | "SHARE_USED_UP" | "ALL_USED_UP"

export function reservedOf(max: number): number {
  return Math.ceil(max / RESERVED_PART)
}

/** Returns where a use of this amount takes its place, or what is used up. */
export function placeIn(capacity: Capacity, amount: number): Place {
  const { max, reserved, used, fromReserve, mine, isNew, shareMin = 1, shareMax } = capacity
  const left = max - reserved - (used - fromReserve)
  const share = Math.min(shareMax ?? left, Math.max(shareMin, Math.floor(left / SHARES)))
  if (amount <= left && (mine === null || mine + amount <= share)) return "COMMON"
  if (isNew && fromReserve + amount <= reserved) return "RESERVE"
  return amount <= left ? "SHARE_USED_UP" : "ALL_USED_UP"
}
