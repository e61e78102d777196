import type { Finding, FindingCode } from "./adapter.ts"

export function hard(code: FindingCode, detail: string, file?: string): Finding {
  return file === undefined ? { code, severity: "hard", detail } : { code, severity: "hard", detail, file }
}

export function soft(code: FindingCode, detail: string, file?: string): Finding {
  return file === undefined ? { code, severity: "soft", detail } : { code, severity: "soft", detail, file }
}

export interface RowProblem {
  readonly line: number
  readonly why: string
}

/** Above this share of unreadable rows the layout has changed, and no row can be trusted. */
const ROW_FAILURE_SHARE_MAX = 0.001

const LINES_NAMED = 5

/** Returns one finding for all unreadable rows of a file, or none. If `tolerated` is false, a single one is fatal. */
export function rowFindings(
  file: string,
  rows: number,
  problems: readonly RowProblem[],
  tolerated: boolean,
): readonly Finding[] {
  return countedRowFindings(file, rows, { count: problems.length, first: problems }, tolerated)
}

interface CountedProblems {
  readonly count: number
  /** At least the first few. */
  readonly first: readonly RowProblem[]
}

/** Same as `rowFindings`, for a file with too many unreadable rows to hold in memory. */
export function countedRowFindings(
  file: string,
  rows: number,
  { count, first }: CountedProblems,
  tolerated: boolean,
): readonly Finding[] {
  if (count === 0) return []
  const detail = `${count} of ${rows} rows unreadable: ${nameLines(first)}`
  const broken = !tolerated || count > rows * ROW_FAILURE_SHARE_MAX
  return [broken ? hard("SCHEMA_BREAK", detail, file) : soft("ROW_FAILED", detail, file)]
}

/** Returns `line 3 (5 columns), line 9 (...)`, with at most five lines. */
export function nameLines(problems: readonly RowProblem[]): string {
  const named = problems.slice(0, LINES_NAMED).map(({ line, why }) => `line ${line} (${why})`)
  return named.join(", ") + (problems.length > LINES_NAMED ? ", ..." : "")
}
