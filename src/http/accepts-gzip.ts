import { Cache } from "../core/cache.ts"

/** A longer value is not parsed. The caller gets the bytes without coding. */
const LENGTH_MAX = 1024
/** By the value. The clients of a service send a few of them. */
const cached = new Cache<string, boolean>({ max: 64 })

/**
 * True if the value of `Accept-Encoding` prefers gzip to no coding (RFC 9110 12.5.3). `*` names gzip if gzip is not named itself. An equal
 * weight prefers gzip, because a caller that names it can decode it. CHOICE: a value that forbids both gets the bytes without coding.
 */
export function acceptsGzip(value: string | null): boolean {
  if (value === null || value.length > LENGTH_MAX) return false
  let accepts = cached.get(value)
  if (accepts === undefined) {
    accepts = prefersGzip(value)
    cached.set(value, accepts)
  }
  return accepts
}

function prefersGzip(value: string): boolean {
  const weights = new Map(value.toLowerCase().split(",").map(weightedCoding))
  const gzip = weights.get("gzip") ?? weights.get("x-gzip") ?? weights.get("*") ?? 0
  return gzip > 0 && gzip >= (weights.get("identity") ?? 0)
}

/** A weight that is not a number from 0 to 1 counts as 0. */
function weightedCoding(item: string): [coding: string, weight: number] {
  const [coding = "", ...parameters] = item.split(";").map((part) => part.trim())
  const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2)
  if (weight === undefined) return [coding, 1]
  return [coding, /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(weight) ? Number(weight) : 0]
}
