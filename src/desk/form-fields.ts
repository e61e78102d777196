/** Reads the fields of a form, and says which one is wrong. */
import { DAY, formatInstant, parseInstant } from "../core/time.ts"
import { DeskRefusal } from "./desk-refusal.ts"
import type { DeskForm } from "./visit.ts"

/** Characters of a reason or a note. */
export const TEXT_MAX = 1_000
/** Line ends and tabs are text; other control characters are not. */
const CONTROL = /[^\P{Cc}\n\t]/u

/** Throws {@link DeskRefusal} for a text without content, beyond its length, or with a control character. */
export function textField(form: DeskForm, name: string, label: string): string {
  const text = form.text(name).trim()
  if (text === "") throw new DeskRefusal(422, `${label} is empty. Write it, and send the form again.`)
  if ([...text].length > TEXT_MAX) {
    throw new DeskRefusal(422, `${label} has more than ${TEXT_MAX} characters. Shorten it, and send the form again.`)
  }
  if (CONTROL.test(text))
    throw new DeskRefusal(422, `${label} has a control character. Remove it, and send the form again.`)
  return text
}

/** A text that may be left out. */
export function optionalText(form: DeskForm, name: string, label: string): string | null {
  return form.text(name).trim() === "" ? null : textField(form, name, label)
}

/** A whole number from 1 to `most`. */
export function numberField(form: DeskForm, name: string, label: string, most: number): number {
  const text = form.text(name)
  const number = /^[1-9]\d{0,8}$/.test(text) ? Number(text) : 0
  if (number >= 1 && number <= most) return number
  throw new DeskRefusal(422, `${label} is a whole number from 1 to ${most}.`)
}

/** One of these texts. */
export function choiceField<const Choice extends string>(
  form: DeskForm,
  name: string,
  { label, choices }: { readonly label: string; readonly choices: readonly Choice[] },
): Choice {
  const text = form.text(name)
  const found = choices.find((one) => one === text)
  if (found === undefined) throw new DeskRefusal(422, `Choose ${label}, and send the form again.`)
  return found
}

/** A day, YYYY-MM-DD, at most a year away. It means its start in UTC. Returns RFC 3339. */
export function dayField(form: DeskForm, name: string, label: string, now: number): string {
  const text = form.text(name)
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? parseInstant(`${text}T00:00:00Z`) : null
  if (at === null) throw new DeskRefusal(422, `${label} is a day, YYYY-MM-DD.`)
  if (at <= now || at > now + 366 * DAY)
    throw new DeskRefusal(422, `${label} is a day after today, at most a year away.`)
  return formatInstant(at)
}
