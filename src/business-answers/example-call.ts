/** What the example body of a product is made for. */
export interface ExampleCall {
  /** When it is sent, in milliseconds. */
  readonly at: number
  /** Its idempotency key. */
  readonly key: string
}

/** What the published examples are made for: always the same, so that their bytes and digests are. */
export const PUBLISHED_EXAMPLE: ExampleCall = { at: Date.UTC(2026, 10, 20, 10), key: "order-2026-0001" }
