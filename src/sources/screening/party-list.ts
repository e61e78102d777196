/** The listed parties by number, as an index reads them. */
import { Cache } from "../../core/cache.ts"
import type { Party } from "../records/party.ts"
import { type PackedTexts, packTexts, textAt } from "./packed-texts.ts"

export type PartyAt = (party: number) => Party

/** Maximum decoded parties in memory: far more than one query needs. */
const DECODED_MAX = 4096

export function packParties(parties: readonly Party[]): PackedTexts {
  return packTexts(parties.map((party) => JSON.stringify(party)))
}

/** Stores parties as bytes, one block for each list. Only parties of a hit become objects. */
export function packedPartyAt(lists: readonly PackedTexts[]): PartyAt {
  const decoded = new Cache<number, Party>({ max: DECODED_MAX })
  return (party) => {
    const known = decoded.get(party)
    if (known) return known
    const read = JSON.parse(packedText(lists, party)) as Party
    decoded.set(party, read)
    return read
  }
}

function packedText(lists: readonly PackedTexts[], party: number): string {
  let before = 0
  for (const list of lists) {
    const count = list.starts.length - 1
    if (party < before + count) return textAt(list, party - before)
    before += count
  }
  throw new RangeError(`there is no party ${party}`)
}
