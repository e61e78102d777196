/** The relayer's address that the service uses now. Nonces of an earlier key are in the ledger too, and nothing new waits for them. */
import { metaValue, putMeta } from "../meta.ts"
import type { Unit } from "../unit.ts"
import { type OpenNonce, openNonces, relayersInLedger } from "./relayer-ledger.ts"

/** Null before the first record; empty when a facilitator settles. */
export function* currentRelayer(): Unit<string | null> {
  return yield* metaValue("relayer")
}

/** Records the address and returns the one before, which may be the same. */
export function* recordRelayer(address: string): Unit<string | null> {
  const before = yield* currentRelayer()
  if (before !== address) yield* putMeta("relayer", address)
  return before
}

/** What an earlier key left: its open nonces, lowest first. */
export interface FormerRelayer {
  readonly address: string
  readonly open: readonly OpenNonce[]
}

/** Those with open nonces. None while no address is recorded. */
export function* formerRelayers(): Unit<FormerRelayer[]> {
  const current = yield* currentRelayer()
  const former: FormerRelayer[] = []
  for (const address of current === null ? [] : yield* relayersInLedger()) {
    const open = address === current ? [] : yield* openNonces(address)
    if (open.length > 0) former.push({ address, open })
  }
  return former
}
