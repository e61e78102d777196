/**
 * Finds raw bank data in a text (Interface, "Raw bank data is never accepted"; rulings 57). A match must lie between characters that are
 * neither letters nor digits. So it finds an account number, and not digits inside a digest or an address.
 *
 * CHOICE: the search covers what a careless or evading caller writes: any case, the digits of any script, any dash, invisible characters;
 * an IBAN in one piece, in groups of four, or with spaces anywhere; a card number with spaces anywhere, or in groups as on a card; a sort
 * code as dd-dd-dd or dd dd dd, or as six digits if the text names it a sort code or the account number directly follows.
 */
import { foldText, isPlainText } from "../text/fold-text.ts"
import { ibanLength, isIban } from "./iban.ts"

export type RawBankData = "IBAN" | "CARD_NUMBER" | "UK_ACCOUNT"

/**
 * Returns the kind of bank data in `text`, or null. `loose`: a card number is one in any grouping, an IBAN in any mixture of cases.
 * Without it they count only as people write them, because one in twenty numeric ids passes the check digit, and one in some millions of
 * random ids begins as an IBAN in mixed case. Linear in the length of the text.
 */
export function findRawBankData(text: string, loose: boolean): RawBankData | null {
  const kind = findIn(text, loose) ?? (isPlainText(text) ? null : findIn(foldText(text), loose))
  return kind !== null && OWN_IDENTIFIER.test(text) ? null : kind
}

/** An agent id or a key id. By chance one in millions contains an IBAN, and its owner cannot change it. */
const OWN_IDENTIFIER = /^(svc:agent:[A-Za-z0-9_-]{32}|ed25519-[A-Za-z0-9_-]{43})$/

/** Digits of the shortest card number. A sort code and an account number together have one more. */
const ACCOUNT_DIGITS_MIN = 13

/** Most texts have no beginning of an IBAN and too few numbers, so they are not split into words. */
function findIn(text: string, loose: boolean): RawBankData | null {
  const hasIbanHead = IBAN_HEAD.test(text)
  const hasNumbers = digitsOfNumbers(text) >= ACCOUNT_DIGITS_MIN
  if (!hasIbanHead && !hasNumbers) return null
  const words = wordsOf(text)
  const { starts } = words
  if (hasIbanHead) for (let i = 0; i < starts.length; i++) if (beginsIban(text, starts[i] ?? 0, loose)) return "IBAN"
  if (!hasNumbers || findAccount(words, loose) === null) return null
  // Only now, because few texts come here, and a word that is left out makes nothing an account number.
  leaveTimesOut(words)
  return findAccount(words, loose)
}

function findAccount(words: Words, loose: boolean): RawBankData | null {
  const { length } = words.starts
  for (let i = 0; i < length; i++) if (isCardNumber(words, i, loose)) return "CARD_NUMBER"
  for (let i = 0; i < length; i++) if (isUkAccount(words, i)) return "UK_ACCOUNT"
  return null
}

/** The runs of ASCII letters and digits of a text, in order. */
interface Words {
  readonly text: string
  readonly starts: readonly number[]
  readonly ends: readonly number[]
  /** Number of digits of a word that consists of digits only. 0 for any other word, and for a word that {@link leaveTimesOut} excluded. */
  readonly digits: number[]
}

/** Two letters and two digits. {@link beginsIban} decides. */
const IBAN_HEAD = /(?<![0-9a-z])(?:iban)?[a-z][ \-./_]?[a-z][ \-./_]?\d[ \-./_]?\d/i

/** Returns how many digits all words have together that consist of digits only. */
function digitsOfNumbers(text: string): number {
  let digits = 0
  let own = 0
  let hasLetter = false
  for (let at = 0; at < text.length; at++) {
    const kind = kindOf(text.charCodeAt(at))
    if (kind === DIGIT) own++
    else if (kind === LETTER) hasLetter = true
    else {
      if (!hasLetter) digits += own
      own = 0
      hasLetter = false
    }
  }
  return hasLetter ? digits : digits + own
}

function wordsOf(text: string): Words {
  const starts: number[] = []
  const ends: number[] = []
  const digits: number[] = []
  let end = 0
  while (end < text.length) {
    let start = end
    while (start < text.length && kindOf(text.charCodeAt(start)) === NEITHER) start++
    end = start
    let own = 0
    for (let kind = NEITHER; end < text.length; end++) {
      kind = kindOf(text.charCodeAt(end))
      if (kind === NEITHER) break
      if (kind === DIGIT) own++
    }
    if (end === start) break
    starts.push(start)
    ends.push(end)
    digits.push(own === end - start ? own : 0)
  }
  return { text, starts, ends, digits }
}

const NEITHER = 0
const LETTER = 1
const DIGIT = 2

function kindOf(code: number): number {
  if (code >= 0x30 && code <= 0x39) return DIGIT
  const small = code | 0x20
  return small >= 0x61 && small <= 0x7a ? LETTER : NEITHER
}

/**
 * Excludes `20261120-10-30-45` and `20261120103045`, the usual names of runs and files. A time is not an account number, whatever its
 * checksum.
 */
function leaveTimesOut({ text, starts, digits }: Words): void {
  let word = 0
  for (const { index, 0: time } of text.matchAll(TIME)) {
    while ((starts[word] ?? Infinity) < index) word++
    for (; (starts[word] ?? Infinity) < index + time.length; word++) digits[word] = 0
  }
}

const TIME =
  /(?<![0-9a-z])(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])[ _-]?(?:[01]\d|2[0-3])(-?)[0-5]\d\1[0-5]\d(?:\d{3})?(?![0-9a-z])/gi

/** True if an IBAN begins at the word at `start`. The letters `IBAN` may directly precede it. */
function beginsIban(text: string, start: number, loose: boolean): boolean {
  if (kindOf(text.charCodeAt(start)) !== LETTER) return false
  return ibanAt(text, start, loose) || (/^iban$/i.test(text.slice(start, start + 4)) && ibanAt(text, start + 4, loose))
}

function ibanAt(text: string, start: number, loose: boolean): boolean {
  let found = ""
  let digits = 0
  let spaced = true
  let fours = true
  let length = 4
  let at = start
  for (let group = 0; found.length < length; at++) {
    const kind = at < text.length ? kindOf(text.charCodeAt(at)) : NEITHER
    if (kind === NEITHER) {
      // Exactly one character separates two groups.
      if (group === 0 || !GROUPING.has(text[at] ?? "")) return false
      spaced &&= text[at] === " "
      fours &&= group === 4
      group = 0
      continue
    }
    if (found.length < 2 !== (kind === LETTER) && found.length < 4) return false
    found += text[at]
    group++
    if (kind === DIGIT) digits++
    if (found.length === 4) {
      const registered = ibanLength(found.slice(0, 2).toUpperCase())
      if (registered === undefined) return false
      length = registered
    }
    fours &&= group <= 4 || found.length === group
  }
  if (at < text.length && kindOf(text.charCodeAt(at)) !== NEITHER) return false
  const whole = at - start === length
  // Words and numbers of a sentence also look like free groups, but they consist mostly of letters.
  const grouped = fours || (spaced && digits * 2 >= length)
  return (whole || grouped) && (loose || isOneCase(found)) && isIban(found)
}

function isOneCase(text: string): boolean {
  return text === text.toUpperCase() || text === text.toLowerCase()
}

/** Characters that may separate groups. */
const GROUPING: ReadonlySet<string> = new Set(" -./_")

/**
 * True if a card number begins with word `i`: 13 to 19 digits, first digit 2 to 6, valid Luhn checksum, grouped as on a card; if `loose`
 * also in one piece, in groups of one size, or with spaces anywhere. Ids are often numbers joined by hyphens. With hyphens anywhere, one in
 * five of them would be rejected.
 */
function isCardNumber(words: Words, i: number, loose: boolean): boolean {
  const { text, starts, ends, digits } = words
  const first = text.charCodeAt(starts[i] ?? 0)
  if (!digits[i] || first < 0x32 || first > 0x36) return false
  const groups: number[] = []
  let number = ""
  let spaced = true
  for (let j = i; digits[j]; j++) {
    number += text.slice(starts[j], ends[j])
    if (number.length > 19) return false
    groups.push(digits[j] ?? 0)
    const isWritten = loose ? spaced || isCardGrouping(groups) : isOnCards(groups)
    if (number.length >= 13 && isWritten && passesLuhn(number)) return true
    const by = text[ends[j] ?? 0] ?? ""
    if (!GROUPING.has(by) || !isJoined(words, j, by)) return false
    spaced &&= by === " "
  }
  return false
}

/** Groups of four, where the last may be shorter; or groups of four, six and the rest. */
function isOnCards(groups: readonly number[]): boolean {
  const [size = 0, second] = groups
  if (size !== 4 || groups.length < 3) return false
  return (second === 6 && groups.length === 3) || isCardGrouping(groups)
}

/** Groups of one size, where the last may be shorter; or groups of four, six and the rest. */
function isCardGrouping(groups: readonly number[]): boolean {
  const [size = 0, second] = groups
  if (size === 4 && second === 6 && groups.length === 3) return true
  return groups.every((group, i) => group === size || (group < size && i === groups.length - 1))
}

function passesLuhn(number: string): boolean {
  let sum = 0
  for (let i = 0; i < number.length; i++) {
    const digit = number.charCodeAt(number.length - 1 - i) - 0x30
    const value = i % 2 === 0 ? digit : digit * 2
    sum += value > 9 ? value - 9 : value
  }
  return sum % 10 === 0
}

/** True if exactly this one character separates words `i` and `i + 1`. */
function isJoined({ text, starts, ends }: Words, i: number, by: string): boolean {
  const end = ends[i] ?? 0
  return starts[i + 1] === end + 1 && text[end] === by
}

/** Largest number of characters between a sort code and its account number. */
const REACH = 20
/** The same limit if the text names a sort code. */
const NAMED_REACH = 64
/**
 * Behind the character before the reach, which shows whether the reach begins inside a word. Letters inside a longer word name nothing: an id
 * may hold `sort` or end in `sc`.
 */
const CALLED_SORT_CODE = /(?!^)(?:(?<![a-z0-9])sort|sort[ _-]?code|\bs\/?c\b)/i
const RIGHT_BEHIND = /^[ /|]{1,3}$/

/** True if a sort code begins with word `i` and an account number is near it, before or after. */
function isUkAccount(words: Words, i: number): boolean {
  const { text, starts, ends, digits } = words
  const written = isPairs(words, i, "-") || isPairs(words, i, " ")
  if (!written && digits[i] !== 6) return false
  const start = starts[i] ?? 0
  const from = Math.max(0, start - REACH)
  const named = CALLED_SORT_CODE.test((text[from - 1] ?? " ") + text.slice(from, start))
  const last = written ? i + 2 : i
  const end = ends[last] ?? 0
  const reach = named ? NAMED_REACH : REACH
  if (!written && !named) return digits[last + 1] === 8 && RIGHT_BEHIND.test(text.slice(end, starts[last + 1]))
  const halves = named || isPairs(words, i, "-")
  const isAccount = (j: number) => digits[j] === 8 || (halves && isTwoHalves(words, j))
  for (let j = last + 1; (starts[j] ?? Infinity) - end <= reach; j++) if (isAccount(j)) return true
  for (let j = i - 1; j >= 0 && start - (ends[j] ?? 0) <= reach; j--) if (isAccount(j)) return true
  return false
}

/** Two digits, two digits, two digits. */
function isPairs(words: Words, i: number, by: string): boolean {
  const { digits } = words
  if (digits[i] !== 2 || digits[i + 1] !== 2 || digits[i + 2] !== 2) return false
  return isJoined(words, i, by) && isJoined(words, i + 1, by)
}

/** True for an account number written as two groups of four digits. */
function isTwoHalves(words: Words, i: number): boolean {
  return words.digits[i] === 4 && words.digits[i + 1] === 4 && isJoined(words, i, " ")
}
