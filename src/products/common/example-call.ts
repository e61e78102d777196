/** The parameters of a product's example body. */
export interface ExampleCall {
  /** Time of sending, in milliseconds. */
  readonly at: number
  /** Idempotency key of the example. */
  readonly key: string
}

/** Fixed parameters of the published examples, so that their bytes and digests never change. */
export const PUBLISHED_EXAMPLE: ExampleCall = { at: Date.UTC(2026, 10, 20, 10), key: "order-2026-0001" }
