/**
 * How long rows of the Beacon are kept. The schema's RETAINED says the same. The digest of an event is in the row of its answer and ends with
 * it.
 */
import { DAY, formatInstant } from "../../../core/time.ts"

/** CHOICE: a consent is kept for 400 days after its end, as proof of what was agreed; a counter, which names no agent, for as long. */
export const CONSENT_KEPT_DAYS = 400
const COUNTERS_KEPT_DAYS = 400

/** UTC, YYYY-MM-DD. */
export const dayOf = (at: number) => formatInstant(at).slice(0, 10)

/** Counts of a consent are kept for the present day and the day before. */
export const consentDaysBefore = (at: number) => dayOf(at - DAY)
export const countersBefore = (at: number) => dayOf(at - COUNTERS_KEPT_DAYS * DAY)
