/** A limit, its constant, and the answer when it is exceeded. */
export interface Limit {
  readonly what: string
  /** The limit as text for a person. */
  readonly limit: string
  readonly constant: string
  readonly file: string
  /** The answer when the limit is exceeded. A status with a code must match the catalogue. */
  readonly answer: string
  /** All callers fill it together. A test shows for each that another caller still gets through. */
  readonly isShared?: true
}

/** One row of the page. */
export const row = (what: string, limit: string, constant: string, file: string, answer: string): Limit => ({
  what,
  limit,
  constant,
  file,
  answer,
})

/** A row of what all callers fill together. */
export const shared = (...of: Parameters<typeof row>): Limit => ({ ...row(...of), isShared: true })
