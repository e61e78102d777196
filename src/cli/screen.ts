import { canonicalize } from "../core/canonical-json.ts"
import { createLog } from "../log.ts"
import { realMachine } from "../machine.ts"
import { screeningFact } from "../products/us/payment-decision/decision-facts.ts"
import { indexOf, loadSnapshots } from "../sources/load-snapshots.ts"
import { REQUIRED_US_SOURCES } from "../sources/party.ts"
import { type ScreenHit, type ScreenQuery, screen, TOLERANCE_THRESHOLD } from "../sources/screening/screen.ts"
import { type Command, DATA_FLAG, type Input, JSON_FLAG } from "./command.ts"
import { CommandError, EXIT } from "./exit.ts"
import { openData } from "./inputs.ts"

/** A scheme no list carries would never match, and "no match" would be read as an answer. */
const SCHEMES = [
  ...["uei", "cage", "lei", "cik", "ein", "npi", "imo"],
  ...["wallet", "registration", "tax", "passport", "national-id"],
]

export const command: Command = {
  name: "screen",
  summary: "screen one name against the active snapshots and say why",
  operands: "NAME",
  flags: {
    ...DATA_FLAG,
    type: { help: "person or org; left out, both are tried and no name alone gives MATCH", value: "TYPE" },
    id: { help: `an identifier as scheme:value; schemes: ${SCHEMES.join(", ")}`, value: "SCHEME:VALUE" },
    country: { help: "ISO 3166-1 alpha-2 code of the screened party", value: "CC" },
    tolerance: { help: "LOW (0.75), MEDIUM (0.80) or HIGH (0.85); default MEDIUM", value: "T" },
    ...JSON_FLAG,
  },
  async run(input) {
    const [name = ""] = input.operands
    const query = readQuery(name, input)
    const { store, paths } = await openData(input)
    const log = createLog("warn", input.err, realMachine.now)
    const { snapshots } = await loadSnapshots({ store, snapshotsDirectory: paths.snapshots, log })
    await store.close()
    const index = indexOf(snapshots, realMachine.now())
    const result = screen(index, query)
    const missing = REQUIRED_US_SOURCES.filter((id) => !snapshots.has(id))
    if (input.on("json")) {
      const fact = screeningFact(result, query.threshold)
      const answer = { version: 1, snapshots: index.snapshotIds, sources_missing: missing, ...fact }
      input.out(`${canonicalize(answer)}\n`)
      return EXIT.DONE
    }
    input.out(`${result.state}  best score ${result.bestScore.toFixed(4)}  ${index.size.names} names screened\n`)
    for (const id of missing) input.out(`  not screened  ${id}: no snapshot\n`)
    for (const problem of result.nameProblems) input.out(`  name  ${problem}\n`)
    for (const hit of [...result.hits, ...result.nearMisses]) input.out(line(hit))
    return EXIT.DONE
  },
}

function readQuery(name: string, input: Input): ScreenQuery {
  const type = input.text("type") ?? null
  if (type !== null && type !== "person" && type !== "org") throw usage("--type is person or org")
  const tolerance = input.text("tolerance") ?? "MEDIUM"
  if (!Object.hasOwn(TOLERANCE_THRESHOLD, tolerance)) throw usage("--tolerance is LOW, MEDIUM or HIGH")
  const country = input.text("country")
  if (country !== undefined && !/^[A-Z]{2}$/.test(country)) throw usage("--country is two capital letters")
  return {
    name,
    type,
    identifiers: readIdentifier(input.text("id")),
    countries: country === undefined ? [] : [country],
    threshold: TOLERANCE_THRESHOLD[tolerance as keyof typeof TOLERANCE_THRESHOLD],
  }
}

function readIdentifier(text: string | undefined): ScreenQuery["identifiers"] {
  if (text === undefined) return []
  const [, scheme = "", value = ""] = /^([a-z-]+):(.+)$/.exec(text) ?? []
  if (!SCHEMES.includes(scheme)) throw usage(`--id is scheme:value with one of ${SCHEMES.join(", ")}`)
  return [{ scheme, value }]
}

function usage(message: string): CommandError {
  return new CommandError(EXIT.USAGE, message)
}

/** Word by word what was compared, and with + and - what only one side has. */
function line(hit: ScreenHit): string {
  const { explanation } = hit
  const words = explanation.pairs.map(({ query, listed, similarity }) => `${query}~${listed} ${similarity.toFixed(2)}`)
  const left = [
    ...explanation.queryLeftOver.map((word) => `+${word}`),
    ...explanation.listedLeftOver.map((word) => `-${word}`),
  ]
  const party = `${hit.sourceId} ${hit.list} ${hit.entryId}  ${hit.matchedName} (${hit.nameKind})`
  return `  ${hit.tier.padEnd(9)}  ${hit.score.toFixed(4)}  ${party}  ${hit.basis}  ${[...words, ...left].join(" ")}\n`
}
