/**
 * Settlement by a hosted x402 facilitator (`POST {url}/settle`). The caller must commit SETTLING first: the facilitator holds the
 * authorization from the first byte and may submit it, whatever it responds. So every outcome here is only a hint where to look; only the
 * service's own node ends the attempt (rulings 38).
 */
import type { Hex } from "viem"
import { type PaymentRequirements, SettleResponse } from "../../schemas/x402.ts"
import { networkCode } from "../base/network-fault.ts"
import { VERIFIED_TLS } from "../base/verified-tls.ts"
import { compiledAtFirstUse } from "../core/compiled-at-first-use.ts"
import { SECOND } from "../core/time.ts"
import type { Authorization } from "./authorization.ts"
import { boundedText } from "./bounded-text.ts"
import { isTrustedTransport } from "./environment.ts"
import { wirePayment } from "./wire-payload.ts"

export interface HostedSettler {
  /** Never throws on a failure of the facilitator. */
  settle(authorization: Authorization, terms: PaymentRequirements): Promise<SettlementHint>
  /** Whether the facilitator responds at all (`GET {url}/supported`); any HTTP status counts. Never throws. */
  answers(): Promise<FacilitatorAnswer>
}

/** `code`: of the system, for a connection that failed. */
export type FacilitatorAnswer = { readonly isThere: true } | { readonly isThere: false; readonly code: string | null }

/** `txHash`: where to look first. `reason`: a short token for the log. */
export type SettlementHint =
  | { readonly kind: "claims_settled"; readonly txHash: Hex | null }
  | { readonly kind: "claims_failed"; readonly txHash: Hex | null; readonly reason: string }
  | {
      readonly kind: "no_answer"
      readonly reason: "unreachable" | "too_large" | "unreadable" | "busy"
      /** How long the facilitator asks for a pause. */
      readonly retryAfterMs?: number
    }

interface HostedSettlerConfig {
  /** Base URL, https or loopback. */
  readonly url: string
  /** For the whole exchange. */
  readonly timeoutMs: number
  /** Bearer token from the facilitator, if it requires one. */
  readonly bearerToken?: string
}

const ANSWER_BYTES_MAX = 64 * 1024
const ANSWERS_WITHIN_MS = 4_000
const shape = compiledAtFirstUse(SettleResponse)

/** Throws for a URL that is neither https nor loopback, because the authorization in the body is a bearer instrument. */
export function openHostedSettler(config: HostedSettlerConfig): HostedSettler {
  if (!isTrustedTransport(config.url)) throw new TypeError("the facilitator URL is neither https nor loopback")
  const base = config.url.replace(/\/+$/, "")
  const endpoint = `${base}/settle`
  const authorized = config.bearerToken ? { authorization: `Bearer ${config.bearerToken}` } : {}
  const headers = { "content-type": "application/json", ...authorized }
  return {
    settle: async (authorization, terms) => {
      const body = JSON.stringify({ x402Version: 2, ...wirePayment(authorization, terms) })
      const signal = AbortSignal.timeout(config.timeoutMs)
      let text: string | null
      try {
        const request = { method: "POST", body, headers, redirect: "error", signal, tls: VERIFIED_TLS } as const
        const response = await fetch(endpoint, request)
        if (BUSY.has(response.status)) {
          await response.body?.cancel()
          return { kind: "no_answer", reason: "busy", ...retryAfter(response.headers.get("retry-after")) }
        }
        text = await boundedText(response, ANSWER_BYTES_MAX)
      } catch {
        // The request may have arrived despite the error. The reasons only differ in how they describe the facilitator.
        return { kind: "no_answer", reason: "unreachable" }
      }
      return text === null ? { kind: "no_answer", reason: "too_large" } : readHint(text)
    },
    answers: async () => {
      const signal = AbortSignal.timeout(ANSWERS_WITHIN_MS)
      try {
        const { body } = await fetch(`${base}/supported`, { headers: authorized, redirect: "manual", signal })
        await body?.cancel()
        return { isThere: true }
      } catch (error) {
        return { isThere: false, code: networkCode(error) }
      }
    },
  }
}

/** 429 and 503: the body then says nothing about this payment. */
const BUSY: ReadonlySet<number> = new Set([429, 503])

/** Reads only seconds, as facilitators send them. A date would depend on the facilitator's clock. */
function retryAfter(header: string | null): { retryAfterMs?: number } {
  return header !== null && /^\d{1,6}$/.test(header) ? { retryAfterMs: Number(header) * SECOND } : {}
}

function readHint(text: string): SettlementHint {
  let answer: unknown
  try {
    answer = JSON.parse(text)
  } catch {
    return { kind: "no_answer", reason: "unreadable" }
  }
  if (!shape().Check(answer)) return { kind: "no_answer", reason: "unreadable" }
  const txHash = /^0x[0-9a-fA-F]{64}$/.test(answer.transaction) ? (answer.transaction.toLowerCase() as Hex) : null
  if (answer.success) return { kind: "claims_settled", txHash }
  const reason = answer.errorReason ?? ""
  return { kind: "claims_failed", txHash, reason: /^[a-z0-9_]{1,96}$/.test(reason) ? reason : "other" }
}
