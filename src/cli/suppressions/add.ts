import { CommandError, EXIT } from "../../base/exit.ts"
import { realMachine } from "../../base/machine.ts"
import { canonicalize } from "../../core/canonical-json.ts"
import { formatId, ID_RANDOM_BYTES } from "../../core/ids.ts"
import { DAY, formatInstant, parseInstant } from "../../core/time.ts"
import { TIERS } from "../../sources/screening/parameters.ts"
import { nameProblemsOf } from "../../sources/screening/query-forms.ts"
import { type ScreenHit, screen } from "../../sources/screening/screen.ts"
import { entryHash, type ScreenedParty, screenedPartyDigest } from "../../sources/screening/suppress.ts"
import type { Store, Unit } from "../../store/engine/unit.ts"
import {
  type Addition,
  addSuppression,
  SUPPRESSIONS_MAX,
  type SuppressionRow,
} from "../../store/sources/suppressions.ts"
import { textOf } from "../buyers/buyer-verification.ts"
import { type Command, type Input, JSON_FLAG } from "../command.ts"
import { readDocumentJson } from "../documents/read-document.ts"
import { CONFIG_FLAGS, openData } from "../inputs.ts"
import { identifierOf, isBirthDate, PARTY_FLAGS, readParty } from "../screening/screened-party.ts"
import { openLists, type ScreeningLists } from "../screening/screening-lists.ts"
import { needList } from "../sources/source-argument.ts"
import { liftedAsJson, liftedText, printable } from "./lifted-questions.ts"

/** CHOICE: a suppression expires after a year at most, because a party changes and so does the person who would judge it. */
const SUPPRESSION_DAYS_MAX = 366
const AUTHOR_MAX = 160
const REASON_MAX = 1000
const required = true

export const command: Command = {
  name: "suppressions add",
  summary: "record that a screened party is not a listed entry, until a day or until the entry changes",
  operands: "",
  flags: {
    ...CONFIG_FLAGS,
    name: { help: "the screened name, as decisions and files will have it", value: "NAME" },
    ...PARTY_FLAGS,
    screened: { help: "output of bizauth screen --json, instead of name, type, id and country", value: "FILE" },
    entry: { help: "the listed entry it is not", value: "SOURCE:ID", required },
    reason: { help: "how you know, for the record", value: "TEXT", required },
    author: { help: "who judged", value: "TEXT", required },
    until: {
      help: `when it ends, RFC 3339 or YYYY-MM-DD, at most ${SUPPRESSION_DAYS_MAX} days away`,
      value: "T",
      required,
    },
    ...JSON_FLAG,
  },
  examples: [
    `suppressions add --data ./data --name "Vostok Meridian LLC" --type org --entry US_OFAC_SDN:90001 --reason "another owner, register extract" --author "R. Reviewer" --until "$(date -u -d '+90 days' +%F)"`,
  ],
  async run(input) {
    const now = realMachine.now()
    const party = await partyOf(input)
    const { sourceId, entryId } = entryOf(input)
    const [author, reason] = [textOf(input, "author", AUTHOR_MAX), textOf(input, "reason", REASON_MAX)]
    const expiresAt = endOf(input, now)
    const partyDigest = screenedPartyDigest(party)
    if (partyDigest === null) {
      const why = nameProblemsOf(party).join(", ") || "empty"
      throw new CommandError(EXIT.INVALID, `the name cannot be read completely (${why}), so it cannot be judged`)
    }
    const found = hitsOf(await openLists(input), party, sourceId, entryId)
    const row = (hash: string): SuppressionRow => ({
      suppressionId: formatId("sup", realMachine.random(ID_RANDOM_BYTES)),
      partyDigest,
      party: canonicalize(party),
      ...{ sourceId, entryId, entryHash: hash, author, reason },
      createdAt: formatInstant(now),
      expiresAt: formatInstant(expiresAt),
    })
    const { store } = await openData(input)
    const added = await keep(store, [...found.keys()].map(row)).finally(() => store.close())
    const json = () => `${canonicalize({ version: 1, suppressions: added.map((one) => asJson(one)) })}\n`
    input.out(input.on("json") ? json() : added.map((one) => forPeople(one, found.get(one.entryHash))).join(""))
    return EXIT.DONE
  },
}

/** Stores all in one unit; existing suppressions stay unchanged. */
async function keep(store: Store, judgements: readonly SuppressionRow[]): Promise<readonly SuppressionRow[]> {
  const answers = await store.run(function* (): Unit<readonly Addition[]> {
    const given: Addition[] = []
    for (const row of judgements) given.push(yield* addSuppression(row))
    return given
  })
  if (answers.some(({ outcome }) => outcome === "TOO_MANY")) {
    throw new CommandError(EXIT.INVALID, `${SUPPRESSIONS_MAX} are in force, which is the maximum; revoke some first`)
  }
  const [existing] = answers.flatMap((answer) => (answer.outcome === "STANDS_ALREADY" ? [answer.suppressionId] : []))
  const added = judgements.filter((_, at) => answers[at]?.outcome === "ADDED")
  if (added.length > 0) return added
  throw new CommandError(
    EXIT.INVALID,
    `${existing} already says so; revoke it to record another judgement, or confirm it if a restore paused it`,
  )
}

async function partyOf(input: Input): Promise<ScreenedParty> {
  const path = input.text("screened")
  const name = input.text("name")
  if ((path === undefined) === (name === undefined)) throw usage("give either --name or --screened")
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

function entryOf(input: Input): { readonly sourceId: string; readonly entryId: string } {
  const [, source = "", entryId = ""] = /^([A-Z_]+):(.+)$/i.exec(input.need("entry")) ?? []
  if (entryId === "") throw usage("--entry is SOURCE:ID, such as US_OFAC_SDN:90001")
  return { sourceId: needList(source).id, entryId }
}

/** A day without a time means its start, in UTC. */
function endOf(input: Input, now: number): number {
  const text = input.need("until")
  const at = parseInstant(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text)
  if (at === null) throw usage("--until is an RFC 3339 date-time or YYYY-MM-DD")
  if (at <= now) throw usage("--until is in the past")
  if (at > now + SUPPRESSION_DAYS_MAX * DAY) throw usage(`--until is more than ${SUPPRESSION_DAYS_MAX} days away`)
  return at
}

/**
 * Returns the hits of this party on that entry, by the entry's hash. A renamed entry and its former names, which are still screened, are
 * two entries. Exits with 5 if there is no hit: a suppression of an entry that no list has would hide a later listing.
 */
function hitsOf(
  lists: ScreeningLists,
  party: ScreenedParty,
  sourceId: string,
  entryId: string,
): Map<string, ScreenHit> {
  const found = new Map<string, ScreenHit>()
  screen(lists.index, { ...party, threshold: TIERS.nearMissMin }, (listed, hit) => {
    if (listed.sourceId === sourceId && listed.entryId === entryId) found.set(entryHash(listed), hit)
    return null
  })
  if (found.size === 0) {
    throw new CommandError(EXIT.NOT_FOUND, `this party does not hit ${sourceId} ${entryId}; see bizauth screen`)
  }
  if ([...found.values()].some(({ basis }) => basis === "IDENTIFIER")) {
    throw new CommandError(
      EXIT.INVALID,
      "this party carries an identifier of that entry: such a hit cannot be suppressed",
    )
  }
  return found
}

function forPeople(row: SuppressionRow, hit: ScreenHit | undefined): string {
  const lines = [
    `added  ${row.suppressionId}  ${row.sourceId} ${row.entryId}  until ${row.expiresAt}`,
    ...liftedText(JSON.parse(row.party) as ScreenedParty, row.sourceId),
    ...(hit?.tier === "BLOCK" ? ["the list would block, so a HOLD remains"] : []),
  ]
  return `${lines.map(printable).join("\n")}\n`
}

function asJson({
  suppressionId,
  sourceId,
  entryId,
  entryHash: hash,
  party,
  partyDigest,
  createdAt,
  expiresAt,
}: SuppressionRow) {
  return {
    lifted: liftedAsJson(JSON.parse(party) as ScreenedParty, sourceId),
    suppression_id: suppressionId,
    party_digest: partyDigest,
    source_id: sourceId,
    entry_id: entryId,
    entry_hash: hash,
    created_at: createdAt,
    expires_at: expiresAt,
  }
}

function usage(message: string): CommandError {
  return new CommandError(EXIT.USAGE, message)
}
