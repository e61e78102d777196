import { Type } from "@sinclair/typebox"

/**
 * Eight characters in upper case: a prefix of two characters, three to six digits, and up to three closing letters. Registered societies
 * have the closing letters (`IP28746R`, `SP2715RS`, `IP000CUS`).
 */
export const COMPANY_NUMBER_PATTERN = "^[A-Z0-9]{2}([0-9]{6}|[0-9]{5}[A-Z]|[0-9]{4}[A-Z]{2}|[0-9]{3}[A-Z]{3})$"

export const CompanyNumber = Type.String({
  pattern: COMPANY_NUMBER_PATTERN,
  description: "Companies House number, eight characters without spaces",
})
