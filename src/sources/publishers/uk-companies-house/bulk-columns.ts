/** The 55 columns of the monthly file, by the publisher's names. A column that no record uses may be missing. */
import type { ColumnSpec } from "../../records/columns.ts"

function needed(name: string): ColumnSpec {
  return { names: [name], required: true }
}

function unread(name: string): ColumnSpec {
  return { names: [name], required: false }
}

export const BULK_COLUMNS = {
  name: needed("CompanyName"),
  number: needed("CompanyNumber"),
  careOf: needed("RegAddress.CareOf"),
  poBox: needed("RegAddress.POBox"),
  line1: needed("RegAddress.AddressLine1"),
  line2: needed("RegAddress.AddressLine2"),
  postTown: needed("RegAddress.PostTown"),
  county: needed("RegAddress.County"),
  country: needed("RegAddress.Country"),
  postCode: needed("RegAddress.PostCode"),
  category: needed("CompanyCategory"),
  status: needed("CompanyStatus"),
  origin: unread("CountryOfOrigin"),
  dissolved: needed("DissolutionDate"),
  incorporated: needed("IncorporationDate"),
  accountDay: unread("Accounts.AccountRefDay"),
  accountMonth: unread("Accounts.AccountRefMonth"),
  accountsDue: needed("Accounts.NextDueDate"),
  accountsMade: unread("Accounts.LastMadeUpDate"),
  accountCategory: unread("Accounts.AccountCategory"),
  returnsDue: unread("Returns.NextDueDate"),
  returnsMade: unread("Returns.LastMadeUpDate"),
  charges: needed("Mortgages.NumMortCharges"),
  chargesOutstanding: unread("Mortgages.NumMortOutstanding"),
  chargesPartSatisfied: unread("Mortgages.NumMortPartSatisfied"),
  chargesSatisfied: unread("Mortgages.NumMortSatisfied"),
  sic1: needed("SICCode.SicText_1"),
  sic2: needed("SICCode.SicText_2"),
  sic3: needed("SICCode.SicText_3"),
  sic4: needed("SICCode.SicText_4"),
  generalPartners: unread("LimitedPartnerships.NumGenPartners"),
  limitedPartners: unread("LimitedPartnerships.NumLimPartners"),
  uri: unread("URI"),
  changed1: needed("PreviousName_1.CONDATE"),
  previous1: needed("PreviousName_1.CompanyName"),
  changed2: needed("PreviousName_2.CONDATE"),
  previous2: needed("PreviousName_2.CompanyName"),
  changed3: needed("PreviousName_3.CONDATE"),
  previous3: needed("PreviousName_3.CompanyName"),
  changed4: needed("PreviousName_4.CONDATE"),
  previous4: needed("PreviousName_4.CompanyName"),
  changed5: needed("PreviousName_5.CONDATE"),
  previous5: needed("PreviousName_5.CompanyName"),
  changed6: needed("PreviousName_6.CONDATE"),
  previous6: needed("PreviousName_6.CompanyName"),
  changed7: needed("PreviousName_7.CONDATE"),
  previous7: needed("PreviousName_7.CompanyName"),
  changed8: needed("PreviousName_8.CONDATE"),
  previous8: needed("PreviousName_8.CompanyName"),
  changed9: needed("PreviousName_9.CONDATE"),
  previous9: needed("PreviousName_9.CompanyName"),
  changed10: needed("PreviousName_10.CONDATE"),
  previous10: needed("PreviousName_10.CompanyName"),
  statementDue: needed("ConfStmtNextDueDate"),
  statementMade: unread("ConfStmtLastMadeUpDate"),
} as const satisfies Readonly<Record<string, ColumnSpec>>

export type BulkColumn = keyof typeof BULK_COLUMNS

/** Newest first. */
export const PREVIOUS_NAME_COLUMNS = [
  ["previous1", "changed1"],
  ["previous2", "changed2"],
  ["previous3", "changed3"],
  ["previous4", "changed4"],
  ["previous5", "changed5"],
  ["previous6", "changed6"],
  ["previous7", "changed7"],
  ["previous8", "changed8"],
  ["previous9", "changed9"],
  ["previous10", "changed10"],
] as const satisfies readonly (readonly [BulkColumn, BulkColumn])[]
