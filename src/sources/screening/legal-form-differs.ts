import { COMPANY_BIT } from "./legal-forms.ts"

/** True if both names of organisations state a legal form and the forms differ. Plain "company" agrees with any form. */
export function legalFormDiffers(query: number, listed: number, person: boolean): boolean {
  if (person || query === 0 || listed === 0 || query === COMPANY_BIT || listed === COMPANY_BIT) return false
  return (query & listed) === 0
}
