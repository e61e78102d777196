/** The findings of an offline check, line by line. "Could not check" never means "invalid" and never "OK". */
export type CheckState = "OK" | "INVALID" | "UNCHECKED" | "REFORMATTED" | "NOTE"

export interface ReportLine {
  readonly check: string
  readonly state: CheckState
  readonly detail: string
}

export type Conclusion = "VALID" | "INVALID" | "NOT_CHECKED"

/** The question that a line answers: is the document as signed, is it current, is it the requested one, does it permit enough. */
export type Question = "GENUINE" | "TIME" | "ASKED" | "REQUIRED"

/** Where a time lies in the window that a document states. */
export type Currency = "CURRENT" | "EXPIRED" | "NOT_YET_VALID"

/** What the line of a check tells when it passed, and when it did not. */
interface CheckDetails {
  readonly ok: string
  readonly invalid: string
}

export class Report {
  readonly #lines: (ReportLine & { readonly question: Question })[] = []
  readonly #unsigned: string[] = []
  #currency: Currency | null = null

  /** `acceptsReformatted`: other bytes than the canonical ones do not make the conclusion INVALID. */
  constructor(readonly acceptsReformatted = false) {}

  get lines(): readonly ReportLine[] {
    return this.#lines.map(({ check, state, detail }) => ({ check, state, detail }))
  }

  /** One invalid line outweighs any number of unchecked ones. A report without a passed check proves nothing. */
  get conclusion(): Conclusion {
    const states = new Set(this.#lines.map((line) => line.state))
    if (states.has("INVALID") || (states.has("REFORMATTED") && !this.acceptsReformatted)) return "INVALID"
    return states.has("UNCHECKED") || !states.has("OK") ? "NOT_CHECKED" : "VALID"
  }

  /** Null until a time was judged. */
  get currency(): Currency | null {
    return this.#currency
  }

  linesOf(question: Question): readonly ReportLine[] {
    return this.#lines.filter((line) => line.question === question)
  }

  /** Adds every line of another report about the same document. Its time and its unsigned members stay there. */
  addAll(other: Report): void {
    this.#lines.push(...other.#lines)
  }

  /** Adds OK or INVALID; returns `passed`. */
  check(check: string, passed: boolean, { ok, invalid }: CheckDetails, question: Question = "GENUINE"): boolean {
    this.#lines.push({ check, state: passed ? "OK" : "INVALID", detail: passed ? ok : invalid, question })
    return passed
  }

  unchecked(check: string, detail: string, question: Question = "GENUINE"): void {
    this.#lines.push({ check, state: "UNCHECKED", detail, question })
  }

  note(check: string, detail: string): void {
    this.#lines.push({ check, state: "NOTE", detail, question: "GENUINE" })
  }

  /** Adds members that the signature does not cover, in words for a person. `detail` says what does cover them, if anything. */
  unsigned(members: string, detail: string): void {
    this.note(members, detail)
    this.#unsigned.push(members)
  }

  /** Every list of members given to {@link unsigned}. */
  get unsignedMembers(): readonly string[] {
    return this.#unsigned
  }

  /** The same document in other bytes than those that were sent. */
  reformatted(check: string, detail: string): void {
    this.#lines.push({ check, state: "REFORMATTED", detail, question: "GENUINE" })
  }

  time(currency: Currency, detail: string): void {
    this.#currency = currency
    this.#lines.push({ check: "time", state: currency === "CURRENT" ? "OK" : "INVALID", detail, question: "TIME" })
  }
}
