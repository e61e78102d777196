import type { ScreeningFact } from "../../../schemas/screening-facts.ts"
import type { ScreenQuery } from "../../sources/screening/screen.ts"

/** One party of an answer as the lists were asked for it, and the result in the facts. */
export interface PartyScreening {
  readonly query: ScreenQuery
  readonly screening: ScreeningFact
}
