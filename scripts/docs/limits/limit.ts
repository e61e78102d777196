/** A limit, the constant that holds it and the answer to whoever passes it. */
export interface Limit {
  readonly what: string
  /** The limit as a person reads it. */
  readonly limit: string
  readonly constant: string
  readonly file: string
  /** What happens when it is passed. A status with a code must be the one of the catalogue. */
  readonly answer: string
}

/** One row of the page. */
export const row = (what: string, limit: string, constant: string, file: string, answer: string): Limit => ({
  what,
  limit,
  constant,
  file,
  answer,
})
