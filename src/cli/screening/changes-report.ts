/** What the lists added, changed and removed, as text and as JSON. */
import { formatInstant } from "../../core/time.ts"
import type { Party } from "../../sources/records/party.ts"
import type { ChangedEntry } from "../../sources/screening/list-changes.ts"
import { digits } from "../progress-text.ts"
import { listedText, printable } from "./hit-text.ts"
import type { ListBetween, ListsBetween } from "./lists-between.ts"

/** Lines of one kind of change of one list; `--json` has all. */
const LINES_MAX = 100

export function changesText({ since, at, lists }: ListsBetween): string {
  return [`changes from ${formatInstant(since)} to ${formatInstant(at)}\n`, ...lists.map(listText)].join("")
}

function listText({ sourceId, before, after, changes, fault }: ListBetween): string {
  const used = (row: ListBetween["before"]) => (row ? `${row.snapshotId} of ${row.importedAt}` : "nothing")
  if (changes === null) return `\n${sourceId}  NOT COMPARED: ${fault}\n`
  const { added, changed, removed } = changes
  const head = `${digits(added.length)} added, ${digits(changed.length)} changed, ${digits(removed.length)} removed`
  const lines = [
    ...limited(added.map((party) => `  added    ${partyText(party)}`)),
    ...limited(changed.map((entry) => `  changed  ${partyText(entry.after)}: ${changeText(entry)}`)),
    ...limited(removed.map((party) => `  removed  ${partyText(party)}`)),
  ]
  return `${[`\n${sourceId}  ${head}`, `  from ${used(before)} to ${used(after)}`, ...lines].map(printableLine).join("\n")}\n`
}

const printableLine = (line: string): string =>
  line.startsWith("\n") ? `\n${printable(line.slice(1))}` : printable(line)

function limited(lines: readonly string[]): readonly string[] {
  if (lines.length <= LINES_MAX) return lines
  return [...lines.slice(0, LINES_MAX), `  ${digits(lines.length - LINES_MAX)} more of these; --json lists all`]
}

function partyText({ entryId, names, type, list, measure, programs }: Party): string {
  return `${entryId}  ${names[0]?.text ?? ""}  (${type}, list ${list}, measure ${measure}, programs ${listedText(programs)})`
}

function changeText({ before, after, members }: ChangedEntry): string {
  const [was, is] = [namesOf(before), namesOf(after)]
  const names = [
    ...[...is].filter((name) => !was.has(name)).map((name) => `+${name}`),
    ...[...was].filter((name) => !is.has(name)).map((name) => `-${name}`),
  ]
  return `${members.join(", ")}${names.length > 0 ? ` (${names.join(", ")})` : ""}`
}

const namesOf = ({ names }: Party) => new Set(names.map(({ text }) => text))

export function changesJson({ since, at, lists }: ListsBetween) {
  return {
    version: 1,
    since: formatInstant(since),
    at: formatInstant(at),
    complete: lists.every(({ fault }) => fault === null),
    lists: lists.map(({ sourceId, before, after, changes, fault }) => ({
      source_id: sourceId,
      before: snapshotJson(before),
      after: snapshotJson(after),
      not_compared: fault,
      added: (changes?.added ?? []).map(partyJson),
      changed: (changes?.changed ?? []).map((entry) => ({
        members: entry.members,
        before: partyJson(entry.before),
        after: partyJson(entry.after),
      })),
      removed: (changes?.removed ?? []).map(partyJson),
    })),
  }
}

function snapshotJson(row: ListBetween["before"]) {
  return (
    row && {
      snapshot_id: row.snapshotId,
      source_version: row.sourceVersion,
      raw_sha256: row.rawSha256,
      imported_at: row.importedAt,
    }
  )
}

function partyJson(party: Party) {
  return {
    entry_id: party.entryId,
    type: party.type,
    list: party.list,
    measure: party.measure,
    programs: party.programs,
    names: party.names.map(({ text, kind }) => ({ text, kind })),
    identifiers: party.identifiers,
    birth_dates: party.birthDates,
    countries: party.countries,
    addresses: party.addresses,
    valid_from: party.validFrom ?? null,
    valid_to: party.validTo ?? null,
  }
}
