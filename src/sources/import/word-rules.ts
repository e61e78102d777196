/** Judges the publisher's words of a list: does a word that the parser relies on still occur, and is there one that it does not know? */
import type { Finding, SourceAdapter } from "../records/adapter.ts"
import { hard, soft } from "../records/findings.ts"
import { type CountedWords, cellsKey, UNREAD, type WordRule, wordsOf } from "../records/publisher-words.ts"
import type { Candidate } from "./judge.ts"

export interface WordsCandidate extends Pick<Candidate, "accepted" | "readingFindings"> {
  readonly wordRules: SourceAdapter["words"]
  readonly words: CountedWords
  /** Of the snapshot before; null if there is none that can be read. */
  readonly wordsBefore: CountedWords | null
}

const WORDS_NAMED = 5
/** A word that occurred less often may be gone with its entries. That is reported and refuses nothing. */
const FEW = 3
/** A share of unread identifiers above this multiple of before, by more cells than {@link UNREAD_SLACK}, is a change of the publisher. */
const UNREAD_GROWTH = 1.5
const UNREAD_SLACK = 10
const WAY_OUT =
  "ask the publisher what changed; sources import with --accept-shrink and the raw digest takes exactly these bytes"

export function wordFindings(candidate: WordsCandidate): readonly Finding[] {
  return candidate.wordRules.flatMap((rule) =>
    candidate.words[cellsKey(rule.id)] === undefined ? [] : judged(rule, candidate),
  )
}

function judged(rule: WordRule, candidate: WordsCandidate): readonly Finding[] {
  const now = wordsOf(candidate.words, rule.id)
  const { wordsBefore } = candidate
  const before = wordsBefore?.[cellsKey(rule.id)] === undefined ? null : wordsOf(wordsBefore, rule.id)
  const gone = before ? goneSince(rule, before, now) : goneAtFirst(rule, now, candidate)
  return [
    ...gone.map(({ word, was, isFew }) =>
      finding(
        "WORD_GONE",
        isFew ? "soft" : rule.gone,
        candidate.accepted,
        `${rule.where}: ${quoted(word)} ${was}, so ${rule.without}`,
      ),
    ),
    ...(rule.kind === "IDENTIFIER"
      ? unreadFindings(rule, before, now, candidate.accepted)
      : unknownFindings(rule, before, now, candidate.accepted)),
  ]
}

interface Gone {
  readonly word: string
  readonly isFew: boolean
  readonly was: string
}

type Words = ReadonlyMap<string, number>

function goneSince({ words, atFirst }: WordRule, before: Words, now: Words): readonly Gone[] {
  return words.flatMap((word) => {
    const count = before.get(word) ?? 0
    if (count === 0 || now.has(word)) return []
    const isFew = count < FEW && !atFirst
    return [{ word, isFew, was: `occurred ${count} times before and does not occur` }]
  })
}

/** Without a snapshot before, only a whole list that lacks a decisive word proves something. */
function goneAtFirst({ words, atFirst }: WordRule, now: Words, { readingFindings }: WordsCandidate): readonly Gone[] {
  const isWhole = !readingFindings.some(({ code }) => code === "BELOW_EXPECTED")
  if (!atFirst || !isWhole) return []
  return words
    .filter((word) => !now.has(word))
    .map((word) => ({ word, isFew: false, was: "does not occur in the whole list" }))
}

function unknownFindings(rule: WordRule, before: Words | null, now: Words, accepted: boolean): readonly Finding[] {
  if (rule.unknown === null || (rule.isOpen && before === null)) return []
  const unknown = [...now].filter(([word]) => !rule.words.includes(word))
  const fresh = unknown.filter(([word]) => before?.has(word) !== true)
  const old = rule.isOpen ? [] : unknown.filter(([word]) => before?.has(word) === true)
  return [
    ...(fresh.length === 0
      ? []
      : [finding("WORD_UNKNOWN", rule.unknown, accepted, `${rule.where}: ${named(fresh)}, new; ${rule.without}`)]),
    ...(old.length === 0
      ? []
      : [soft("WORD_UNKNOWN", `${rule.where}: ${named(old)}, as in the snapshot before; ${rule.without}`)]),
  ]
}

function unreadFindings(rule: WordRule, before: Words | null, now: Words, accepted: boolean): readonly Finding[] {
  if (before === null || rule.unknown === null) return []
  const [was, is] = [unreadOf(before), unreadOf(now)]
  const isGrown = is.share > was.share * UNREAD_GROWTH && is.unread - was.unread >= UNREAD_SLACK
  if (!isGrown) return []
  const counts = `${was.unread} of ${was.cells} cells with digits gave no usable identifier before, ${is.unread} of ${is.cells} now`
  return [finding("IDENTIFIER_UNREAD", rule.unknown, accepted, `${rule.where}: ${counts}; ${rule.without}`)]
}

function unreadOf(words: Words) {
  const unread = words.get(UNREAD) ?? 0
  const cells = [...words.values()].reduce((sum, count) => sum + count, 0)
  return { unread, cells, share: cells === 0 ? 0 : unread / cells }
}

type Code = "WORD_GONE" | "WORD_UNKNOWN" | "IDENTIFIER_UNREAD"

function finding(code: Code, severity: "hard" | "soft", accepted: boolean, detail: string): Finding {
  if (severity === "soft") return soft(code, detail)
  return accepted ? soft(code, `${detail}; accepted by the operator`) : hard(code, `${detail}; ${WAY_OUT}`)
}

function named(words: readonly (readonly [word: string, count: number])[]): string {
  const most = [...words].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).slice(0, WORDS_NAMED)
  const more = words.length > WORDS_NAMED ? ", ..." : ""
  return most.map(([word, count]) => `${quoted(word)} ${count} times`).join(", ") + more
}

/** Escapes control characters, because the text goes to a terminal. */
const quoted = (word: string): string =>
  JSON.stringify(word.replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, "\ufffd"))
