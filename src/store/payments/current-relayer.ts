/** How the service is paid now. Nonces of an earlier relayer key are in the ledger too, and nothing new waits for them. */

import type { Unit } from "../engine/unit.ts"
import { metaValue, putMeta } from "../meta.ts"
import { type OpenNonce, openNonces, relayersInLedger } from "./relayer-ledger.ts"

interface Settlement {
  /** Empty when a facilitator settles. */
  readonly relayer: string
  readonly payTo: string
}

/** Null before the first record. */
export function* currentSettlement(): Unit<Settlement | null> {
  const value = yield* metaValue("settlement")
  return value === null ? null : (JSON.parse(value) as Settlement)
}

/** Records it and returns the one before, which may be the same. */
export function* recordSettlement(settlement: Settlement): Unit<Settlement | null> {
  const before = yield* currentSettlement()
  const isSame = before?.relayer === settlement.relayer && before.payTo === settlement.payTo
  if (!isSame) yield* putMeta("settlement", JSON.stringify(settlement))
  return before
}

/** What an earlier key left: its open nonces, lowest first. */
export interface FormerRelayer {
  readonly address: string
  readonly open: readonly OpenNonce[]
}

/** Those with open nonces. None before a settlement is recorded. */
export function* formerRelayers(): Unit<FormerRelayer[]> {
  const current = yield* currentSettlement()
  const former: FormerRelayer[] = []
  for (const address of current === null ? [] : yield* relayersInLedger()) {
    const open = address === current?.relayer ? [] : yield* openNonces(address)
    if (open.length > 0) former.push({ address, open })
  }
  return former
}
