// Characters that a reader does not see: control characters, and what Unicode ignores by default (zero width, direction, soft hyphen). Between
// two letters such a character means nothing or replaces a space, so a list with one is read both ways. Line ends and tabs are white space
// and are kept.

/** Converts the text of a publication before it is read. */
export type ReadText = (text: string) => string

const UNSEEN = /[^\P{Cc}\t\n\v\f\r]|\p{Default_Ignorable_Code_Point}/u
const EVERY_UNSEEN = /(?:[^\P{Cc}\t\n\v\f\r]|\p{Default_Ignorable_Code_Point})+/gu
/** Control characters in UTF-8 come from a conversion of Windows-1252 to UTF-8 by its bytes; U+0092 is an apostrophe. */
const C1 = /[\u0080-\u009f]/g
const windows1252 = new TextDecoder("windows-1252")

export const asWritten: ReadText = (text) => text

/** The text of a register's cell. A register is only compared with a given name, so one reading is enough. */
export const seenCell = (text: string): string => withoutUnseen(text, "").trim()

export const hasUnseen = (text: string): boolean => UNSEEN.test(text)

/** `instead` replaces each run of unseen characters: nothing, or a space. */
export function withoutUnseen(text: string, instead: "" | " "): string {
  if (!hasUnseen(text)) return text
  const meant = text.replace(C1, (control) => windows1252.decode(Uint8Array.of(control.charCodeAt(0))))
  return meant.replace(EVERY_UNSEEN, instead)
}
