/** The details change neither the parties, which evidence and indexes are made of, nor the hashes of entries, which judgements name. */
import { expect, test } from "bun:test"
import { digestBytes } from "../../../src/core/digest.ts"
import { ADAPTERS } from "../../../src/sources/list-registry.ts"
import type { SourceId } from "../../../src/sources/records/party.ts"
import { entryHash } from "../../../src/sources/screening/suppress.ts"
import { sampleLists, sampleSdnXml } from "../../fixtures/sample-lists.ts"

const publishedAt = Date.UTC(2026, 10, 20, 12)
const LISTS = sampleLists({ publishedAt })

/** First 16 hex digits of the digests that the release before the details gave: of all parties, and of their entry hashes. */
const BEFORE: readonly (readonly [name: string, id: SourceId, parties: string, hashes: string])[] = [
  ["US_OFAC_SDN", "US_OFAC_SDN", "3d93031c09ed152c", "ffeefc8840e9e718"],
  ["US_OFAC_CONSOLIDATED", "US_OFAC_CONSOLIDATED", "13748b24071fea2f", "c3551369aea8bdc6"],
  ["US_TRADE_CSL", "US_TRADE_CSL", "fb3f720dadde4a2c", "aba2cfc6744012dc"],
  ["US_SAM_EXCLUSIONS", "US_SAM_EXCLUSIONS", "2a7559f654bbfaa9", "1829a5629ff558cb"],
  ["UK_SANCTIONS_LIST", "UK_SANCTIONS_LIST", "f986abba3d3eeb72", "9baf20ce8fd2b1be"],
  ["the XML of the SDN list", "US_OFAC_SDN", "9e839f09d708ba40", "edd395b17c0c3863"],
]

test.each(BEFORE)("%s", (name, id, parties, hashes) => {
  const given = name === id ? LISTS[id] : [sampleSdnXml({ publishedAt })]
  const files = given.map((file) => ({ modifiedAt: publishedAt, ...file }))
  const short = (text: string) => digestBytes(text).slice("sha256:".length, "sha256:".length + 16)
  const alone = ADAPTERS[id].parse(files)
  const withDetails = ADAPTERS[id].parse(files, () => {})
  expect(withDetails).toEqual(alone)
  expect([short(JSON.stringify(alone.parties)), short(alone.parties.map(entryHash).join())]).toEqual([parties, hashes])
})
