/** How much of each cap that all callers share is used now, for the metrics and for `check`. */
import { countStops, STOPS_PROVED_MAX, STOPS_UNPROVED_MAX } from "../contact/contact-stops.ts"
import type { Unit } from "../engine/unit.ts"
import { countWaitingMail, MAIL_WAITING_MAX } from "../mail/mail-in.ts"
import { readWalletTotal, WALLET_TOTAL_MAX } from "../wallet/wallet-total.ts"
import { useOfAll } from "./admit.ts"
import { SHARED_CAP_NAMES, SHARED_CAPS, type SharedCap, type SharedCapName } from "./shared-caps.ts"

/** Rooms that all callers fill together. What ends makes room again. */
const HOLDINGS = {
  CONTACT_STOPS_PROVED: { max: STOPS_PROVED_MAX, used: () => countStops("PROVED") },
  CONTACT_STOPS_UNPROVED: { max: STOPS_UNPROVED_MAX, used: () => countStops("UNPROVED") },
  MAILS_WAITING: { max: MAIL_WAITING_MAX, used: countWaitingMail },
  ALL_WALLETS_ENTRIES: { max: WALLET_TOTAL_MAX.entries, used: ofWallets("entries") },
  ALL_WALLETS_DOCUMENT_BYTES: { max: WALLET_TOTAL_MAX.documentBytes, used: ofWallets("documentBytes") },
  ALL_WALLETS_ANSWERS: { max: WALLET_TOTAL_MAX.answers, used: ofWallets("answers") },
} as const satisfies Record<string, { readonly max: number; readonly used: () => Unit<number> }>

function ofWallets(member: keyof typeof WALLET_TOTAL_MAX): () => Unit<number> {
  return function* () {
    return (yield* readWalletTotal())[member]
  }
}

type HoldingName = keyof typeof HOLDINGS

/** Caps that are counted for all callers together. Those of one mail domain each are not. */
const COUNTED = SHARED_CAP_NAMES.filter((name) => !("scoped" in SHARED_CAPS[name]))
/** The caps and rooms whose use is shown. */
export const SHOWN_CAPS: readonly (SharedCapName | HoldingName)[] = [
  ...COUNTED,
  ...(Object.keys(HOLDINGS) as HoldingName[]),
]

export interface CapUse {
  readonly cap: SharedCapName | HoldingName
  readonly used: number
  readonly max: number
  /** When the window ends, in milliseconds; null for a room. */
  readonly endsAt: number | null
}

/** One read of a few rows by primary key. `at` in milliseconds. */
export function* sharedUse(at: number): Unit<CapUse[]> {
  const found: CapUse[] = []
  for (const cap of COUNTED) {
    const { max, window }: SharedCap = SHARED_CAPS[cap]
    found.push({ cap, used: yield* useOfAll(cap, SHARED_CAPS[cap], at), max, endsAt: at - (at % window) + window })
  }
  for (const cap of Object.keys(HOLDINGS) as HoldingName[]) {
    found.push({ cap, used: yield* HOLDINGS[cap].used(), max: HOLDINGS[cap].max, endsAt: null })
  }
  return found
}
