/** Reads a queried name: in every reading, whole and in parts. */
import { foldName, type NameProblem } from "./fold.ts"
import { type NameClass, type NameForm, nameForms } from "./name-form.ts"
import { namePartsOf } from "./name-parts.ts"
import { ADDED_READINGS_MAX, addedReadings } from "./readings.ts"
import type { Scorer } from "./scorer.ts"
import { WORD_LENGTH_MAX } from "./token-similarity.ts"

interface QueriedName {
  readonly name: string
  readonly type: "person" | "org" | null
}

/** Maximum readings and parts of one name that are searched. If some are left over, the name is not CLEAR. */
const TEXTS_MAX = 24

/**
 * One to eight words as they are written: each becomes at most two, and none longer than a word that can be compared. So the forms of the
 * text have no problem. To make them took a tenth of a quote for a company check.
 */
const FEW_SHORT_WORDS = new RegExp(`^[a-z0-9]{1,${WORD_LENGTH_MAX}}(?:[.,]* [a-z0-9]{1,${WORD_LENGTH_MAX}}){0,7}[.,]*$`)

/** Returns why a name could not be read completely. Searches no list. */
export function nameProblemsOf(query: QueriedName): readonly NameProblem[] {
  const { texts, nameClass, found } = textsOf(query)
  const long = texts.filter((text) => !FEW_SHORT_WORDS.test(text))
  return withFormProblems(found, formsOfTexts(long, nameClass))
}

interface QueryForms {
  /** Of the whole name first, then of its parts. */
  readonly forms: readonly NameForm[]
  /** Of the whole name alone. */
  readonly wholes: readonly NameForm[]
  /** Of the whole name, read as payers write (readings.ts). They are among `forms`. */
  readonly added: readonly NameForm[]
  /** Of them, the one without the additions that a payer made. */
  readonly plain: NameForm | null
  readonly problems: readonly NameProblem[]
}

export function formsOf(query: QueriedName, { weighsWords }: Pick<Scorer, "weighsWords">): QueryForms {
  const { readings, texts, nameClass, found } = textsOf(query)
  const forms = formsOfTexts(texts, nameClass)
  const letters = new Set(readings.map((reading) => reading.replace(/[^a-z0-9]+/g, "")))
  const wholes = forms.filter((form) => letters.has(form.letters))
  const problems = withFormProblems(found, forms)
  const none = { forms, wholes, added: [], plain: null, problems }
  if (!weighsWords) return none
  const read = readings.map((reading) => addedReadings(reading, nameClass))
  if (read.every((one) => one.texts.length === 0)) return none
  const all = new Set(read.flatMap(({ texts: more }) => more))
  for (const text of texts) all.delete(text)
  if (all.size === 0) return none
  const compared = new Set(forms.map(comparedText))
  const untouched = forms[0]?.numbers ?? ""
  const formsOfText = (text: string) =>
    nameForms(text, nameClass)
      .filter((form) => !compared.has(comparedText(form)))
      .map((form) => ({ ...form, numbersRead: untouched !== "" && form.numbers !== untouched }))
  const added = [...all].slice(0, ADDED_READINGS_MAX).map((text) => ({ text, forms: formsOfText(text) }))
  const plain = added.find(({ text }) => text === read[0]?.plain)?.forms[0] ?? null
  const addedForms = added.flatMap((one) => one.forms)
  return { forms: [...forms, ...addedForms], wholes, added: addedForms, plain, problems }
}

/** The readings of the whole name, and all texts to compare: the readings and their parts. */
function textsOf(query: QueriedName) {
  const { readings, problems } = foldName(query.name)
  const found = new Set(problems)
  const nameClass: NameClass = query.type ?? "unknown"
  const texts = new Set<string>()
  for (const reading of readings) {
    const parts = namePartsOf(reading, nameClass)
    if (parts.tooMany) found.add("TOO_MANY_PARTS")
    for (const text of parts.texts) texts.add(text)
  }
  if (texts.size > TEXTS_MAX) found.add("TOO_MANY_PARTS")
  return { readings, texts: [...texts].slice(0, TEXTS_MAX), nameClass, found }
}

/** All that the comparison of a form depends on. */
const comparedText = ({ nameClass, legalForms, tokens }: NameForm): string =>
  `${nameClass} ${legalForms} ${tokens.join(" ")}`

function formsOfTexts(texts: readonly string[], nameClass: NameClass): NameForm[] {
  return texts.flatMap((text) => nameForms(text, nameClass))
}

function withFormProblems(problems: ReadonlySet<NameProblem>, forms: readonly NameForm[]): NameProblem[] {
  const found = new Set(problems)
  for (const form of forms) {
    if (form.cut) found.add("TOO_MANY_WORDS")
    // A verbatim word of a script without a table is long on purpose.
    if (form.longWord && !found.has("SCRIPT_WITHOUT_TABLE")) found.add("TOO_LONG")
  }
  return [...found]
}
