/** Compares dates of birth as publishers print them: `27 Dec 1966`, `Dec 1966`, `circa 1965`, `1965 to 1967`, `1966-12-27`. */

interface BirthDate {
  readonly yearFrom: number
  readonly yearTo: number
  /** 1 to 12, with `day`; null if only the year is known. */
  readonly month: number | null
  readonly day: number | null
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

function readBirthDate(text: string): BirthDate | null {
  const plain = text.trim().toLowerCase()
  const iso = /^(\d{4})-(\d{2})-(\d{2})$/.exec(plain)
  if (iso) return exact(Number(iso[1]), Number(iso[2]), Number(iso[3]))
  const british = /^(\d{2}|dd)\/(\d{2}|mm)\/(\d{4})$/.exec(plain)
  if (british) return exact(Number(british[3]), Number(british[2]), Number(british[1]))
  const years = [...plain.matchAll(/\b(1[89]\d\d|20\d\d)\b/g)].map((match) => Number(match[1]))
  const [first] = years
  if (first === undefined) return null
  // "circa" is the publisher's estimate: one year more or less still agrees.
  const slack = /\b(?:circa|approximately|about|ca?\.)/.test(plain) ? 1 : 0
  if (years.length > 1 || slack > 0)
    return { yearFrom: Math.min(...years) - slack, yearTo: Math.max(...years) + slack, month: null, day: null }
  const named = /^(?:(\d{1,2}) )?([a-z]{3})[a-z]* \d{4}$/.exec(plain)
  const month = named ? MONTHS.indexOf(named[2]!) + 1 : 0
  if (!named || month === 0) return { yearFrom: first, yearTo: first, month: null, day: null }
  return { yearFrom: first, yearTo: first, month, day: named[1] === undefined ? null : Number(named[1]) }
}

/** Publishers write `00`, `dd`, `mm` and impossible parts for "unknown". */
function exact(year: number, month: number, day: number): BirthDate {
  const known = month >= 1 && month <= 12
  return { yearFrom: year, yearTo: year, month: known ? month : null, day: known && day >= 1 && day <= 31 ? day : null }
}

function agree(a: BirthDate, b: BirthDate): boolean {
  if (a.yearFrom > b.yearTo || b.yearFrom > a.yearTo) return false
  if (a.month !== null && b.month !== null && a.month !== b.month) return false
  return a.day === null || b.day === null || a.day === b.day
}

const readAll = (texts: readonly string[]): BirthDate[] => texts.map(readBirthDate).filter((date) => date !== null)

/** MATCH if any pair agrees in all parts that both know, CONFLICT if none does, ABSENT if one side has no readable date. */
export function compareBirthDates(
  query: readonly string[],
  listed: readonly string[],
): "MATCH" | "CONFLICT" | "ABSENT" {
  const ours = readAll(query)
  const theirs = readAll(listed)
  if (ours.length === 0 || theirs.length === 0) return "ABSENT"
  return ours.some((a) => theirs.some((b) => agree(a, b))) ? "MATCH" : "CONFLICT"
}

/** Returns whether two dates are the same day. About one namesake in sixty shares a year of birth. */
export function shareBirthDay(query: readonly string[], listed: readonly string[]): boolean {
  const theirs = readAll(listed)
  return readAll(query).some((a) => a.day !== null && theirs.some((b) => b.day !== null && agree(a, b)))
}
