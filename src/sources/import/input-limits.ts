export interface InputLimits {
  readonly files: number
  /** All files together. */
  readonly bytes: number
}
