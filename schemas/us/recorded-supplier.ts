import { type Static, Type } from "@sinclair/typebox"
import { closed } from "../common.ts"
import { ScreeningFact } from "../screening-facts.ts"
import { RegistrationFact } from "./registration-fact.ts"

/**
 * What the registers and the lists say of the request's supplier under exactly the identifiers and the names that its owner's own records know
 * (rulings 89). It can only make an answer stricter. Absent if the records do not know the supplier, or if the request names it as they do.
 */
export const RecordedSupplier = closed({
  /** Keys such as `lei:…`. */
  identifiers: Type.Array(Type.String({ pattern: "^(lei|uei|cage|cik|ein):[0-9A-Z]+$" }), { minItems: 1 }),
  registration: Type.Union([RegistrationFact, Type.Null()]),
  screening: ScreeningFact,
  /** Under each recorded legal name that the request does not give. Absent if there is none. */
  other_names: Type.Optional(
    Type.Array(closed({ legal_name: Type.String(), screening: ScreeningFact }), { minItems: 1 }),
  ),
})
export type RecordedSupplier = Static<typeof RecordedSupplier>
