/** Public registers that identify companies. They impose no restrictions, so none of them is screened. */
export const REGISTER_IDS = ["UK_COMPANIES_HOUSE", "US_SAM_ENTITY", "GLEIF_LEI", "US_SEC_EDGAR"] as const
export type RegisterId = (typeof REGISTER_IDS)[number]

export function isRegisterId(id: string): id is RegisterId {
  return (REGISTER_IDS as readonly string[]).includes(id)
}
