const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
const LINE = /^(Report Date):\s*((\d{1,2})-([A-Za-z]{3})[a-z]*-(\d{4}))$/

export interface ReportDate {
  /** `Report Date 08-Oct-2026`, as printed. */
  readonly version: string
  /** First instant of the day, so that a list never looks newer than it is. */
  readonly timestamp: string
}

/** Reads the cells of the file's first line, which a spreadsheet pads to the table width. Returns null for anything else. */
export function reportDateOf([line = "", ...padding]: readonly string[]): ReportDate | null {
  if (padding.some((cell) => cell.trim() !== "")) return null
  const [, words = "", text = "", day = "", month = "", year = ""] = LINE.exec(line.trim()) ?? []
  const monthIndex = MONTHS.indexOf(month.toLowerCase())
  const at = new Date(Date.UTC(Number(year), monthIndex, Number(day)))
  // Reject an impossible day; otherwise it would be read as a day of the next month.
  if (text === "" || monthIndex < 0 || at.getUTCDate() !== Number(day)) return null
  return { version: `${words} ${text}`, timestamp: at.toISOString() }
}
