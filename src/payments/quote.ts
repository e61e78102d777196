/**
 * The stateless quote, bound to the request body. `accepts[].extra` carries its terms and an HMAC, because every conformant x402 client
 * must echo that member; an unpaid call writes nothing. A quote is valid for a request only if the terms, rebuilt from the request with the
 * echoed salt and expiry, give the same HMAC (rulings 31).
 */

import { createHmac, timingSafeEqual } from "node:crypto"
import type { StatedEnvironment } from "../../schemas/environment.ts"
import type { PaymentRequirements } from "../../schemas/x402.ts"
import { canonicalize } from "../core/canonical-json.ts"
import type { Asset } from "./networks/network.ts"

/** What is sold and on which terms; the same for every request of a product. */
export interface Offer {
  readonly product: string
  readonly method: "POST"
  readonly path: string
  readonly priceAtomic: bigint
  readonly asset: Asset
  readonly payTo: string
  readonly environment: StatedEnvironment
}

/** The client's authorization window in seconds. It also bounds how long an outcome can stay unknown. */
export const MAX_TIMEOUT_SECONDS = 300
const BUCKET_SECONDS = 900
export const QUOTE_SALT_BYTES = 16

/**
 * 45 to 60 minutes: time for a person to review. Rounded, so that quotes of one quarter of an hour expire together. In seconds since the
 * epoch.
 */
export function quoteExpiry(nowSeconds: number): number {
  return (Math.floor(nowSeconds / BUCKET_SECONDS) + 4) * BUCKET_SECONDS
}

/** What makes a quote one of its own, apart from its offer. */
interface QuoteBinding {
  readonly bodyDigest: string
  /** 16 random bytes as 22 base64url characters. */
  readonly quoteSalt: string
  /** Seconds since the epoch. */
  readonly quoteExpiresAt: number
}

/** The single `accepts[]` entry. */
export function quoteTerms(
  key: Uint8Array,
  offer: Offer,
  { bodyDigest, quoteSalt: salt, quoteExpiresAt: expiresAt }: QuoteBinding,
): PaymentRequirements {
  const terms = {
    scheme: "exact",
    network: offer.asset.network,
    amount: String(offer.priceAtomic),
    asset: offer.asset.address,
    payTo: offer.payTo,
    maxTimeoutSeconds: MAX_TIMEOUT_SECONDS,
  }
  const { product, method, path, environment } = offer
  const { name, version } = offer.asset
  const covered = { product, method, path, environment, bodyDigest, salt, expiresAt, name, version, ...terms }
  const quoteId = createHmac("sha256", key).update(canonicalize(covered)).digest("base64url")
  return {
    ...terms,
    extra: {
      name,
      version,
      assetTransferMethod: "eip3009",
      bodyDigest,
      quoteId,
      quoteSalt: salt,
      quoteExpiresAt: expiresAt,
    },
  }
}

/** The presented terms are not a quote of this service for this body. */
export const FOREIGN_QUOTE = "quote_not_for_this_request"

type QuoteCheck =
  | { readonly ok: true; readonly terms: PaymentRequirements; readonly quoteId: string }
  | { readonly ok: false; readonly reason: typeof FOREIGN_QUOTE | "quote_expired" }

/** The terms that a payment names, and the digest of the body that came with it. */
interface PresentedTerms {
  readonly bodyDigest: string
  readonly accepted: PaymentRequirements
}

/** Rebuilds the terms from this request and compares them. Distinguishes an expired quote of this service from a foreign one. */
export function checkQuote(
  key: Uint8Array,
  offer: Offer,
  { bodyDigest, accepted }: PresentedTerms,
  nowSeconds: number,
): QuoteCheck {
  const { quoteSalt, quoteExpiresAt, quoteId } = accepted.extra ?? {}
  const foreign = { ok: false, reason: FOREIGN_QUOTE } as const
  if (typeof quoteSalt !== "string" || !/^[A-Za-z0-9_-]{22}$/.test(quoteSalt)) return foreign
  if (typeof quoteExpiresAt !== "number" || !Number.isSafeInteger(quoteExpiresAt)) return foreign
  const terms = quoteTerms(key, offer, { bodyDigest, quoteSalt, quoteExpiresAt })
  const expected = String(terms.extra?.["quoteId"])
  if (typeof quoteId !== "string" || !equalTexts(quoteId, expected)) return foreign
  if (quoteExpiresAt <= nowSeconds) return { ok: false, reason: "quote_expired" }
  return { ok: true, terms, quoteId: expected }
}

function equalTexts(a: string, b: string): boolean {
  const left = Buffer.from(a)
  const right = Buffer.from(b)
  return left.length === right.length && timingSafeEqual(left, right)
}
