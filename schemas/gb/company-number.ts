import { Type } from "@sinclair/typebox"

/** Eight characters with upper-case letters: digits only, or a prefix such as SC, NI, OC, R0, IP. */
export const CompanyNumber = Type.String({
  pattern: "^[A-Z0-9]{2}[0-9]{5}[0-9A-Z]$",
  description: "Companies House number, eight characters",
})
