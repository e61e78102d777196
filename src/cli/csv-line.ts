/**
 * CHOICE: a cell that a spreadsheet would run as a formula gets an apostrophe in front. A cell that already begins with an apostrophe and
 * such a sign gets one too, so that removing one apostrophe restores every cell exactly.
 */
const FORMULA = /^[\s']*[=+\-@\uff1d\uff0b\uff0d\uff20]|^'*[\t\r]/

/** One RFC 4180 row with its line end. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(",")}\n`
}

function csvCell(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
