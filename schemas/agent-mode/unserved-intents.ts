/** Needs that no operation meets, and the intents that come nearest. */
export const UNSERVED_INTENTS: ReadonlyMap<string, readonly string[]> = new Map([
  ["EXECUTE_SUPPLIER_TRANSFER", ["RELEASE_PAYMENT_TO_SUPPLIER"]],
  ["MONITOR_SUPPLIER_CONTINUOUSLY", ["CONTINUE_US_VENDOR_AUTHORIZATION"]],
  ["CHECK_US_STATE_GOOD_STANDING", ["CHECK_US_COMPANY"]],
  ["CHECK_BR_COMPANY", []],
])
