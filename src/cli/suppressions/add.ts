import { CommandError, EXIT } from "../../base/exit.ts"
import { realMachine } from "../../base/machine.ts"
import { BLOCK_REMAINS_A_HOLD } from "../../case/hits.ts"
import { canonicalize } from "../../core/canonical-json.ts"
import type { ReviewPolicy } from "../../core/review/register.ts"
import { type FoundHit, judgedHits } from "../../judgements/judged-hits.ts"
import { type Judged, type Reached, reachOf, rowsOf } from "../../judgements/judged-rows.ts"
import { liftedAsJson, liftedQuestions, liftedText } from "../../judgements/lifted-questions.ts"
import { boardOf } from "../../products/screened-parties.ts"
import type { ScreenedParty } from "../../sources/screening/suppress.ts"
import type { Store, Unit } from "../../store/engine/unit.ts"
import { reviewPolicy } from "../../store/review/review-register.ts"
import { type Addition, addSuppressions, SUPPRESSIONS_MAX } from "../../store/sources/suppressions.ts"
import { type Command, type Input, JSON_FLAG } from "../command.ts"
import { readGivenAnswer } from "../documents/given-answer.ts"
import { CONFIG_FLAGS, openData } from "../inputs.ts"
import { printable } from "../screening/hit-text.ts"
import { PARTY_FLAGS } from "../screening/screened-party.ts"
import { openLists, type ScreeningLists } from "../screening/screening-lists.ts"
import { namedHits, readNamed } from "./judged-party.ts"
import { RECORD_FLAGS, readRecord } from "./judgement-record.ts"
import { neighboursAsJson, neighboursText } from "./neighbours-text.ts"

export const command: Command = {
  name: "suppressions add",
  summary: "record that a screened party is not a listed entry, until a day or until the entry changes",
  operands: "",
  flags: {
    ...CONFIG_FLAGS,
    answer: {
      help: "a held answer: its id, or the bundle that bizauth export wrote; the party is then its own",
      value: "ID|BUNDLE",
    },
    hit: {
      help: "with --answer: numbers of the hits that are other parties, as its page numbers them; one judgement for each",
      value: "1,3",
      repeats: true,
    },
    name: { help: "without --answer: the screened name, as decisions and files will have it", value: "NAME" },
    ...PARTY_FLAGS,
    screened: { help: "output of bizauth screen --json, instead of name, type, id and country", value: "FILE" },
    entry: { help: "the listed entry it is not", value: "SOURCE:ID", required: "without --answer" },
    ...RECORD_FLAGS,
    ...JSON_FLAG,
  },
  examples: [
    `suppressions add --data ./data --name "Vostok Meridian LLC" --type org --entry US_OFAC_SDN:90001 --because "another owner, register extract" --author "R. Reviewer" --until "$(date -u -d '+90 days' +%F)"`,
  ],
  async run(input) {
    const now = realMachine.now()
    const record = readRecord(input, now)
    const { lists, hits } = await readJudged(input, now)
    try {
      const judged = rowsOf(lists, hits, record, { now, random: realMachine.random })
      const reached = reachOf(lists, judged)
      if (!input.on("json")) for (const one of reached) input.out(reachText(lists, one))
      const { store } = await openData(input)
      const given = await keep(store, judged).finally(() => store.close())
      if (input.on("json")) {
        const added = reached.filter((_, at) => given[at]?.outcome === "ADDED")
        const suppressions = added.map((one) => asJson(lists, one))
        const not_added = judged.flatMap((one, at) => notAddedAsJson(one, given[at]!))
        input.out(`${canonicalize({ version: 1, suppressions, not_added })}\n`)
      } else input.out(judged.map((one, at) => resultText(one, given[at]!)).join(""))
      return EXIT.DONE
    } finally {
      await lists.entries?.stop()
    }
  },
}

/** The hits that the person judged, on the lists in use. */
async function readJudged(
  input: Input,
  now: number,
): Promise<{ readonly lists: ScreeningLists; readonly hits: readonly FoundHit[] }> {
  const answer = input.text("answer")
  if (answer === undefined) {
    if (input.texts("hit").length > 0) throw usage("--hit goes with --answer")
    const named = await readNamed(input)
    const lists = await openLists(input, { withEntries: true })
    return { lists, hits: namedHits(lists.index, named) }
  }
  const own = ["name", "screened", "entry", ...Object.keys(PARTY_FLAGS)].find((flag) => input.texts(flag).length > 0)
  if (own !== undefined) throw usage(`--${own} does not go with --answer: the answer states party and entry`)
  const opened = await openData(input)
  const given = await readGivenAnswer(opened, answer, now).finally(() => opened.store.close())
  const lists = await openLists(input, { withEntries: true, board: boardOf(given.product) })
  return { lists, hits: judgedHits({ lists, root: opened.paths.snapshots }, given, input.list("hit")) }
}

/** Stores all in one unit, or nothing. Those that exist already stay unchanged. Exits with 3 if that are all of them. */
async function keep(store: Store, judged: readonly Judged[]): Promise<readonly Addition[]> {
  const given = await store.run(function* (): Unit<readonly Addition[] | "TOO_MANY" | ReviewPolicy> {
    const policy = yield* reviewPolicy()
    return policy.persons > 1 ? policy : yield* addSuppressions(judged.map(({ row }) => row))
  })
  if (typeof given === "object" && "persons" in given) {
    throw new CommandError(
      EXIT.INVALID,
      `${given.persons} persons must judge, so this command judges nothing: a reviewer proposes the judgement, and others approve it`,
    )
  }
  if (given === "TOO_MANY") {
    throw new CommandError(EXIT.INVALID, `${SUPPRESSIONS_MAX} are in force, which is the maximum; revoke some first`)
  }
  const known = given.flatMap((one) => (one.outcome === "ADDED" ? [] : [one]))
  const first = known.find(({ outcome }) => outcome === "PAUSED") ?? known[0]
  if (first === undefined || known.length < given.length) return given
  const id = first.suppressionId
  throw new CommandError(
    EXIT.INVALID,
    first.outcome === "PAUSED"
      ? `${id} says so, but a restore paused it, so it does not count: bizauth suppressions confirm ${id}`
      : `${id} already says so; revoke it to record another judgement`,
  )
}

function reachText({ index }: ScreeningLists, { row, neighbours }: Reached): string {
  const party = JSON.parse(row.party) as ScreenedParty
  const ids = party.identifiers.map(({ scheme, value }) => `${scheme}:${value}`)
  const lines = [
    `judged ${[party.name, party.type ?? "any type", ...ids, ...party.countries].join("  ")}  is not ${row.sourceId} ${row.entryId}`,
    ...liftedText(party, liftedQuestions(party, row.sourceId, index)),
    ...neighboursText(neighbours),
  ]
  return `${lines.map(printable).join("\n")}\n`
}

function resultText({ row, hit }: Judged, given: Addition): string {
  const entry = `${row.sourceId} ${row.entryId}`
  const line =
    given.outcome === "ADDED"
      ? `added  ${row.suppressionId}  ${entry}  until ${row.expiresAt}`
      : given.outcome === "PAUSED"
        ? `paused  ${given.suppressionId}  ${entry} is judged, but a restore paused this, so it does not count: bizauth suppressions confirm ${given.suppressionId}`
        : `not added again  ${given.suppressionId}  ${entry} is judged already`
  return `${[line, ...(hit.tier === "BLOCK" ? [BLOCK_REMAINS_A_HOLD] : [])].map(printable).join("\n")}\n`
}

function asJson({ index }: ScreeningLists, { row, neighbours }: Reached) {
  const party = JSON.parse(row.party) as ScreenedParty
  return {
    lifted: liftedAsJson(liftedQuestions(party, row.sourceId, index)),
    neighbours: neighboursAsJson(neighbours),
    suppression_id: row.suppressionId,
    party,
    party_digest: row.partyDigest,
    source_id: row.sourceId,
    entry_id: row.entryId,
    entry_hash: row.entryHash,
    created_at: row.createdAt,
    expires_at: row.expiresAt,
  }
}

function notAddedAsJson({ row }: Judged, given: Addition) {
  if (given.outcome === "ADDED") return []
  const state = given.outcome === "PAUSED" ? "PAUSED" : "IN_FORCE"
  return [{ suppression_id: given.suppressionId, source_id: row.sourceId, entry_id: row.entryId, state }]
}

function usage(message: string): CommandError {
  return new CommandError(EXIT.USAGE, message)
}
