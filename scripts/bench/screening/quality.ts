/** What a measurement of the search reports. */
export interface Row {
  readonly name: string
  readonly cases: number
  /** Shares at `THRESHOLDS`, over all cases and for each half. */
  readonly all: readonly number[]
  readonly dev: readonly number[]
  readonly test: readonly number[]
}

export interface PairRow {
  readonly half: "all" | "dev" | "test"
  readonly cases: number
  readonly threshold: number
  readonly precision: number
  readonly recall: number
  readonly f1: number
}

export interface Quality {
  readonly parties: number
  readonly names: number
  readonly recall: readonly Row[]
  /** Listed parties whose exact name is contained in a longer one; found in every spelling of the form. */
  readonly contained: readonly Row[]
  readonly containedPersons: readonly Row[]
  readonly alerts: readonly Row[]
  readonly pairs: readonly PairRow[]
  readonly blocks: BlockRow
}

export interface Block {
  readonly firm: string
  readonly countries: readonly string[]
  readonly listed: string
  readonly entryId: string
}

/** The real companies that the block tier would stop. */
export interface BlockRow {
  readonly firms: number
  readonly withCountry: readonly Block[]
  readonly withoutCountry: readonly Block[]
  /** Would block, but a conflicting country makes it a hold. */
  readonly heldByCountry: readonly Block[]
}

/** The half of a case, and its score: that of the true entry (recall), or the best of any entry (alerts). */
export interface Case {
  readonly dev: boolean
  readonly score: number
}
