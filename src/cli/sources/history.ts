import { CommandError, EXIT } from "../../base/exit.ts"
import { canonicalize } from "../../core/canonical-json.ts"
import { instant } from "../../core/time.ts"
import type { Finding } from "../../sources/records/adapter.ts"
import { type SourceHistory, sourceHistory } from "../../store/sources/source-history.ts"
import { type Command, DATA_FLAG, type Input, JSON_FLAG } from "../command.ts"
import { openData } from "../inputs.ts"
import { needSource } from "./source-argument.ts"

const LIMIT_DEFAULT = 50
const LIMIT_MAX = 10_000

export const command: Command = {
  name: "sources history",
  summary: "imports, refusals, rollbacks, acceptances and changes of health, newest first",
  operands: "[ID]",
  flags: {
    ...DATA_FLAG,
    ...JSON_FLAG,
    limit: { help: `how many lines at most, 1 to ${LIMIT_MAX} (default ${LIMIT_DEFAULT})`, value: "N" },
  },
  examples: ["sources history US_OFAC_SDN --data ./data"],
  async run(input) {
    const [id] = input.operands
    const sourceId = id === undefined ? null : needSource(id).id
    const limit = limitOf(input)
    const { store } = await openData(input)
    const entries = merged(await store.read(() => sourceHistory(sourceId, limit))).slice(0, limit)
    await store.close()
    if (input.on("json")) input.out(`${canonicalize({ version: 1, history: entries.map(asJson) })}\n`)
    else if (entries.length === 0) input.out("nothing recorded\n")
    else for (const entry of entries) input.out(forPeople(entry))
    return EXIT.DONE
  },
}

function limitOf(input: Input): number {
  const given = input.text("limit") ?? String(LIMIT_DEFAULT)
  if (/^\d{1,5}$/.test(given) && Number(given) >= 1 && Number(given) <= LIMIT_MAX) return Number(given)
  throw new CommandError(EXIT.USAGE, `--limit must be an integer from 1 to ${LIMIT_MAX}`)
}

type Change = SourceHistory["changes"][number]
type Health = SourceHistory["health"][number]
type Accepted = SourceHistory["acceptances"][number]
type Entry =
  | (Change & { readonly toHealth?: undefined; readonly what?: undefined })
  | (Accepted & { readonly toHealth?: undefined })
  | Health

/** At equal times the order is: a change of health, the operator's acceptances, the import. */
function merged({ changes, health, acceptances }: SourceHistory): readonly Entry[] {
  return [...health, ...acceptances, ...changes].sort((a, b) => instant(b.at) - instant(a.at))
}

function asJson(entry: Entry) {
  const { at, sourceId: source_id, snapshotId: snapshot_id } = entry
  if (isAccepted(entry)) {
    const { what, reason, rawSha256: raw_sha256 } = entry
    return { at, source_id, kind: "ACCEPTED", snapshot_id, raw_sha256, what, reason }
  }
  if (entry.toHealth === undefined) {
    const { kind, rawSha256: raw_sha256 } = entry
    return { at, source_id, kind, snapshot_id, raw_sha256, findings: JSON.parse(entry.detail) as readonly Finding[] }
  }
  const reason_codes = JSON.parse(entry.reasonCodes) as readonly string[]
  return { at, source_id, kind: "HEALTH", snapshot_id, from: entry.fromHealth, to: entry.toHealth, reason_codes }
}

function isAccepted(entry: Entry): entry is Accepted & { readonly toHealth?: undefined } {
  return entry.toHealth === undefined && entry.what !== undefined
}

function forPeople(entry: Entry): string {
  const start = `${entry.at}  ${entry.sourceId.padEnd(20)}`
  if (isAccepted(entry)) return `${start}  ACCEPTED     ${entry.what}  ${entry.rawSha256}  ${entry.reason}\n`
  if (entry.toHealth !== undefined) {
    const codes = JSON.parse(entry.reasonCodes) as readonly string[]
    return `${start}  HEALTH       ${entry.fromHealth ?? "unknown"} -> ${entry.toHealth}  ${codes.join(" ")}`
      .trimEnd()
      .concat("\n")
  }
  const findings = JSON.parse(entry.detail) as readonly Finding[]
  const lines = findings.map(
    ({ severity, code, file, detail }) => `  ${severity}  ${code}  ${file ? `${file}: ` : ""}${detail}`,
  )
  return `${[`${start}  ${entry.kind.padEnd(11)}  ${entry.snapshotId ?? entry.rawSha256}`, ...lines].join("\n")}\n`
}
