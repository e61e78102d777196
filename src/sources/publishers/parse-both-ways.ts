import type { ListParser, Parsed, SourceFile } from "../records/adapter.ts"
import type { ListRow } from "../records/list-rows.ts"
import type { Party } from "../records/party.ts"
import { asWritten, type ReadText, withoutUnseen } from "../records/unseen-characters.ts"

type Parse = (files: readonly SourceFile[], readText: ReadText) => Parsed

/**
 * Parses a list without its unseen characters. If it has any, parses it once more with a space for each, and adds the names and identifiers
 * that only this reading has: an unseen character may hide a space.
 */
export function parseBothWays(parse: Parse): ListParser["parse"] {
  return (files) => {
    let hasUnseen = false
    const parsed = parse(files, (text) => {
      const seen = withoutUnseen(text, "")
      if (seen !== text) hasUnseen = true
      return seen
    })
    if (!hasUnseen || parsed.parties.length === 0) return parsed
    const spaced = new Map(
      parse(files, (text) => withoutUnseen(text, " ")).parties.map((party) => [party.entryId, party]),
    )
    return { ...parsed, parties: parsed.parties.map((party) => withReading(party, spaced.get(party.entryId))) }
  }
}

/** The earlier parser, if there is one. It keeps unseen characters, and {@link Parsed} replaces those in names by spaces. */
export function earlierParsers({ earlierVersion }: ListRow, parse: Parse): readonly ListParser[] {
  if (earlierVersion === null) return []
  return [{ parserVersion: earlierVersion, parse: (files) => parse(files, asWritten) }]
}

function withReading(party: Party, other: Party | undefined): Party {
  if (!other) return party
  const names = new Set(party.names.map(({ text }) => plain(text)))
  const identifiers = new Set(party.identifiers.map(({ scheme, value }) => `${scheme} ${joined(value)}`))
  const more = {
    names: other.names.filter(({ text }) => !names.has(plain(text))),
    identifiers: other.identifiers.filter(({ scheme, value }) => !identifiers.has(`${scheme} ${joined(value)}`)),
  }
  if (more.names.length + more.identifiers.length === 0) return party
  return {
    ...party,
    names: [...party.names, ...more.names],
    identifiers: [...party.identifiers, ...more.identifiers],
  }
}

const plain = (text: string): string => text.replace(/\s+/g, " ").trim()
const joined = (value: string): string => value.replace(/\s+/g, "")
