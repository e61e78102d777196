/** The party of a judgement that names it by flags, or by a stored result of `screen`. */
import { CommandError, EXIT } from "../../base/exit.ts"
import { type FoundHit, hitsOnEntry, IDENTIFIER_REFUSED } from "../../judgements/judged-hits.ts"
import type { Party } from "../../sources/records/party.ts"
import type { NameIndex } from "../../sources/screening/name-index.ts"
import { TIERS } from "../../sources/screening/parameters.ts"
import { nameProblemsOf } from "../../sources/screening/query-forms.ts"
import { TOLERANCE_THRESHOLD } from "../../sources/screening/screen.ts"
import { type ScreenedParty, screenedPartyDigest } from "../../sources/screening/suppress.ts"
import type { Input } from "../command.ts"
import { readDocumentJson } from "../documents/read-document.ts"
import { identifierOf, isBirthDate, PARTY_FLAGS, readParty } from "../screening/screened-party.ts"
import { needList } from "../sources/source-argument.ts"

interface NamedJudgement {
  readonly party: ScreenedParty
  readonly entry: Pick<Party, "sourceId" | "entryId">
}

/** Exits with 2, 3 or 4 for a party that nobody can judge. Reads no list. */
export async function readNamed(input: Input): Promise<NamedJudgement> {
  const party = await partyOf(input)
  const entry = entryOf(input)
  if (screenedPartyDigest(party) === null) {
    const why = nameProblemsOf(party).join(", ") || "empty"
    throw new CommandError(EXIT.INVALID, `the name cannot be read completely (${why}), so it cannot be judged`)
  }
  return { party, entry }
}

/** Exits with 5 if there is no hit: a suppression of an entry that no list has would hide a later listing. */
export function namedHits(index: NameIndex, { party, entry }: NamedJudgement): readonly FoundHit[] {
  const found = [...hitsOnEntry(index, { ...party, threshold: TIERS.nearMissMin }, entry).values()]
  if (found.length === 0) {
    const { sourceId, entryId } = entry
    throw new CommandError(EXIT.NOT_FOUND, `this party does not hit ${sourceId} ${entryId}; see bizauth screen`)
  }
  if (found.some(({ hit }) => hit.basis === "IDENTIFIER")) throw new CommandError(EXIT.INVALID, IDENTIFIER_REFUSED)
  // A near miss can be judged too. Its neighbours are compared with its own mark, because at the usual one nothing would be a hit.
  return found.map((one) => {
    const threshold = one.hit.score < TOLERANCE_THRESHOLD.MEDIUM ? TIERS.nearMissMin : TOLERANCE_THRESHOLD.MEDIUM
    return { ...one, query: { ...one.query, threshold } }
  })
}

async function partyOf(input: Input): Promise<ScreenedParty> {
  const path = input.text("screened")
  const name = input.text("name")
  if ((path === undefined) === (name === undefined)) throw usage("give one of --answer, --name and --screened")
  if (name !== undefined) return readParty(name, input)
  const own = Object.keys(PARTY_FLAGS).find((flag) => input.texts(flag).length > 0)
  if (own !== undefined) throw usage(`--${own} goes with --name; the screened file has its own`)
  const party = queryOf(await readDocumentJson(path ?? ""))
  if (!party) throw new CommandError(EXIT.NOT_CHECKED, `${path} is not what bizauth screen NAME --json prints`)
  return party
}

/** Returns null unless the value is the result for one name. */
function queryOf(answer: unknown): ScreenedParty | null {
  const member = (value: unknown, name: string): unknown =>
    typeof value === "object" && value !== null && Object.hasOwn(value, name)
      ? (value as Record<string, unknown>)[name]
      : undefined
  const query = member(answer, "query")
  const members = ["name", "type", "identifiers", "countries", "birth_dates"]
  const [name, type, identifiers, countries, birthDates] = members.map((one) => member(query, one))
  if (typeof name !== "string" || !Array.isArray(identifiers) || !Array.isArray(countries)) return null
  if (type !== null && type !== "person" && type !== "org") return null
  if (!countries.every((country) => typeof country === "string")) return null
  const read = identifiers.map((one) => ({ scheme: member(one, "scheme"), value: member(one, "value") }))
  const isText = (one: (typeof read)[number]): one is { scheme: string; value: string } =>
    typeof one.scheme === "string" && typeof one.value === "string"
  if (!read.every(isText)) return null
  const party: ScreenedParty = {
    ...{ name, type, countries },
    identifiers: read.map((one) => identifierOf(one.scheme, one.value)),
  }
  if (birthDates === undefined) return party
  const areDates =
    Array.isArray(birthDates) && birthDates.every((date) => typeof date === "string" && isBirthDate(date))
  return areDates ? { ...party, birthDates } : null
}

function entryOf(input: Input): NamedJudgement["entry"] {
  const [, source = "", entryId = ""] = /^([A-Z_]+):(.+)$/i.exec(input.need("entry")) ?? []
  if (entryId === "") throw usage("--entry is SOURCE:ID, such as US_OFAC_SDN:90001")
  return { sourceId: needList(source).id, entryId }
}

function usage(message: string): CommandError {
  return new CommandError(EXIT.USAGE, message)
}
