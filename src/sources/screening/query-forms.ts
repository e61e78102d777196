/** Reads a queried name: in every reading, whole and in parts. */
import { foldName, type NameProblem } from "./fold.ts"
import { type NameForm, nameForms } from "./name-form.ts"
import { namePartsOf } from "./name-parts.ts"

interface QueriedName {
  readonly name: string
  readonly type: "person" | "org" | null
}

/** Maximum readings and parts of one name that are searched. If some are left over, the name is not CLEAR. */
const TEXTS_MAX = 24

/** Returns why a name could not be read completely. Searches no list. */
export function nameProblemsOf(query: QueriedName): readonly NameProblem[] {
  return formsOf(query).problems
}

interface QueryForms {
  /** Of the whole name first, then of its parts. */
  readonly forms: readonly NameForm[]
  /** Of the whole name alone. */
  readonly wholes: readonly NameForm[]
  readonly problems: readonly NameProblem[]
}

export function formsOf(query: QueriedName): QueryForms {
  const { readings, problems } = foldName(query.name)
  const found = new Set(problems)
  const nameClass = query.type ?? "unknown"
  const texts = new Set<string>()
  for (const reading of readings) {
    const parts = namePartsOf(reading, nameClass)
    if (parts.tooMany) found.add("TOO_MANY_PARTS")
    for (const text of parts.texts) texts.add(text)
  }
  if (texts.size > TEXTS_MAX) found.add("TOO_MANY_PARTS")
  const forms = [...texts].slice(0, TEXTS_MAX).flatMap((text) => nameForms(text, nameClass))
  for (const form of forms) {
    if (form.cut) found.add("TOO_MANY_WORDS")
    // A verbatim word of a script without a table is long on purpose.
    if (form.longWord && !found.has("SCRIPT_WITHOUT_TABLE")) found.add("TOO_LONG")
  }
  const letters = new Set(readings.map((reading) => reading.replace(/[^a-z0-9]+/g, "")))
  return { forms, wholes: forms.filter((form) => letters.has(form.letters)), problems: [...found] }
}
