import type { CompanyRecord } from "../../sources/publishers/uk-companies-house/company-record.ts"

/** Prints the record as a table for people, followed by its origin. */
export function describeCompany(
  company: CompanyRecord,
  source: readonly (readonly [label: string, text: string])[],
): string {
  const address = company.registered_office_address
  const status = [company.company_status, company.company_status_detail].filter((word) => word !== null).join(", ")
  const rows: readonly (readonly [string, string | null])[] = [
    ["status", status],
    ["type", company.company_type],
    ["jurisdiction", company.jurisdiction],
    ["created", company.date_of_creation],
    ["ceased", company.date_of_cessation],
    [
      "office",
      [
        address.care_of,
        address.po_box,
        address.line_1,
        address.line_2,
        address.locality,
        address.region,
        address.postal_code,
        address.country,
      ]
        .filter((part) => part !== null)
        .join(", "),
    ],
    ["business", company.sic_codes.join(", ")],
    ...company.previous_company_names.map(
      ({ name, ceased_on }) => ["formerly", `${name} until ${ceased_on ?? "unknown"}`] as const,
    ),
    ["overdue", overdue(company)],
    ["charges", yesNo(company.has_charges)],
    ...source,
  ]
  const lines = rows.flatMap(([label, text]) =>
    text === null || text === "" ? [] : [`  ${label.padEnd(12)}  ${text}\n`],
  )
  return `${company.company_number}  ${company.company_name}\n${lines.join("")}`
}

function overdue({ accounts_overdue, confirmation_statement_overdue }: CompanyRecord): string {
  return `accounts ${yesNo(accounts_overdue)}, confirmation statement ${yesNo(confirmation_statement_overdue)}`
}

function yesNo(value: boolean | null): string {
  return value === null ? "not said" : value ? "yes" : "no"
}
