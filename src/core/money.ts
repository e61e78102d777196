/** Decimal amounts with up to six places as integer millionths, compared and added without rounding. */

const AMOUNT = /^(0|[1-9]\d{0,17})(?:\.(\d{1,6}))?$/

/** Returns millionths, or null if the text does not match the amount pattern of the interface. `1.0` and `1.000000` are equal. */
export function parseAmount(text: string): bigint | null {
  const match = AMOUNT.exec(text)
  if (!match) return null
  return BigInt(match[1] ?? "0") * 1_000_000n + BigInt((match[2] ?? "").padEnd(6, "0"))
}

/** Returns millionths of an amount that the schema already accepted. Throws a TypeError for any other text: that is a bug. */
export function amountMillionths(text: string): bigint {
  const millionths = parseAmount(text)
  if (millionths === null) throw new TypeError("not a decimal amount")
  return millionths
}

/** Returns `numerator / denominator` with `places` decimals, truncated towards zero. Both must be non-negative. */
export function ratioDecimal(numerator: bigint, denominator: bigint, places: number): string {
  const scaled = (numerator * 10n ** BigInt(places)) / denominator
  const digits = scaled.toString().padStart(places + 1, "0")
  if (places === 0) return digits
  return `${digits.slice(0, -places)}.${digits.slice(-places)}`
}

/** Rounds up, for rates that must never be understated. */
export function ceilDivide(numerator: bigint, denominator: bigint): bigint {
  return (numerator + denominator - 1n) / denominator
}
