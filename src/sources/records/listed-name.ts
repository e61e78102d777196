/**
 * Limits the part of a listed name that is stored and compared. One long name must not slow down every screening or enlarge every answer.
 */
import type { Finding } from "./adapter.ts"
import { hard, nameLines, type RowProblem, soft } from "./findings.ts"
import type { Party, PartyName } from "./party.ts"

/** Maximum Unicode code points of a listed name. The longest published name has 140. */
export const LISTED_NAME_CHARACTERS_MAX = 1000
/** Maximum words of a listed name. The longest published name has 20. */
export const LISTED_NAME_WORDS_MAX = 64

/** Above this share of the rows the layout has changed: the column read as a name is another one. */
const SHARE_MAX = 0.001

interface ListedNames {
  readonly parties: readonly Party[]
  readonly findings: readonly Finding[]
}

/**
 * Replaces control characters by spaces. A name over a limit keeps its first part, and one finding counts the entries with such a name.
 * `rows` is the number of the publisher's records.
 */
export function boundedNames(parties: readonly Party[], rows: number): ListedNames {
  const cut: RowProblem[] = []
  const bounded = parties.map((party) => {
    const names = party.names.map(boundedName)
    if (names.some(({ isCut }) => isCut)) cut.push({ line: party.line.number, why: `entry ${party.entryId}` })
    return names.some(({ name }, at) => name !== party.names[at])
      ? { ...party, names: names.map(({ name }) => name) }
      : party
  })
  if (cut.length === 0) return { parties: bounded, findings: [] }
  const limits = `over ${LISTED_NAME_CHARACTERS_MAX} characters or ${LISTED_NAME_WORDS_MAX} words`
  const detail = `${cut.length} of ${rows} rows have a name ${limits}, compared by its first part: ${nameLines(cut)}`
  const finding = cut.length > rows * SHARE_MAX ? hard : soft
  return { parties: bounded, findings: [finding("NAME_UNSCREENABLE", detail)] }
}

const CONTROLS = /\p{Cc}/u
const EVERY_CONTROL = /\p{Cc}/gu

function boundedName(name: PartyName): { readonly name: PartyName; readonly isCut: boolean } {
  const text = CONTROLS.test(name.text) ? name.text.replace(EVERY_CONTROL, " ") : name.text
  const first = firstPart(text)
  return { name: first === name.text ? name : { ...name, text: first }, isCut: first !== text }
}

function firstPart(text: string): string {
  // Each additional word needs two more characters, so the length alone shows that most names are within both limits.
  if (text.length < 2 * LISTED_NAME_WORDS_MAX) return text
  const points = [...text.slice(0, 2 * LISTED_NAME_CHARACTERS_MAX + 1)]
  const isLong = points.length > LISTED_NAME_CHARACTERS_MAX
  const short = isLong ? points.slice(0, LISTED_NAME_CHARACTERS_MAX).join("") : text
  let words = 0
  for (const { index } of short.matchAll(/\S+/g)) {
    words += 1
    if (words > LISTED_NAME_WORDS_MAX) return short.slice(0, index).trimEnd()
  }
  return short
}
