import type { EmitDetails, ListParser, Parsed, SourceAdapter, SourceFile } from "../records/adapter.ts"
import type { ListRow } from "../records/list-rows.ts"
import type { Party } from "../records/party.ts"
import { asWritten, type ReadText, withoutUnseen } from "../records/unseen-characters.ts"

/** `emit` is null if only the parties are wanted. */
type Parse = (files: readonly SourceFile[], readText: ReadText, emit: EmitDetails | null) => Parsed

/**
 * Parses a list without its unseen characters. If it has any, parses it once more with a space for each, and adds the names and identifiers
 * that only this reading has: an unseen character may hide a space.
 */
export function parseBothWays(parse: Parse): SourceAdapter["parse"] {
  return (files, emit) => {
    let hasUnseen = false
    const readText: ReadText = (text) => {
      const seen = withoutUnseen(text, "")
      if (seen !== text) hasUnseen = true
      return seen
    }
    const parsed = parse(files, readText, emit ?? null)
    if (!hasUnseen || parsed.parties.length === 0) return parsed
    const spaced = new Map(
      parse(files, (text) => withoutUnseen(text, " "), null).parties.map((party) => [party.entryId, party]),
    )
    return { ...parsed, parties: parsed.parties.map((party) => withReading(party, spaced.get(party.entryId))) }
  }
}

/** The earlier parser, if there is one. It keeps unseen characters, and {@link Parsed} replaces those in names by spaces. */
export function earlierParsers({ earlierVersion }: ListRow, parse: Parse): readonly ListParser[] {
  if (earlierVersion === null) return []
  return [{ parserVersion: earlierVersion, parse: (files) => parse(files, asWritten, null) }]
}

/** The ids of the entries are those of their parties, so the files are read as {@link parseBothWays} reads them. */
export function readDetails(parse: Parse): SourceAdapter["details"] {
  return (files, emit) => void parse(files, (text) => withoutUnseen(text, ""), emit)
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
