/** What an offline check found, line by line. "Could not check" is never "invalid" and never "fine". */
export type CheckState = "OK" | "INVALID" | "UNCHECKED" | "NOTE"

export interface ReportLine {
  readonly check: string
  readonly state: CheckState
  readonly detail: string
}

export type Conclusion = "VALID" | "INVALID" | "NOT_CHECKED"

export class Report {
  readonly #lines: ReportLine[] = []

  get lines(): readonly ReportLine[] {
    return this.#lines
  }

  /** One wrong thing outweighs any number that could not be looked at. A report without a passed check proves nothing. */
  get conclusion(): Conclusion {
    const states = new Set(this.#lines.map((line) => line.state))
    if (states.has("INVALID")) return "INVALID"
    return states.has("UNCHECKED") || !states.has("OK") ? "NOT_CHECKED" : "VALID"
  }

  /** Adds OK or INVALID; returns `passed`. */
  check(check: string, passed: boolean, ok: string, invalid: string): boolean {
    this.#lines.push({ check, state: passed ? "OK" : "INVALID", detail: passed ? ok : invalid })
    return passed
  }

  unchecked(check: string, detail: string): void {
    this.#lines.push({ check, state: "UNCHECKED", detail })
  }

  note(check: string, detail: string): void {
    this.#lines.push({ check, state: "NOTE", detail })
  }
}
